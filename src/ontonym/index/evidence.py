"""What the signals say about each candidate concept of a query: a small table of features that fusion weighs.

Any signal may bring a candidate, but then all signals score all names of it, so no concept depends on which signal
brought it. ``nametable.py`` gives facts by name, which are combined into one row for each concept, those of several
queries at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Floats, Ints, Mask
from ontonym.index.nametable import HIGHEST, OF_BEST, ROW, BringNames, Brought, NameTable, Pairs, PartView, QueriedNames
from ontonym.index.query import Query
from ontonym.index.scan import Representation

FEATURES = (
    "dense",  # cosine of the nearest name
    "dense_support",  # mean cosine of the three nearest names
    "dense_concept",  # cosine to the mean vector of the concept's names (Xu section 3.2, representation C): of all, or
    # of those that are no everyday names, whichever is nearer
    "char",  # char similarity of the nearest name
    "words",  # words shared with the best name, weighted by rarity: harmonic mean of the next two shares
    "query_share",  # share of the query's words, weighted by rarity, that the best name has
    "name_share",  # share of the best name's words, weighted by rarity, that the query has
    "spelled",  # a name is equal to the query after text normalization
    "spelled_preferred",  # and that name is the preferred term
    "number_missing",  # the query has a number, or a letter such as the B of "hepatitis B", that the best name lacks
    "number_extra",  # the best name has a number that the query lacks
    "contradicted",  # the best name or, unless one equals the query, the preferred term contradicts the query
    "qualifier_missing",  # the query says something of so many axes (side, course, degree…) that the name is silent on
    "qualifier_extra",  # and the name of so many that the query is silent on
    "residual",  # the best name is of other things, as in classifications: it has "other", and the query has not
    "size",  # ln(1 + names of the concept)
    "inexact",  # the best name is a narrow, broad or related synonym
    "abbreviation",  # the best name is one word of up to five letters
    "short_query",  # the query is one word of up to five letters
    "one_word",  # the query is one word
    "dense_behind",  # difference to the highest "dense" of the candidates, 0 or less
    "concept_behind",  # likewise for "dense_concept"
    "char_behind",  # likewise for "char"
    "words_behind",  # likewise for "words"
)
"""The columns of the evidence, in order."""


_FOR = (
    "dense", "dense_support", "dense_concept", "char", "words", "query_share", "name_share", "spelled",
    "spelled_preferred",
)  # fmt: skip
_AGAINST = (
    "number_missing", "number_extra", "contradicted", "qualifier_missing", "qualifier_extra", "residual", "inexact",
    "abbreviation",
)  # fmt: skip
SIDES = MappingProxyType({**dict.fromkeys(_FOR, 1), **dict.fromkeys(_AGAINST, -1)})
"""Features that speak for a candidate the more they are (1), or against it (-1): what decides which one dominates."""

_RIVALS = ("dense", "dense_concept", "char", "words")
"""Features of which a candidate also has the difference to the highest of all candidates (``…_behind``)."""

_MEANS = ("char", "words")
"""Facts of which `Evidence.means` has the mean over a concept's names: what representation C compares by. Of the dense
signal it is the mean of the vectors, which is a feature.
"""

_COLUMNS = {name: column for column, name in enumerate(FEATURES)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of one query.

    ``concepts`` are concept numbers, shape ``(n,)``, ascending. ``features`` has shape ``(n, len(FEATURES))``. ``best``
    is the name row of each concept that matched best. ``means`` are the mean char and lexical similarities over a
    concept's names, shape ``(n, len(_MEANS))``. ``given`` counts how often the query itself was added as a term of the
    concept. ``to_preferred`` is the query's cosine to the preferred term (-1 if there is none).
    """

    concepts: Ints
    features: Floats
    best: Ints
    means: Floats
    given: Ints
    to_preferred: Floats

    def column(self, name: str) -> Floats:
        """One feature of all candidates, shape ``(n,)``."""
        return self.features[:, _COLUMNS[name]]

    def similarities(self, signal: str, representation: Representation = "T") -> Floats:
        """The similarity of all candidates by one signal alone: that of the nearest name (T), or that of the mean (C).

        For the dense signal the mean is that of the vectors, for char and lexical that of the similarities.
        """
        feature = ranking_feature(signal, representation)
        if feature in _COLUMNS:
            return self.column(feature)
        return self.means[:, _MEANS.index(SIGNAL_TABLE[signal].similarity)]

    def tie_keys(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The order of candidates with equal confidence, as keys of ``np.lexsort``, the most important one last.

        First come concepts with a name equal to the query, among those the one added most often, then the one whose
        preferred term is equal; then the concept whose preferred term is nearest to the query; then the one with more
        names; then the lower concept number.
        """
        spelled, preferred, size = (self.column(name) for name in ("spelled", "spelled_preferred", "size"))
        return self.concepts, -size, -self.to_preferred.round(6), -preferred, -self.given, -spelled


NOTHING = Evidence(
    np.empty(0, dtype=np.int64),
    np.empty((0, len(FEATURES)), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty((0, len(_MEANS)), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.float32),
)


@dataclass(frozen=True, slots=True)
class SignalRow:
    """One signal, as the package uses it.

    ``bring`` gives the names that it brings. ``similarity`` is the feature that holds its own similarity. ``features``
    are all measures of that similarity; a feature that is a distance to the best candidate is mapped to the feature it
    is computed from, the others to "". ``word`` is its name in explanations.
    """

    bring: BringNames
    similarity: str
    features: Mapping[str, str]
    word: str


SIGNAL_TABLE: Mapping[str, SignalRow] = MappingProxyType(
    {
        "lexical": SignalRow(
            lambda view, k, wanted, leasts: view.part.lexical.nearest_to_each(
                [one.words for one in view.queries], k, wanted, leasts, view.share
            ),
            "words",  # the word overlap, weighted by rarity, of the names that BM25 brought
            {"words": "", "words_behind": "words", "query_share": "", "name_share": ""},
            "words",
        ),
        "char": SignalRow(
            lambda view, k, wanted, leasts: view.part.char.nearest_to_each(view.by_char, k, wanted, leasts),
            "char",
            {"char": "", "char_behind": "char"},
            "letters",
        ),
        "dense": SignalRow(
            lambda view, k, wanted, leasts: view.part.dense.nearest_to_each(view.vectors, k, wanted, leasts),
            "dense",
            {
                "dense": "", "dense_behind": "dense", "dense_support": "", "dense_concept": "",
                "concept_behind": "dense_concept",
            },
            "meaning",
        ),
    }
)  # fmt: skip
"""All signals; CONTRIBUTING.md says what a new one needs beside its row."""

SIGNAL_COLUMNS = {name: FEATURES.index(row.similarity) for name, row in SIGNAL_TABLE.items()}
"""The column of each signal's own similarity among the features."""


def ranking_feature(signal: str, representation: Representation) -> str:
    """What `Evidence.similarities` compares by: one of `FEATURES`, or ``words_mean`` or ``char_mean``."""
    own = SIGNAL_TABLE[signal].similarity
    if representation == "T":
        return own
    return "dense_concept" if own == "dense" else f"{own}_mean"


def candidate_pairs(
    views: Sequence[PartView],
    signals: Collection[str],
    k: int,
    masks: Sequence[Mask | None],
    others: Sequence[tuple[Ints, Ints]] = (),
) -> tuple[Pairs, list[QueriedNames]]:
    """The candidates of each query, and the names of each part that bring them: the names equal to it, and each
    signal's ``k`` nearest names over all parts. ``masks`` are over the names of each part; ``others`` are further
    queries with concepts.
    """
    bringing = [SIGNAL_TABLE[signal].bring for signal in signals]
    found: list[Brought] = []
    leasts: Sequence[float] = [-np.inf] * (len(bringing) * len(views[0].queries))
    for view, mask in zip(views, masks, strict=True):
        near, leasts = view.nearest(bringing, k, mask, leasts)
        found.append(near)
    pairs, brought = list(others), []
    for view, mask, near in zip(views, masks, _nearest_of_all(found, k), strict=True):
        spelled = view.spelled(mask)
        queries = np.concatenate((spelled.queries, near.lists % len(view.queries)))
        names = QueriedNames(queries, np.concatenate((spelled.rows, near.rows)))
        pairs.append((names.queries, view.part.names.concepts[names.rows].astype(np.int64)))
        brought.append(names)
    return Pairs.of(*zip(*pairs, strict=True)), brought


def _nearest_of_all(found: Sequence[Brought], k: int) -> Sequence[Brought]:
    """Of what was found in each of several parts, what is among the ``k`` nearest of its list in all of them."""
    if len(found) == 1:
        return found
    lists = np.concatenate([one.lists for one in found])
    similarities = np.concatenate([one.similarities for one in found])
    order = np.lexsort((-similarities, lists))
    counts = np.bincount(lists)
    last = np.cumsum(counts) - counts + k - 1
    least = np.full(len(counts), -np.inf)
    more = counts > k
    least[more] = similarities[order[last[more]]]
    kept = [one.similarities >= least[one.lists] for one in found]
    return [one.kept(some) for one, some in zip(found, kept, strict=True)]


def evidence_of(
    queries: Sequence[Query], pairs: Pairs, names: NameTable, concept_similarities: Floats
) -> list[Evidence]:
    """The evidence on the candidates of each query, from all their ``names``.

    ``concept_similarities`` are those of each pair's query and mean vector.
    """
    facts, groups = names.facts, _Groups.of(names.pairs, len(pairs.concepts))
    edges = np.searchsorted(pairs.queries, np.arange(len(queries) + 1))  # by query, with the end: its pairs
    best = groups.first_of_highest(_match(facts))
    table = _by_pair(facts, groups, best) | {
        "dense_concept": concept_similarities,
        "size": np.log1p(names.sizes),
        "short_query": np.array([len(one.words) == 1 and len(one.words[0]) <= 5 for one in queries])[pairs.queries],
        "one_word": np.array([len(one.words) == 1 for one in queries])[pairs.queries],
    }
    table |= _behind(table, edges)
    features = np.empty((len(pairs.concepts), len(FEATURES)), dtype=np.float32)
    for column, name in enumerate(FEATURES):
        features[:, column] = table[name]
    sums = np.add.reduceat(facts[[ROW[name] for name in _MEANS]], groups.starts, axis=1)
    means = (sums / groups.counts).T.astype(np.float32)
    given = np.zeros(len(groups.counts), dtype=np.int64)
    if names.given.any():
        given = np.add.reduceat(names.given * (facts[ROW["spelled"]] > 0), groups.starts)
    rows, nearness = names.rows[best], table["to_preferred"]
    spans = [slice(*span) for span in pairwise(edges.tolist())]
    return [
        Evidence(pairs.concepts[span], features[span], rows[span], means[span], given[span], nearness[span])
        for span in spans
    ]


class _Groups(NamedTuple):
    """The names of each pair in flat arrays: where they begin, how many there are, and which pair each name is of."""

    starts: Ints
    counts: Ints
    owners: Ints

    @classmethod
    def of(cls, owners: Ints, pairs: int) -> _Groups:
        """The groups of names of so many pairs, sorted by pair."""
        counts = np.bincount(owners, minlength=pairs)
        return cls(np.cumsum(counts) - counts, counts, owners)

    def first_of_highest(self, values: Doubles | Floats) -> Ints:
        """Where the highest value of each group is, the first of equal ones."""
        highest: Ints
        (highest,) = np.nonzero(values == np.maximum.reduceat(values, self.starts).repeat(self.counts))
        if len(highest) == len(self.starts):
            return highest
        of = self.owners[highest]
        first: Ints = highest[np.append(True, of[1:] != of[:-1])]
        return first

    def support(self, dense: Floats) -> Floats:
        """The mean of the three highest values of each group, of fewer with the lowest repeated."""
        left, total = dense.copy(), np.zeros(len(self.starts), dtype=np.float32)
        highest: Floats = total
        for place in range(3):
            highest = np.where(self.counts > place, np.maximum.reduceat(left, self.starts), highest)
            total = total + highest
            if place < 2:
                left[self.first_of_highest(left)] = -np.inf
        return total / np.float32(3)


def _by_pair(facts: Floats, groups: _Groups, best: Ints) -> dict[str, Floats]:
    """What the names of each pair say: the highest of some facts, others of the ``best`` name, and both together."""
    highest = np.maximum.reduceat(facts[: len(HIGHEST)], groups.starts, axis=1)
    of_best = facts.take(best, axis=1)
    table = {
        **dict(zip(HIGHEST, highest, strict=True)),
        **{name: of_best[ROW[name]] for name in OF_BEST},
        "dense_support": groups.support(facts[ROW["dense"]]),
    }
    by_best, by_preferred = table["contradicted"], facts[ROW["contradicted"]] * facts[ROW["preferred"]]
    by_either = np.maximum(by_best, np.maximum.reduceat(by_preferred, groups.starts))
    table["contradicted"] = np.where(table["spelled"], by_best, by_either)
    return table


def _behind(table: Mapping[str, npt.NDArray[Any]], edges: Ints) -> dict[str, Floats]:
    """The difference of each pair to the highest of its query, by the features of `_RIVALS`; ``edges`` are where the
    pairs of each query begin, with the end."""
    sizes = edges[1:] - edges[:-1]
    first, size = edges[:-1][sizes > 0], sizes[sizes > 0]
    return {
        f"{name.removeprefix('dense_')}_behind": table[name] - np.maximum.reduceat(table[name], first).repeat(size)
        for name in _RIVALS
    }


def _match(facts: Floats) -> Doubles:
    """How well each name matches its query, by which the best of a concept is chosen."""
    near = facts[ROW["dense"]] + facts[ROW["char"]] + facts[ROW["words"]]
    found: Doubles = near + 2.0 * facts[ROW["spelled"]].astype(np.float64) + 0.01 * facts[ROW["preferred"]]
    return found
