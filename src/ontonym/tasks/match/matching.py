"""Matches a terminology to an index: proposals with reasons for its concepts, or scores of given pairs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Ints
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.evidence import FEATURES
from ontonym.store import Terminology
from ontonym.tasks.jobs import Jobs, in_processes
from ontonym.tasks.match.candidates import AskedConcept, CandidateFinder, Candidates
from ontonym.tasks.match.kept import Kept
from ontonym.tasks.match.learned import Learned
from ontonym.tasks.match.mediators import SourceNames
from ontonym.tasks.match.options import KnownMappings, MatchOptions, with_wording
from ontonym.tasks.match.references import SharedReferences, on_both_sides
from ontonym.tasks.match.related import Matches, Related, related_match
from ontonym.tasks.match.results import Matching
from ontonym.tasks.match.scoring import MatchScorer, ScoredPairs, choose
from ontonym.tasks.match.structure import Hierarchies
from ontonym.text.placeholders import is_placeholder
from ontonym.types import Advance

DEFAULTS = MatchOptions()
NOTHING_KNOWN = KnownMappings()

FEW = 5_000
"""Up to this number of concepts one process is as fast as several, which take time to start."""

_AT_ONCE = 64
_KEPT_AT_ONCE = 8 * _AT_ONCE
"""Concepts whose candidates are kept together: an interruption loses no more, some twenty seconds of one processor."""


def match(
    source: Terminology,
    index: Index,
    options: MatchOptions = DEFAULTS,
    known: KnownMappings = NOTHING_KNOWN,
    *,
    via: Sequence[Terminology] = (),
    learn: bool = False,
    jobs: Jobs | None = 1,
    keep: Path | None = None,
    resume: bool = False,
    progress: Advance = lambda done: None,
) -> Matching:
    """The active concepts of a terminology with their candidates in an index, and the proposals.

    Concepts that are already mapped are not searched for, and not free to be proposed to others under ``mutual`` and
    ``one-to-one``; denied pairs are never candidates. A concept whose id is in the index too is the same, and not
    searched for; others may be the same as it. Concepts that a terminology of ``via`` knows borrow its names.
    With ``learn`` the weights of the learned score are learned from the known mappings (extra ``eval``), whose concepts
    are then searched for too. ``jobs`` processes share the search; None takes one per core if the source has more than
    `FEW` concepts. ``progress`` is called with the concepts done since the last call.

    While it runs, the folder ``keep`` holds the results so far; with ``resume`` the match continues from them after an
    interruption. At the end the folder is removed. Raises InputError if the source has no active concept with a name to
    match, or the index was made from it.
    """
    if jobs is None:
        jobs = 1 if int(source.active.sum()) <= FEW else os.cpu_count() or 1
    options = with_wording(options, source)
    names = SourceNames(source, via)
    questions = Questions.of(names, index, options, known, mapped=learn)
    kept = Kept(keep, f"{identity(names, index, options, known)}{learn}\n", resume) if keep else None
    found = searched(index, questions, options, jobs=jobs, kept=kept, progress=progress)
    rows, weights = questions.rows, None
    if learn:
        weights = MatchScorer(source, index, options).learn(found, known)
        done = known.rows(source)
        rows, found = rows[~np.isin(rows, done)], found.take(~np.isin(found.sources, done))
    made = matched(names, index, rows, found, options, known, weights=weights)
    if kept:
        kept.clear()
    return made


@dataclass(frozen=True, slots=True)
class Questions:
    """The source concepts to search for, as ``rows`` in order; each is read when it is needed."""

    rows: Ints
    names: SourceNames
    shared: SharedReferences | None
    denied: Mapping[str, Sequence[int]]
    also: Mapping[int, tuple[int, ...]]

    @classmethod
    def of(
        cls,
        names: SourceNames,
        index: Index,
        options: MatchOptions,
        known: KnownMappings,
        *,
        also: Mapping[int, tuple[int, ...]] = MappingProxyType({}),
        mapped: bool = False,
    ) -> Questions:
        """The concepts of a match, with its errors; on request also those that are ``mapped`` already.

        ``also`` are concept numbers that are scored in any case, by source row.
        """
        source = names.source
        title = source.name or str(source.path)
        if any(source.fingerprint == one.fingerprint for one in index.terminologies):
            raise InputError(
                f"{title}: both sides are the same; a terminology is matched to another. To find what it "
                "has twice, search it for its own names (docs/guide.md, What a code list has twice)"
            )
        wanted = source.active & (np.diff(source.term_bounds()) > 0)
        if not any(names.of(row) for row in np.flatnonzero(wanted).tolist()):
            raise InputError(f"{title}: no active concept with a name to match")
        wanted[on_both_sides(source, index)[0]] = False
        if not wanted.any():
            raise InputError(f"{title}: every id is in {index.name} too; there is nothing to match")
        if not mapped:
            wanted[known.rows(source)] = False
        denied: dict[str, list[int]] = defaultdict(list)
        for id_, target in known.denied:
            if (number := index.find(target)) is not None:
                denied[id_].append(number)
        shared = SharedReferences.between(source, index.terminologies) if options.xrefs else None
        return cls(np.flatnonzero(wanted), names, shared, denied, also)

    def ask(self, row: int) -> AskedConcept:
        """The search for a source concept."""
        also = self.also.get(row, ())
        if self.shared is not None:
            also = (*also, *self.shared.of(row).tolist())
        refused = tuple(self.denied.get(self.names.source.id(row), ()))
        return AskedConcept(row, self.names.of(row), also, refused)


def searched(
    index: Index,
    questions: Questions,
    options: MatchOptions,
    *,
    jobs: Jobs = 1,
    kept: Kept | None = None,
    progress: Advance = lambda done: None,
) -> Candidates:
    """The candidates of source concepts; see `match`."""
    parts: list[Candidates] = []
    count = len(questions.rows)
    for part in kept.parts() if kept else ():
        progress(min(_KEPT_AT_ONCE, count - len(parts) * _KEPT_AT_ONCE))
        parts.append(part)
    done = min(len(parts) * _KEPT_AT_ONCE, count)
    starts = range(done, count, _AT_ONCE)
    batches = ([questions.ask(row) for row in questions.rows[at : at + _AT_ONCE].tolist()] for at in starts)
    made: list[Candidates] = []
    for found in in_processes(index, partial(CandidateFinder, options=options), batches, jobs):
        made.append(found)
        now = min(done + _AT_ONCE, count)
        progress(now - done)
        done = now
        if done % _KEPT_AT_ONCE == 0 or done == count:
            part = Candidates.joined(made)
            if kept:
                kept.keep(len(parts), part)
            parts.append(part)
            made = []
    return Candidates.joined(parts)


def identity(names: SourceNames, index: Index, options: MatchOptions, known: KnownMappings) -> str:
    """Everything that the candidates depend on."""
    decided = sorted((one, sorted(some)) for one, some in known.mapped.items()), sorted(known.denied)
    asked = options.k, options.signal, options.within, options.tags, options.xrefs, options.names
    sides = [one.fingerprint for one in (names.source, *names.mediators)]
    return f"{FEATURES}\n{sides}\n{index.manifest.fingerprint}\n{asked}\n{decided}\n{_KEPT_AT_ONCE}\n"


# Scores --------------------------------------------------------------------------------------------------------------


def matched(
    names: SourceNames,
    index: Index,
    asked: Ints,
    found: Candidates,
    options: MatchOptions,
    known: KnownMappings,
    *,
    weights: Learned | None = None,
) -> Matching:
    """Candidates with their scores and the proposals; ``asked`` are the rows of the source concepts."""
    source = names.source
    decided, both = known.pairs(source, index), np.stack(on_both_sides(source, index), axis=1)
    certain = np.concatenate([decided, both])
    scores = MatchScorer(source, index, options, certain).scores(found, weights)
    places = np.empty(len(source), dtype=np.int64)
    places[asked] = np.arange(len(asked))
    order = np.lexsort((np.arange(len(found)), -scores, places[found.sources]))
    found, scores = found.take(order), scores[order]
    pairs = ScoredPairs(found.sources, found.targets, scores, np.isin(found.targets, decided[:, 1]))
    chosen = choose(pairs, options.mode, options.threshold)
    made = Matching(names, index, asked, found, scores, chosen, certain, options)
    return replace(made, related=tuple(_related(made, options))) if options.related else made


def _related(made: Matching, options: MatchOptions) -> Iterator[Related]:
    """The broader or narrower match of each source concept without a proposal, if there is a certain one."""
    source, index, found = made.source, made.index, made.found
    anchors = made.anchors
    scores = np.zeros(len(source))
    scores[found.sources[made.chosen]] = made.scores[made.chosen]
    scores[made.certain[:, 0]] = 1.0
    matches = Matches(anchors, scores)
    ours = Hierarchies([source], np.arange(len(source)))
    theirs = Hierarchies(index.terminologies, np.concatenate([found.targets, anchors.targets[anchors.targets >= 0]]))
    has = np.isin(made.asked, found.sources[made.chosen])
    for place in np.flatnonzero(~has).tolist():
        row = int(made.asked[place])
        if is_placeholder(source.preferred(row)):
            continue
        one = related_match(row, made.pairs_of(place), found, made.texts, matches, ours, theirs)
        if one is not None and one.score >= options.threshold:
            yield one


def score_given(
    source: Terminology,
    index: Index,
    given: Mapping[str, Sequence[str]],
    options: MatchOptions,
    *,
    via: Sequence[Terminology] = (),
    jobs: Jobs = 1,
    progress: Advance = lambda done: None,
) -> dict[str, dict[str, float]]:
    """The scores in [0, 1] of given candidates (target ids) of source concepts (ids), by source and target.

    All concepts of the source are searched for, as in `match`, since the matches of others affect the scores. Unknown
    and retired sources are left out, and candidates without a name in the index too.
    """
    names = SourceNames(source, via)
    wanted = {
        row: {id_: number for id_ in ids if (number := index.find(id_)) is not None}
        for asked, ids in given.items()
        if (row := source.current(asked)) is not None
    }
    also = {row: tuple(numbers.values()) for row, numbers in wanted.items()}
    questions = Questions.of(names, index, options, KnownMappings(), also=also)
    found = searched(index, questions, options, jobs=jobs, progress=progress)
    scores = MatchScorer(source, index, options).scores(found)
    scored: dict[int, dict[int, float]] = {row: {} for row in wanted}
    for place in np.flatnonzero(np.isin(found.sources, list(wanted))).tolist():
        scored[int(found.sources[place])][int(found.targets[place])] = float(scores[place])
    return {
        asked: {id_: scored[row][number] for id_, number in wanted[row].items() if number in scored[row]}
        for asked in given
        if (row := source.current(asked)) is not None
    }
