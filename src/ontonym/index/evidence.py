"""What the signals say of each candidate concept for one query: a small table of features that fusion weighs.

Any signal may bring a candidate, but then all names of the candidate are looked at with all signals, so no concept is
judged by the accident of which list it came from.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.added import Added
from ontonym.index.dense import DenseSignal
from ontonym.index.names import Names
from ontonym.index.part import IndexPart, mean_vectors
from ontonym.index.query import Query, Speller, corrected_query, read_queries
from ontonym.index.views import NameTable, QueryView, brought, joined
from ontonym.text.normalization import tokens
from ontonym.types import Correction

Source = Literal["O", "D", "OD"]
"""What is searched (Xu section 3.2): the ontology's names, a user's or annotator's, or both."""

Representation = Literal["T", "C"]
"""What a query is compared with (Xu section 3.2): every text of a concept, or the mean of them."""

FEATURES = (
    "dense",  # cosine of the nearest name
    "dense_support",  # mean cosine of the three nearest names
    "dense_concept",  # cosine to the mean vector of the concept's names (Xu section 3.2, representation C)
    "char",  # char similarity of the nearest name
    "words",  # words shared with the best name, weighted by rarity: harmonic mean of the two shares below
    "query_share",  # share of the query's words, by rarity, that the best name has
    "name_share",  # share of the best name's words, by rarity, that the query has
    "spelled",  # a name is equal to the query after text normalization
    "spelled_preferred",  # and that name is the preferred term
    "number_missing",  # the query has a number that the best name lacks
    "number_extra",  # the best name has a number that the query lacks
    "size",  # ln(1 + names of the concept)
    "inexact",  # the best name is a narrow, broad or related synonym
    "abbreviation",  # the best name is one word of up to five letters
    "short_query",  # the query is one word of up to five letters
    "dense_behind",  # this far below the highest "dense" of the candidates, 0 or less
    "concept_behind",  # likewise for "dense_concept"
    "char_behind",  # likewise for "char"
    "words_behind",  # likewise for "words"
)
"""The columns of the evidence, in order."""

SIGNAL_COLUMNS = {"lexical": FEATURES.index("words"), "char": FEATURES.index("char"), "dense": FEATURES.index("dense")}
"""Each signal's similarity among the features; lexical is rarity-weighted word overlap of what BM25 brought."""

