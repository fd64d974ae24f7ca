"""A terminology matched to an index: from the names of its concepts to proposals, each with what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.evidence import FEATURES
from ontonym.store import Terminology
from ontonym.tasks.jobs import in_processes
from ontonym.tasks.match.candidates import Asked, Asking, Candidates
from ontonym.tasks.match.choose import Pairs, choose
from ontonym.tasks.match.kept import Kept
from ontonym.tasks.match.learned import Columns, Learned, default_weights, name_features
from ontonym.tasks.match.mediators import Names
from ontonym.tasks.match.options import Known, MatchOptions
from ontonym.tasks.match.references import SharedReferences, on_both_sides
from ontonym.tasks.match.related import Matches, Related, related_match
from ontonym.tasks.match.results import Matching
from ontonym.tasks.match.structure import Anchors, Hierarchies, structure_features

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

DEFAULTS = MatchOptions()
NOTHING_KNOWN = Known()

_AT_ONCE = 64
_KEPT_AT_ONCE = 64 * _AT_ONCE
_BELIEVED = 0.5


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
    kept = Kept(keep, identity(names, index, options, known)) if keep else None
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


def identity(names: Names, index: Index, options: MatchOptions, known: Known) -> str:
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
    made = Matching(names, index, asked, found, scores, choose(pairs, options.mode, options.threshold))
    return replace(made, related=tuple(_related(made, known, options))) if options.related else made


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


def _related(made: Matching, known: Known, options: MatchOptions) -> Iterator[Related]:
    """The broader or narrower match of each source concept that has no proposal, where there is a sure one."""
    source, index, found = made.source, made.index, made.found
    sources, targets = found.sources[made.chosen], found.targets[made.chosen]
    scores = np.zeros(len(source))
    scores[sources] = made.scores[made.chosen]
    decided = [
        (row, number)
        for id_, others in known.mapped.items()
        if (row := source.find(id_)) is not None and (number := index.find(next(iter(others)))) is not None
    ]
    rows, numbers = on_both_sides(source, index)
    held = np.concatenate([np.asarray(decided, dtype=np.int64).reshape(-1, 2), np.stack([rows, numbers], axis=1)])
    scores[held[:, 0]] = 1.0
    anchors = Anchors.of(
        np.concatenate([sources, held[:, 0]]), np.concatenate([targets, held[:, 1]]), (len(source), index.concept_count)
    )
    matches = Matches(anchors, scores)
    ours = Hierarchies([source], np.arange(len(source)))
    theirs = Hierarchies(index.terminologies, np.unique([*found.targets, *anchors.targets[anchors.targets >= 0]]))
    has = np.isin(made.asked, sources)
    for place in np.flatnonzero(~has).tolist():
        one = related_match(int(made.asked[place]), made.pairs_of(place), found, made.texts, matches, ours, theirs)
        if one is not None and one.score >= options.threshold:
            yield one
