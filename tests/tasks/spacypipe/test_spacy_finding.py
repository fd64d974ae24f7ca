from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import InputError
from ontonym.index import open_index
from ontonym.tasks import annotate
from ontonym.tasks.annotation.spans import Finder
from pipelines import TEXTS

pytestmark = pytest.mark.spacy

spacy = pytest.importorskip("spacy")


def test_entities_are_found_where_the_pipeline_has_none(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    doc = nlp("He had a heart attack. No low back pain (LBP) today, no LBP at night.")
    assert [(ent.text, ent.kb_id_, ent._.ontonym_negated) for ent in doc.ents] == [
        ("heart attack", "H:5", False),
        ("low back pain", "H:2", True),
        ("LBP", "H:2", True),
        ("LBP", "H:2", True),
    ]
    assert doc.ents[1]._.ontonym_context == ("negated",)
    assert doc.ents[0]._.kb_ents[0][0] == "H:5"
    again = next(nlp.pipe(["He had a heart attack."]))
    assert [ent.kb_id_ for ent in again.ents] == ["H:5"]


def test_entities_that_are_found_have_the_answers_of_annotate(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    text = "Pain in the low back and then a heart attack."
    with open_index(made / "a.index") as index:
        expected = {one.span: one for one in annotate(index, text)}
    for ent in nlp(text).ents:
        one = expected.pop((ent.start_char, ent.end_char))
        assert (ent.kb_id_, ent._.ontonym.confidence) == (one.id, one.confidence)
        assert ent._.ontonym.candidates[0].reason == one.candidates[0].reason
    assert not expected


def test_entities_of_the_pipeline_stay_where_some_are_found(made: Path) -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "THING", "pattern": "heart attack patient"}])
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    doc = nlp("A heart attack patient with lumbago.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("heart attack patient", "THING"), ("lumbago", "pain")]


def test_an_enumeration_that_shares_a_word_is_one_entity_of_several_concepts(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    for doc in nlp.pipe(["She had low back and neck pain."] * 2):
        (entity,) = doc.ents
        assert (entity.text, entity.kb_id_) == ("low back and neck pain", "H:2")
        assert [part.id for part in entity._.ontonym.parts] == ["H:2", "H:10"]
        assert [id_ for id_, _ in entity._.kb_ents[:2]] == ["H:2", "H:10"]


# Notes ----------------------------------------------------------------------------------------------------------------

LETTER = "PMH: low back pain.\n\nNo low blood pressure. FH: heart attack, myocardial infarction."
LETTERS = [LETTER, "LBP (lumbago), no cold.", "", "Allergies:\n- aspirin\n- cold cream"] * 3


@pytest.fixture
def finding(made: Path) -> Callable[..., Any]:
    """A pipeline of the component alone, which finds mentions."""

    def make(**config: Any) -> Any:
        nlp = spacy.blank("en")
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True, **config})
        return nlp

    return make


def test_entities_have_their_section_and_what_it_says(finding: Callable[..., Any]) -> None:
    doc = finding()(LETTER)
    assert [(ent.text, ent._.ontonym_section, ent._.ontonym_context, ent._.ontonym_negated) for ent in doc.ents] == [
        ("low back pain", "past medical history", ("historical",), False),
        ("low blood pressure", "", ("negated",), True),
        ("heart attack", "family history", ("family",), False),
        ("myocardial infarction", "family history", ("family",), False),
    ]
    ent = doc.ents[0]
    assert ent._.ontonym_runner_up == ent._.ontonym.candidates[1]
    with pytest.raises(AttributeError, match="follows from"):
        ent._.ontonym_runner_up = None


