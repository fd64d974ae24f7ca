"""What must not go wrong between pages: slow and missing servers, the way back, a reload, a long text, paper."""

from __future__ import annotations

import pytest

from webpage import WebPage

pytestmark = pytest.mark.slow

ENTER, ESCAPE, SPACE, TAB = "\ue007", "\ue00c", " ", "\ue004"
NOTE = "No fever. Possible seizure. He has skipped heart beats, and fever of 39."

SLOW = """
const fetched = window.fetch;
window.fetch = (address, init) => String(address).includes(arguments[0])
  ? new Promise((done) => setTimeout(() => done(fetched(address, { ...init, signal: undefined })), 800))
  : fetched(address, init);
"""
"""Answers to addresses with these words come late, and cannot be given up."""
DOWN = "window.fetched = window.fetch; window.fetch = () => Promise.reject(new TypeError('down'))"
UP = "window.fetch = window.fetched"
ENDLESS = (
    "window.fetch = (_, { signal }) => new Promise((_, fail) => "
    "signal.addEventListener('abort', () => fail(signal.reason)))"
)
"""No request is answered; each can be given up."""


def put(page: WebPage, text: str) -> None:
    page.driver.execute_script(
        "const note = document.getElementById('note'); note.value = arguments[0];"
        "note.dispatchEvent(new Event('input'))",
        text,
    )


def annotated(page: WebPage, text: str = NOTE) -> None:
    page.open("annotate")
    put(page, text)
    page.shown("button.primary", "Annotate").click()
    page.shown(".mention")


def go(page: WebPage, state: str) -> None:
    page.driver.execute_script("location.hash = arguments[0]", f"#/{state}")


@pytest.mark.parametrize("slow", ["concept?id=T:5", "concept?terminology=other"])
def test_a_late_answer_does_not_replace_the_page_that_was_asked_for_after_it(page, slow):
    page.open("concept?id=T:3")
    page.shown("h1", "Myocardial infarction")
    page.driver.execute_script(SLOW, "T%3A5" if "T:5" in slow else "hierarchy")
    go(page, slow)
    page.shown("main[aria-busy=true]")
    go(page, "concept?id=T:6")
    page.shown("h1", "Seizure")
    page.driver.execute_async_script("setTimeout(arguments[0], 1200)")
    assert page.texts("h1") == ["Seizure"]
    assert page.state() == "#/concept?id=T:6"
    assert page.all("main[aria-busy]") == []


def test_the_way_back_leads_to_the_hit_that_was_opened(page):
    page.width(590)
    page.open("search?q=heart")
    page.shown(".hit")
    page.driver.execute_script("document.querySelector('main').style.paddingTop = '1000px'; window.scrollTo(0, 900)")
    link = page.all(".hit h2 a")[-1]
    name = link.text
    page.driver.execute_script("arguments[0].focus({ preventScroll: true })", link)
    page.press(ENTER)
    page.shown("h1:focus", name)
    assert page.driver.execute_script("return scrollY") == 0
    page.driver.back()
    page.shown(".hit h2 a:focus", name)
    assert page.driver.execute_script("return scrollY") == 900


def test_to_skip_to_the_content_keeps_the_address(page):
    page.open("concept?id=T:3")
    page.shown("h1", "Myocardial infarction")
    page.driver.execute_script("document.querySelector('.skip').focus()")  # it is out of sight until then
    page.driver.switch_to.active_element.send_keys(ENTER)
    page.shown("h1:focus", "Myocardial infarction")
    assert page.state() == "#/concept?id=T:3"


def test_a_server_that_is_gone_is_said_and_asked_again(page):
    page.open("concept?id=T:3")
    page.shown("h1", "Myocardial infarction")
    page.driver.execute_script(DOWN)
    go(page, "concept?id=T:5")
    page.shown("h1", "This page could not be loaded")
    assert "cannot be reached" in page.shown(".failure").text
    page.driver.execute_script(UP)
    page.shown(".failure button", "Try again").click()
    page.shown("h1", "Fever")


def test_what_the_server_has_is_asked_again_after_a_while(page):
    page.open("concept?id=T:3")
    page.shown("h1", "Myocardial infarction")
    page.driver.execute_script(
        "const fetched = window.fetch, now = Date.now; Date.now = () => now() + 61_000;"
        "window.fetch = async (address, init) => {"
        "  const answer = await fetched(address, init);"
        "  if (!String(address).endsWith('/about')) return answer;"
        "  return Response.json({ ...(await answer.json()), ontonym: 'another' });"
        "};"
    )
    go(page, "concept?id=T:5")
    page.shown("#bottom", "ontonym another")
    page.driver.execute_script(DOWN)
    page.driver.execute_script("Date.now = () => performance.timeOrigin + performance.now() + 200_000")
    go(page, "annotate")
    page.shown("#note")


