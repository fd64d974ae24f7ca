"""The ways to read a text: what shorthand and everyday words stand for inside longer names, and readings together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from built import indexed
from ontonym.index import Index, open_index
from ontonym.tasks import AnnotateOptions, annotate, annotate_texts
from ontonym.tasks.annotation.spans import Finder
from ontonym.tasks.annotation.stretches import Head, HeadsByPiece, Stretch
from ontonym.tasks.search import SearchOptions
from ontonym.types import Correction

FINDINGS = """format-version: 1.2
ontology: findings

""" + "\n".join(
    f"[Term]\nid: F:{number}\nname: {name}\n{extra}"
    for number, (name, extra) in enumerate(
        {
            "Ventricular septal defect": "",
            "Muscular ventricular septal defect": "",
            "Elevated jugular venous pressure": "",
            "Seizure": "",
            "Febrile seizure": "",
            "Edema of the lower extremity": "",
            "Heart failure": "",
            "Chronic systolic (congestive) heart failure": "is_a: F:6 ! Heart failure\n",
            "Acute on chronic systolic (congestive) heart failure": "is_a: F:6 ! Heart failure\n",
            "Joint hypermobility at elbow": "",
            "Joint hypermobility at knee": "",
            "Low-set ears": "",
            "Small ears": "",
            "Narrow face": "",
            "Short and narrow face": "",
            "Short thumbs": "",
            "Cafe-au-lait spot": "",
            "Breast cancer": "",
            "Chronic atrial fibrillation": "",
        }.items()
    )
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """With the everyday names of the package, as `ontonym index` makes it."""
    folder = tmp_path_factory.mktemp("readings")
    with open_index(indexed(folder, {"findings.obo": FINDINGS}, everyday=True)) as opened:
        yield opened


def found(index: Index, text: str, **options: object) -> list[tuple[str, str | None]]:
    return [(one.text, one.id) for one in annotate(index, text, AnnotateOptions(**options))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "mention", "concept"),
    [
        ("A small muscular VSD has closed.", "muscular VSD", "F:1"),
        ("JVP elevated to the jaw.", "JVP elevated", "F:2"),
        ("Now with LE edema.", "LE edema", "F:5"),
        ("She had three febrile fits as a baby.", "febrile fits", "F:4"),
        ("sister with breast ca", "breast ca", "F:17"),
        ("Sister with breast ca.", "breast ca", "F:17"),
        ("Chronic AF, on warfarin.", "Chronic AF", "F:18"),  # of two meanings the one that makes a name
    ],
)
def test_a_word_that_stands_for_others_is_part_of_a_longer_name(
    index: Index, text: str, mention: str, concept: str
) -> None:
    (one,) = annotate(index, text)
    assert (one.text, one.id) == (mention, concept)
    assert one.candidates[0].reason.correction is Correction.REWORDED
    assert "read as" in one.candidates[0].reason.detail
    assert one.confidence < 0.9  # less sure than a name


def test_what_stands_for_others_is_no_mention_of_them_by_itself(index: Index) -> None:
    assert found(index, "The JVP was seen.") == []
    assert found(index, "New AF, breast and ca.") == []
    for text in ("Fits well with the history.", "The JVP and the LE.", "muscular (VSD) tissue"):
        assert {one for _, one in found(index, text)} <= {"F:0", "F:3"}


def test_an_abbreviation_that_the_text_defines_keeps_its_meaning(index: Index) -> None:
    text = "Visual search display (VSD) was shown. The muscular VSD was long."
    assert "F:1" not in {one for _, one in found(index, text)}


@pytest.mark.parametrize("find", ["names"])
def test_names_alone_are_read_as_written(index: Index, find: str) -> None:
    assert found(index, "A muscular VSD and febrile fits.", find=find) == [("fits", "F:3")]


def test_a_reading_has_only_its_changed_stretches_anew(index: Index) -> None:
    options = AnnotateOptions()
    finder = Finder(index, SearchOptions(), options.spans)
    text = "Heart failure was seen. A muscular VSD.\n\nSeizure."
    ((whole, other),) = finder._reader.read([text])
    assert whole.fresh.all()
    assert {text[piece.start : piece.end] for piece, new in zip(other.row, other.fresh, strict=True) if new} == {
        "A", "muscular", "VSD"
    }  # fmt: skip
    assert [text[other.row[place].start : other.row[place].end] for place in other.stand_ins] == ["VSD"]


def test_texts_read_together_and_alone_give_the_same(index: Index) -> None:
    texts = [
        "A muscular VSD, JVP elevated.", "", "Heart failure.", "febrile fits; LE edema", "\n\n", "seizure\n\nedema",
        "Chronic systolic heart failure with edema of the lower extremity",
    ]  # fmt: skip
    options = AnnotateOptions()
    together = list(annotate_texts(index, texts, options))
    assert together == [annotate(index, text, options) for text in texts]
    assert sum(map(len, together)) >= 7


def test_the_longest_reading_around_a_name_of_several_words_wins_if_a_concept_below_has_all_its_words(
    index: Index,
) -> None:
    text = "Acute on chronic systolic heart failure."
    assert found(index, text) == [("Acute on chronic systolic heart failure", "F:8")]
    assert found(index, "Chronic systolic heart failure.") == [("Chronic systolic heart failure", "F:7")]
    assert found(index, "Sudden diastolic heart failure.")[0][1] == "F:6"
    (one,) = annotate(index, "Chronic systolic heart failure.")
    assert one.confidence >= 0.5


def test_all_finds_statements_and_what_is_likely(index: Index) -> None:
    text = "The jugular venous pressure was elevated in chronic systolic heart failure."
    assert ("jugular venous pressure was elevated", "F:2") in found(index, text, find="all")
    assert found(index, text, find="all", accept=0.1)[0][1] == "F:2"
    assert "F:2" not in {one for _, one in found(index, text)}


def test_both_places_of_an_enumeration_after_an_article(index: Index) -> None:
    text = "There is joint hypermobility at the elbows and the knees."
    assert {one for _, one in found(index, text)} == {"F:9", "F:10"}


def test_two_adjectives_before_a_noun_say_two_things_of_it_where_both_are_names(index: Index) -> None:
    assert {one for _, one in found(index, "He had small low-set ears.", find="phrases")} == {"F:11", "F:12"}
    assert {one for _, one in found(index, "He had small dark ears.", find="phrases")} == set()


def test_what_qualifies_the_next_word_is_no_part_of_a_name_in_another_order(index: Index) -> None:
    assert {one for _, one in found(index, "A narrow face and short thumbs.")} == {"F:13", "F:15"}
    assert {one for _, one in found(index, "A narrow and short face.")} == {"F:14"}


def test_spots_and_patches_are_the_same(index: Index) -> None:
    assert found(index, "Two café-au-lait patches.") == [("café-au-lait patches", "F:16")]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), max_size=6), st.integers(0, 12), st.integers(0, 4))
def test_heads_by_piece_are_those_that_overlap(places: list[tuple[int, int]], first: int, more: int) -> None:
    heads = [Head(start, start + width, frozenset({start})) for start, width in places]
    last = first + more
    found = HeadsByPiece(heads)
    overlapping = [head for head in heads if head.first <= last and first <= head.last]
    assert set(found.of(first, last)) == set(overlapping)
    stretch = Stretch(first, last, "", (), ())
    inside = {head for head in overlapping if first <= head.first and head.last <= last}
    assert set(found.within(stretch)) == inside
    assert found.around(stretch) == (more + 1 if any(head.first < head.last for head in inside) else 0)
    for head in heads:
        assert head.lets(first, last) == (head not in overlapping or (head in inside and more > head.last - head.first))
