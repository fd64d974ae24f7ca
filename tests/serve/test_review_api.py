"""The reviews of the JSON API: what is decided, and two who decide on the same source concept."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from serving import KEY, SIGNED, Serving


def get(client: TestClient, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def decide(client: TestClient, headers: dict[str, str] = SIGNED, **values: Any) -> Any:
    return post(client, "review/decide", values, headers)


def post(client: TestClient, path: str, values: Any, headers: dict[str, str] = SIGNED) -> Any:
    answer = client.post(f"/api/{path}", json=values, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_reviews_are_decided_and_undone(built, tmp_path):
    with Serving(built, tmp_path) as client:
        assert get(client, "reviews")["reviews"] == [
            {"name": "one", "items": 5, "mapped": 0, "none": 0, "disagreed": 0, "undecided": 5}
        ]
        listed = get(client, "review", count=2)
        assert (listed["found"], [one["id"] for one in listed["items"]]) == (5, ["L:2", "L:4"])
        decided = decide(client, id="L:1", verdict="accept")
        assert decided["decisions"][0] | {"time": ""} == {
            "who": "anna", "time": "", "verdict": "exact", "target": "T:1", "label": "renal failure",
        }  # fmt: skip
        assert decide(client, id="2", verdict="skip")["id"] == "L:2"  # without its prefix
        assert post(client, "review/undo", {})["source"] == "L:2"
        assert get(client, "review/item", id="L:1")["status"] == "mapped"
        assert post(client, "review/undo", {})["source"] == "L:1"
        assert get(client, "review/item", id="L:1")["status"] == "undecided"
        assert get(client, "review/item", 400, id="L:77")["error"].startswith(
            "no source concept 'L:77' in the review one.review"
        )


BEN = {"Authorization": "Bearer fedcba9876543210"}


@pytest.fixture
def two_reviewers(built, tmp_path) -> Iterator[TestClient]:
    """A server of a review on which anna and ben decide."""
    keys = tmp_path / "both.txt"
    keys.write_text(f"anna {KEY}\nben fedcba9876543210\n", encoding="utf-8")
    with Serving(built, tmp_path, keys=str(keys)) as client:
        yield client


def test_a_decision_on_what_another_decided_meanwhile_replaces_nothing(two_reviewers):
    read = get(two_reviewers, "review/item", id="L:1")["version"]
    first = decide(two_reviewers, id="L:1", verdict="exact", target="T:1", version=read)
    assert (first["status"], first["notice"]) == ("mapped", None)
    second = decide(two_reviewers, BEN, id="L:1", verdict="broad", target="T:2", version=read)
    assert second["status"] == "disagreed"
    assert [(one["who"], one["target"]) for one in second["decisions"]] == [("anna", "T:1"), ("ben", "T:2")]
    assert second["notice"] == (
        "anna decided “exact T:1 renal failure” after you had read it: both decisions are kept, and the concept counts "
        "as disagreed until it is decided again"
    )
    settled = decide(two_reviewers, BEN, id="L:1", verdict="broad", target="T:2", version=second["version"])
    assert (settled["status"], settled["notice"]) == ("mapped", None)
    assert [(one["who"], one["target"]) for one in settled["decisions"]] == [("ben", "T:2")]


def test_two_who_decide_the_same_at_once_agree(two_reviewers):
    read = get(two_reviewers, "review/item", id="L:1")["version"]
    decide(two_reviewers, id="L:1", verdict="none", version=read)
    second = decide(two_reviewers, BEN, id="L:1", verdict="none", version=read)
    assert (second["status"], second["notice"], len(second["decisions"])) == ("none", None, 2)


def test_a_decision_that_was_replaced_or_undone_since_is_known_by_its_version(two_reviewers):
    first = decide(two_reviewers, id="L:1", verdict="exact", target="T:1")
    changed = decide(two_reviewers, id="L:1", verdict="none")
    stale = decide(two_reviewers, BEN, id="L:1", verdict="exact", target="T:2", version=first["version"])
    assert stale["notice"].startswith("anna decided “none” after you had read it")
    post(two_reviewers, "review/undo", {})  # anna's second decision: that on T:1 is back, which ben has read
    assert len({first["version"], changed["version"], stale["version"]}) == 3
    (left,) = get(two_reviewers, "review/item", id="L:1")["decisions"]
    assert (left["who"], left["target"]) == ("ben", "T:2")


def test_two_who_decide_at_once_take_turns(two_reviewers):
    asked = [(f"L:{number}", headers) for number in (1, 2, 3, 4, 5) for headers in (SIGNED, BEN)] * 2

    def status(one: tuple[str, dict[str, str]]) -> int:
        return two_reviewers.post(
            "/api/review/decide", json={"id": one[0], "verdict": "none"}, headers=one[1]
        ).status_code

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(status, asked)] == [200] * len(asked)
    assert get(two_reviewers, "reviews")["reviews"][0]["none"] == 5
