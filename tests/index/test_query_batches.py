"""Several queries at once: what each has alone, and the small parts that this is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from ontonym.index import AddedTerm, Index, add_terms
from ontonym.index.evidence import Evidence
from ontonym.index.inverted import Zeros, summed
from ontonym.index.namewords import axes_of
from ontonym.index.nearest import nearest_in_any_order, nearest_of
from ontonym.index.query import Query, changed_together
from ontonym.index.scan import Scan
from ontonym.index.signcodes import candidates_for
from ontonym.tasks.search import SearchOptions, found_hits, found_hits_of, search
from ontonym.text.qualifiers import axis_bits, axis_masks
from ontonym.types import Correction

Words = Callable[[int, int], list[str]]

STANZAS = (
    'id: A:1\nname: Acute pain of left hand\nsynonym: "hand pain, left" EXACT []',
    'id: A:2\nname: Chronic pain of right hand type 2\nsynonym: "pain without fever" EXACT []',
    'id: A:3\nname: Fever\nsynonym: "no pain but fever" EXACT []\nsynonym: "high temperature" BROAD []',
    "id: A:4\nname: Other pain",
    'id: A:5\nname: Type 2 fever\nsynonym: "Fever type 2" EXACT []\nsynonym: "T2F" EXACT []',
)
QUERIES = (
    "left hand pain",
    "fever type 2",
    "no fever",
    "hand without pain",
    "type 7 pain",
    "other",
    "xyzzy",
    "",
    "fevr",
)


@pytest.fixture
def index(workshop: Any, words: Words) -> Index:
    others = [f"id: B:{number}\nname: {name}" for number, name in enumerate(dict.fromkeys(words(150, 3)))]
    many = "id: C:1\nname: many\n" + "\n".join(f'synonym: "many fever {number}" EXACT []' for number in range(80))
    made = workshop.index(workshop.terminology("made", *STANZAS, *others, many))
    add_terms(made.path, [AddedTerm("A:3", "hot head"), AddedTerm("A:1", "sore left hand"), AddedTerm("A:1", "fever")])
    return made.refreshed()


def same(one: Evidence, other: Evidence) -> bool:
    return all(
        np.allclose(getattr(one, field.name), getattr(other, field.name), atol=1e-6) for field in fields(Evidence)
    )


@pytest.mark.slow
@pytest.mark.parametrize("source", ["O", "D", "OD"])
@pytest.mark.parametrize("representation", ["T", "C"])
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("hidden", [None, np.array([0, 4, 40])])
def test_the_evidence_of_queries_together_is_that_of_each(
    index: Index, source: Any, representation: Any, filtered: bool, hidden: Any
) -> None:
    queries = index.signals.queries([*QUERIES, *(index.text(row) for row in range(0, index.name_count, 9))])
    allowed = None
    if filtered:
        allowed = np.zeros(index.concept_count, dtype=np.bool_)
        allowed[::2] = True
    scan = Scan(source, representation, k=7, allowed=allowed, hidden=hidden, also=(3,))
    together = index.signals.evidences(queries, scan)
    again = index.signals.evidences(queries, scan)  # with the lengths that are known now
    for query, one, other in zip(queries, together, again, strict=True):
        alone = index.signals.evidence(query, scan)
        assert same(one, alone)
        assert same(one, other)
    assert sum(len(one.concepts) > 0 for one in together) > (5 if source == "D" else len(queries) // 2)


def test_a_concept_of_many_names_is_compared_with_its_first_and_those_that_were_brought(index: Index) -> None:
    query = index.signals.query("many fever 79")
    found = index.signals.evidence(query, Scan(k=5))
    place = found.concepts.tolist().index(index.number("C:1"))
    assert found.column("spelled")[place] == 1  # the 80th name, which the first 64 are not
    assert index.text(int(found.best[place])) == "many fever 79"
    vectors = index.signals.ontology.dense.vectors(np.arange(index.name_count))
    rows = np.flatnonzero(index.signals.names.concepts == index.number("C:1"))
    brought = index.signals.ontology.lexical.nearest(query.words, 5).rows
    assert set(brought.tolist()) <= set(rows.tolist()) | set(range(index.name_count))
    assert found.column("dense")[place] == pytest.approx(float((vectors[rows] @ query.vector).max()), abs=1e-6)


@pytest.mark.slow
def test_queries_together_have_the_hits_that_each_has_alone(index: Index) -> None:
    queries = index.signals.queries([*QUERIES, *(index.text(row) for row in range(0, index.name_count, 5))])
    for options in (SearchOptions(), SearchOptions(signal="char"), SearchOptions(strategy="D-T+O-C", sieve=0.5)):
        together = found_hits_of(index, queries, options)
        for query, hits in zip(queries, together, strict=True):
            index.interpreter.candidates._known.clear()  # else its candidates are those that were found before
            alone = found_hits(index, query, options)
            assert [hit.id for hit in hits] == [hit.id for hit in alone]
            assert [hit.confidence for hit in hits] == pytest.approx([hit.confidence for hit in alone], abs=2e-6)
            assert [hit.reason for hit in hits] == [hit.reason for hit in alone]


def test_texts_of_the_same_words_share_candidates_and_keep_their_own_reasons(index: Index) -> None:
    searched: list[int] = []

    def counted(queries: Sequence[Query], scan: Scan) -> list[Evidence]:
        searched.append(len(queries))
        return evidences(queries, scan)

    evidences = index.signals.evidences
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index.signals, "evidences", counted)
        first, again = search(index, "Type 2 fever"), search(index, "TYPE 2 FEVERS")
    assert sum(searched) == 1
    assert [(hit.id, hit.confidence) for hit in first] == [(hit.id, hit.confidence) for hit in again]
    assert (first[0].reason.rule, again[0].reason.rule) == ("exact", "normalized")
    assert again[0].reason.changes == ("case", "plural")
    denied = search(index, "pain without fever")
    index.interpreter.candidates._known.clear()
    assert search(index, "pain without fever") == denied
    assert search(index, "fever without pain") != denied


def test_what_was_found_under_a_filter_is_not_kept(index: Index) -> None:
    every = search(index, "hand pain")
    only = search(index, "hand pain", SearchOptions(within=("A:2",)))
    assert [hit.id for hit in only] == ["A:2"]
    assert search(index, "hand pain") == every
    assert len(every) > 1


def test_the_nearest_of_few_vectors_are_those_of_a_scan(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    dense, vectors = index.signals.ontology.dense, np.array([one.vector for one in index.signals.queries(QUERIES)])
    few = dense.nearest_to_each(vectors, 5)
    least = [float(one.similarities.min(initial=1)) for one in few]
    nearer = dense.nearest_to_each(vectors, 50, None, least)
    assert index.name_count <= candidates_for(5)
    monkeypatch.setattr("ontonym.index.dense.candidates_for", lambda k: 0)
    for one, other, all_near in zip(few, dense.nearest_to_each(vectors, 5), nearer, strict=True):
        assert sorted(one.rows.tolist()) == sorted(other.rows.tolist())
        assert set(one.rows.tolist()) <= set(all_near.rows.tolist())
    assert [len(one.rows) for one in few] == [5 if query else 0 for query in vectors.any(axis=1)]


def test_changed_queries_keep_what_is_theirs(index: Index) -> None:
    one, other = index.signals.queries(["fevr", "pian"])
    asked = [
        (replace(one, negated=True), {"fever": (("fevr", "fever"),), "ever": ()}, Correction.CORRECTED),
        (other, {}, Correction.EXPANDED),
        (other, {"pain": (("pian", "pain"),)}, Correction.CORRECTED),
    ]
    found = changed_together(index.encoder, asked)
    assert [[query.text for query in some] for some in found] == [["fever", "ever"], [], ["pain"]]
    assert [[(query.typed, query.negated) for query in some] for some in found] == [
        [("fevr", True), ("fevr", True)], [], [("pian", False)],
    ]  # fmt: skip
    assert found[2][0].vector == pytest.approx(index.signals.query("pain").vector)


@pytest.mark.parametrize("count", [3, 400, 9000])
@pytest.mark.parametrize("k", [1, 50, 400])
def test_the_nearest_in_any_order_are_the_nearest(count: int, k: int) -> None:
    similarities = (np.random.default_rng(count + k).random(count) * 60).round().astype(np.float32)  # many are equal
    rows = np.random.default_rng(k).permutation(count)
    found, expected = nearest_in_any_order(rows, similarities, k), nearest_of(rows, similarities, k)
    assert sorted(found.rows.tolist()) == sorted(expected.rows.tolist())
    held = dict(zip(rows.tolist(), similarities.tolist(), strict=True))
    assert found.similarities.tolist() == [held[row] for row in found.rows.tolist()]


def test_sums_in_places_that_are_used_again() -> None:
    zeros = Zeros(100_000, np.int32)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows, weights = rng.integers(0, 100_000, 300), rng.random(300) + 0.1
        rows[:100] = rows[100:200]
        found, sums = summed(rows, weights, 100_000, zeros)
        expected = np.bincount(rows, weights, 100_000)
        assert sorted(found.tolist()) == np.flatnonzero(expected).tolist()
        assert sums == pytest.approx(expected[found])
    assert not zeros.take().any()
    with pytest.raises(ValueError, match="row 100000 of 100000"):
        summed(np.array([3, 100_000]), np.ones(2), 100_000, zeros)


def test_the_axes_of_words() -> None:
    every, masks = axis_bits(), list(axis_masks().values())
    values = np.array([0, *every.values(), *(one | other for one in every.values() for other in every.values())])
    expected = [sum(mask & -mask for mask in masks if value & mask) for value in values.tolist()]
    assert axes_of(values).tolist() == expected


def test_confidences_among_one_terminology_are_computed_once(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("a", *STANZAS))
    (read,) = index.interpreter.candidates.interpretations([index.signals.query("hand pain")], Scan())
    assert read.own_confidences is read.own_confidences
    assert read.surest == read.own_confidences.max() > 0
    assert replace(read, confidences=read.confidences / 2).surest < read.surest  # not those of the other
