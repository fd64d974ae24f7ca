"""What a person does on the web page, in a real browser with a real server."""

from __future__ import annotations

import json
import urllib.request

import pytest

from serving import KEY
from webpage import WebPage

pytestmark = pytest.mark.slow

BACKSPACE, DOWN, ENTER, ESCAPE = "\ue003", "\ue015", "\ue007", "\ue00c"
NOTE = "😀 No fever. Possible seizure. He has skipped heart beats, and fever of 39."


def served(page: WebPage, path: str) -> dict[str, object]:
    with urllib.request.urlopen(f"{page.address}api/{path}") as answer:  # noqa: S310 (our own server)
        found: dict[str, object] = json.load(answer)
    return found


def test_a_typed_beginning_is_completed_and_picked_by_keyboard(page):
    page.open()
    page.press("/", "myo inf")
    page.shown("[role=option]", "Myocardial infarction")
    assert page.all("#query")[0].get_attribute("aria-expanded") == "true"
    page.press(DOWN)
    option = page.shown("[role=option][aria-selected=true]")
    assert page.all("#query")[0].get_attribute("aria-activedescendant") == option.get_attribute("id")
    assert "T:3" in option.text
    assert "Abnormality of the heart" in option.text
    page.press(ENTER)
    page.shown("h1", "Myocardial infarction")
    assert page.state() == "#/concept?id=T:3&terminology=tiny"


def test_what_is_only_begun_is_not_searched_for_until_it_is_whole_or_asked_for(page):
    page.open()
    page.press("/", "heart att")
    page.shown(".empty-title", "“att” may only be the beginning of a word")
    assert not page.all(".meter")
    page.press("ack")
    page.shown("li.hit h2", "Myocardial infarction")
    page.press(BACKSPACE)
    page.shown(".results button", "Search for “heart attac”").click()
    page.shown("li.hit .meter")
    page.press("/", BACKSPACE)
    page.shown(".empty-title", "“atta” may only be")
    page.press(ENTER)
    page.shown("li.hit .meter")
    assert page.state() == "#/search?q=heart atta"


@pytest.mark.parametrize("start", ["", "#/", "#/search"])
def test_the_first_step_moves_the_focus_to_the_heading_however_the_page_was_opened(page, start):
    page.driver.get("about:blank")
    page.driver.get(page.address + start)
    page.shown("h1")
    assert not page.all("h1:focus"), "what is shown first takes no focus"
    page.driver.execute_script("location.hash = '#/annotate'")
    page.shown("h1:focus", "Annotate a text")


def test_hits_say_how_sure_why_and_where(page):
    page.open()
    page.press("/", "heart attack", ENTER)
    hit = page.shown(".hit", "Myocardial infarction")
    assert "“Heart attack” (lay term): the same but for case" in hit.text
    assert [one.text for one in hit.find_elements("css selector", ".path li")] == [
        "Phenotypic abnormality", "Abnormality of the heart",
    ]  # fmt: skip
    assert hit.find_element("css selector", ".meter.is-sure .meter-number").text == "0.96"
    hit.find_element("css selector", ".reason button").click()
    page.shown(".why li", "“Heart attack” (lay term, layperson, tiny): the same but for case")
    assert page.state() == "#/search?q=heart attack"


@pytest.mark.parametrize(
    ("confidence", "word"), [(0.796, "sure"), (0.794, "doubtful"), (0.496, "doubtful"), (0.494, "unlikely")]
)
def test_equal_figures_have_one_word(page, confidence, word):
    page.open()
    said = "import('./words.js').then((words) => arguments[1](words.certainty(arguments[0])))"
    assert page.driver.execute_async_script(said, confidence) == word


@pytest.mark.parametrize(
    ("confidences", "wonders"),
    [
        ((0.9, 0.95), True),
        ((0.9, 0.901), False),
        ((0.9, 0.3, 0.4), False),
        ((0.2, 0.01, 0.03), False),
        ((0.7, 0.6), False),
    ],
)
def test_the_order_is_explained_where_a_likely_hit_stands_below(page, confidences, wonders):
    page.open()
    hits = [{"confidence": one} for one in confidences]
    asked = "const done = arguments[1]; import('./search.js').then((one) => done(one.isOutOfOrder(arguments[0])))"
    assert page.driver.execute_async_script(asked, hits) is wonders


@pytest.mark.parametrize(("letters", "confidence", "text"), [(130, 0.96, False), (130, 0.5, True), (20, 0.5, False)])
def test_a_long_name_that_is_found_is_no_text_to_annotate(page, letters, confidence, text):
    page.open()
    asked = "const done = arguments[2]; import('./search.js').then((one) => done(one.isRatherText(...arguments)))"
    assert page.driver.execute_async_script(asked, "a" * letters, {"confidence": confidence}) is text


