"""The page of annotated notes in a browser: opened from a file, with a mouse, a keyboard, on a telephone, on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from built import SMALL, indexed
from ontonym.documents import Document, Passage
from ontonym.index import open_index
from ontonym.serve.answers import OutputChoice
from ontonym.serve.notes import opened_notes
from ontonym.tasks import AnnotateOptions
from ontonym.tasks.documents import annotate_documents
from webpage import WebPage

pytestmark = pytest.mark.slow

ENTER, ESCAPE = "\ue007", "\ue00c"
WORDS = (
    "Seizure Fever Cough Headache Nausea Vomiting Rash Anemia Jaundice Tremor Vertigo Syncope Dyspnea Edema Fatigue "
    "Insomnia Migraine Asthma Gout Scoliosis Hematuria Cyanosis Dysphagia Palpitations Diarrhea Constipation Obesity "
    "Hypertension Osteoporosis Pneumonia"
).split()
OBO = "format-version: 1.2\nontology: made\n\n[Term]\nid: M:1\nname: All\n" + "".join(
    f"\n[Term]\nid: M:{10 + number}\nname: What belongs together with number {number}\nis_a: M:1\n"
    f"\n[Term]\nid: M:{100 + number}\nname: {word}\nis_a: M:{10 + number}\n"
    for number, word in enumerate(WORDS)
)
TEXT = f"No seizure. Fever and possible cough. {', '.join(WORDS[3:])}. Fever again."


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two notes with mentions of thirty branches."""
    folder = tmp_path_factory.mktemp("notespage")
    made = folder / "notes.html"
    documents = [Document(name, (Passage(TEXT, 0),)) for name in ("one.txt", "two.txt")]
    with (
        open_index(indexed(folder, {"made.obo": OBO}, SMALL)) as index,
        opened_notes(OutputChoice(str(made)), index, source="notes", left_out=Counter()) as write,
    ):
        for document, found in annotate_documents(index, documents, AnnotateOptions()):
            write(document, found)
    return made


@pytest.fixture
def opened(browser: object, notes: Path) -> Iterator[WebPage]:
    """The page, whose browser must not complain of anything."""
    page = WebPage(browser, notes.as_uri())
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.driver.get(page.address)
    page.complaints()
    yield page
    assert page.complaints() == []


def test_filters_leave_room_for_the_text_on_a_telephone(opened):
    opened.width(360)
    assert opened.all("#filters")[0].rect["height"] < 60
    opened.all("summary")[0].click()
    assert opened.all("#filters")[0].rect["height"] < 844 * 0.7
    assert len(opened.all(".choices .b")) == len(WORDS)
    assert opened.driver.execute_script("return document.documentElement.scrollWidth") == 360


def test_mentions_are_counted_and_filtered(opened):
    opened.all("summary")[0].click()
    total = len(opened.all("mark"))
    assert opened.texts("output") == [f"{total} of {total} mentions"]
    boxes = {one.text.rpartition("\n")[0] or one.text: one for one in opened.all(".boxes label")}
    assert {"present", "negated", "uncertain"} <= set(boxes)
    boxes["negated"].find_element("css selector", "input").click()
    assert opened.texts("output") == [f"{total - 2} of {total} mentions"]
    rows = [one.text for one in opened.all("aside")[0].find_elements("css selector", "li") if one.is_displayed()]
    assert not any("Seizure" in row for row in rows)
    opened.shown("#filters button", "all or none").click()
    assert opened.texts("output") == [f"0 of {total} mentions"]


def test_why_a_mention_was_found_is_shown_by_a_key_and_by_a_click(opened):
    first, second = opened.all("mark")[:2]
    first.send_keys(ENTER)
    words = opened.shown("#why", "seizure").text
    assert "negated" in words
    assert "M:100, confidence" in words
    second.click()
    opened.shown("#why", "M:101")
    opened.press(ESCAPE)
    assert not opened.all("#why")[0].is_displayed()


def test_a_concept_of_the_list_leads_to_its_mentions_in_turn(opened):
    row = opened.shown("aside li button", "Fever")
    seen = []
    for _ in range(3):
        row.send_keys(ENTER)
        seen.append(opened.all("mark").index(opened.driver.switch_to.active_element))
    assert seen == [1, len(opened.all("mark")) // 2 - 1, 1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, scheme):
    base = pytest.importorskip("axe_core_python.base", reason="needs axe-core: pip install axe-core-python")
    opened.prefers(scheme)
    opened.all("summary")[0].click()
    opened.all("mark")[3].send_keys(ENTER)
    opened.driver.execute_script(base.AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = opened.driver.execute_async_script("axe.run().then(arguments[0])")
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]] == []
