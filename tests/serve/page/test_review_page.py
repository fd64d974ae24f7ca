"""The review on the page: what is in sight, and how it ends."""

from __future__ import annotations

import pytest

from serving import KEY

pytestmark = pytest.mark.slow

ENTER = "\ue007"


def test_a_review_goes_back_to_what_was_put_off_and_says_that_all_is_decided(page):
    page.open("review?review=three")
    page.shown(".item-head h2", "local name 1")
    page.press("s")
    page.sign_in(KEY)
    page.shown(".item-head h2", "local name 2")
    page.press("a")
    page.shown(".item-head h2", "local name 3")
    page.press("a")
    page.shown(".item-head h2", "local name 1")
    page.press("u")
    page.shown("#toast", "local name 3: undone")
    page.press("a")
    page.shown(".item-head h2", "local name 1")
    page.press("0")
    page.shown("#toast", "local name 1: nothing fits. All 3 are decided")
    page.open("review?review=three")
    page.shown(".empty-title", "All 3 are decided")
    assert "ontonym review export" in page.texts(".empty")[0]
    assert [one.get_attribute("name") for one in page.all(".review-actions button") if one.is_enabled()] == ["undo"]
    page.shown(".review-item button", "Choose another list").click()
    page.shown("dialog label", "nothing decided yet")


def test_the_source_concept_stays_in_sight_however_far_the_list_is_gone_down(page):
    page.width(1366, 640)
    page.open("review?review=many&filter=all&id=L:99")
    page.shown(".item-head h2", "local name 99")
    page.shown(".candidate-detail a")
    page.press("k", "k", "k", "k")
    page.shown(".item-head h2", "local name 95")
    seen = """
    const at = (one) => document.querySelector(one).getBoundingClientRect();
    const [list, one] = [at(".review-list ul"), at(".review-list [aria-selected=true]")];
    const inList = one.top >= list.top - 1 && one.bottom <= list.bottom + 1;
    return [at(".item-head h2").top >= at(".top").bottom, inList, one.bottom <= innerHeight];
    """
    assert page.driver.execute_script(seen) == [True, True, True]


def test_a_list_without_source_concepts_is_called_by_its_name(page):
    page.open("review?review=many&filter=all&search=zzz")
    page.shown(".empty-title", "Nothing in the list “all” with “zzz”")