_LONGEST_ACRONYM = 6
_RIVALS = ("dense", "dense_concept", "char", "words")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of one query.

    ``concepts`` are concept numbers, shape ``(n,)``, ascending; ``features`` has shape ``(n, len(FEATURES))``; ``best``
    is the name row of each that matched best. ``means`` are the means of the char and the lexical similarity over a
    concept's names, shape ``(n, 2)``. ``given`` says how often the query itself was given as a term of the concept,
    ``to_preferred`` is the query's cosine to its preferred term (-1 where it has none).
    """

    concepts: Ints
    features: Floats
    best: Ints
    means: Floats
    given: Ints
    to_preferred: Floats

    def column(self, name: str) -> Floats:
        """One feature of all candidates."""
        return self.features[:, FEATURES.index(name)]

    def similarities(self, signal: str, representation: Representation = "T") -> Floats:
        """The similarity of all candidates by one signal alone: of the nearest name (T), or of the mean (C).

        For the dense signal the mean is that of the vectors; for char and lexical that of the similarities.
        """
        if representation == "T":
            return self.features[:, SIGNAL_COLUMNS[signal]]
        return self.column("dense_concept") if signal == "dense" else self.means[:, int(signal == "lexical")]

    def tie_keys(self) -> tuple[npt.NDArray[np.generic], ...]:
        """What orders candidates that are equally sure, as keys of ``np.lexsort``, the last one first.

        A name equal to the query first, among those the one that was given most often, then the preferred term; then
        the concept whose preferred term is nearer to the query; then the one with more names; then their own order.
        """
        spelled, preferred, size = (self.column(name) for name in ("spelled", "spelled_preferred", "size"))
        return self.concepts, -size, -self.to_preferred.round(6), -preferred, -self.given, -spelled


_NOTHING = Evidence(
    np.empty(0, dtype=np.int64),
    np.empty((0, len(FEATURES)), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty((0, 2), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.float32),
)


class Signals:
    """The three signals over the names of the ontology and those that were added, and the evidence they give together.

    The name rows of the added part follow those of the ontology's.
    """

    def __init__(
        self, encoder: Encoder, ontology: IndexPart, added: Added | None = None, speller: Speller | None = None
    ) -> None:
        self.encoder = encoder
        self.ontology = ontology
        self.added = added
        self._speller = speller or Speller(ontology.names)

    def with_added(self, added: Added | None) -> Signals:
        """The same names of the ontology with other added ones."""
        return Signals(self.encoder, self.ontology, added, self._speller)

    @property
    def names(self) -> Names:
        """The names of the ontology."""
        return self.ontology.names

    def parts(self, source: Source) -> list[tuple[int, IndexPart]]:
        """The parts that are searched, each with the row of its first name."""
        found = [(0, self.ontology)] if "O" in source else []
        return [*found, (len(self.names), self.added.part)] if "D" in source and self.added else found

    def spelled(self, words: Sequence[str], source: Source = "OD") -> Ints:
        """The name rows with exactly these words, in any order."""
        found = [part.names.spelled(words).astype(np.int64) + first for first, part in self.parts(source)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def is_known(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in some name."""
        found = [part.names.word_ids(words) for _, part in self.parts("OD")]
        return [any(number is not None for number in numbers) for numbers in zip(*found, strict=True)]

    @cached_property
    def _all_vectors(self) -> DenseSignal:
        return mean_vectors([part for _, part in self.parts("OD")])

    def concept_vectors(self, source: Source) -> DenseSignal:
        """The mean vectors of the concepts over the names of a source; made when they are first wanted."""
        parts = self.parts(source)
        return self._all_vectors if len(parts) > 1 else parts[0][1].concept_vectors

    def query(self, text: str) -> Query:
        """A text, read once for all that is asked of it."""
        return self.queries([text])[0]

    def queries(self, texts: Sequence[str]) -> list[Query]:
        """Texts, read and encoded together."""
        return read_queries(self.encoder, texts)

    def capitalized(self, query: Query) -> Query:
        """A short word in capitals where only so it is a name: "ards" is ARDS, whose S is no plural."""
        text, capitals = query.text, query.text.upper()
        if not text.islower() or len(text) > _LONGEST_ACRONYM or len(self.spelled(query.words)):
            return query
        if not len(self.spelled(tokens(capitals))):
            return query
        return corrected_query(self.encoder, query, capitals, Correction.CAPITALIZED)

    def corrected(self, query: Query) -> Query | None:
        """The query with its misspelled words corrected, or None where there is none."""
        text = self._speller.corrected(query, self.is_known)
        return None if text is None else corrected_query(self.encoder, query, text, Correction.CORRECTED)

    def nearness(
        self, query: Query, source: Source, representation: Representation, allowed: Mask | None = None
    ) -> float:
        """The highest cosine of a name (T) or of a concept's mean vector (C) to a query, in [-1, 1]; -1 for none.

        No evidence has a higher dense similarity, and it takes much less time.
        """
        if representation == "C":
            found = [self.concept_vectors(source).nearest(query.vector, 1, allowed)]
        else:
            parts = [part for _, part in self.parts(source)]
            masks = [None if allowed is None else allowed[part.names.concepts] for part in parts]
            found = [part.dense.nearest(query.vector, 1, mask) for part, mask in zip(parts, masks, strict=True)]
        return max((float(one.similarities[0]) for one in found if len(one.rows)), default=-1.0)

    def evidence(
        self,
        query: Query,
        *,
        signals: Collection[str] = tuple(SIGNAL_COLUMNS),
        k: int = 50,
        allowed: Mask | None = None,
        hidden: Ints | None = None,
        also: Collection[int] = (),
        source: Source = "O",
        representation: Representation = "T",
    ) -> Evidence:
        """The candidates that ``signals`` bring for a query, each signal its ``k`` nearest names or concepts.

        ``allowed`` is a bitmap over concepts that the scan keeps to. ``hidden`` are name rows treated as if they were
        not in the index (how fusion learns from the names themselves). ``also`` are concepts judged in any case. Under
        representation C the dense signal brings the concepts whose mean vectors are nearest.
        """
        parts = self.parts(source)
        if not parts:
            return _NOTHING
        by_concept = representation == "C" and "dense" in signals
        by_name = [name for name in signals if name != "dense" or not by_concept]
        views = [QueryView(part, query, first=first, hidden=_own(hidden, first, part)) for first, part in parts]
        masks = [None if allowed is None else allowed[part.names.concepts] for _, part in parts]
        found = brought(views, by_name, k, masks)
        if by_concept:
            found.append(self._nearest_concepts(source, query.vector, k, allowed))
        if also:
            wanted = np.asarray(tuple(also), dtype=np.int64)
            named = [part.names.bounds[wanted] < part.names.bounds[wanted + 1] for _, part in parts]
            found.append(wanted[np.logical_or.reduce(named)])
        concepts = np.unique(np.concatenate(found))
        if not len(concepts):
            return _NOTHING
        table = joined([view.table(concepts) for view in views])
        means = self.concept_vectors(source).vectors(concepts) @ query.vector if by_concept else None
        return _judged(query, concepts, table, means)

    def _nearest_concepts(self, source: Source, vector: Vectors, k: int, allowed: Mask | None) -> Ints:
        """The ``k`` concepts that have names and the nearest mean vectors."""
        found = self.concept_vectors(source).nearest(vector, k, allowed).rows
        named = [part.names.bounds[found + 1] > part.names.bounds[found] for _, part in self.parts(source)]
        return found[np.logical_or.reduce(named)]


