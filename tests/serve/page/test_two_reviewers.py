"""Two who review on one page: neither loses a decision of the other's, and each is told of it."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from serving import KEY
from webpage import WebPage

pytestmark = pytest.mark.slow

SIGNED = f"sessionStorage.setItem('ontonym-key', '{KEY}')"


def ben_decides(page: WebPage, source: str, verdict: str, target: str = "") -> dict[str, Any]:
    """Decides on the server, as another reviewer does whom the page knows nothing of."""
    asked = urllib.request.Request(  # noqa: S310 (our own server)
        f"{page.address}api/review/decide",
        json.dumps({"id": source, "verdict": verdict, "target": target, "review": "many"}).encode(),
        {"Authorization": "Bearer fedcba9876543210", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked) as answer:  # noqa: S310 (as above)
        found: dict[str, Any] = json.load(answer)
        return found


def reviewing(page: WebPage, source: str) -> None:
    """The review of many source concepts at one of them, which was just read."""
    page.driver.execute_script(SIGNED)
    page.open(f"review?review=many&filter=all&id={source}")
    page.shown(".item-head h2", f"local name {source.removeprefix('L:')}")
    page.driver.execute_async_script("setTimeout(arguments[0], 500)")


def test_a_decision_of_another_that_was_not_read_is_kept_and_told(page):
    reviewing(page, "L:40")
    ben_decides(page, "L:40", "exact", "T:4")
    page.press("a")
    page.shown("#toast.is-error", "ben decided “exact T:4 target 4” after you had read it: both decisions are kept")
    page.shown(".item-head .problem", "Reviewers disagree")
    assert len(page.texts(".decisions li")) == 2
    assert page.shown(".item-head h2").text == "local name 40"  # the next one is not gone to
    page.press("a")
    page.shown(".item-head h2", "local name 41")
    page.press("k")
    page.wait(lambda: page.shown(".item-head h2").text == "local name 40")
    assert [one[:13] for one in page.texts(".decisions li")] == ["✓ exact T:3 t"]


def test_what_another_decided_since_the_list_was_read_is_seen_on_the_way(page):
    reviewing(page, "L:50")
    ben_decides(page, "L:51", "none")
    page.press("j")
    page.shown("#toast", "local name 51: changed by another reviewer since it was listed")
    assert "nothing fits" in page.shown(".decisions li").text
    page.press("a")  # at once: nobody has read that
    page.shown("#toast.is-error", "ben decided “none” after you had read it")


def test_no_source_concept_is_left_out_of_the_next_page_when_another_decides(page):
    page.driver.execute_script(SIGNED)
    page.open("review?review=many")
    page.wait(lambda: len(page.all(".review-list [role=option]")) == 100)
    for number in range(60, 80):
        ben_decides(page, f"L:{number}", "none")
    page.shown(".review-list button", "Show more").click()
    page.wait(lambda: len(page.all(".review-list [role=option]")) > 100)
    assert {f"local name {number}" for number in range(100, 131)} <= {
        one.split(",")[0] for one in page.driver.execute_script(
            "return [...document.querySelectorAll('.review-list .item-label')].map((one) => one.textContent)"
        )
    }  # fmt: skip
