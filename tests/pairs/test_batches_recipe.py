from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from made import concept, examples_of, opened, texts_of
from ontonym.learning.recipes import PoolOptions, RecipeOptions
from ontonym.text.normalization import key

ONTOLOGY = [
    concept("A", "heart attack", "infarct", "MI"),
    concept("B", "asthma"),
    concept("C", "fever", "pyrexia"),
    concept("D", "cough", "tussis", "coughing", "hacking"),
]


def test_every_text_is_once_an_anchor_with_another_of_its_concept(open_concepts):
    examples = examples_of(open_concepts(ONTOLOGY), "batches")
    made = texts_of(examples)
    assert [anchor for anchor, _ in made] == [name.text for one in ONTOLOGY if one.id != "B" for name in one.terms]
    of = {name.text: one.id for one in ONTOLOGY for name in one.terms}
    assert all(of[anchor] == of[positive] and anchor != positive for anchor, positive in made)
    assert examples.described["anchors"]["train"] == {
        "of_ontology": 9, "of_corpus": 0, "of_corpus_repeated": 0, "without_positive": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_positives_are_drawn_evenly_anew_each_epoch(open_concepts):
    terminologies = open_concepts(ONTOLOGY)
    drawn = Counter(
        pair for epoch in range(600) for pair in texts_of(examples_of(terminologies, "batches", epoch=epoch))
    )
    for anchor, others in (("MI", ("heart attack", "infarct")), ("cough", ("tussis", "coughing", "hacking"))):
        counts = [drawn[anchor, other] for other in others]
        assert np.array(counts) / 600 == pytest.approx([1 / len(others)] * len(others), abs=0.09)
        assert sum(counts) == 600
    assert texts_of(examples_of(terminologies, "batches", epoch=3)) == texts_of(
        examples_of(terminologies, "batches", epoch=3)
    )


ANNOTATED = [("coronary", "A"), ("heart  attack!", "A"), ("short of breath", "B"), ("hot", "C")]


@pytest.mark.parametrize("ratio", [1 / 3, 2 / 3, 1.0, 3.0])
def test_annotated_texts_are_repeated_to_their_share(open_concepts, ratio):
    options = RecipeOptions(ratio=ratio)
    examples = examples_of(open_concepts(ONTOLOGY), "batches", options=options, annotated=ANNOTATED)
    anchors = Counter(anchor for anchor, _ in texts_of(examples))
    of_ontology = 10  # "asthma" has a positive now
    of_corpus = max(round(ratio * of_ontology), 4)
    repeats = [anchors[text] for text, _ in ANNOTATED]
    assert sum(repeats) == of_corpus
    assert max(repeats) - min(repeats) <= 1
    assert sum(anchors.values()) == of_ontology + of_corpus
    assert examples.described["anchors"]["train"] == {
        "of_ontology": 10, "of_corpus": 4, "of_corpus_repeated": of_corpus, "without_positive": 0,
    }  # fmt: skip


def test_a_text_spelled_like_the_anchor_is_no_positive(open_concepts):
    terminologies = open_concepts(ONTOLOGY)
    for epoch in range(40):
        made = texts_of(examples_of(terminologies, "batches", epoch=epoch, annotated=ANNOTATED))
        assert ("heart attack", "heart  attack!") not in made
        assert all(key(anchor) != key(positive) for anchor, positive in made)


@examples(25)
@given(
    names=st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1, max_size=5), min_size=1, max_size=5),
    marks=st.lists(st.tuples(st.sampled_from(["A!", "b?", "x", "y", "z"]), st.integers(0, 4)), max_size=8),
    ratio=st.floats(0, 2),
    seed=st.integers(0, 9),
)
def test_counts_are_as_the_formula_says(names, marks, ratio, seed, tmp_path_factory):
    # texts of concept n are unlike those of every other
    release = [concept(f"C:{n}", *(f"{name} {n}" for name in listed)) for n, listed in enumerate(names)]
    release.append(concept("Z", "z1", "z2"))
    annotated = [(f"{text[0]} {n}{text[1:]}", f"C:{n}") for text, n in marks if n < len(names)]
    with opened(tmp_path_factory.mktemp("batches"), release) as terminologies:
        examples = examples_of(
            terminologies, "batches", options=RecipeOptions(seed=seed, ratio=ratio), pool=PoolOptions(),
            annotated=annotated,
        )  # fmt: skip
    spelled = [{key(f"{name} {n}") for name in listed} for n, listed in enumerate(names)]
    ours = [list(one) for one in spelled]
    theirs = [sorted({key(text) for text, one in annotated if one == f"C:{n}"}) for n in range(len(names))]
    paired = [len({*mine, *other}) > 1 for mine, other in zip(ours, theirs, strict=True)]
    of_ontology = 2 + sum(len(mine) for mine, good in zip(ours, paired, strict=True) if good)
    of_corpus = sum(len(other) for other, good in zip(theirs, paired, strict=True) if good)
    repeated = max(round(ratio * of_ontology), of_corpus) if of_corpus else 0
    assert examples.counts()["train"] == of_ontology + repeated
    told = examples.described["anchors"]["train"]
    assert (told["of_ontology"], told["of_corpus"], told["of_corpus_repeated"]) == (of_ontology, of_corpus, repeated)
    anchors = np.unique(examples.table("train")[:, 0], return_counts=True)[1]
    assert len(anchors) == of_ontology + of_corpus