def _own(rows: Ints | None, first: int, part: IndexPart) -> Ints | None:
    """Of name rows of all parts those of one, counted from its first; None where there are none."""
    if rows is None:
        return None
    own = rows[(rows >= first) & (rows < first + len(part.names))] - first
    return own if len(own) else None


def _judged(query: Query, concepts: Ints, names: NameTable, concept_similarities: Floats | None) -> Evidence:
    """The evidence on ``concepts`` from all their ``names``; similarities to mean vectors are made where not given."""
    counts = np.bincount(names.owners, minlength=len(concepts))
    starts = np.cumsum(counts) - counts
    match = names.dense + names.char + names.both + 2 * names.spelled + 0.01 * names.preferred
    best = np.lexsort((-match, names.owners))[starts]
    nearest = np.lexsort((-names.dense, names.owners))
    thirds = np.minimum(counts[:, None] - 1, np.arange(3)[None]) + starts[:, None]
    if concept_similarities is None:
        means = np.add.reduceat(names.vectors, starts, axis=0)
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        concept_similarities = means @ query.vector
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
        "size": np.log1p(names.sizes),
        "inexact": names.inexact[best],
        "abbreviation": names.short[best],
        "short_query": np.full(len(concepts), len(query.words) == 1 and len(query.words[0]) <= 5),
    }
    rivals = [table[name] - table[name].max() for name in _RIVALS]
    sums = np.column_stack([np.add.reduceat(names.char, starts), np.add.reduceat(names.both, starts)])
    return Evidence(
        concepts,
        np.column_stack([*table.values(), *rivals]).astype(np.float32),
        names.rows[best],
        (sums / counts[:, None]).astype(np.float32),
        np.add.reduceat(names.given * names.spelled, starts),
        np.maximum.reduceat(np.where(names.preferred, names.dense, -1), starts).astype(np.float32),
    )
