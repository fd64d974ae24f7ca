"""A client that has an answer asks whether it still holds: entity tags, 304, and when an answer is another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import ontonym
from ontonym.serve.http.app import make_app
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import ServedLibrary
from serving import served_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    served_folder(tmp_path)
    return tmp_path


def serving(folder: Path) -> TestClient:
    library = ServedLibrary([folder / "tiny/tiny.index", folder / "other/other.index"])
    return TestClient(make_app(library, ServerOptions(names=("testserver",))))


def system(client: TestClient) -> str:
    """The url of the first code system that is served."""
    return str(client.get("/r4/CodeSystem").json()["entry"][0]["resource"]["url"])


@pytest.mark.parametrize(
    "path", ["metadata", "metadata?mode=terminology", "CodeSystem", "ValueSet/$expand?count=2&url="]
)
def test_what_a_client_has_is_not_sent_again(served, path):
    path = f"/r4/{path}{system(served)}?fhir_vs" if path.endswith("url=") else f"/r4/{path}"
    first = served.get(path)
    tag = first.headers["etag"]
    assert (first.status_code, tag[:3], first.headers["cache-control"]) == (200, 'W/"', "no-cache")
    again = served.get(path, headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert served.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_star_stands_for_any_answer_that_there_is(served):
    star = {"If-None-Match": " * "}
    answer = served.get("/r4/CodeSystem", headers=star)
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == served.get("/r4/CodeSystem").headers["etag"]
    assert served.get("/r4/CodeSystem/none", headers=star).status_code == 404
    assert served.get("/r4/CodeSystem", headers={**star, "X-Cache-Id": "mine"}).status_code == 200


def test_another_format_language_and_version_is_another_answer(served):
    url, tags = f"CodeSystem?url={system(served)}", set()
    for version in ("r4", "r5"):
        for more in ({}, {"Accept": "application/fhir+xml"}, {"Accept-Language": "de"}):
            answer = served.get(f"/{version}/{url}", headers=more)
            tags.add(answer.headers["etag"])
            assert answer.headers["vary"] == "Accept, Accept-Language, Prefer, X-Too-Costly-Threshold"
    assert len(tags) == 6


def test_only_whole_answers_that_nothing_else_decides_on_have_a_tag(served):
    expand = f"ValueSet/$expand?url={system(served)}?fhir_vs"
    assert "etag" not in served.get("/r4/CodeSystem/none").headers
    assert "etag" not in served.get(f"/r4/{expand}", headers={"X-Cache-Id": "mine"}).headers
    assert "etag" not in served.get(f"/r4/{expand}&cache-id=mine").headers
    assert "etag" not in served.post("/r4/ValueSet/$expand", data={"url": "x"}).headers
    for path in ("$closure", "$closure/", "ConceptMap/$closure//"):
        started = served.get(f"/r4/{path}?name=mine")
        assert (started.status_code, "etag" in started.headers) == (200, False)


def test_what_is_typed_is_kept_nowhere(served):
    answer = served.get(f"/r4/ValueSet/$expand?url={system(served)}?fhir_vs&filter=fits")
    assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", True)


def test_a_tag_outlives_the_server_but_not_a_change_of_the_index(folder):
    with serving(folder) as client:
        path = f"/r4/ValueSet/$expand?url={system(client)}?fhir_vs&filter=funny%20turn"
        tag = client.get(path).headers["etag"]
    known = {"If-None-Match": tag}
    with serving(folder) as client:
        assert client.get(path, headers=known).status_code == 304
    ontonym.add_terms(folder / "tiny/tiny.index", [("T:6", "funny turn")])
    with serving(folder) as client:
        answer = client.get(path, headers=known)
    assert answer.status_code == 200
    assert [one["code"] for one in answer.json()["expansion"]["contains"]] == ["6"]


def test_the_capability_statement_says_so(served):
    rest = served.get("/r4/metadata").json()["rest"][0]
    assert {one["conditionalRead"] for one in rest["resource"]} == {"not-match"}