def test_a_shared_link_shows_the_same_search(page):
    page.open("search?q=pyrexia&within=T:1&only=tiny")
    page.shown(".hit", "Fever")
    page.shown(".chip", "below Phenotypic abnormality")
    assert page.all("#query")[0].get_attribute("value") == "pyrexia"


def test_a_filter_narrows_and_is_taken_away(page):
    page.open("search?q=fever")
    assert page.shown(".hit h2").text == "Fever"
    page.all(".subtree")[0].send_keys("abnormality of the h")
    page.shown(".filters [role=option]", "Abnormality of the heart").click()
    page.wait(lambda: "Fever" not in page.texts(".hit h2"))
    assert page.state() == "#/search?q=fever&within=T:2"
    page.all(".chip button")[0].click()
    page.wait(lambda: page.texts(".hit h2")[:1] == ["Fever"])
    page.driver.back()
    page.wait(lambda: page.state() == "#/search?q=fever&within=T:2")
    page.wait(lambda: page.texts(".chip") != [])


def test_another_index_is_searched(page):
    page.open("search?q=heart attack&index=other")
    page.shown(".hit", "U:3")
    assert "Myocardial infarction" not in page.texts(".hit h2")


def test_the_hierarchy_is_walked(page):
    page.open("concept?id=T:3")
    page.shown(".definition, h1", "Myocardial infarction")
    assert page.texts(".language dt") == ["preferred term", "lay term", "synonym"]
    assert page.texts(".concept-side .steps code")[0] == "T:2"
    page.shown(".concept-side a", "Abnormality of the heart").click()
    page.shown("h1", "Abnormality of the heart")
    assert page.texts(".steps code") == ["T:1", "T:3", "T:4"]
    assert page.texts(".steps a") == ["Phenotypic abnormality", "Myocardial infarction", "Palpitations"]
    page.shown(".steps a", "Palpitations").click()
    page.shown("h1", "Palpitations")
    page.driver.back()
    page.shown("h1", "Abnormality of the heart")


def test_the_top_of_a_terminology_is_listed(page):
    page.open("concept?terminology=other")
    page.shown("h1", "other")
    page.shown(".steps a", "Disorder")


def test_a_concept_that_is_not_there_is_said_to_be_missing(page):
    page.open("concept?id=T:999")
    page.shown(".empty-title", "There is no concept T:999")
    assert any("404" in one for one in page.complaints())


def test_a_note_is_annotated_with_what_it_says_of_each_mention(page):
    page.open("annotate")
    page.all("#note")[0].click()
    page.driver.execute_script("const t = document.getElementById('note'); t.value = arguments[0]; "
                               "t.dispatchEvent(new Event('input'))", NOTE)  # fmt: skip
    page.shown("button.primary", "Annotate").click()
    page.shown(".mention")
    marks = (
        "return [...document.querySelectorAll('.mention')].map((one) => [one.firstChild.textContent, one.className])"
    )
    assert page.driver.execute_script(marks) == [
        ["fever", "mention is-negated"], ["seizure", "mention is-uncertain"], ["skipped heart beats", "mention"],
        ["fever", "mention"],
    ]  # fmt: skip
    assert page.driver.execute_script("return document.querySelector('.running').firstChild.textContent") == "😀 No "
    page.all(".mention")[1].click()
    page.shown(".mention-detail", "T:6")
    assert "Concepts (3)" in page.texts(".concepts h2")
    assert NOTE[:10] not in page.state()


