"""Mentions found in texts: which windows are names, which are not for all that, and what each gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from built import SMALL, index_fixture
from limits import examples
from ontonym.errors import InputError, UnknownIdError, UnknownNameError
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate, annotate_texts, search
from ontonym.tasks.annotation.spans import Finder, SpanOptions
from ontonym.text.normalization import tokens
from ontonym.types import Correction

OBO = """format-version: 1.2
ontology: made

[Term]
id: M:1
name: Disease
subset: top

[Term]
id: M:2
name: Neoplasm
synonym: "Cancer" EXACT []
is_a: M:1

[Term]
id: M:3
name: Breast cancer
synonym: "Cancer of breast" EXACT []
synonym: "Cancer, familial breast" EXACT []
is_a: M:2

[Term]
id: M:15
name: Ovarian cancer
is_a: M:2

[Term]
id: M:16
name: Brain cancer
is_a: M:2

[Term]
id: M:4
name: Wiskott-Aldrich syndrome
synonym: "WAS" EXACT ABBREVIATION []
is_a: M:1

[Term]
id: M:5
name: Von Hippel-Lindau disease
synonym: "VHL" EXACT ABBREVIATION []
is_a: M:1

[Term]
id: M:6
name: Diabetes mellitus, type 2
synonym: "DM" EXACT ABBREVIATION []
synonym: "ALL 2, of childhood" EXACT []
synonym: "Type II diabetes mellitus" EXACT []
is_a: M:1

[Term]
id: M:7
name: Chronic cough
is_a: M:1

[Term]
id: M:8
name: Myotonic dystrophy
synonym: "12345" EXACT []
synonym: "X" EXACT []
is_a: M:1

[Term]
id: M:9
name: Glucose-6-phosphate dehydrogenase deficiency
is_a: M:1

[Term]
id: M:10
name: Adrenoleukodystrophy
synonym: "ALD" EXACT ABBREVIATION []
is_a: M:1

[Term]
id: M:11
name: Factor V deficiency
is_a: M:1

[Term]
id: M:12
name: Asthma
synonym: "Crohn's β-thalassemia, CD4+ type" EXACT []
is_a: M:1

[Term]
id: M:13
name: Shared name
is_a: M:1

