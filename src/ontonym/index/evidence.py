"""What the signals say about each candidate concept of one query: a small table of features that fusion weighs.

Any signal may bring a candidate, but then all signals score all names of it, so no concept depends on which signal
brought it. A `QueryView` gives facts by name, which are combined into one row for each concept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.encoder.protocol import Vectors
from ontonym.index.namewords import NameWords, is_one_of
from ontonym.index.part import IndexPart
from ontonym.index.protocol import Nearest
from ontonym.index.query import Query
from ontonym.text.strings import boundaries, spread

NameSource = Literal["O", "D", "OD"]
"""The names to search (Xu section 3.2): the ontology's, a user's or annotator's, or both."""

Representation = Literal["T", "C"]
"""What a query is compared with (Xu section 3.2): each name of a concept (T), or the mean of its names (C)."""

FEATURES = (
    "dense",  # cosine of the nearest name
    "dense_support",  # mean cosine of the three nearest names
    "dense_concept",  # cosine to the mean vector of the concept's names (Xu section 3.2, representation C)
    "char",  # char similarity of the nearest name
    "words",  # words shared with the best name, weighted by rarity: harmonic mean of the next two shares
    "query_share",  # share of the query's words, weighted by rarity, that the best name has
    "name_share",  # share of the best name's words, weighted by rarity, that the query has
    "spelled",  # a name is equal to the query after text normalization
    "spelled_preferred",  # and that name is the preferred term
    "number_missing",  # the query has a number that the best name lacks
    "number_extra",  # the best name has a number that the query lacks
    "contradicted",  # the best name contradicts the query: the other side, or it denies what the query asserts
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of one query.

    ``concepts`` are concept numbers, shape ``(n,)``, ascending. ``features`` has shape ``(n, len(FEATURES))``. ``best``
    is the name row of each concept that matched best. ``means`` are the mean char and lexical similarities over a
    concept's names, shape ``(n, 2)``. ``given`` counts how often the query itself was added as a term of the concept.
    ``to_preferred`` is the query's cosine to the preferred term (-1 if there is none).
    """

    concepts: Ints
    features: Floats
    best: Ints
    means: Floats
    given: Ints
    to_preferred: Floats

    def column(self, name: str) -> Floats:
        """One feature of all candidates, shape ``(n,)``."""
        return self.features[:, FEATURES.index(name)]

    def similarities(self, signal: str, representation: Representation = "T") -> Floats:
        """The similarity of all candidates by one signal alone: that of the nearest name (T), or that of the mean (C).

        For the dense signal the mean is that of the vectors, for char and lexical that of the similarities.
        """
        if representation == "T":
            return self.features[:, SIGNAL_COLUMNS[signal]]
        return self.column("dense_concept") if signal == "dense" else self.means[:, int(signal == "lexical")]

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
    np.empty((0, 2), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.float32),
)


_MOST_NAMES = 64


@dataclass(frozen=True, slots=True)
class NameTable:
    """Names of candidate concepts, grouped by concept, in the order of the concepts.

    ``owners`` are positions among the concepts, ``rows`` name rows. ``of_query`` and ``of_name`` are the shares of the
    query's and the name's words that they have in common, weighted by rarity; ``both`` is their harmonic mean.
    ``given`` counts how often a name was added, 0 for those of the ontology. ``sizes`` are by concept: the number of
    all its names.
    """

    owners: Ints
    rows: Ints
    vectors: Vectors
    dense: Floats
    char: Floats
    both: Floats
    of_query: Floats
    of_name: Floats
    number_missing: Mask
    number_extra: Mask
    contradicted: Mask
    qualifier_missing: Floats
    qualifier_extra: Floats
    residual: Mask
    spelled: Mask
    preferred: Mask
    inexact: Mask
    short: Mask
    given: Ints
    sizes: Ints


class QueryView:
    """A query in one part of an index; ``first`` is the row of the part's first name among the names of all parts.

    ``hidden`` are name rows of the part that are treated as absent.
    """

    def __init__(self, part: IndexPart, query: Query, *, first: int = 0, hidden: Ints | None = None) -> None:
        self.part, self.query, self.first, self._hidden = part, query, first, hidden
        self.by_char = part.char.query(query.words)
        self._spelled = part.names.spelled(query.words).astype(np.int64)
        self._found = np.empty(0, dtype=np.int64)

    def nearest(self, signal: str, k: int, wanted: Mask | None) -> Nearest:
        """The ``k`` names that a signal brings; ``wanted`` is a bitmap over the names of the part."""
        hidden = self._hidden
        more = k if hidden is None else k + len(hidden)
        found = SIGNAL_TABLE[signal].nearest(self, more, wanted)
        if hidden is None:
            return found
        kept = ~np.isin(found.rows, hidden)
        return Nearest(found.rows[kept], found.similarities[kept])

    def spelled(self, wanted: Mask | None) -> Ints:
        """The rows of the names equal to the query."""
        rows = self._spelled if wanted is None else self._spelled[wanted[self._spelled]]
        return rows if self._hidden is None else rows[~np.isin(rows, self._hidden)]

    def are_spelled(self, rows: Ints) -> Mask:
        """Which of the names in these rows are equal to the query."""
        return is_one_of(rows, self._spelled)

    def bring(self, rows: Ints) -> Ints:
        """Makes names candidates and returns their concepts."""
        self._found = rows
        return self.part.names.concepts[rows].astype(np.int64)

    def names_of(self, concepts: Ints) -> tuple[Ints, Ints, Ints]:
        """The first 64 names of each of the concepts (ascending), and the names that are candidates.

        Their rows, the places of their concepts, and how many names each concept has in all.
        """
        names, hidden = self.part.names, self._hidden
        sizes = names.bounds[concepts + 1] - names.bounds[concepts]
        rows = spread(names.bounds[concepts], np.minimum(sizes, _MOST_NAMES), len(names))
        if sizes.max() > _MOST_NAMES:
            rows = np.union1d(rows, self._found)
        if hidden is not None:
            sizes = sizes - (concepts[:, None] == names.concepts[hidden]).sum(axis=1)
            rows = rows[~np.isin(rows, hidden)]
        return rows, np.searchsorted(concepts, names.concepts[rows]), sizes


def name_table(views: Sequence[QueryView], concepts: Sequence[Ints]) -> NameTable:
    """The names of the candidates of each of several queries in one part, query after query."""
    part, names = views[0].part, views[0].part.names
    listed = [view.names_of(some) for view, some in zip(views, concepts, strict=True)]
    by_query = [rows for rows, _, _ in listed]
    rows, places, sizes = (np.concatenate(columns) for columns in zip(*listed, strict=True))
    vectors = part.dense.vectors(rows)
    words = NameWords.of(names, [view.query for view in views], by_query)
    both, of_query, of_name, number_missing, number_extra = words.overlap()
    contradicted, qualifier_missing, qualifier_extra, residual = words.qualifiers()
    spans = [slice(*span) for span in pairwise(words.edges.tolist())]
    firsts = boundaries(np.array([*map(len, concepts)]))[:-1]
    first_words = names.words[names.word_bounds[rows]]
    return NameTable(
        owners=places + firsts.repeat([*map(len, by_query)]),
        rows=rows + views[0].first,
        vectors=vectors,
        dense=np.concatenate([vectors[span] @ view.query.vector for view, span in zip(views, spans, strict=True)]),
        char=np.concatenate(
            [part.char.similarities(view.by_char, some) for view, some in zip(views, by_query, strict=True)]
        ),
        both=both,
        of_query=of_query,
        of_name=of_name,
        number_missing=number_missing,
        number_extra=number_extra,
        contradicted=contradicted,
        qualifier_missing=qualifier_missing,
        qualifier_extra=qualifier_extra,
        residual=residual,
        spelled=np.concatenate([view.are_spelled(some) for view, some in zip(views, by_query, strict=True)]),
        preferred=names.kinds[rows] == 0,
        inexact=names.scopes[rows] > 0,
        short=(names.word_bounds[rows + 1] - names.word_bounds[rows] == 1) & names.is_short[first_words],
        given=np.zeros(len(rows), dtype=np.int64) if part.counts is None else part.counts[rows].astype(np.int64),
        sizes=sizes,
    )


@dataclass(frozen=True, slots=True)
class SignalRow:
    """One signal, as the package uses it.

    ``nearest`` gives the names that it brings for a query in a part. ``similarity`` is the feature that holds its own
    similarity. ``features`` are all measures of that similarity; a feature that is a distance to the best candidate is
    mapped to the feature it is computed from, the others to "". ``word`` is its name in explanations.
    """

    nearest: Callable[[QueryView, int, Mask | None], Nearest]
    similarity: str
    features: Mapping[str, str]
    word: str


SIGNAL_TABLE: Mapping[str, SignalRow] = MappingProxyType(
    {
        "lexical": SignalRow(
            lambda view, k, wanted: view.part.lexical.nearest(view.query.words, k, wanted),
            "words",  # the word overlap, weighted by rarity, of the names that BM25 brought
            {"words": "", "words_behind": "words", "query_share": "", "name_share": ""},
            "words",
        ),
        "char": SignalRow(
            lambda view, k, wanted: view.part.char.nearest(view.by_char, k, wanted),
            "char",
            {"char": "", "char_behind": "char"},
            "letters",
        ),
        "dense": SignalRow(
            lambda view, k, wanted: view.part.dense.nearest(view.query.vector, k, wanted),
            "dense",
            {
                "dense": "", "dense_behind": "dense", "dense_support": "", "dense_concept": "",
                "concept_behind": "dense_concept",
            },
            "meaning",
        ),
    }
)  # fmt: skip
"""All signals. A new one has its scan in its own file, its files in ``part.py``, and a row here."""

SIGNAL_COLUMNS = {name: FEATURES.index(row.similarity) for name, row in SIGNAL_TABLE.items()}
"""The column of each signal's own similarity among the features."""


def candidate_concepts(
    views: Sequence[QueryView], signals: Collection[str], k: int, masks: Sequence[Mask | None]
) -> list[Ints]:
    """The concepts that each view brings: those of the names equal to the query, and of each signal's ``k`` nearest
    names over all parts. ``masks`` are over the names of each part.
    """
    rows = [[view.spelled(mask)] for view, mask in zip(views, masks, strict=True)]
    for signal in signals:
        found = [view.nearest(signal, k, mask) for view, mask in zip(views, masks, strict=True)]
        least = -np.inf
        if len(found) > 1:
            similarities = np.concatenate([one.similarities for one in found])
            least = np.partition(similarities, -k)[-k] if len(similarities) > k else least
        for listed, one in zip(rows, found, strict=True):
            listed.append(one.rows[one.similarities >= least])
    return [view.bring(np.concatenate(listed)) for view, listed in zip(views, rows, strict=True)]


def joined_tables(tables: Sequence[NameTable]) -> NameTable:
    """The names of several parts as one table."""
    if len(tables) == 1:
        return tables[0]
    order = np.argsort(np.concatenate([table.owners for table in tables]), kind="stable")
    by_name = [field.name for field in fields(NameTable) if field.name != "sizes"]
    arrays = {name: np.concatenate([getattr(table, name) for table in tables])[order] for name in by_name}
    return NameTable(**arrays, sizes=np.sum([table.sizes for table in tables], axis=0))


def evidence_of(
    queries: Sequence[Query], by_query: Sequence[Ints], names: NameTable, concept_similarities: Floats | None
) -> list[Evidence]:
    """The evidence on the concepts of each query, from all their ``names``, query after query.

    Similarities to mean vectors are computed if not given.
    """
    concepts, edges = np.concatenate(by_query), boundaries(np.array([*map(len, by_query)]))
    spans = [slice(*span) for span in pairwise(edges.tolist())]
    counts = np.bincount(names.owners, minlength=len(concepts))
    starts, sizes = np.cumsum(counts) - counts, edges[1:] - edges[:-1]
    match = names.dense + names.char + names.both + 2 * names.spelled + 0.01 * names.preferred
    best = np.lexsort((-match, names.owners))[starts]
    nearest = np.lexsort((-names.dense, names.owners))
    thirds = np.minimum(counts[:, None] - 1, np.arange(3)[None]) + starts[:, None]
    if concept_similarities is None:
        centres = np.add.reduceat(names.vectors, starts, axis=0)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
        concept_similarities = np.concatenate(
            [centres[span] @ query.vector for query, span in zip(queries, spans, strict=True)]
        )
    table = {
        "dense": np.maximum.reduceat(names.dense, starts),
        "dense_support": names.dense[nearest][thirds].mean(axis=1),
        "dense_concept": concept_similarities,
        "char": np.maximum.reduceat(names.char, starts),
        "words": np.maximum.reduceat(names.both, starts),
        "query_share": names.of_query[best],
        "name_share": names.of_name[best],
        "spelled": np.maximum.reduceat(names.spelled, starts),
        "spelled_preferred": np.maximum.reduceat(names.spelled & names.preferred, starts),
        "number_missing": names.number_missing[best],
        "number_extra": names.number_extra[best],
        "contradicted": names.contradicted[best],
        "qualifier_missing": names.qualifier_missing[best],
        "qualifier_extra": names.qualifier_extra[best],
        "residual": names.residual[best],
        "size": np.log1p(names.sizes),
        "inexact": names.inexact[best],
        "abbreviation": names.short[best],
        "short_query": np.repeat([len(query.words) == 1 and len(query.words[0]) <= 5 for query in queries], sizes),
        "one_word": np.repeat([len(query.words) == 1 for query in queries], sizes),
    }
    rivals = [table[name] - np.maximum.reduceat(table[name], edges[:-1]).repeat(sizes) for name in _RIVALS]
    features = np.empty((len(concepts), len(FEATURES)), dtype=np.float32)
    for column, values in enumerate((*table.values(), *rivals)):
        features[:, column] = values
    means = np.empty((len(concepts), 2), dtype=np.float32)
    for column, values in enumerate((names.char, names.both)):
        means[:, column] = np.add.reduceat(values, starts) / counts
    rows, given = names.rows[best], np.add.reduceat(names.given * names.spelled, starts)
    nearness = np.maximum.reduceat(np.where(names.preferred, names.dense, -1), starts).astype(np.float32)
    return [
        Evidence(concepts[span], features[span], rows[span], means[span], given[span], nearness[span]) for span in spans
    ]