def test_ten_mappings_are_reviewed_by_keyboard(page):
    page.open("review")
    page.shown(".item-head h2", "local name")
    page.press("a")
    page.sign_in(KEY)
    page.wait(lambda: "1 of 12 decided" in page.texts(".review-progress")[0])
    sources = [page.shown(".item-head code").text]
    for number, keys in enumerate(["2a", "e", "b", "n", "r", "0", "3" + ENTER, "xa", "a"], 2):
        source = page.shown(".item-head code").text
        sources.append(source)
        for key in keys:
            page.press(key)
            if key == "x":
                page.shown(".candidates .is-rejected")
        page.wait(lambda number=number: f"{number} of 12 decided" in page.texts(".review-progress")[0])
        page.wait(lambda source=source: page.texts(".item-head code") not in ([], [source]))
    found = served(page, "review?filter=all")
    decided = {one["id"]: [(each["verdict"], each["target"]) for each in one["decisions"]] for one in found["items"]}
    assert [decided[one] for one in sources[1:]] == [
        [("exact", "T:4")], [("exact", "T:3")], [("broad", "T:3")], [("narrow", "T:3")], [("related", "T:3")],
        [("none", None)], [("exact", "T:5")], [("exact", "T:4"), ("reject", "T:3")], [("exact", "T:3")],
    ]  # fmt: skip
    page.press("u")
    page.wait(lambda: "9 of 12 decided" in page.texts(".review-progress")[0])
    assert page.shown(".item-head code").text == sources[-1]
    page.press("U")
    page.wait(lambda: "10 of 12 decided" in page.texts(".review-progress")[0])
    page.open("review?filter=skipped")
    page.shown(".review-item", "Nothing in the list “skipped”")
    page.press("u")
    page.wait(lambda: "9 of 12 decided" in page.texts(".review-progress")[0])
    assert page.shown(".item-head code").text == sources[-1], "what the list does not have is put at its beginning"


def test_a_review_finds_other_targets_and_keeps_comments(page):
    page.open("review?filter=all&id=L:12")
    page.shown(".item-head h2", "local name 12")
    page.press("c")
    page.shown("dialog input").send_keys("ask the ward", ENTER)
    page.sign_in(KEY)
    page.shown(".decisions", "✎ ask the ward")
    page.press("f")
    field = page.shown("dialog input")
    field.clear()
    field.send_keys("fits")
    page.shown("dialog [role=option]", "T:6")
    page.press(DOWN, ENTER)
    page.shown(".candidates [aria-selected=true]", "Seizure")
    page.press("e")
    page.shown("#toast", "exact Seizure")
    found = served(page, "review/item?id=L:12")
    assert [(one["who"], one["verdict"], one["target"]) for one in found["decisions"]] == [("anna", "exact", "T:6")]


def test_a_long_review_is_listed_in_pages_and_none_is_lost(page):
    page.open("review?review=many")
    page.wait(lambda: len(page.all(".review-list [role=option]")) == 100)
    page.press("a")
    page.sign_in(KEY)
    page.wait(lambda: "1 of 130 decided" in page.texts(".review-progress")[0])
    page.shown(".review-list button", "Show more").click()
    page.wait(lambda: len(page.all(".review-list [role=option]")) == 130)
    assert len(set(page.texts(".item-label"))) == 130
    assert page.all(".review-list button") == []


def test_a_review_that_is_not_served_is_said_to_be_missing(page):
    page.open("review?review=gone")
    page.shown("h1", "There is no review gone")
    assert page.texts("main a") == ["twelve", "many", "three"]
    assert page.all(".review") == []


def test_keys_can_be_turned_off(page):
    page.open("review?filter=all&id=L:11")
    page.shown(".item-head h2", "local name 11")
    page.press("?")
    page.shown("dialog input[type=checkbox]").click()
    page.press(ESCAPE)
    page.press("a")
    assert page.all("dialog[open]") == []
    page.driver.execute_script("document.querySelector('.candidates').focus()")
    page.press(DOWN)
    page.shown(".candidates:focus [aria-selected=true]", "target 4")


def test_a_key_of_an_earlier_server_does_not_keep_anybody_from_reading(page):
    page.driver.execute_script("sessionStorage.setItem('ontonym-key', 'of an earlier server')")
    page.open("concept?id=T:5")
    page.shown("h1", "Fever")
    assert page.texts("#key") == ["Sign in"]
    assert all("401" in one for one in page.complaints())


def test_a_synonym_is_added_and_found(page):
    page.open("concept?id=T:6&terminology=tiny")
    page.shown("section button", "Add a synonym").click()
    page.shown("dialog input[type=password]").send_keys("not the key of anybody", ENTER)
    page.shown("dialog .problem", "The server does not know this key.")
    page.all("dialog input")[0].clear()
    page.shown("dialog input[type=password]").send_keys(KEY, ENTER)
    page.shown("dialog #term-text").send_keys("<b>funny turn</b>")
    page.all("#term-why")[0].send_keys("ward 3 writes so", ENTER)
    page.shown("section li", "<b>funny turn</b>")
    page.shown("section li", "ward 3 writes so")
    page.open()
    page.press("/", "funny turn", ENTER)
    page.shown(".hit", "Seizure")
    assert "“<b>funny turn</b>”" in page.shown(".hit .reason").text
    page.open("concept?id=T:6&terminology=tiny")
    page.shown("section li button", "Remove").click()
    page.wait(lambda: "funny turn" not in page.texts("main")[0])
    assert any("401" in one for one in page.complaints())


