"""The names of the candidates of several queries in one part of an index, as a table with what each says of its query.

A pair is one query with one of its candidate concepts. All pairs of all queries are worked on at once, in flat arrays:
pairs are sorted by query and concept, names by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from ontonym.arrays import Floats, Ints, Mask, distinct
from ontonym.index.char import char_similarities
from ontonym.index.namewords import JoinedFacts, NameWords, is_one_of
from ontonym.index.nearest import NOTHING_NEAR, Nearest
from ontonym.index.part import IndexPart
from ontonym.index.query import Query
from ontonym.ragged import end_to_end, spread

MOST_NAMES = 64
"""The names of a candidate that are looked at, beside those that were brought: some concepts have hundreds."""

HIGHEST = (
    "dense",  # cosine to the query
    "char",  # char similarity to the query
    "words",  # harmonic mean of "query_share" and "name_share"
    "spelled",  # 1 if equal to the query, else 0
    "spelled_preferred",  # 1 if the preferred term is equal to the query, else 0
    "to_preferred",  # the cosine of a preferred term, -1 for other names
)
"""Facts of a name of which its concept has the highest, whichever of its names that is."""

OF_BEST = (
    "query_share",  # share of the query's words, weighted by rarity, that the name has
    "name_share",  # and of the name's words that the query has
    "number_missing",
    "number_extra",
    "contradicted",
    "qualifier_missing",
    "qualifier_extra",
    "residual",
    "inexact",
    "abbreviation",
)
"""Facts of a name of which its concept has those of the name that matches best; `ontonym.index.evidence.FEATURES`
describes each.
"""

BY_NAME = (*HIGHEST, "preferred", *OF_BEST)
"""All facts of a name: the rows of `NameTable.facts`."""

ROW = MappingProxyType({name: row for row, name in enumerate(BY_NAME)})
"""The row of each fact."""


class Pairs(NamedTuple):
    """Candidate concepts of queries, sorted by the number of the query and then by concept; each pair once."""

    queries: Ints
    concepts: Ints

    @classmethod
    def of(cls, queries: Sequence[Ints], concepts: Sequence[Ints]) -> Pairs:
        """The different pairs of several lists of them."""
        every, numbers = np.concatenate(concepts), np.concatenate(queries)
        size = int(every.max(initial=0)) + 1
        keys = np.sort(numbers * size + every)
        again = keys[1:] == keys[:-1]
        return cls(*np.divmod(np.concatenate((keys[:1], keys[1:][~again])), size))  # a fifth of the time of `np.unique`


class Brought(NamedTuple):
    """Names that signals bring for queries: for each the number of its list, the name's row and the similarity.

    The lists are those of the first signal, one for each query, then those of the second one, and so on.
    """

    lists: Ints
    rows: Ints
    similarities: Floats

    def kept(self, some: Mask) -> Brought:
        """Only some of them."""
        return Brought(self.lists[some], self.rows[some], self.similarities[some])


class QueriedNames(NamedTuple):
    """Names of a part, each by its row, with the number of the query that it is a candidate of."""

    queries: Ints
    rows: Ints


class PartView:
    """Several queries in one part of an index; ``first`` is the row of the part's first name among those of all parts.

    ``hidden`` are name rows of all parts that are treated as absent; kept are those of this part, from its first name,
    or None. The words of a query bring names that have this ``share`` of the weight of all of them, the rarest ones.
    """

    def __init__(
        self,
        part: IndexPart,
        queries: Sequence[Query],
        *,
        first: int = 0,
        hidden: Ints | None = None,
        share: float = 1.0,
    ) -> None:
        self.part, self.queries, self.first, self.hidden, self.share = part, queries, first, None, share
        if hidden is not None:
            own = hidden[(hidden >= first) & (hidden < first + len(part.names))] - first
            self.hidden = own if len(own) else None
        self.vectors = np.array([query.vector for query in queries])
        self.by_char = part.char.queries([query.words for query in queries])
        found = [part.names.spelled(query.words) for query in queries]
        numbers = np.arange(len(found)).repeat([*map(len, found)])
        self._spelled = QueriedNames(numbers, np.concatenate(found).astype(np.int64))

    def nearest(
        self,
        signals: Sequence[BringNames],
        k: int,
        wanted: Mask | None,
        leasts: Sequence[float],
    ) -> tuple[Brought, Sequence[float]]:
        """The ``k`` names that each signal brings for each query; ``wanted`` is a bitmap over the names of the part.

        ``leasts`` are by list: names with a lower similarity may be missing. With the names come those for the parts
        that follow: what the ``k``-th name of this part reached.
        """
        hidden, count = self.hidden, len(self.queries)
        most = k if hidden is None else k + len(hidden)
        found = [
            one
            for number, bring in enumerate(signals)
            for one in bring(self, most, wanted, leasts[number * count : (number + 1) * count])
        ] or [NOTHING_NEAR]
        lists = np.arange(len(found)).repeat([len(one.rows) for one in found])
        rows, similarities = (np.concatenate(columns) for columns in zip(*found, strict=True))
        brought = Brought(lists, rows, similarities)
        if hidden is not None:
            return brought.kept(~np.isin(rows, hidden)), leasts
        return brought, [
            max(least, float(one.similarities.min())) if len(one.rows) == k else least
            for one, least in zip(found, leasts, strict=False)
        ]

    def spelled(self, wanted: Mask | None) -> QueriedNames:
        """The names equal to the queries."""
        numbers, rows = self._spelled
        if not len(rows) or (wanted is None and self.hidden is None):
            return self._spelled
        kept = np.ones(len(rows), dtype=np.bool_) if wanted is None else wanted[rows]
        if self.hidden is not None:
            kept = kept & ~np.isin(rows, self.hidden)
        return QueriedNames(numbers[kept], rows[kept])

    def are_spelled(self, numbers: Ints, rows: Ints) -> Mask:
        """Which of these names, each of a query, are equal to it."""
        asked, spelled = self._spelled
        if not len(spelled):
            return np.zeros(len(rows), dtype=np.bool_)
        size = len(self.part.names)
        return is_one_of(numbers * size + rows, asked * size + spelled)

    def names_of(self, pairs: Pairs, brought: QueriedNames) -> CandidateNames:
        """The first `MOST_NAMES` names of each pair's concept, and the names that were brought."""
        names, hidden, concepts = self.part.names, self.hidden, pairs.concepts
        firsts = names.bounds.take(concepts)
        sizes = names.bounds.take(concepts + 1) - firsts
        taken = np.minimum(sizes, MOST_NAMES)
        rows, owners = spread(firsts, taken, len(names)), np.arange(len(concepts)).repeat(taken)
        if sizes.max(initial=0) > MOST_NAMES:
            owners, rows = self._with_brought(pairs, owners, rows, brought)
        if hidden is not None:
            sizes = sizes - (concepts[:, None] == names.concepts[hidden]).sum(axis=1)
            kept = ~np.isin(rows, hidden)
            owners, rows = owners[kept], rows[kept]
        return CandidateNames(owners, rows, sizes)

    def _with_brought(self, pairs: Pairs, owners: Ints, rows: Ints, brought: QueriedNames) -> tuple[Ints, Ints]:
        concepts = self.part.names.concepts[brought.rows].astype(np.int64)
        size = int(pairs.concepts.max()) + 1
        others = np.searchsorted(pairs.queries * size + pairs.concepts, brought.queries * size + concepts)
        every = distinct(np.append(owners, others) * len(self.part.names) + np.append(rows, brought.rows))
        found: tuple[Ints, Ints] = np.divmod(every, len(self.part.names))
        return found


