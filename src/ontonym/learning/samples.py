"""Queries made from the names of an index, with the evidence of their candidates: what the ranking is learned from.

A query is a name that is hidden from the index, a name that stays in it but is written differently, or a name whose
concept is hidden with all its names, so that nothing is right. Hidden names should be names that the encoder has not
seen in training (``unseen``), or its cosines are higher than those of new names will be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Floats, Rows
from ontonym.errors import InputError
from ontonym.index.evidence import Evidence
from ontonym.index.names import Names, name_texts
from ontonym.index.open import Index
from ontonym.index.scan import Scan
from ontonym.learning.rewriting import in_another_order, with_another_word, without_a_letter
from ontonym.ranges import check_range, check_seed

_FATES = ("hidden", "nothing", "everyday", "rewritten")
"""What becomes of the name of a query: the shares of `LearnOptions`, and of the rest it is written otherwise."""

_TRIES = 50
"""How often a query of one kind is drawn before it is given up: not every name makes one."""


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How fusion is learned.

    ``queries`` are drawn from each index; the shares say how many have their name hidden (``hidden``) or their whole
    concept (``nothing``), or are hidden everyday names (``everyday``); the others are written otherwise. ``extra`` of
    all but everyday names get a word too many. The more names are hidden, the better the fusion finds what is written
    like no name, and the worse what is written nearly like one; mentions in text are mostly the latter. ``members``
    networks of ``units`` hidden units each are trained from different starts, and their mean is taken; ``decay`` is
    what the squared weights of the hidden layer cost.
    """

    queries: int = 3_500
    hidden: float = 0.3
    nothing: float = 0.1
    everyday: float = 0.05
    extra: float = 0.15
    units: int = 12
    members: int = 4
    epochs: int = 25
    rate: float = 2e-2
    decay: float = 1e-7
    seed: int = 0

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("hidden", "nothing", "everyday", "extra")}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise InputError(f"`{name}=` is a share between 0 and 1, not {share:g}")
        if (total := self.hidden + self.nothing + self.everyday) > 1 + 1e-9:
            raise InputError(f"`hidden=`, `nothing=` and `everyday=` are shares of all queries, together {total:g}")
        if self.nothing == 1:
            raise InputError("`nothing=1` leaves no query that has an answer; give less")
        for name in ("queries", "units", "members", "epochs"):
            check_range(name, getattr(self, name), 1)
        if not (0 < self.rate < math.inf and 0 <= self.decay < math.inf):
            raise InputError(f"`rate=` must be above 0 and `decay=` not below, not {self.rate:g} and {self.decay:g}")
        check_seed(self.seed)


@dataclass(frozen=True, slots=True)
class Sample:
    """The evidence of one query and the place of the right candidate in it, -1 where there is none."""

    features: Floats
    right: int


def draw_samples(index: Index, unseen: Callable[[str], bool], options: LearnOptions) -> list[Sample]:
    """Queries made from the names of an index, with their evidence; the same for the same options.

    Fewer than asked for come only where an index has too few names that may be hidden.
    """
    rng = np.random.default_rng(options.seed)
    hideable = _hideable(index, unseen)
    said = _hideable_everyday(index, unseen)
    shares = options.hidden, options.nothing, options.everyday if len(said) else 0.0
    left = max(1 - sum(shares), 0.0)  # of shares that sum up to 1 it may be below 0 by rounding
    samples: list[Sample] = []
    for fate in rng.choice(len(_FATES), options.queries, p=(*shares, left)).tolist():
        for _ in range(_TRIES):
            match _FATES[fate]:
                case "hidden":
                    sample = _hide_name(index, hideable, options, rng)
                case "everyday":
                    sample = _hide_everyday(index, int(rng.choice(said)))
                case kept:
                    sample = _keep_name(index, options, rng, gone=kept == "nothing")
            if sample is not None:
                samples.append(sample)
                break
    return samples