def test_nested_mentions_are_in_a_span_group_with_their_own_ids(finding: Callable[..., Any]) -> None:
    doc = finding(nested=True)(LETTER)
    assert "back pain" not in [ent.text for ent in doc.ents]
    found = {span.text: span for span in doc.spans["ontonym"]}
    assert set(found) == {"low back pain", "pain", "low blood pressure", "heart attack", "myocardial infarction"}
    assert (found["pain"].kb_id_, found["low back pain"].kb_id_) == ("H:9", "H:2")
    assert {ent.text: ent.kb_id_ for ent in doc.ents}["low back pain"] == "H:2"
    assert found["pain"]._.ontonym.id == "H:9"
    assert found["pain"]._.ontonym_context == ("historical",)
    assert "ontonym" not in finding()(LETTER).spans
    with pytest.raises(InputError, match="set both"):
        finding(nested=True, find=False)


def test_what_is_learned_of_one_text_serves_the_next(
    finding: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    class Counted(Finder):
        def __init__(self, *given: Any) -> None:
            made.append(self)
            super().__init__(*given)

    monkeypatch.setattr(sys.modules["ontonym.tasks.annotation.annotating"], "Finder", Counted)
    nlp = finding()
    for text in LETTERS:
        nlp(text)
    list(nlp.pipe(LETTERS, batch_size=2))
    assert len(made) == 1


def test_medspacys_attributes_are_set_where_they_are_there(finding: Callable[..., Any]) -> None:
    """As medspaCy registers them; one that another library computes is left alone."""
    from spacy.tokens import Span

    names = ("is_negated", "is_family", "is_historical")
    try:
        for name in names:
            Span.set_extension(name, default=False)
        Span.set_extension("is_uncertain", getter=lambda span: True)
        doc = finding()(f"{LETTER} Possible lumbago.")
        assert [tuple(getattr(ent._, name) for name in names) for ent in doc.ents] == [
            (False, False, True), (True, False, False), *[(False, True, False)] * 3,
        ]  # fmt: skip
        assert all(ent._.is_uncertain for ent in doc.ents)
    finally:
        for name in (*names, "is_uncertain"):
            Span.remove_extension(name)


def test_finding_in_several_processes_gives_what_one_gives(made: Path, tmp_path: Path) -> None:
    script = tmp_path / "several.py"
    script.write_text(
        "import spacy\n"
        "if __name__ == '__main__':\n"
        "    nlp = spacy.blank('en')\n"
        f"    config = {{'index': {str(made / 'a.index')!r}, 'find': True, 'nested': True}}\n"
        "    nlp.add_pipe('ontonym', config=config)\n"
        "    said = lambda e: (e.text, e.kb_id_, e._.kb_ents, e._.ontonym_context, e._.ontonym_section)\n"
        "    tell = lambda doc: [list(map(said, spans)) for spans in (doc.ents, doc.spans['ontonym'])]\n"
        f"    texts = {LETTERS!r}\n"
        "    one = [tell(nlp(text)) for text in texts]\n"
        "    two = [tell(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)]\n"
        "    assert one == two, (one, two)\n"
        "    print(sum(len(ents) for ents, _ in two), sum(len(spans) for _, spans in two))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    entities, spans = map(int, done.stdout.split())
    assert 0 < entities < spans


def test_a_pipeline_that_finds_no_entities_is_warned_once(made: Path) -> None:
    alone = spacy.blank("en")
    alone.add_pipe("ontonym", config={"index": str(made / "a.index")})
    with pytest.warns(UserWarning, match="links entities, and no component before it finds any") as told:
        assert [doc.ents for doc in alone.pipe(TEXTS, batch_size=1)] == [()] * len(TEXTS)
        alone("Low back pain.")
    assert len(told) == 1


def test_a_pipeline_that_finds_entities_is_not_warned(made: Path, recwarn: pytest.WarningsRecorder) -> None:
    for find in (False, True):
        nlp = spacy.blank("en")
        if not find:
            nlp.add_pipe("entity_ruler")
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": find})
        nlp("Nothing at all.")
    given = spacy.blank("en")
    given.add_pipe("ontonym", config={"index": str(made / "a.index")})
    doc = given.make_doc("Low back pain.")
    doc.ents = (doc.char_span(0, 13, label="X"),)
    assert given(doc).ents[0].kb_id_ == "H:2"
    assert not [one for one in recwarn if "ontonym" in str(one.message)]
