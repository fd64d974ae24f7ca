"""A terminology matched to an index: from the names of its concepts to proposals, each with what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.evidence import FEATURES, SIGNAL_COLUMNS
from ontonym.store import Terminology
from ontonym.tasks.hits import nearest_spelling, reason_of
from ontonym.tasks.jobs import in_processes
from ontonym.tasks.match.candidates import Asked, Asking, Candidates
from ontonym.tasks.match.choose import Pairs, choose
from ontonym.tasks.match.kept import Kept
from ontonym.tasks.match.learned import Columns, Learned, default_weights, name_features
from ontonym.tasks.match.mediators import Names
from ontonym.tasks.match.options import Known, MatchOptions
from ontonym.tasks.match.references import SharedReferences
from ontonym.tasks.match.structure import Anchors, Hierarchies, structure_features, turned_against
from ontonym.types import Reason

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

DEFAULTS = MatchOptions()
NOTHING_KNOWN = Known()

_AT_ONCE = 64
_KEPT_AT_ONCE = 64 * _AT_ONCE
_BELIEVED = 0.5
_SPELLED = FEATURES.index("spelled")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A concept of the index that a source concept may be the same as.

    ``score`` is in [0, 1], higher is surer; ``similarity`` the dense cosine, in [-1, 1], of ``name``, the name of the
    source that found it best, and ``matched``, the name of the candidate; ``reason`` says in words what they share. Of
    ``of`` names of the source ``found`` brought it; ``lender`` is the terminology that ``name`` is borrowed from, empty
    for a name of its own. ``turned`` is how many proposals it turns the hierarchies against:
    one side has their concepts above, the other below.
    """

    id: str
    preferred: str
    score: float
    similarity: float
    name: str
    matched: str
    reason: Reason
    found: int
    of: int
    lender: str = ""
    turned: int = 0


@dataclass(frozen=True, slots=True)
class Matched:
    """A source concept with its candidates, best first; ``proposed`` is one of them, or None."""

    id: str
    preferred: str
    candidates: tuple[Candidate, ...] = field(default=())
    proposed: Candidate | None = None