BringNames: TypeAlias = Callable[[PartView, int, Mask | None, Sequence[float]], list[Nearest]]
"""What a signal does: it gives for each query of a view so many names of the part, by a bitmap over these; those less
near than the query's own of the given similarities may be missing.
"""


class CandidateNames(NamedTuple):
    """The names of candidate concepts in one part, sorted by pair: their pairs, their rows in the part, and by pair how
    many names the concept has in all.
    """

    pairs: Ints
    rows: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True)
class NameTable:
    """Names of candidate concepts, sorted by pair.

    ``pairs`` are the numbers of their pairs, ``rows`` name rows over all parts. ``facts`` has a row for each of
    `BY_NAME`, shape ``(len(BY_NAME), names)``. ``given`` counts how often a name was added, 0 for those of the
    ontology. ``sizes`` are by pair: the number of all names of the concept. ``parts`` are the names of each part.
    """

    pairs: Ints
    rows: Ints
    facts: Floats
    given: Ints
    sizes: Ints
    parts: Sequence[CandidateNames]


def name_table(
    views: Sequence[PartView], pairs: Pairs, brought: Sequence[QueriedNames], known: JoinedFacts
) -> NameTable:
    """The names of the pairs' concepts in all parts, those that were ``brought`` among them.

    ``known`` are the facts of the words of these parts. What the names say is computed for those of all parts together.
    """
    held = [view.names_of(pairs, some) for view, some in zip(views, brought, strict=True)]
    each = list(zip(views, held, strict=True))
    queries, rows = views[0].queries, [own.rows for own in held]
    numbers = [pairs.queries.take(own.pairs) for own in held]
    bounds = np.arange(len(queries) + 1)
    edges = [some.searchsorted(bounds) for some in numbers]
    starts = [0, *accumulate(map(len, rows))]
    runs = np.concatenate([bounds[:1], *(own[1:] + start for own, start in zip(edges, starts, strict=False))])
    words = NameWords.of([view.part.names for view in views], known, queries, rows, runs)
    facts = np.empty((len(BY_NAME), starts[-1]), dtype=np.float32)
    spelled = end_to_end([view.are_spelled(*some) for view, *some in zip(views, numbers, rows, strict=True)])
    preferred = end_to_end([view.part.names.kinds.take(own.rows) == 0 for view, own in each])
    lengths = end_to_end([view.part.char.name_lengths(own.rows) for view, own in each])
    dense = end_to_end([_cosines(view, own.rows, some.tolist()) for (view, own), some in zip(each, edges, strict=True)])
    columns = {
        "dense": dense,
        "char": char_similarities([view.by_char for view in views], words, lengths),
        "spelled": spelled,
        "spelled_preferred": spelled & preferred,
        "to_preferred": np.where(preferred, dense, np.float32(-1)),
        "preferred": preferred,
        **words.overlap(),
        **words.qualifiers(),
        "inexact": end_to_end([view.part.names.scopes.take(own.rows) > 0 for view, own in each]),
        "abbreviation": (words.lengths == 1) & known.is_short.take(words.firsts()),
    }
    for name, values in columns.items():
        facts[ROW[name]] = values
    owners = end_to_end([own.pairs for own in held])
    given = end_to_end([_given(view.part, own.rows) for view, own in each])
    if len(views) == 1:
        return NameTable(owners, rows[0] + views[0].first, facts, given, held[0].sizes, held)
    order = owners.argsort(kind="stable")
    every = np.concatenate([own.rows + view.first for view, own in each])[order]
    sizes = np.add.reduce([own.sizes for own in held])
    return NameTable(owners[order], every, facts.take(order, axis=1), given[order], sizes, held)


def _given(part: IndexPart, rows: Ints) -> Ints:
    """How often each name was added."""
    return np.zeros(len(rows), dtype=np.int64) if part.counts is None else part.counts[rows].astype(np.int64)


def _cosines(view: PartView, rows: Ints, edges: Sequence[int]) -> Floats:
    """The cosine of each name to its query; query by query, so that the vectors stay in the processor's cache."""
    dense, found = view.part.dense, [np.empty(0, dtype=np.float32)]
    for query, (start, stop) in zip(view.queries, pairwise(edges), strict=True):
        if stop > start:
            found.append(dense.cosines(rows[start:stop], query.vector))
    return found[1] if len(found) == 2 else np.concatenate(found)
