"""Concept-to-concept search (Ngo): every name of a source concept is asked for, and what is found is put together.

A source concept's candidates are concepts of the index, each with what all the names say of it; names are taken as they
are written, no word for a misspelled one. Of these a mode chooses which are proposed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from ontonym.errors import InputError, MissingExtraError, UnknownNameError
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.tasks.hits import READ_AS
from ontonym.tasks.rerank import search_many
from ontonym.tasks.search import SearchOptions
from ontonym.types import Hit

Aggregate = Literal["max", "mean", "best-three", "reciprocal-rank"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

Mode = Literal["best", "mutual", "one-to-one"]
MODES: tuple[Mode, ...] = get_args(Mode)

_CONCEPTS_AT_ONCE = 256
_UNMATCHED = 1e-3
"""What leaving a concept unmatched is worth in an assignment: less than any candidate above its threshold."""


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How concepts are matched.

    ``aggregate`` makes one score of a candidate, in [0, 1], of the confidences that the source concept's names give it:
    the highest (``max``), their mean over all names, that of the best three (``best-three``), or the mean of one over
    its rank (``reciprocal-rank``). ``k`` candidates of each name are looked at, and as many of a concept are kept.

    ``mode``: ``best`` proposes each source concept's best candidate; ``mutual`` only where no other source concept is a
    better one for that candidate; ``one-to-one`` the pairs whose scores together are highest, each concept in one at
    most (extra ``eval``: scipy). Nothing is proposed whose score is below ``threshold``, which is high by default: the
    best of many names easily finds something.
    """

    aggregate: Aggregate = "max"
    mode: Mode = "mutual"
    threshold: float = 0.9
    k: int = 10
    signal: str = "fused"
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise UnknownNameError("way to aggregate", self.aggregate, AGGREGATES)
        if self.mode not in MODES:
            raise UnknownNameError("mode", self.mode, MODES)
        if not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is {self.threshold}, but a score is between 0 and 1")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A concept of the index that a source concept may be the same as.

    ``score`` is in [0, 1], higher is surer. ``hit`` is what the name that found it best gave, ``name`` that name. Of
    ``of`` names of the source concept ``found`` brought it.
    """

    hit: Hit
    score: float
    name: str
    found: int
    of: int


@dataclass(frozen=True, slots=True)
class Matched:
    """A source concept with its candidates, best first; ``proposed`` is one of them, or None."""

    id: str
    preferred: str
    candidates: tuple[Candidate, ...] = field(default=())
    proposed: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is decided already: source ids with the ids they are ``mapped`` to, and pairs that are ``denied``."""

    mapped: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    denied: frozenset[tuple[str, str]] = frozenset()


def match(
    source: Terminology,
    index: Index,
    options: MatchOptions = MatchOptions(),
    known: Known = Known(),
    progress: Callable[[int], None] = lambda done: None,
) -> list[Matched]:
    """Every active concept of a terminology with its candidates in an index, and the one that is proposed.

    What is known to be mapped is neither asked for nor free to be proposed to others under ``mutual`` and
    ``one-to-one``; what is denied is never a candidate.
    Raises InputError where the source has no active concept with a name.
    """
    found = list(candidates(source, index, options, known, progress))
    if not found:
        raise InputError(f"{source.name or source.path}: no active concept with a name to match")
    return proposed(found, options, known)


def candidates(
    source: Terminology, index: Index, options: MatchOptions, known: Known, progress: Callable[[int], None]
) -> Iterator[Matched]:
    """The source concepts that are not mapped yet, in their order, with what their names find."""
    batch: list[tuple[int, list[str]]] = []
    for row in np.flatnonzero(source.active).tolist():
        if source.id(row) in known.mapped:
            progress(1)
            continue
        names = source.names(row)
        if names:
            batch.append((row, names))
        else:
            progress(1)
        if len(batch) == _CONCEPTS_AT_ONCE:
            yield from _searched(source, index, batch, options, known)
            progress(len(batch))
            batch = []
    yield from _searched(source, index, batch, options, known)
    progress(len(batch))


def _searched(
    source: Terminology,
    index: Index,
    batch: Sequence[tuple[int, list[str]]],
    options: MatchOptions,
    known: Known,
) -> Iterator[Matched]:
    asked = [name for _, names in batch for name in names]
    search = SearchOptions(k=options.k, signal=options.signal, within=options.within, tags=options.tags)
    answers = iter(search_many(index, asked, search))
    for row, names in batch:
        concept = source.id(row)
        hits = [(name, [hit for hit in next(answers) if _counts(concept, hit, known)]) for name in names]
        yield Matched(concept, source.preferred(row), gathered(hits, options))