def _hideable(index: Index, unseen: Callable[[str], bool]) -> Rows:
    """The name rows that may be hidden: not seen by the encoder, and not the only name of their concept."""
    names = index.signals.names
    fresh = np.fromiter(map(unseen, name_texts(names, index.terminologies)), dtype=np.bool_, count=len(names))
    several = np.diff(names.bounds)[names.concepts] > 1
    return np.flatnonzero(fresh & several)


def _hideable_everyday(index: Index, unseen: Callable[[str], bool]) -> Rows:
    """The rows of everyday names that the encoder has not seen, counted from the first of them."""
    everyday = index.signals.everyday
    terms = map(everyday.term, range(len(everyday))) if everyday else ()
    return np.flatnonzero([term.kind == "lay" and unseen(term.text) for term in terms])


def _hide_everyday(index: Index, row: int) -> Sample | None:
    """An everyday name is hidden, and its concept is to be found by all its other names."""
    everyday = index.signals.everyday
    assert everyday is not None  # noqa: S101 (it has rows)
    names = everyday.part.names
    if _is_shared(names, row):
        return None
    query = index.signals.query(everyday.term(row).text)
    evidence = index.signals.evidence(query, Scan(hidden=np.asarray([len(index.signals.names) + row])))
    return _judged(evidence, int(names.concepts[row]), gone=False)


def _hide_name(index: Index, hideable: Rows, options: LearnOptions, rng: np.random.Generator) -> Sample | None:
    """A name is hidden, and its concept is to be found by its other names."""
    if not len(hideable):
        return None
    row = int(hideable[rng.integers(len(hideable))])
    if _is_shared(index.signals.names, row):
        return None
    query = _rewritten(index.text(row), index, options, rng)
    evidence = index.signals.evidence(index.signals.query(query), Scan(hidden=np.asarray([row])))
    return _judged(evidence, int(index.signals.names.concepts[row]), gone=False)


def _keep_name(index: Index, options: LearnOptions, rng: np.random.Generator, *, gone: bool) -> Sample | None:
    """A name stays in the index, or all names of its concept are ``gone``, and nothing is right."""
    names = index.signals.names
    if rng.random() < 0.5:  # half by concept: else those with many names would be all that is learned from
        concept = int(rng.integers(len(names.bounds) - 1))
    else:
        concept = int(names.concepts[rng.integers(len(names))])
    start, stop = int(names.bounds[concept]), int(names.bounds[concept + 1])
    if start == stop:
        return None
    row = start if rng.random() < 0.25 else int(rng.integers(start, stop))
    if gone and _is_shared(names, row):
        return None
    query = _rewritten(index.text(row), index, options, rng)
    hidden = np.arange(start, stop) if gone else None
    return _judged(index.signals.evidence(index.signals.query(query), Scan(hidden=hidden)), concept, gone=gone)


def _is_shared(names: Names, row: int) -> bool:
    """Whether another concept has the name too: hiding it in one would make the other right."""
    return len(names.spelled(names.words_of(row))) > 1


def _judged(evidence: Evidence, concept: int, *, gone: bool) -> Sample | None:
    """The sample whose right candidate is a concept; where that is ``gone``, it is no candidate, and none is right."""
    kept = evidence.concepts != concept if gone else np.ones(len(evidence.concepts), dtype=np.bool_)
    if not kept.any():
        return None
    right = np.flatnonzero(evidence.concepts[kept] == concept)
    return Sample(evidence.features[kept], int(right[0]) if len(right) else -1)


def _rewritten(name: str, index: Index, options: LearnOptions, rng: np.random.Generator) -> str:
    """A name as people write it: in lower case, other order, plural, misspelled, or with a word too many."""
    fate = rng.random()
    if fate < options.extra:
        return with_another_word(name, index.signals.names, rng)
    if fate < options.extra + 0.3:
        return name.lower()
    if fate < options.extra + 0.4 and len(name.split()) > 1:
        return in_another_order(name, rng)
    if fate < options.extra + 0.5:
        return f"{name}s"
    if fate < options.extra + 0.6 and len(name) > 5:
        return without_a_letter(name, rng)
    return name
