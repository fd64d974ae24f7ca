"""Groups that a reranker learns from, made from an index: a name is hidden, and is the query for its concept.

The candidates are those that search finds while the name is hidden; what may be right too is never a negative."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask, begins
from ontonym.errors import InputError, UnknownNameError
from ontonym.index.evidence import SIGNAL_COLUMNS
from ontonym.index.open import Index
from ontonym.index.scan import Scan
from ontonym.learning.equivalents import Equivalents
from ontonym.learning.recipes.split import SPLITS, Split, split_concepts
from ontonym.learning.rerankers.groups import Aliases, CandidateGroup
from ontonym.ranges import check_range, check_seed
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings

ORDERS = ("fused", *SIGNAL_COLUMNS)
"""What may find and order the candidates: all signals fused, or one alone."""

_LEAST_PER_SIGNAL = 50


@dataclass(frozen=True, slots=True)
class CandidateOptions:
    """Which groups are made; written to the reranker's manifest.

    A query has ``depth`` candidates in training, ``judged`` in dev and test, found and ordered by ``signal``:
    ``fused``, or ``lexical``, ``char`` or ``dense`` alone (Rahimi section 3.1: BM25, which is ``lexical``).
    ``groups``, ``dev`` and ``test`` are the numbers of groups to train, to choose weights and to test with, of concepts
    split by ``shares``. ``hidden`` names of a concept are one query together; the others stay its aliases. With
    ``ancestors`` the concepts above the right one are negatives too. ``seed`` is for all random draws.
    """

    depth: int = 64
    judged: int = 16
    signal: str = "fused"
    groups: int = 3_000
    dev: int = 300
    test: int = 0
    hidden: int = 1
    ancestors: bool = False
    shares: tuple[float, float, float] = (0.9, 0.05, 0.05)
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.signal not in ORDERS:
            raise UnknownNameError("signal", self.signal, ORDERS)
        for name, least in (("depth", 2), ("judged", 2), ("groups", 1), ("dev", 0), ("test", 0), ("hidden", 1)):
            check_range(name, getattr(self, name), least)

    def wanted(self, split: Split) -> int:
        """How many groups a split should have."""
        return {"train": self.groups, "dev": self.dev, "test": self.test}[split]


@dataclass(frozen=True, slots=True)
class HiddenNameQuestion:
    """A query of hidden names of a concept: their rows in the index."""

    concept: int
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CandidateGroups:
    """The groups of each split, and counts for the manifest."""

    groups: Mapping[Split, Sequence[CandidateGroup]]
    described: dict[str, Any]

    def of(self, split: Split) -> Sequence[CandidateGroup]:
        """The groups of a split, empty where there are none."""
        return self.groups.get(split, ())


def make_groups(
    index: Index,
    options: CandidateOptions = CandidateOptions(),
    *,
    exclude: Collection[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> CandidateGroups:
    """Groups for training, dev and test; equal input gives equal groups.

    Only names that no other concept has are queries. In training the right concept is put last where search did not
    find it, and concepts that mean the same, are above it (unless asked for), are mapped to it or share a name with it
    are left out; in dev and test candidates are as search finds them, without those that mean the same. Names hidden in
    dev and test are in no group of training, and names in ``exclude`` (compared after text normalization) in none at
    all. ``progress`` is called with the numbers of groups made and of all groups.

    Raises InputError where no concept of the training split has a name for a query.
    """
    maker = _Maker(index, options, exclude)
    questions = {split: maker.questions(split) for split in SPLITS}
    maker.hide_from_training([question for split in ("dev", "test") for question in questions[split]])
    total, done = sum(map(len, questions.values())), 0
    made: dict[Split, list[CandidateGroup]] = {split: [] for split in SPLITS}
    for split in SPLITS:
        for question in questions[split]:
            made[split].append(maker.group(question, training=split == "train"))
            done += 1
            if progress:
                progress(done, total)
    if not any(group.teaches for group in made["train"]):
        raise InputError(
            "no group to train on: a concept needs two names or more, of which one no other concept has, and the index "
            "needs other concepts that resemble it"
        )
    described = {
        "options": {**asdict(options), "exclude": len(exclude)},
        "made": {split: len(groups) for split, groups in made.items()},
        "right one not brought": dict(maker.missed),
        "left out as equivalents": maker.equivalents_left_out,
    }
    return CandidateGroups(made, described)


class _Maker:
    """Draws questions from the names of an index, and makes a group of each."""

    def __init__(self, index: Index, options: CandidateOptions, exclude: Collection[str]) -> None:
        self.index, self.options = index, options
        self.names = index.signals.names
        self.equivalents = Equivalents(index)
        self.missed = dict.fromkeys(("train", "others"), 0)
        self.equivalents_left_out = 0
        self._banned = np.zeros(len(self.names), dtype=np.bool_)
        for text in exclude:
            self._banned[self.names.spelled(tokens(text))] = True
        self._unseen = self._banned.copy()
        ids = Strings.joined([terminology.ids().strings() for terminology in index.terminologies])
        self._splits = split_concepts(ids, self.equivalents.meanings, options.shares, options.seed)

    # Queries -----------------------------------------------------------------------------------------------------

    def questions(self, split: Split) -> list[HiddenNameQuestion]:
        """As many questions as wanted: first one of each concept, concepts in a drawn order, then a second of each."""
        wanted, options = self.options.wanted(split), self.options
        if not wanted:
            return []
        owners = np.asarray(self.names.concepts).astype(np.int64)
        left = np.bincount(owners[~self._banned], minlength=self.index.concept_count)
        fit = ~self._banned & (left > options.hidden)[owners] & (self._splits == SPLITS.index(split))[owners]
        (rows,) = np.nonzero(fit)
        rng = np.random.default_rng((options.seed, SPLITS.index(split)))
        rows = rows[rng.permutation(len(rows))]
        rounds = _times_before(owners[rows]) // options.hidden
        rows = rows[np.argsort(rounds, kind="stable")]
        found: list[HiddenNameQuestion] = []
        waiting: dict[int, list[int]] = {}
        for row in rows.tolist():
            if len(self.names.spelled(self.names.words_of(row))) > 1:
                continue
            concept = int(owners[row])
            hidden = waiting.setdefault(concept, [])
            hidden.append(row)
            if len(hidden) == options.hidden:
                found.append(HiddenNameQuestion(concept, tuple(waiting.pop(concept))))
                if len(found) == wanted:
                    break
        return found

    def hide_from_training(self, questions: Sequence[HiddenNameQuestion]) -> None:
        """Keeps the names of these questions out of every alias of training."""
        for question in questions:
            self._unseen[list(question.rows)] = True

    # Candidates --------------------------------------------------------------------------------------------------

    def group(self, question: HiddenNameQuestion, *, training: bool) -> CandidateGroup:
        """The group of a query: in training what may be right too is left out, and the right one is always there."""
        concept, depth = question.concept, self.options.depth if training else self.options.judged
        ordered, sure = self._brought(question, depth)
        equivalents = (
            self.equivalents.of(concept, ancestors=not self.options.ancestors)
            if training
            else self.equivalents.same(concept)
        )
        keep = ~np.isin(ordered, equivalents[equivalents != concept])
        if training:
            keep &= (ordered == concept) | ~np.isin(ordered, self._namesakes(concept))
            self.equivalents_left_out += int((~keep[:depth]).sum())
        hidden = np.asarray(question.rows)
        unseen = self._unseen if training else self._banned
        fit = (other for other in ordered[keep].tolist() if len(self._alias_rows(other, hidden, unseen)))
        listed = list(islice(fit, depth))
        if concept not in listed:
            self.missed["train" if training else "others"] += 1
            if training:
                listed = [*listed[: depth - 1], concept]
        return CandidateGroup(
            query=tuple(self.index.text(row) for row in question.rows),
            candidates=tuple(self._aliases(other, hidden, unseen) for other in listed),
            positive=listed.index(concept) if concept in listed else -1,
            confidences=tuple(sure.get(other, 0.0) for other in listed) if self.options.signal == "fused" else (),
        )

    def _brought(self, question: HiddenNameQuestion, depth: int) -> tuple[Ints, dict[int, float]]:
        """The concepts that search brings for the hidden names, best first, as `ontonym.tasks.search` orders them, and
        how sure it is of each.
        """
        k = max(_LEAST_PER_SIGNAL, 2 * depth)
        scan = Scan(signal=self.options.signal, k=k, hidden=np.asarray(question.rows))
        found: list[tuple[npt.NDArray[Any], ...]] = []
        for row in question.rows:
            evidence = self.index.signals.evidence(self.index.signals.query(self.index.text(row)), scan)
            if not len(evidence.concepts):
                continue
            if self.options.signal == "fused":
                sure = self.index.fusion.confidences(evidence.features)
            else:
                sure = evidence.features[:, SIGNAL_COLUMNS[self.options.signal]].astype(np.float64)
            found.append((*evidence.tie_keys(), -sure.round(6)))
        if not found:
            return np.zeros(0, dtype=np.int64), {}
        keys = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        order = np.lexsort(keys)
        ordered, sure = keys[0][order], -keys[-1][order]
        _, first = np.unique(ordered, return_index=True)
        best: Ints = ordered[np.sort(first)]
        return best, dict(zip(best.tolist(), sure[np.sort(first)].tolist(), strict=True))

    def _namesakes(self, concept: int) -> Ints:
        """The concepts that share a name with one, itself included."""
        rows = range(int(self.names.bounds[concept]), int(self.names.bounds[concept + 1]))
        spelled = [self.names.spelled(self.names.words_of(row)) for row in rows]
        return np.unique(self.names.concepts[np.concatenate(spelled)]).astype(np.int64)

    def _alias_rows(self, concept: int, hidden: Ints, unseen: Mask) -> Ints:
        rows = np.arange(int(self.names.bounds[concept]), int(self.names.bounds[concept + 1]))
        return rows[~unseen[rows] & ~np.isin(rows, hidden)]

    def _aliases(self, concept: int, hidden: Ints, unseen: Mask) -> Aliases:
        return tuple(self.index.text(int(row)) for row in self._alias_rows(concept, hidden, unseen))


def _times_before(values: Ints) -> Ints:
    """How often each value stands before its place."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    firsts = np.flatnonzero(begins(ordered))
    counts = np.diff(np.append(firsts, len(values)))
    times = np.empty(len(values), dtype=np.int64)
    times[order] = np.arange(len(values)) - np.repeat(firsts, counts)
    return times