def test_a_note_outlives_a_reload_until_it_is_cleared(page):
    annotated(page)
    page.driver.refresh()
    page.shown(".mention", "fever")
    assert page.driver.execute_script("return document.getElementById('note').value") == NOTE
    page.shown(".note-actions button", "Clear").click()
    page.open("annotate")
    assert page.driver.execute_script("return document.getElementById('note').value") == ""
    assert page.all(".mention") == []


def test_a_note_is_shown_as_being_annotated_until_the_last_choice_is_answered(page):
    annotated(page)
    page.driver.execute_script(ENDLESS)
    for _ in range(2):  # the second choice ends the first run
        page.driver.execute_script("document.querySelector('.note-actions select').dispatchEvent(new Event('change'))")
        page.driver.execute_async_script("setTimeout(arguments[0], 100)")
    send = page.shown("button.primary", "Annotating…")
    assert (send.is_enabled(), len(page.all(".annotated[aria-busy=true]"))) == (False, 1)
    page.shown(".note-actions button", "Clear").click()
    assert page.shown("button.primary", "Annotate").is_enabled()
    assert page.all(".annotated[aria-busy]") == []


def test_a_note_that_was_changed_is_said_to_be(page):
    annotated(page)
    assert not page.all(".stale")[0].is_displayed()
    put(page, NOTE + " Cough.")
    page.shown(".stale", "The text was changed since")
    put(page, NOTE)
    page.wait(lambda: not page.all(".stale")[0].is_displayed())


def test_what_the_text_says_is_written_beside_and_can_be_left_out(page):
    annotated(page)
    assert page.texts(".mark-key") == ["present 2", "negated 1", "uncertain 1"]
    assert [one.find_element("css selector", ".mention-said").text for one in page.all(".mention")[:2]] == [
        "negated", "uncertain",
    ]  # fmt: skip
    assert page.texts(".concepts h3") == [
        "Present (2)",
        "Only negated, uncertain, hypothetical, historical or family (1)",
    ]
    page.shown(".mark-key", "uncertain").click()
    page.wait(lambda: "Seizure" not in page.texts(".concepts")[0])
    assert "is-off" in page.all(".mention")[1].get_attribute("class")
    page.shown(".mark-key", "uncertain").click()
    page.shown(".concepts", "Seizure")


def test_why_a_mention_was_found_is_asked_by_keyboard(page):
    annotated(page)
    page.all(".mention")[0].send_keys(SPACE)
    assert "The text denies it." in page.shown(".mention-detail", "T:5").text
    assert page.all(".mention")[0].get_attribute("aria-pressed") == "true"
    page.shown(".mention-detail .close").send_keys(ENTER)
    page.shown(".mention-detail", "Choose a mention")
    assert page.driver.switch_to.active_element == page.all(".mention")[0]


def test_a_concept_of_the_list_leads_to_its_mentions_in_turn(page):
    annotated(page, "Fever at night. Fever by day. No fever now.")
    button = page.shown(".mention-links button", "present ×2")
    for place in (0, 1, 0):
        button.click()
        assert page.driver.switch_to.active_element == page.all(".mention")[place]


def test_a_note_is_looked_at_below_one_concept(page):
    annotated(page)
    page.all(".note-actions .subtree")[0].send_keys("abnormality of the h")
    page.shown(".filters [role=option]", "Abnormality of the heart").click()
    page.wait(lambda: [one.text.partition("\n")[0] for one in page.all(".mention")] == ["skipped heart beats"])
    assert page.state() == "#/annotate?within=T:2"


def test_a_text_that_is_too_long_is_not_cut_but_said_to_be(page):
    page.open("annotate")
    put(page, "x" * 1_000_001)
    page.shown("button.primary", "Annotate").click()
    page.shown(".empty-title", "This text has 1,000,001 characters")
    assert page.driver.execute_script("return document.getElementById('note').value.length") == 1_000_001


def test_a_whole_text_in_the_search_box_can_be_annotated(page):
    page.open("search?q=" + "fever and seizure " * 12)
    page.shown(".results a", "Annotate the text instead").click()
    page.shown("h1", "Annotate a text")
    page.shown(".mention", "seizure")


def test_a_code_is_copied_where_the_browser_has_no_clipboard_for_the_page(page):
    page.open("concept?id=T:3")
    page.shown("h1", "Myocardial infarction")
    page.driver.execute_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.addEventListener('copy', () => (window.copied = document.activeElement.value))"
    )
    page.shown(".codes .copy", "Copy 3").click()
    page.shown("#toast", "Copied 3")
    assert page.driver.execute_script("return window.copied") == "3"
    page.shown(".codes .copy", "Copy with name").click()
    page.shown("#toast", "Copied T:3 |Myocardial infarction|")
    assert page.driver.execute_script("return window.copied") == "T:3 |Myocardial infarction|"
    assert page.texts("button:focus") == ["Copy with name"]