def match(
    source: Terminology,
    index: Index,
    options: MatchOptions = DEFAULTS,
    known: Known = NOTHING_KNOWN,
    *,
    via: Sequence[Terminology] = (),
    weights: Learned | None = None,
    jobs: int = 1,
    keep: Path | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Matching:
    """The active concepts of a terminology with their candidates in an index, and what is proposed.

    What is known to be mapped is neither asked for nor free to be proposed to others under ``mutual`` and
    ``one-to-one``; what is denied is never a candidate. A concept whose id is in the index too is the same, and treated
    as mapped. Concepts that a terminology of ``via`` knows borrow its names. ``weights`` are those of the learned
    score, by default those of the package. ``jobs`` processes share the search; ``progress`` is told of concepts done.
    In the folder ``keep`` what was found so far is kept while it runs, and taken up where a match like this one was
    interrupted; it is gone at the end.
    Raises InputError where the source has no active concept with a name to match, or is what the index was made of.
    """
    names = Names(source, via)
    asked = list(questions(names, index, options, known))
    kept = Kept(keep, _identity(names, index, options, known)) if keep else None
    found = searched(index, asked, options, jobs=jobs, kept=kept, progress=progress)
    made = matched(names, index, asked_rows(asked), found, options, known, weights=weights)
    if kept:
        kept.clear()
    return made


def asked_rows(asked: Sequence[Asked]) -> Ints:
    """The rows of source concepts."""
    return np.asarray([one.row for one in asked], dtype=np.int64)


def questions(names: Names, index: Index, options: MatchOptions, known: Known) -> Iterator[Asked]:
    """The source concepts that are asked for, in their order; errors as of `match`."""
    source, asker = names.source, names.asker()
    if any(source.fingerprint == one.fingerprint for one in index.terminologies):
        raise InputError(f"{source.name or source.path}: both sides are the same; a terminology is matched to another")
    denied = _by_source(known.denied)
    shared = SharedReferences.between(source, index.terminologies) if options.xrefs else None
    both = np.zeros(len(source), dtype=np.bool_)
    both[on_both_sides(source, index)[0]] = True
    named = same = 0
    for row in np.flatnonzero(source.active).tolist():
        texts = asker.of(row)
        named += bool(texts)
        if not texts or source.id(row) in known.mapped:
            continue
        if both[row]:
            same += 1
            continue
        refused = [number for target in denied.get(source.id(row), ()) if (number := index.find(target)) is not None]
        also = tuple(shared.of(row).tolist()) if shared is not None else ()
        yield Asked(row, texts, also, tuple(refused))
    if not named:
        raise InputError(f"{source.name or source.path}: no active concept with a name to match")
    if same == named:
        raise InputError(f"{source.name or source.path}: every id is in {index.name} too; there is nothing to match")


def on_both_sides(source: Terminology, index: Index) -> tuple[Ints, Ints]:
    """The active concepts whose ids are on both sides: rows of the source, and their concept numbers in the index."""
    rows: list[Ints] = [np.empty(0, dtype=np.int64)]
    numbers = rows.copy()
    first = 0
    for terminology in index.terminologies:
        found = source.find_rows(terminology.ids().strings())
        here = np.flatnonzero((found >= 0) & terminology.active)
        same = [source.id(int(found[row])) == terminology.id(row) for row in here.tolist()]
        here = here[np.asarray(same, dtype=np.bool_)]
        rows.append(found[here])
        numbers.append(here + first)
        first += len(terminology)
    return np.concatenate(rows), np.concatenate(numbers)


def _by_source(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for source, target in pairs:
        found.setdefault(source, []).append(target)
    return found


def searched(
    index: Index,
    asked: Sequence[Asked],
    options: MatchOptions,
    *,
    jobs: int = 1,
    kept: Kept | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Candidates:
    """The candidates of source concepts; see `match`."""
    parts: list[Candidates] = []
    for part in kept.parts() if kept else ():
        progress(min(_KEPT_AT_ONCE, len(asked) - len(parts) * _KEPT_AT_ONCE))
        parts.append(part)
    rest = asked[len(parts) * _KEPT_AT_ONCE :]
    batches = (rest[start : start + _AT_ONCE] for start in range(0, len(rest), _AT_ONCE))
    made: list[Candidates] = []
    done = 0
    for found in in_processes(index, Asking(options), batches, jobs):
        made.append(found)
        now = min(done + _AT_ONCE, len(rest))
        progress(now - done)
        done = now
        if done % _KEPT_AT_ONCE == 0 or done == len(rest):
            part = Candidates.joined(made)
            if kept:
                kept.keep(len(parts), part)
            parts.append(part)
            made = []
    return Candidates.joined(parts)


def _identity(names: Names, index: Index, options: MatchOptions, known: Known) -> str:
    """What the candidates depend on."""
    decided = sorted((one, sorted(some)) for one, some in known.mapped.items()), sorted(known.denied)
    asked = options.k, options.signal, options.within, options.tags, options.xrefs
    sides = [one.fingerprint for one in (names.source, *names.mediators)]
    return f"{FEATURES}\n{sides}\n{index.manifest.fingerprint}\n{asked}\n{decided}\n"


# Scores --------------------------------------------------------------------------------------------------------------


def matched(
    names: Names,
    index: Index,
    asked: Ints,
    found: Candidates,
    options: MatchOptions,
    known: Known,
    *,
    weights: Learned | None = None,
) -> Matching:
    """Candidates with their scores, and what is proposed of them; ``asked`` are the rows of the source concepts."""
    source = names.source
    scores = _SCORES[options.aggregate](found) if options.aggregate != "learned" else None
    if scores is None:
        scores = learned_scores(source, index, found, options, weights or default_weights())
    places = np.empty(len(source), dtype=np.int64)
    places[asked] = np.arange(len(asked))
    order = np.lexsort((np.arange(len(found)), -scores, places[found.sources]))
    found, scores = found.take(order), scores[order]
    pairs = Pairs(found.sources, found.targets, scores, np.isin(found.targets, _taken(source, index, known)))
    return Matching(names, index, asked, found, scores, choose(pairs, options.mode, options.threshold))


_SCORES: dict[str, Callable[[Candidates], Doubles]] = {
    "max": lambda found: found.highest.astype(np.float64),
    "mean": lambda found: found.mean.astype(np.float64),
    "best-three": lambda found: found.best_three.astype(np.float64),
    "reciprocal-rank": lambda found: found.reciprocal.astype(np.float64),
}


def learned_scores(
    source: Terminology, index: Index, found: Candidates, options: MatchOptions, weights: Learned
) -> Doubles:
    """The learned score of each candidate pair, in [0, 1]."""
    columns = columns_of(source, index, found, options)
    scores = weights["names"].probabilities(columns)
    if options.structure:
        scores = weights["structure"].probabilities({**columns, **structure_of(source, index, found, scores)})
    return scores


def columns_of(source: Terminology, index: Index, found: Candidates, options: MatchOptions) -> Columns:
    """What names and cross-references say of candidate pairs, as `ontonym.tasks.match.learned.STAGES` has it."""
    columns = name_features(found, (len(source), index.concept_count))
    shared = SharedReferences.between(source, index.terminologies)
    xrefs = shared.features(found.sources, found.targets)
    return columns | {name: one if options.xrefs else np.zeros_like(one) for name, one in xrefs.items()}


def structure_of(source: Terminology, index: Index, found: Candidates, scores: Doubles) -> Columns:
    """What the hierarchies say of candidate pairs, where those that are best for both sides are believed."""
    order = np.lexsort((np.arange(len(found)), -scores, found.sources))
    ordered = Pairs(found.sources[order], found.targets[order], scores[order], np.zeros(len(order), dtype=np.bool_))
    believed = order[choose(ordered, "mutual", _BELIEVED)]
    anchors = Anchors.of(found.sources[believed], found.targets[believed], (len(source), index.concept_count))
    ours = Hierarchies([source], found.sources)
    theirs = Hierarchies(index.terminologies, found.targets)
    return structure_features(found.sources, found.targets, anchors, ours, theirs)


def _taken(source: Terminology, index: Index, known: Known) -> Ints:
    """The concepts of the index that are mapped already, and those that the source has too."""
    ids = frozenset().union(*known.mapped.values()) if known.mapped else frozenset()
    found = [number for id_ in ids if (number := index.find(id_)) is not None]
    return np.unique(np.concatenate([np.asarray(found, dtype=np.int64), on_both_sides(source, index)[1]]))


# Results -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Matching:
    """The source concepts that were ``asked`` for, as rows, with their candidate pairs and what is proposed.

    ``found`` are the pairs, those of a source together, the best first, with their ``scores``; ``chosen`` marks those
    that are proposed. Walk over it for one `Matched` of each source concept.
    """

    names: Names
    index: Index
    asked: Ints
    found: Candidates
    scores: Doubles
    chosen: Mask

    @property
    def source(self) -> Terminology:
        """The terminology that was matched."""
        return self.names.source

    def __len__(self) -> int:
        return len(self.asked)

    def __iter__(self) -> Iterator[Matched]:
        return self.concepts()

    @property
    def proposed(self) -> int:
        """How many concepts have a proposal."""
        return int(self.chosen.sum())

    def concepts(self) -> Iterator[Matched]:
        """Every source concept with all its candidates, in their order."""
        starts = np.searchsorted(self._places, np.arange(len(self.asked)))
        ends = np.searchsorted(self._places, np.arange(len(self.asked)), side="right")
        for row, start, end in zip(self.asked.tolist(), starts.tolist(), ends.tolist(), strict=True):
            candidates = tuple(map(self.candidate, range(start, end)))
            proposed = [candidates[at] for at in np.flatnonzero(self.chosen[start:end]).tolist()]
            yield Matched(self.source.id(row), self.source.preferred(row), candidates, *proposed)

    def proposals(self) -> Iterator[Matched]:
        """The source concepts that have a proposal, with that alone."""
        for at in np.flatnonzero(self.chosen).tolist():
            row = int(self.found.sources[at])
            candidate = self.candidate(at)
            yield Matched(self.source.id(row), self.source.preferred(row), (candidate,), candidate)

    @cached_property
    def on_both_sides(self) -> int:
        """How many active ids are on both sides, and were not asked for."""
        return len(on_both_sides(self.source, self.index)[0])

    @cached_property
    def _places(self) -> Ints:
        """The place among those asked of each pair's source."""
        places = np.zeros(len(self.source), dtype=np.int64)
        places[self.asked] = np.arange(len(self.asked))
        return places[self.found.sources]

    @cached_property
    def turned(self) -> Ints:
        """For each pair how many of the proposals it turns the hierarchies against; 0 for pairs not proposed."""
        sources, targets = self.found.sources[self.chosen], self.found.targets[self.chosen]
        anchors = Anchors.of(sources, targets, (len(self.source), self.index.concept_count))
        ours, theirs = Hierarchies([self.source], sources), Hierarchies(self.index.terminologies, targets)
        counts = np.zeros(len(self.found), dtype=np.int64)
        counts[self.chosen] = turned_against(sources, targets, anchors, ours, theirs)
        return counts

    def candidate(self, at: int) -> Candidate:
        """A pair, by its place, as a candidate of its source."""
        found, index = self.found, self.index
        name, concept = int(found.names[at]), int(found.targets[at])
        features = found.features[at].tolist()
        text = self.names.text(int(found.terms[at]))
        term = (
            index.signals.added.term(name - len(index.signals.names))
            if name >= len(index.signals.names) and index.signals.added is not None
            else nearest_spelling(index, text, name)
            if features[_SPELLED]
            else index.term(name)
        )
        return Candidate(
            id=index.id(concept),
            preferred=index.preferred(concept),
            score=float(self.scores[at]),
            similarity=min(max(features[SIGNAL_COLUMNS["dense"]], -1.0), 1.0),
            name=text,
            matched=term.text,
            reason=reason_of(text, term.text, features, spelled=bool(features[_SPELLED])),
            found=int(found.found[at]),
            of=int(found.asked[at]),
            lender=self.names.lender(int(found.terms[at])),
            turned=int(self.turned[at]),
        )
