"""The JSON API over HTTP: every operation, what it refuses, and who may write."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ontonym.serve.api import concepts
from ontonym.serve.api.operations import BASE, OPERATIONS
from ontonym.serve.http import app
from serving import SIGNED, Serving

HEART = {"id": "T:2", "preferred": "Abnormality of the heart"}
TOP = {"id": "T:1", "preferred": "Phenotypic abnormality"}


def get(client: TestClient, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def post(client: TestClient, path: str, body: Any, status: int = 200, *, signed: bool = True) -> Any:
    answer = client.post(f"/api/{path}", json=body, headers=SIGNED if signed else {})
    assert answer.status_code == status, answer.text
    return answer.json()


def test_search_gives_the_hits_of_the_command_line_with_their_places(served):
    answer = get(served, "search", q="heart attack", k=1)
    (hit,) = answer["hits"]
    assert answer["query"] == "heart attack"
    assert (hit["id"], hit["matched"], hit["reason"]["rule"]) == ("T:3", "Heart attack", "normalized")
    assert hit["path"] == [TOP, HEART]
    assert [one["id"] for one in hit["branches"]] == ["T:2"]
    assert "explanation" not in hit


def test_post_gives_what_get_gives(served):
    body = {"q": "heart attack", "k": 2, "within": ["T:2"]}
    assert post(served, "search", body, signed=False) == get(served, "search", q="heart attack", k=2, within="T:2")


def test_another_index_is_asked_by_name(served):
    assert get(served, "search", q="heart attack", k=1, index="other")["hits"][0]["id"] == "U:3"
    assert "Valid: other, tiny" in get(served, "search", 400, q="x", index="none")["error"]


def test_filters_hold(served):
    assert [hit["id"] for hit in get(served, "search", q="pyrexia", within="T:2")["hits"]].count("T:5") == 0


def test_an_explanation_comes_on_request(served):
    (hit,) = get(served, "search", q="pyrexia", k=1, explain="true")["hits"]
    assert hit["explanation"]["rank"] == 1
    assert get(served, "explain", q="pyrexia", k=1)["hits"] == [hit]
    (other,) = get(served, "explain", q="pyrexia", id="T:6")["hits"]
    assert (other["id"], other["explanation"]["words"]["shared"]) == ("T:6", [])


@pytest.mark.parametrize(
    ("typed", "found", "by"),
    [
        ("my inf", ("T:3", "Myocardial infarction"), "prefix"),
        ("inf my", ("T:3", "Myocardial infarction"), "prefix"),
        ("HEA A", ("T:3", "Heart attack"), "prefix"),
        ("hea abn", ("T:2", "Abnormality of the heart"), "prefix"),
        ("palpitations", ("T:4", "Palpitations"), "prefix"),
        ("T:5", ("T:5", "Fever"), "code"),
        ("feverr", ("T:5", "Fever"), "meaning"),
    ],
)
def test_autocomplete_takes_beginnings_of_words_in_any_order(served, typed, found, by):
    hit = get(served, "autocomplete", q=typed)["hits"][0]
    assert (hit["id"], hit["matched"]) == found
    assert hit["by"] == by


def test_autocomplete_keeps_to_names_that_have_every_beginning(served):
    assert [hit["id"] for hit in get(served, "autocomplete", q="hea")["hits"]] == ["T:3", "T:4", "T:2"]
    assert get(served, "autocomplete", q="hea xyz", meaning="false")["hits"] == []
    assert get(served, "autocomplete", q="p", within="T:2")["hits"][0]["id"] == "T:4"


@pytest.mark.parametrize(
    ("typed", "unfinished"),
    [
        ("heart att", "att"),
        ("hea", "hea"),
        ("f", "f"),
        ("since monday a fev", "fev"),
        ("since monday fe", "fe"),
        ("heart attack", ""),
        ("heart", ""),
        ("heart att ", ""),
        ("since monday a fever", ""),
        ("hart atack", ""),
        ("a heart like mine in the morning", ""),
        ("HEART ATT", ""),
        ("T:5", ""),
        ("t:5", ""),
        ("code T:5", ""),
        ("T:5.", "T:5."),
        ("fever 3", ""),
    ],
)
def test_words_still_typed_are_searched_for_when_the_last_one_is_whole(served, typed, unfinished):
    found = get(served, "search", q=typed, typing="true")
    assert found.get("unfinished", "") == unfinished
    hits = get(served, "search", q=typed)["hits"]
    assert hits
    assert found["hits"] == ([] if unfinished else hits)


def test_an_answer_is_made_once_until_the_index_changes(own, tmp_path, monkeypatch):
    asked: list[str] = []
    one = next(one for one in OPERATIONS if one.path == "/autocomplete")

    def answer(opened: Any, given: Any) -> dict[str, Any]:
        asked.append(given["q"])
        return one.answer(opened, given)

    counted = replace(one, answer=answer)
    monkeypatch.setattr(app, "OPERATIONS", [counted, *(other for other in OPERATIONS if other is not one)])
    with Serving(own, tmp_path) as client:
        answers = [client.get("/api/autocomplete", params={"q": q, "k": k}).json() for q, k in (("fun", 5),) * 3]
        assert asked == ["fun"]
        assert answers[0] == answers[2]
        client.get("/api/autocomplete", params={"q": "fun", "k": 6})
        assert asked == ["fun"] * 2
        client.post("/api/terms/add", json={"id": "T:6", "text": "funny turn"}, headers=SIGNED)
        hits = client.get("/api/autocomplete", params={"q": "fun", "k": 5}).json()["hits"]
        assert (hits[0]["matched"], asked) == ("funny turn", ["fun"] * 3)


def test_mentions_are_normalized_one_by_one(served):
    first, second = get(served, "normalize", text=["fits", "zzzz qqqq"])["mentions"]
    assert (first["mention"], first["id"], second["id"]) == ("1", "T:6", None)
    assert "missing" in get(served, "normalize", 400)["error"]


def test_a_text_is_annotated_with_negation_and_doubt(served):
    answer = post(served, "annotate", {"text": "No fever. Palpitations."}, signed=False)
    found = [(one["start"], one["end"], one["id"], one["negated"]) for one in answer["mentions"]]
    assert found == [(3, 8, "T:5", True), (10, 22, "T:4", False)]


def test_what_counts_as_a_mention_is_asked_for(served):
    text = {"text": "An attack of the heart. Fever."}
    found = {how: post(served, "annotate", text | {"find": how}, signed=False)["mentions"] for how in ("names", "all")}
    assert [one["text"] for one in found["names"]] == ["Fever"]
    assert [one["text"] for one in found["all"]] == ["attack of the heart", "Fever"]
    wrong = served.post("/api/annotate", json=text | {"find": "most"})
    assert (wrong.status_code, "Valid: names, phrases, statements, likely, all" in wrong.text) == (400, True)


def test_two_concepts_are_compared(served):
    answer = get(served, "compare", q="pyrexia", first="T:5", second="T:6")
    assert (answer["first"]["id"], answer["second"]["id"], answer["rival"]["kinship"]) == ("T:5", "T:6", "sibling")


def test_a_concept_is_told_whole(served):
    answer = get(served, "concept", id="T:2")
    assert (answer["preferred"], answer["terminology"], answer["version"]) == (HEART["preferred"], "tiny", "2024-01-01")
    assert [one["id"] for one in answer["children"]] == ["T:3", "T:4"]
    assert answer["parents"] == [TOP | {"status": "active", "children": 3}]
    assert answer["names"][0] == {
        "text": HEART["preferred"],
        "kind": "preferred",
        "scope": "exact",
        "language": "en",
        "status": "active",
        "source": "",
    }
    assert get(served, "concept", id="t:2")["id"] == "T:2"
    assert answer["code"] == "2", "as other systems write it"
    assert get(served, "concept", id="T:9")["status"] == "retired"
    assert get(served, "concept", id="U:2")["terminology"] == "other"
    assert "no concept 'T:77'" in get(served, "concept", 404, id="T:77")["error"]


@pytest.mark.parametrize(
    ("parameters", "relation", "found"),
    [
        ({}, "roots", ["T:1"]),
        ({"terminology": "other"}, "roots", ["U:1"]),
        ({"id": "T:1"}, "children", ["T:2", "T:5", "T:6"]),
        ({"id": "T:3", "relation": "parents"}, "parents", ["T:2"]),
        ({"id": "T:3", "relation": "ancestors"}, "ancestors", ["T:2", "T:1"]),
        ({"id": "T:3", "relation": "siblings"}, "siblings", ["T:4"]),
        ({"id": "T:1", "relation": "descendants", "offset": 1, "count": 2}, "descendants", ["T:5", "T:3"]),
        ({"id": "T:1", "relation": "descendants", "offset": 3, "count": 2}, "descendants", ["T:4", "T:6"]),
    ],
)
def test_the_hierarchy_is_walked(served, parameters, relation, found):
    answer = get(served, "hierarchy", **parameters)
    assert answer["relation"] == relation
    assert [one["id"] for one in answer["concepts"]] == found


def test_the_tree_is_that_of_the_command_line(served):
    (root,) = get(served, "tree", id="T:3")["trees"]
    assert (root["id"], root["children"][0]["id"], root["children"][0]["children"][0]["is_concept"]) == (
        "T:1",
        "T:2",
        True,
    )
    assert get(served, "tree", terminology="other")["trees"][0]["id"] == "U:1"


def test_a_tree_has_as_many_whole_levels_as_have_room(served, monkeypatch):
    def shown(**given: object) -> tuple[int, list[str]]:
        answer = get(served, "tree", terminology="tiny", **given)
        nodes, ids = list(answer["trees"]), []
        while nodes:
            node = nodes.pop(0)
            ids.append(f"{node['id']}+{node['left_out']}")
            nodes += node["children"]
        return answer["levels"], ids

    whole = ["T:1+0", "T:2+0", "T:5+0", "T:6+0", "T:3+0", "T:4+0"]
    assert shown(levels=5) == (5, whole)
    monkeypatch.setattr(concepts, "MOST_IN_TREE", 6)
    assert shown(levels=4) == (4, whole)
    monkeypatch.setattr(concepts, "MOST_IN_TREE", 5)
    assert shown(levels=3) == (1, ["T:1+0", "T:2+2", "T:5+0", "T:6+0"])
    assert shown(id="T:2", levels=3) == (3, ["T:1+0", "T:2+0", "T:3+0", "T:4+0"])
    monkeypatch.setattr(concepts, "MOST_IN_TREE", 0)
    assert shown(levels=2) == (0, ["T:1+3"])


def test_candidates_are_those_of_a_match(served):
    answer = get(served, "candidates", id="T:3", index="other")
    assert (answer["id"], answer["candidates"][0]["id"]) == ("T:3", "U:3")
    assert "searched by this index itself" in get(served, "candidates", 400, id="T:3", index="tiny")["error"]


def test_a_term_is_added_found_listed_and_removed(own, tmp_path):
    with Serving(own, tmp_path) as client:
        assert post(client, "terms/add", {"id": "T:6", "text": "funny turn", "why": "ward 3"})["held"] == 1
        (hit,) = get(client, "search", q="funny turn", k=1)["hits"]
        assert (hit["id"], hit["matched"], hit["source"]) == ("T:6", "funny turn", "added by anna")
        assert get(client, "autocomplete", q="fun")["hits"][0]["id"] == "T:6"
        (term,) = get(client, "terms")["terms"]
        assert (term["id"], term["text"], term["who"], term["why"]) == ("T:6", "funny turn", "anna", "ward 3")
        assert get(client, "about")["indexes"][0]["added_terms"] == 1
        assert post(client, "terms/remove", {"id": "T:6", "text": "funny turn"})["removed"] == 1
        assert "not held" in post(client, "terms/remove", {"id": "T:6", "text": "funny turn"}, 400)["error"]
        assert get(client, "terms")["terms"] == []
        assert post(client, "terms/add", {"id": "T:77", "text": "x"}, 404)["error"].startswith("no concept")


def test_clients_that_add_terms_at_once_take_turns(own, tmp_path):
    with Serving(own, tmp_path) as client, ThreadPoolExecutor(4) as threads:
        asked = [{"id": "T:6", "text": f"funny turn {number}"} for number in range(8)]
        found = threads.map(lambda one: client.post("/api/terms/add", json=one, headers=SIGNED).status_code, asked)
        assert [*found] == [200] * 8
        assert len(get(client, "terms")["terms"]) == 8


@pytest.mark.parametrize(("options", "writable"), [({}, True), ({"keys": ""}, False)])
def test_it_is_said_whether_anybody_may_write(built, tmp_path, options, writable):
    with Serving(built, tmp_path, **options) as client:
        assert get(client, "about")["writable"] is writable


@pytest.mark.parametrize("path", [one.path for one in OPERATIONS if one.writes])
def test_what_writes_needs_a_key(served, path):
    assert "needs a key" in post(served, path.strip("/"), {}, 401, signed=False)["error"]
    wrong = served.post(BASE + path, json={}, headers={"Authorization": "Bearer 0000000000000000"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, "Bearer")


def test_reading_can_be_closed(built, tmp_path):
    with Serving(built, tmp_path, closed=True) as client:
        get(client, "about", 401)
        assert client.get("/api/about", headers=SIGNED).status_code == 200


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "the parameter q is missing"),
        ({"q": " "}, "the parameter q is empty"),
        ({"q": "x", "k": "many"}, "the parameter k is no whole number from 1 to 100"),
        ({"q": "x", "k": 1000}, "the parameter k is no whole number from 1 to 100"),
        ({"q": ["x", "y"]}, "the parameter q is given twice"),
        ({"q": "x", "wihtin": "T:1"}, "unknown parameter 'wihtin'. Valid: q, index"),
        ({"q": "x", "signal": "magic"}, "the parameter signal is 'magic'. Valid: fused"),
        ({"q": "x", "explain": "perhaps"}, "the parameter explain is neither true nor false"),
        ({"q": "x" * 20_000}, "at most 10,000 are taken"),
        ({"q": "x", "tag": "none"}, "unknown tag 'none'"),
    ],
)
def test_a_wrong_parameter_is_told(served, parameters, message):
    assert message in get(served, "search", 400, **parameters)["error"]


@pytest.mark.parametrize(
    ("body", "kind", "status", "message"),
    [
        (b"{", "application/json", 400, "the body is no JSON"),
        (b"[]", "application/json", 400, "the body is no JSON object"),
        (b'{"q": 1}', "application/json", 400, "the parameter q is no text"),
        (b'{"q": "a\\u0000"}', "application/json", 400, "a character that no text has"),
        (b'{"q": "a", "tag": 1}', "application/json", 400, "the parameter tag is no list"),
        (b"q=a", "application/x-www-form-urlencoded", 415, "not application/json"),
        (b'"' + b"x" * 4_000_001, "application/json", 413, "more than 4,000,000 bytes"),
    ],
)  # fmt: skip
def test_a_wrong_body_is_told(served, body, kind, status, message):
    answer = served.post("/api/search", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_what_is_nowhere_is_told(served):
    assert "there is nothing at /api/none" in served.get("/api/none").json()["error"]
    assert served.get("/r4b/metadata").json()["error"].endswith("and for FHIR /r5, /r4, /fhir")
    wrong = served.put("/api/search")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, POST, HEAD")
    assert wrong.json() == {"error": "/api/search takes GET, POST, HEAD, not PUT: see /api/openapi.json"}


def test_the_description_has_every_operation(served):
    described = served.get("/api/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert {path: set(one) for path, one in described["paths"].items()} == {
        BASE + one.path: {method.lower() for method in one.methods} for one in OPERATIONS
    }
    names = [one["operationId"] for path in described["paths"].values() for one in path.values()]
    assert len(names) == len(set(names))


def test_the_page_of_the_docs_is_that_of_the_table():
    spec = importlib.util.spec_from_file_location("apidoc", Path(__file__).parents[2] / "docs" / "apidoc.py")
    apidoc = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(apidoc)
    written = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")

    def plain(text: str) -> str:
        return re.sub(r"-?\d+\.\d+", "0", text)

    assert plain(apidoc.page()) == plain(written), "write it with `python docs/apidoc.py`"


def test_a_full_disk_is_the_servers_matter(served, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "cannot be written" in post(served, "terms/add", {"id": "T:6", "text": "funny turn"}, 507)["error"]
