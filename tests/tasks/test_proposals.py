"""Phrases that mean a name in other words, another order or an enumeration, and those that do not."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from built import SMALL, index_fixture
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, annotate
from ontonym.tasks.annotation import proposals
from ontonym.tasks.annotation.proposals import Proposer
from ontonym.tasks.annotation.textreadings import TextReading
from ontonym.text.pieces import pieces
from ontonym.text.wordroots import root

OBO = """format-version: 1.2
ontology: made

""" + "\n".join(
    f'[Term]\nid: M:{number}\nname: {name}\n'
    for number, name in enumerate(
        (
            "Short finger",
            "Broad finger",
            "Hypotonia",
            "Low-set ears",
            "Iliac crest serration",
            "Dislocation of patella",
            "Metaphyseal widening",
            "Renal insufficiency",
            "Genetic susceptibility",
            "Absent nails",
            "Hypoplastic nails",
            "Short stature",
            "Cleft palate",
            "Tall stature",
            "Inability to walk",
            "Thin nasal bridge",
            "Hypoplastic fingers",
            "Broad nasal bridge",
            "Hand polydactyly",
            "Polydactyly",
            "Finger hypoplasia",
            "Toe hypoplasia",
            "Toe polydactyly",
            "Polyhydramnios",
            "Long face",
            "Joint pain",
            "Narrow face",
            "Hemolysis",
            "Neoplasms by site",
            "Intestinal hypoplasia",
            "Chromosomal abnormality",
            "Dilated lateral ventricle",
            "Dilated third ventricle",
            "Bifid nasal tip",
            "Wheezing",
            "Stairs difficulty",
            "Visual loss",
            "Thoracic platyspondyly",
        ),
        1,
    )
) + """
[Term]
id: M:90
name: Fractured ilium
synonym: "bone ilium" EXACT []
"""  # fmt: skip


index = index_fixture({"made.obo": OBO}, SMALL)


def found(index: Index, text: str, find: str = "phrases") -> list[tuple[str, str | None]]:
    options = AnnotateOptions(find=find)  # type: ignore[arg-type]
    return [(one.text, one.id) for one in annotate(index, text, options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A hypotonic infant.", [("hypotonic", "M:3")]),
        ("Serration of the iliac crest was seen.", [("Serration of the iliac crest", "M:5")]),
        ("She had patella dislocation.", [("patella dislocation", "M:6")]),
        ("There was widening of the metaphyses.", [("widening of the metaphyses", "M:7")]),
        ("Mild kidney insufficiency.", [("kidney insufficiency", "M:8")]),
        ("dislocation of the left patella", [("dislocation of the left patella", "M:6")]),
        ("He had short and broad fingers.", [("short and broad fingers", "M:1"), ("short and broad fingers", "M:2")]),
        (
            "He had dilated lateral and third ventricles.",
            [("dilated lateral and third ventricles", "M:33"), ("dilated lateral and third ventricles", "M:32")],
        ),
        (
            "hypoplastic or absent nails",
            [("hypoplastic or absent nails", "M:11"), ("hypoplastic or absent nails", "M:10")],
        ),
        ("short stature", [("short stature", "M:12")]),
        ("unable to walk", [("unable to walk", "M:15")]),
        ("He cannot walk, and could not walk.", [("cannot walk", "M:15"), ("could not walk", "M:15")]),
        ("She has never walked.", [("never walked", "M:15")]),
        (
            "hypoplasia of the fingers and toes",
            [("hypoplasia of the fingers and toes", "M:21"), ("hypoplasia of the fingers and toes", "M:22")],
        ),
        (
            "hypoplasia of the fingers, toes and intestines",
            [("hypoplasia of the fingers, toes and intestines", one) for one in ("M:21", "M:22", "M:30")],
        ),
        (
            "hypoplasia of the fingers, toes, eyes and knees",
            [("hypoplasia of the fingers, toes", one) for one in ("M:21", "M:22")],
        ),
        ("hypoplasia of the fingers, toes normal and long", [("hypoplasia of the fingers", "M:21")]),
        ("hypoplasia of the fingers, toe pain and gout", [("hypoplasia of the fingers", "M:21")]),
        ("A broad nasal bridge, thin upper lip", [("broad nasal bridge", "M:18")]),
        ("finger pads and hypoplastic nails", [("hypoplastic nails", "M:11")]),
        ("Films of hands and feet revealed polydactyly.", [("polydactyly", "M:20")]),
        ("the toes, and partial polydactyly", [("polydactyly", "M:20")]),
        ("There was polyhydraminos. Polyhydramnois", [("polyhydraminos", "M:24"), ("Polyhydramnois", "M:24")]),
        ("Short, broad fingers.", [("Short, broad fingers", "M:1"), ("Short, broad fingers", "M:2")]),
        (
            "with low-set ears, short, thick, broad fingers",
            [("low-set ears", "M:4"), ("short, thick, broad fingers", "M:1"), ("short, thick, broad fingers", "M:2")],
        ),
        ("The ears were short, broad fingers", [("broad fingers", "M:2")]),  # a verb says *short* of the ears
        ("a long, narrow face", [("long, narrow face", "M:25"), ("long, narrow face", "M:27")]),
        ("a long and narrow face", [("long and narrow face", "M:25"), ("long and narrow face", "M:27")]),
        ("a haemolytic crisis", [("haemolytic", "M:28")]),
        ("tumours by site", [("tumours by site", "M:29")]),
        ("abnormal chromosomes", [("abnormal chromosomes", "M:31")]),
        ("Fingers short, face long.", [("Fingers short", "M:1"), ("face long", "M:25")]),
        ("An old ilium fracture.", [("ilium fracture", "M:90")]),
        ("She has bifidity to her nasal tip.", [("bifidity to her nasal tip", "M:34")]),
        ("No wheeze.", [("wheeze", "M:35")]),
        ("difficulties with the stairs", [("difficulties with the stairs", "M:36")]),
        ("difficulties with the stairs carpet", []),  # they are none with stairs
        ("a loss of visual and other functions", [("loss of visual", "M:37")]),
        ("platyspondyly in the thoracic region", [("platyspondyly in the thoracic", "M:38")]),
        ("hypo-tonia and hypo-plastic nails", [("hypo-tonia", "M:3"), ("hypo-plastic nails", "M:11")]),
    ],
)
def test_phrases(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


def test_names_alone(index: Index) -> None:
    text = "A hypotonic boy of short stature with low-set ears and patella dislocation."
    assert found(index, text, "names") == [("short stature", "M:12"), ("low-set ears", "M:4")]


@pytest.mark.parametrize(
    "text",
    [
        "the susceptibility gene",  # the head is another word
        "a short story. Finger food",
        "short arms, large fingers",
        "the long, smooth face",  # no other of them is a name
        "Pain, swollen joints",
        "the finger is short, and the face is long, the bridge high",
        "finger short arms",
        "He was not tall; stature of the parents is unknown",
        "cleft lip. Palate normal",
        "insufficiency of data on renal transport",
        "He could not walk until 3 years of age",
        "He could not sleep",
        "the iliac bones",
        "the loss of visual fixation",  # an adjective of another thing
        "haemolytic assays",  # no patient's
        "anti-hypotonic drugs, self-hemolytic",
        "the neoplasm site",
        "The small intestines were normal.",
        "abnormal chromosomal synapsis",
    ],
)
def test_not_phrases(index: Index, text: str) -> None:
    assert found(index, text) == []


def test_statements_are_found_on_request(index: Index) -> None:
    text = "The ears were low-set."
    assert found(index, text) == []
    assert found(index, text, "statements") == [("ears were low-set", "M:4")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hypotonic", "hypotonia"), ("diabetic", "diabetes"), ("schizophrenic", "schizophrenia"),
        ("kidney", "renal"), ("widened", "broad"), ("ossified", "ossification"), ("thrombotic", "thrombosis"),
        ("epileptic", "epilepsy"), ("atrophic", "atrophy"), ("dyskinetic", "dyskinesia"),
        ("unsteadiness", "unsteady"), ("floppiness", "floppy"),
    ],
)  # fmt: skip
def test_words_of_one_root(one: str, other: str) -> None:
    assert root(one) == root(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hypertension", "hypotension"), ("increased", "decreased"), ("low", "lower"), ("narcotic", "narcolepsy"),
        ("long", "length"), ("vision", "visible"), ("health", "heal"), ("left", "right"),
    ],
)  # fmt: skip
def test_words_of_different_roots(one: str, other: str) -> None:
    assert root(one) != root(other)


def test_a_long_text_is_searched_in_blocks_with_the_same_answers(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A hypotonic infant, with serration of the iliac crest, and dislocation of the left patella. " * 3
    whole = found(index, text)
    assert len(whole) == 9
    for block in (1, 2, 5):
        monkeypatch.setattr(proposals, "_BLOCK", block)
        assert found(index, text) == whole


def test_memory_for_a_long_text_does_not_grow_with_all_its_forms(index: Index) -> None:
    text = "0," * 30_000
    proposer = Proposer(index, "O", None)
    row = pieces(text)
    reading = TextReading(text, row, {}, np.ones(len(row), dtype=np.bool_))
    proposer.propose([reading._replace(row=row[:10], fresh=reading.fresh[:10])])
    tracemalloc.start()
    try:
        assert proposer.propose([reading]) == [[]]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 << 20  # all forms at once take 80 MiB