def _counts(concept: str, hit: Hit, known: Known) -> bool:
    """Whether a hit is a candidate: not where it was denied, or the name was taken for a misspelling of another."""
    return (concept, hit.id) not in known.denied and not hit.reason.detail.startswith(READ_AS)


def gathered(found: Iterable[tuple[str, Sequence[Hit]]], options: MatchOptions) -> tuple[Candidate, ...]:
    """What some names of one concept found, as its candidates: the best ``k``, equal ones as they were found."""
    answers = list(found)
    by_concept: dict[str, list[tuple[str, int, Hit]]] = defaultdict(list)
    for name, hits in answers:
        for rank, hit in enumerate(hits, 1):
            by_concept[hit.id].append((name, rank, hit))
    made = []
    for some in by_concept.values():
        name, _, hit = max(some, key=lambda one: one[2].confidence)
        score = _SCORES[options.aggregate]([(one.confidence, rank) for _, rank, one in some], len(answers))
        made.append(Candidate(hit, min(score, 1.0), name, len(some), len(answers)))
    return tuple(sorted(made, key=lambda one: -one.score)[: options.k])


Given = Sequence[tuple[float, int]]
"""Confidences and ranks that names gave a candidate."""


def _best_three(given: Given, names: int) -> float:
    best = sorted((confidence for confidence, _ in given), reverse=True)[:3]
    return sum(best) / min(names, 3)


_SCORES: Mapping[Aggregate, Callable[[Given, int], float]] = MappingProxyType(
    {
        "max": lambda given, names: max(confidence for confidence, _ in given),
        "mean": lambda given, names: sum(confidence for confidence, _ in given) / names,
        "best-three": _best_three,
        "reciprocal-rank": lambda given, names: sum(1 / rank for _, rank in given) / names,
    }
)


# Choosing ----------------------------------------------------------------------------------------------------------


def proposed(found: Sequence[Matched], options: MatchOptions, known: Known) -> list[Matched]:
    """The source concepts with what the mode proposes for each."""
    chosen = _CHOOSE[options.mode](found, options, known)
    return [
        Matched(one.id, one.preferred, one.candidates, None if place is None else one.candidates[place])
        for one, place in zip(found, chosen, strict=True)
    ]


def _best(found: Sequence[Matched], options: MatchOptions, known: Known) -> list[int | None]:
    return [0 if one.candidates and one.candidates[0].score >= options.threshold else None for one in found]


def _mutual(found: Sequence[Matched], options: MatchOptions, known: Known) -> list[int | None]:
    """The best candidate of a concept, where that concept is the best for it; the first of equal ones."""
    taken = _taken(known)
    suitor: dict[str, tuple[float, int]] = {}
    for row, one in enumerate(found):
        for candidate in one.candidates:
            if candidate.score > suitor.get(candidate.hit.id, (-1.0, 0))[0]:
                suitor[candidate.hit.id] = (candidate.score, row)
    chosen: list[int | None] = []
    for row, place in enumerate(_best(found, options, known)):
        target = "" if place is None else found[row].candidates[place].hit.id
        chosen.append(place if target and suitor[target][1] == row and target not in taken else None)
    return chosen


def _one_to_one(found: Sequence[Matched], options: MatchOptions, known: Known) -> list[int | None]:
    """The assignment whose scores together are highest, by scipy; a concept may stay without."""
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "one-to-one matching") from error
    taken = _taken(known)
    numbers: dict[str, int] = {}
    rows, columns, scores, places = [], [], [], {}
    for row, one in enumerate(found):
        for place, candidate in enumerate(one.candidates):
            if candidate.score >= options.threshold and candidate.hit.id not in taken:
                column = numbers.setdefault(candidate.hit.id, len(numbers))
                rows.append(row)
                columns.append(column)
                scores.append(candidate.score + _UNMATCHED)
                places[row, column] = place
    rows += range(len(found))  # each may take a place of its own, which stands for staying without
    columns += range(len(numbers), len(numbers) + len(found))
    scores += [_UNMATCHED / 2] * len(found)
    table = csr_array((scores, (rows, columns)), shape=(len(found), len(numbers) + len(found)))
    _, taken_columns = min_weight_full_bipartite_matching(table, maximize=True)
    return [places.get((row, column)) for row, column in enumerate(taken_columns.tolist())]


def _taken(known: Known) -> frozenset[str]:
    return frozenset().union(*known.mapped.values()) if known.mapped else frozenset()


_CHOOSE: Mapping[Mode, Callable[[Sequence[Matched], MatchOptions, Known], list[int | None]]] = MappingProxyType(
    {"best": _best, "mutual": _mutual, "one-to-one": _one_to_one}
)