def test_a_synonym_that_the_concept_or_another_has_is_not_added_in_silence(page):
    page.driver.execute_script(f"sessionStorage.setItem('ontonym-key', '{KEY}')")
    page.open("concept?id=T:3&terminology=tiny")
    page.shown("section button", "Add a synonym").click()
    for text, words in (("heart  ATTACK", "“Heart attack” is one of its names"), ("?!", "a letter or a digit")):
        page.all("#term-text")[0].clear()
        page.shown("#term-text").send_keys(text, ENTER)
        page.shown("dialog .problem", words)
    page.all("#term-text")[0].clear()
    page.shown("#term-text").send_keys("pyrexia", ENTER)
    page.shown("#toast", "Added “pyrexia”. It is a name of T:5 too")
    page.shown("section li button", "Remove").click()
    page.shown("#toast", "Removed “pyrexia”")


def test_the_theme_is_the_systems_until_another_is_chosen(page):
    def paper() -> str:
        return str(page.driver.execute_script("return getComputedStyle(document.body).backgroundColor"))

    page.prefers("dark")
    page.open()
    dark = paper()
    page.prefers("light")
    page.wait(lambda: paper() != dark)
    for _ in range(2):
        page.all("#theme")[0].click()
    assert page.all("#theme")[0].text == "Theme: dark"
    page.wait(lambda: paper() == dark)
    page.open()
    page.wait(lambda: paper() == dark)


@pytest.mark.parametrize("state", ["search?q=heart", "concept?id=T:3", "annotate", "review", "concept"])
def test_nothing_is_wider_than_a_telephone(page, state):
    page.width(360)
    page.open(state)
    page.shown("main h1, .hit")
    assert page.driver.execute_script("return document.documentElement.scrollWidth") == 360


def test_long_words_of_a_path_break_on_a_narrow_telephone(page):
    page.width(320)
    page.open("search?q=heart+attack")
    page.shown(".hit .path")
    page.driver.execute_script("document.querySelector('.path').firstChild.textContent = 'electro'.repeat(20)")
    assert page.driver.execute_script("return document.documentElement.scrollWidth") == 320


def test_what_counts_as_a_mention_is_chosen(page):
    page.open("annotate?find=names")
    page.shown("#note").send_keys("An attack of the heart. Fever.")
    page.shown("button.primary").click()
    page.shown(".annotated h2", "Concepts (1)")
    page.shown("select option", "Find all").click()
    page.shown(".annotated h2", "Concepts (2)")
    assert page.driver.current_url.endswith("#/annotate?find=all")


def test_the_window_for_another_target_fits_a_telephone(page):
    page.width(320)
    page.open("review")
    page.shown(".review-actions button", "Find another").click()
    page.shown("#find").send_keys("heart attack")
    page.shown("dialog .suggestions li")
    wider = "const one = document.querySelector('dialog'); return [one.scrollWidth - one.clientWidth, one.offsetWidth]"
    hidden, width = page.driver.execute_script(wider)
    assert hidden == 0
    assert width <= 320


def test_no_field_makes_a_telephone_zoom_in(page):
    page.width(360)
    for state in ("search", "annotate"):
        page.open(state)
        page.shown("main input, main textarea")
        sizes = page.driver.execute_script(
            "const size = (one) => parseFloat(getComputedStyle(one).fontSize);"
            "return [...document.querySelectorAll('input, select, textarea')].map(size)"
        )
        assert min(sizes) >= 16


def test_a_telephone_held_sideways_has_room_for_what_is_decided_on(page):
    page.width(740, 360)
    page.open("review")
    page.shown(".candidates li")
    heights = page.driver.execute_script(
        "return ['.review-actions', '.review-list ul'].map((one) => document.querySelector(one).offsetHeight)"
    )
    assert sum(heights) < 180
    page.driver.execute_script("document.querySelector('.candidates li').scrollIntoView()")
    assert page.driver.execute_script("return document.querySelector('.top').getBoundingClientRect().bottom") <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["", "search?q=heart+attack", "concept?id=T:3", "annotate", "review?filter=all"])
def test_axe_finds_nothing_serious(page, state, scheme):
    base = pytest.importorskip("axe_core_python.base", reason="needs axe-core: pip install axe-core-python")
    page.prefers(scheme)
    page.open(state)
    page.shown("main h1, .hit, .candidates")
    if state == "annotate":
        page.shown(".note-form .quiet", "Take an example").click()
        page.shown(".empty-title, .mention")
    page.driver.execute_script(base.AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = page.driver.execute_async_script("axe.run().then(arguments[0])")
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]] == []