[Term]
id: M:14
name: Shared name
is_a: M:1
"""


DEFAULTS = AnnotateOptions()
PARTS = (
    *"asthma VHL of cancer breast ( ) , . - é (DM) diabetes type V 🫀".split(), "\x00", "\x0b", "\n", " ", "\ud7ff",
)  # fmt: skip


index = index_fixture({"made.obo": OBO}, SMALL)


PHRASES = replace(DEFAULTS, find="phrases")


def found(index: Index, text: str, options: AnnotateOptions = DEFAULTS) -> list[tuple[str, str | None]]:
    annotations = annotate(index, text, options)
    for one in annotations:
        assert text[slice(*one.span)] == one.text == one.mention.text
    assert all(one.span[1] <= other.span[0] or one.span == other.span for one, other in pairwise(annotations))
    assert len({one.mention.id for one in annotations}) == len(annotations)
    return [(one.text, one.id) for one in annotations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He has asthma.", [("asthma", "M:12")]),
        ("ASTHMA, Asthma's and asthmas", [("ASTHMA", "M:12"), ("Asthma's", "M:12"), ("asthmas", "M:12")]),
        ("familial breast cancer of hers", [("familial breast cancer", "M:3")]),
        ("breast cancer, familial", [("breast cancer, familial", "M:3")]),
        ("breast cancer, familial in two", [("breast cancer", "M:3")]),
        ("cancer, familial breast", [("cancer, familial breast", "M:3")]),
        ("Cancer of breast or cancer", [("Cancer of breast", "M:3"), ("cancer", "M:2")]),
        ("risk of breast cancer", [("breast cancer", "M:3")]),
        ("type II diabetes mellitus", [("type II diabetes mellitus", "M:6")]),
        ("diabetes mellitus, type 2", [("diabetes mellitus, type 2", "M:6")]),
        ("deficiency of factor five; factor V deficiency", [("factor V deficiency", "M:11")]),
        ("🫀 asthma 🫀 e\u0301 asthma", [("asthma", "M:12"), ("asthma", "M:12")]),
        ("chronic\ncough", [("chronic\ncough", "M:7")]),
        ("Chronic\nCough", []),
        ("chronic\n\ncough", []),
        ("cough, chronic; dry", [("cough, chronic", "M:7")]),
        ("cough, chronic pain", []),
        ("cough, chronic, dry", []),
        ("It is chronic. cough", []),
        ("(Wiskott-Aldrich syndrome)", [("Wiskott-Aldrich syndrome", "M:4")]),
        ("Crohn’s beta thalassemia CD4+ type", [("Crohn’s beta thalassemia CD4+ type", "M:12")]),
        ("breast\u00adcancer asth\u00adma", [("asth\u00adma", "M:12")]),
    ],
)
def test_names_are_found_the_longest_first(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it was severe", []),
        ("Was it WAS?", [("WAS", "M:4")]),
        ("IT WAS SEVERE ASTHMA", [("ASTHMA", "M:12")]),
        ("The vhl is not Vhl but VHL", [("VHL", "M:5")]),
        ("vhl without capitals", [("vhl", "M:5")]),
        ("THE VHL OF OTHERS", [("VHL", "M:5")]),
        ("DM with 12345 and X", []),
        ("a disease, the disorder, Disease", []),
        ("X-ALD and VHL-related VHL", [("VHL", "M:5"), ("VHL", "M:5")]),
        ("non-asthma, non asthma, asthma", [("asthma", "M:12")]),
    ],
)
def test_what_is_written_as_a_name_and_is_none_is_left(
    index: Index, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, text) == expected


def test_two_letters_count_where_they_are_wanted_or_defined(index: Index) -> None:
    assert found(index, "DM again", AnnotateOptions(shortest=2)) == [("DM", "M:6")]
    text = "Myotonic dystrophy (DM) and then DM or DMs"
    assert found(index, text) == [
        ("Myotonic dystrophy", "M:8"), ("DM", "M:8"), ("DM", "M:8"), ("DMs", "M:8"),
    ]  # fmt: skip
    as_written = AnnotateOptions(NormalizeOptions(abbreviations=False))
    assert found(index, text, as_written) == [("Myotonic dystrophy", "M:8")]
    with pytest.raises(InputError, match="one alone is never found"):
        annotate(index, "DM", AnnotateOptions(shortest=1))


def test_a_definition_that_is_no_name_silences_the_abbreviation_unless_the_name_has_its_words(index: Index) -> None:
    assert found(index, "Acute liver disorder (ALD) and ALD") == []
    written = "von Hippel-Lindau (VHL) and VHL"
    assert found(index, written, PHRASES) == [("VHL", "M:5"), ("VHL", "M:5")]
    assert found(index, written) == [("von Hippel-Lindau", "M:5"), ("VHL", "M:5"), ("VHL", "M:5")]


def test_an_abbreviation_in_parentheses_does_not_break_a_name(index: Index) -> None:
    text = "glucose-6-phosphate dehydrogenase (G6PD) deficiency and G6PD deficiency"
    assert found(index, text) == [
        ("glucose-6-phosphate dehydrogenase (G6PD) deficiency", "M:9"), ("G6PD deficiency", "M:9"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("breast and ovarian cancer", [("breast and ovarian cancer", "M:3"), ("breast and ovarian cancer", "M:15")]),
        (
            "brain, breast, and/or ovarian cancer",
            [("brain, breast, and/or ovarian cancer", id_) for id_ in ("M:16", "M:3", "M:15")],
        ),
        ("breast/ovarian cancer", [("breast/ovarian cancer", "M:3"), ("breast/ovarian cancer", "M:15")]),
        ("breast cancer and ovarian cancer", [("breast cancer", "M:3"), ("ovarian cancer", "M:15")]),
        ("breast, ovarian cancer", [("ovarian cancer", "M:15")]),
        ("liver and ovarian cancer", [("ovarian cancer", "M:15")]),
        ("breast and asthma", [("asthma", "M:12")]),
    ],
)
def test_words_that_share_the_end_of_a_name_are_found(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In sporadic breast cancers", [("sporadic breast cancers", "M:3")]),
        ("postoperative renal asthma", [("postoperative renal asthma", "M:12")]),
        ("severe asthma, renal, asthma", [("asthma", "M:12"), ("asthma", "M:12")]),
        ("asthma renal asthma", [("asthma", "M:12"), ("renal asthma", "M:12")]),
    ],
)
def test_where_in_the_body_and_in_whom_is_part_of_a_mention(
    index: Index, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, text) == expected


@pytest.mark.parametrize("text", ["Of 2 in childhood, all", "We saw all 2 of childhood.", "All, 2 childhood, late"])
def test_an_everyday_word_is_no_abbreviation_in_a_name_of_several_words(index: Index, text: str) -> None:
    assert found(index, text) == []


def test_an_abbreviation_in_a_name_of_several_words_is_found_as_it_is_written(index: Index) -> None:
    assert found(index, "She has ALL 2 of childhood.") == [("ALL 2 of childhood", "M:6")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An adrenoleukodistrophy was found.", [("adrenoleukodistrophy", "M:10")]),
        ("Chronic coughh and thalasemia", []),
        ("A myotonnic dystrofphy", [("myotonnic dystrofphy", "M:8")]),
    ],
)
def test_slips_in_long_words_are_found(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


def test_each_mention_gets_the_answer_of_normalize(index: Index) -> None:
    (one,) = annotate(index, "She has a shared name.")
    best = search(index, "shared name", SearchOptions(k=3))
    assert (one.id, one.confidence, list(one.candidates)) == (best[0].id, best[0].confidence, best)
    assert one.candidates[0].equivalents == (one.candidates[1].id,)
    sure = AnnotateOptions(NormalizeOptions(threshold=1))
    (nil,) = annotate(index, "She has a shared name.", sure)
    assert (nil.id, nil.text) == (None, "shared name")


@pytest.mark.parametrize("gap", ["\n", "\r\n", "  ", "\u00a0", " \n   "])
def test_a_name_over_a_line_break_or_several_spaces_is_written_as_the_name(index: Index, gap: str) -> None:
    (plain,), (one,) = (annotate(index, f"A Chronic{between}cough.") for between in (" ", gap))
    assert (one.id, one.text, one.confidence) == ("M:7", f"Chronic{gap}cough", plain.confidence)
    reason = one.candidates[0].reason
    assert (reason.rule, reason.correction, reason.detail) == ("exact", Correction.NONE, "the same text")


@pytest.mark.parametrize("text", ["ataxia, \u200b\u200b; cough", "Lungs: \u200b\u200b nodule. Heart: \u200b\u200b"])
def test_characters_that_are_not_seen_are_no_mentions(index: Index, text: str) -> None:
    assert all(mention.text.isprintable() for mention in annotate(index, text))


def test_filters_leave_out_other_concepts(index: Index) -> None:
    within = AnnotateOptions(NormalizeOptions(search=SearchOptions(within=("M:2",))))
    assert found(index, "asthma and breast cancer", within) == [("breast cancer", "M:3")]
    with pytest.raises(UnknownIdError):
        annotate(index, "asthma", AnnotateOptions(NormalizeOptions(search=SearchOptions(within=("M:99",)))))


def test_context_is_told_unless_not_wanted(index: Index) -> None:
    text = "Denies asthma. Possible breast cancer."
    one, other = annotate(index, text)
    assert (one.context, one.negated, one.uncertain) == (("negated",), True, False)
    assert (other.context, other.negated, other.uncertain) == (("uncertain",), False, True)
    assert [one.context for one in annotate(index, text, AnnotateOptions(context=False))] == [(), ()]


def test_a_text_that_comes_again_has_the_same_mentions(index: Index) -> None:
    finder = Finder(index, SearchOptions(), SpanOptions())
    text = "Asthma and breast cancer."
    first = finder.find(text)
    assert first
    first.append(first[0])
    assert finder.find(text) == first[:-1] == Finder(index, SearchOptions(), SpanOptions()).find(text)


def test_texts_are_streamed_and_those_without_a_mention_have_their_place(index: Index) -> None:
    taken: list[str] = []

    def texts() -> Iterator[str]:
        for text in ("asthma", "nothing", "", "VHL"):
            taken.append(text)
            yield text

    answers = annotate_texts(index, texts(), at_once=1)
    assert [one.id for one in next(answers)] == ["M:12"]
    assert taken == ["asthma"]
    assert [[one.id for one in each] for each in answers] == [[], [], ["M:5"]]
    taken.clear()
    answers = annotate_texts(index, texts(), at_once=3)
    assert [one.id for one in next(answers)] == ["M:12"]
    assert taken == ["asthma", "nothing", ""]
    assert [[one.id for one in each] for each in answers] == [[], [], ["M:5"]]


def test_texts_that_are_annotated_together_have_the_mentions_that_each_has_alone(index: Index) -> None:
    texts = [
        "asthma and bronchial asthmas",
        "no VHL",
        "",
        "severe asthma of the lung, asthma",
        "asthma and bronchial asthmas",
    ]
    assert list(annotate_texts(index, texts)) == [annotate(index, text) for text in texts]


@pytest.mark.slow
def test_a_document_without_an_end_of_a_sentence_is_read_in_time(index: Index) -> None:
    text = "denies " + "word " * 200_000 + "asthma"
    (one,) = annotate(index, text)
    assert (one.span, one.context) == ((len(text) - 6, len(text)), ())


@examples(60)
@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_any_text_gives_spans_in_order_that_are_names(index: Index, parts: list[str]) -> None:
    text = "".join(parts)
    options = AnnotateOptions(NormalizeOptions(abbreviations=False))
    found(index, text, options)  # checks the order of the spans
    for one in annotate(index, text, options):
        read = [index.signals.meant(word) or word for word in tokens(one.text)]  # "asthmaé" is a slip
        is_corrected = one.candidates[0].reason.correction is Correction.CORRECTED  # "canceré" is found as one
        spelled = (index.signals.names.spelled(words) for words in (tokens(one.text), read))
        assert one.text == "breast" or is_corrected or any(map(len, spelled))


def test_an_unknown_kind_of_mention_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown kind of mention 'lkely'\. Did you mean 'likely'\?"):
        AnnotateOptions(find="lkely")  # type: ignore[arg-type]