def test_the_marked_candidate_of_a_review_is_described_and_opened(page):
    page.open("review?filter=all&id=L:12")
    page.shown(".item-head h2", "local name 12")
    page.press("1")
    assert "Also Heart attack; Cardiac infarct" in page.shown(".candidate-detail", "Myocardial infarction").text
    page.press("]")
    page.shown(".candidate-detail", "Also Skipped heart beats")
    page.shown(".candidate-detail a", "Palpitations").click()
    page.shown("h1", "Palpitations")
    page.driver.back()
    page.shown(".item-head h2", "local name 12")


def test_a_source_concept_is_found_in_the_list_by_its_code_alone(page):
    page.open("review?filter=all&id=9")
    page.shown(".item-head h2", "local name 9")
    assert len(page.texts(".review-list [role=option]")) == 12


def said(page: WebPage) -> str:
    return str(page.driver.execute_script("return document.getElementById('said').textContent"))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (f"search?q={'a' * 10_001}", "These are 10,001 characters"),
        ("search?q=xyzzy+quux", "Nothing fits these words. The nearest names:"),
        ("review?review=many&filter=all&id=L:999", "No source concept 'L:999' in the review many.review"),
    ],
)
def test_what_is_doubted_or_refused_is_told_to_a_screen_reader(page, state, words):
    page.open(state)
    page.shown(".doubt, .empty, .item-head")
    page.wait(lambda: said(page).startswith(words))
    page.complaints()  # of the id that is not there


def test_annotating_nothing_is_told_to_a_screen_reader(page):
    page.open("annotate")
    page.shown("button.primary", "Annotate").click()
    page.shown(".empty", "There is no text yet")
    assert said(page) == "There is no text yet"


@pytest.mark.parametrize(
    "state", ["search?q=heart", "concept?id=T:3", "annotate", "review?review=many&filter=all&id=L:99"]
)
def test_tab_begins_at_the_top_of_a_page_that_was_opened_by_its_address(page, state):
    page.open(state)
    page.shown("main h1, .hit, .item-head")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    page.press(TAB)
    assert page.driver.execute_script("return document.activeElement.textContent") == "Skip to content"


def test_the_chosen_one_of_a_long_review_is_in_sight(page):
    page.width(375, 700)
    page.open("review?review=many&filter=all&id=L:99")
    page.shown(".item-head h2", "local name 99")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    inside = """
    const [list, one, marked, bar] = [
      ".review-list ul", ".review-list [aria-selected=true]", ".candidates [aria-selected=true]", ".review-actions",
    ].map((each) => document.querySelector(each).getBoundingClientRect());
    return [one.top >= list.top - 1, one.bottom <= list.bottom + 1, marked.bottom <= bar.top + 1];
    """
    assert page.driver.execute_script(inside)[:2] == [True, True]
    for _ in range(2):
        page.press("]")
    assert page.driver.execute_script(inside) == [True, True, True]


def test_where_nobody_may_write_nothing_asks_for_a_key(page):
    without_keys = """
    const fetched = window.fetch;
    window.fetch = async (address, init) => {
      const answer = await fetched(address, init);
      return String(address).endsWith("/about") ? Response.json({ ...(await answer.json()), writable: false }) : answer;
    };
    """
    command = "Page.addScriptToEvaluateOnNewDocument"
    added = page.driver.execute_cdp_cmd(command, {"source": without_keys})["identifier"]
    try:
        page.open("concept?id=T:3")
        page.shown("h1", "Myocardial infarction")
        assert not page.all("#key")[0].is_displayed()
        assert "Added here" not in page.texts("h2")
        page.open("review?filter=all&id=L:9")
        page.shown(".review-side", "started without keys")
        page.press("a")
        page.shown("#toast", "This server takes no changes")
        assert page.all("dialog") == []
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added})


def test_a_window_that_asks_closes_when_the_page_is_left(page):
    page.open("search?q=fever")
    page.shown(".hit")
    go(page, "concept?id=T:5")
    page.shown("section button", "Add a synonym").click()
    page.shown("dialog")
    page.driver.back()
    page.shown(".hit")
    page.wait(lambda: not page.all("dialog"))


def test_an_error_of_the_server_is_a_sentence(page):
    page.open("concept?id=T:999")
    problem = page.shown(".empty p:not(.empty-title)").text
    assert problem[0].isupper()
    assert problem.endswith(".")
    assert any("404" in one for one in page.complaints())


@pytest.mark.parametrize("state", ["concept?id=T:3", "annotate"])
def test_on_paper_there_is_what_was_found_and_nothing_to_press(page, state):
    if state == "annotate":
        annotated(page)
    else:
        page.open(state)
    page.shown("h1")
    page.prefers("dark")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        pressed = [one.text for one in page.all("button, textarea, select, input, [role=button]") if one.is_displayed()]
        said = ["present 2", "negated 1", "uncertain 1", *page.texts(".mention"), *page.texts(".way")]
        assert pressed == (said if state == "annotate" else [])
        paper = "return getComputedStyle(document.body).backgroundColor"
        assert page.driver.execute_script(paper) == "rgb(255, 255, 255)"
        if state == "annotate":
            assert "uncertain" in page.texts(".concepts")[0]
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
