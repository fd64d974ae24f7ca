"""The names of candidates and the evidence on them by compiled loops, where those are used (`ontonym.index.compiled`).

Each function gives what that of its name in ``nametable.py`` or ``evidence.py`` gives, to the bit, or None for what is
left to that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ontonym.arrays import Floats, Ints, Mask
from ontonym.index.evidence import BEHIND, FEATURES, MEANS, Evidence
from ontonym.index.nametable import (
    BY_NAME,
    HIGHEST,
    OF_BEST,
    ROW,
    NamesOfPart,
    NameTable,
    Pairs,
    PartView,
    QueriedNames,
)
from ontonym.index.namewords import FIRST_VALUES, SHIFTED, NameWords, WeighedWords, asked_axes, axes_of, others_in
from ontonym.index.query import Query
from ontonym.index.wordfacts import JoinedFacts
from ontonym.text.qualifiers import NEGATOR, NEGATORS

_SAID = (
    "dense", "char", "words", "to_preferred", "preferred", "query_share", "name_share", "number_missing",
    "number_extra", "contradicted", "qualifier_missing", "qualifier_extra", "residual", "inexact", "abbreviation",
)  # fmt: skip
"""The rows of facts that `ontonym.index.loops.evidence.said` fills, in its order."""

_NAMED = ("dense", "char", "words", "spelled", "to_preferred", "preferred", "contradicted")
"""The rows of facts that `ontonym.index.loops.evidence.summarized` reads by name, in its order."""

_ROWS = np.array([ROW[name] for name in _SAID])
_NAMED_ROWS = np.array([ROW[name] for name in _NAMED])
_HIGHEST = np.array([(ROW[name], FEATURES.index(name)) for name in HIGHEST if name in FEATURES])
_OF_BEST = np.array([(ROW[name], FEATURES.index(name)) for name in OF_BEST])
_FURTHER = np.array(
    [*map(FEATURES.index, ("spelled", "contradicted", "dense_support", "dense_concept"))]
    + [FEATURES.index(name) for pair in BEHIND.items() for name in pair]
)
_SIZE, _SHORT, _ONE_WORD = (FEATURES.index(name) for name in ("size", "short_query", "one_word"))
_SHIFTS = np.array(SHIFTED, dtype=np.int64)


def name_table(
    views: Sequence[PartView], pairs: Pairs, brought: Sequence[QueriedNames], known: JoinedFacts
) -> NameTable | None:
    """See `ontonym.index.nametable.name_table`."""
    if any(view.hidden is not None for view in views):
        return None
    held = [view.names_of(pairs, some) for view, some in zip(views, brought, strict=True)]
    counts = np.add.reduce([np.bincount(own.pairs, minlength=len(pairs.concepts)) for own in held])
    cursors, total = np.cumsum(counts) - counts, int(counts.sum())
    facts = np.zeros((len(BY_NAME), total), dtype=np.float32)
    owners, rows, given = np.arange(len(counts)).repeat(counts), np.empty(total, np.int64), np.zeros(total, np.int64)
    asked = WeighedWords.of([view.part.names for view in views], known, views[0].queries)
    made = []
    for number, (view, own) in enumerate(zip(views, held, strict=True)):
        filled = _fill(facts, cursors, (view, number), (pairs, own), known, asked)
        if filled is None:
            return None
        at, _, queries = filled
        rows[at] = own.rows + view.first
        if view.part.counts is not None:
            given[at] = view.part.counts[own.rows]
        (equal,) = view.are_spelled(queries, own.rows).nonzero()
        if len(equal):
            facts[ROW["spelled"], at[equal]] = 1
            facts[ROW["spelled_preferred"], at[equal]] = view.part.names.kinds[own.rows[equal]] == 0
        made.append(filled)
    places = _denied(views, held, made, known)
    facts[ROW["contradicted"], places] = 1
    return NameTable(owners, rows, facts, given, np.add.reduce([own.sizes for own in held]), held)


def _fill(
    facts: Floats,
    cursors: Ints,
    viewed: tuple[PartView, int],
    held: tuple[Pairs, NamesOfPart],
    known: JoinedFacts,
    asked: WeighedWords,
) -> tuple[Ints, Mask, Ints] | None:
    """Fills the facts of the names of one part; gives the place of each, whether it has a negator, and its query."""
    from ontonym.index.loops.evidence import said

    (view, number), (pairs, own) = viewed, held
    count, names, first = len(view.queries), view.part.names, known.firsts[number]
    queries = pairs.queries.take(own.pairs)
    dense = view.cosines(own.rows, queries.searchsorted(np.arange(count + 1)).tolist())
    numbers = asked.numbers[number * count : (number + 1) * count]
    bits = np.array(asked_axes(view.queries), dtype=np.int64)
    others = others_in(names, view.queries)
    at, negating = np.empty(len(own.rows), dtype=np.int64), np.empty(len(own.rows), dtype=np.bool_)
    found = said(
        facts.ravel(), _ROWS * facts.shape[1], at, negating, cursors, own.pairs, pairs.queries, own.rows, dense,
        names.word_bounds, names.words, names.kinds, names.scopes, view.part.char.name_lengths(own.rows),
        view.by_char.ravel(), asked.words, known.weights, known.axes, known.axes_said, known.negation, known.is_number,
        known.is_short, first,
        np.array(asked.totals[number * count : (number + 1) * count], dtype=np.float32),
        np.array([one for some in numbers for one in some], dtype=np.int64),
        np.array([0, *accumulate(map(len, numbers))]), bits, axes_of(bits),
        np.array([-1 if one is None else first + one for one in others]), _SHIFTS, FIRST_VALUES, NEGATOR,
    )  # fmt: skip
    return None if found < 0 else (at, negating, queries)


def _denied(
    views: Sequence[PartView], held: Sequence[NamesOfPart], made: Sequence[tuple[Ints, Mask, Ints]], known: JoinedFacts
) -> Ints:
    """The places of the names that deny what their query asserts, or assert what it denies: few have a negator."""
    queries = views[0].queries
    denying = np.array([not NEGATORS.isdisjoint(query.words) for query in queries])
    some = [(negating | denying.take(numbers)).nonzero()[0] for _, negating, numbers in made]
    if not any(map(len, some)):
        return np.empty(0, dtype=np.int64)
    rows = [own.rows.take(which) for own, which in zip(held, some, strict=True)]
    bounds, starts = np.arange(len(queries) + 1), [0, *accumulate(map(len, rows))]
    edges = [numbers.take(which).searchsorted(bounds) for (_, _, numbers), which in zip(made, some, strict=True)]
    runs = np.concatenate([bounds[:1], *(own[1:] + start for own, start in zip(edges, starts, strict=False))])
    words = NameWords.of([view.part.names for view in views], known, queries, rows, runs)
    places = np.concatenate([at.take(which) for (at, _, _), which in zip(made, some, strict=True)])
    found: Ints = places[words.denied()]
    return found


def evidence_of(
    queries: Sequence[Query], pairs: Pairs, names: NameTable, concept_similarities: Floats
) -> list[Evidence] | None:
    """See `ontonym.index.evidence.evidence_of`."""
    from ontonym.index.loops.evidence import summarized

    count, facts, width = len(pairs.concepts), names.facts, len(FEATURES)
    starts = names.pairs.searchsorted(np.arange(count + 1))
    edges = pairs.queries.searchsorted(np.arange(len(queries) + 1))
    features, means = np.empty((count, width), dtype=np.float32), np.empty((count, len(MEANS)), dtype=np.float32)
    best, given = np.empty((2, count), dtype=np.int64)
    nearness = np.empty(count, dtype=np.float32)
    found = summarized(
        features.ravel(), best, means.ravel(), nearness, given, facts.ravel(), _NAMED_ROWS * facts.shape[1],
        _rows_at(_HIGHEST, facts), _rows_at(_OF_BEST, facts), _FURTHER, width, starts, edges, concept_similarities,
        names.given,
    )  # fmt: skip
    if found < 0:
        return None
    features[:, _SIZE] = np.log1p(names.sizes)
    one_word = np.array([len(query.words) == 1 for query in queries])
    short = np.array([len(query.words) == 1 and len(query.words[0]) <= 5 for query in queries])
    features[:, _SHORT], features[:, _ONE_WORD] = short[pairs.queries], one_word[pairs.queries]
    rows = names.rows[best]
    columns: list[Any] = [pairs.concepts, features, rows, means, given, nearness]
    return [Evidence(*(column[start:stop] for column in columns)) for start, stop in pairwise(edges.tolist())]


def _rows_at(columns: Ints, facts: Floats) -> Ints:
    """Pairs of a row of facts and a feature, the row as the place where it begins."""
    found: Ints = (columns * np.array([facts.shape[1], 1])).ravel()
    return found
