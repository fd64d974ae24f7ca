"""The search for the nearest texts, beside comparing with every text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from limits import examples
from ontonym.benchmark.nearest import nearest_texts

pytestmark = pytest.mark.slow

WORDS = ["acute", "renal", "failure", "of", "the", "left", "kidney", "syndrome,", "type", "1", "2", "née", "β-cell"]


def by_comparing(texts, query, wanted, groups):
    distances = cdist([texts[query]], texts, scorer=Levenshtein.distance, dtype=np.int64)[0]
    others = np.flatnonzero(groups != groups[query])
    ordered = others[np.lexsort([others, distances[others]])][:wanted]
    return ordered.tolist(), distances[ordered].tolist()


def check(texts, wanted, groups, threads=1):
    queries = np.arange(len(texts))
    found = nearest_texts(texts, queries, wanted, groups, threads=threads)
    for query in queries.tolist():
        rows, distances = found.of(query)
        assert (rows.tolist(), distances.tolist()) == by_comparing(texts, query, int(wanted[query]), groups)


@examples(60)
@given(st.data())
def test_any_texts_are_found_as_by_comparing_with_all(data):
    texts = data.draw(st.lists(st.text(max_size=90), min_size=1, max_size=40, unique=True))
    draws = st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts))
    check(texts, np.array(data.draw(draws), dtype=np.int64), np.array(data.draw(draws), dtype=np.int64))


@pytest.mark.parametrize("threads", [1, 2])
def test_names_of_all_lengths_are_found_as_by_comparing_with_all(threads):
    generator = np.random.default_rng(0)
    names = {" ".join(generator.choice(WORDS, size)) for size in generator.integers(1, 24, 900)}
    texts = sorted(names)
    groups = generator.integers(0, len(texts) // 2, len(texts))
    assert max(map(len, texts)) > 128
    assert min(map(len, texts)) < 64
    check(texts, generator.integers(0, 40, len(texts)), groups, threads)


def test_where_all_are_similar_nothing_is_found():
    found = nearest_texts(["a", "b"], np.array([0, 1]), np.array([1, 1]), np.array([7, 7]))
    assert found.bounds.tolist() == [0, 0, 0]
    assert nearest_texts([], np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)).bounds.tolist() == [0]


def test_progress_counts_every_query():
    texts = [f"name {number}" for number in range(700)]
    told: list[int] = []
    nearest_texts(texts, np.arange(700), np.ones(700, np.int64), np.arange(700), progress=told.append)
    assert sum(told) == 700
    assert len(told) == 3
