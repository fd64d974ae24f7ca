"""Measures, separate from how predictions are made: the protocol, ranks, and every measure computed from ranks.

All of accuracy@k, Hits@k, MRR, nDCG and recall are here. The conventions are the same for every task: a question for
which nothing right was found counts with 0 and is never left out of a mean; ranks begin at 1; MRR has no cutoff except
the protocol's; gains of nDCG are linear and its ideal ranking consists of all concepts with a gain (that of
``ndcg-returned`` of the answers themselves). They are computed here, not by ir_measures, which is an optional extra;
tests check that both agree. Other measures of ir_measures are available by name through
`ontonym.evaluate.trec.named_measures`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from ontonym.arrays import Doubles, Ints
from ontonym.errors import InputError, UnknownNameError
from ontonym.text.normalization import tokens
from ontonym.types import Hit

NamesRule = Literal["ontology", "ontology+added terms", "added terms"]
Ambiguity = Literal["strict", "lenient"]
CompositeRule = Literal["any", "all", "found", "skip"]
NilRule = Literal["in", "out"]
MissingRule = Literal["wrong", "skip", "nil"]

Resolve = Callable[[str], str | None]
"""Maps an id to the id by which a terminology knows the concept (following alternative ids), or None if it has none."""


NOT_FOUND = 0


@dataclass(frozen=True, slots=True)
class Protocol:
    """The rules under which a figure was measured; printed with every figure.

    ``data``, ``split`` and ``terminology`` (with its release) name what was read; ``types`` are the mention types that
    were kept, all of them if empty. ``names``: ``ontology`` if the searched names are the terminology's own,
    ``ontology+added terms`` if terms were added (annotated mentions, as in Xu), ``added terms`` if only those are
    searched; these are never compared with each other. ``ambiguity``: ``strict`` counts a hit for its own concept only;
    ``lenient`` also for the concepts that share the matched name (``Hit.ambiguous``) and for records of the same
    concept (``Hit.equivalents``). ``composite``: ``any`` asks once and accepts any part's concept. ``all`` splits the
    mention, asks for every part, and is right if every answer is right and every gold part is found (Xu section 4.3).
    ``found`` judges in the same way the parts into which the normalizer itself splits a mention, so that a needless
    split is wrong. ``skip`` leaves mentions with several parts out. Ids joined by ``+`` count as one part under every
    rule, and any of them is right. ``nil``: ``in`` counts mentions without a concept, for which no answer is right;
    ``out`` leaves them out. ``missing``: mentions whose gold ids the terminology does not have count as ``wrong``, are
    skipped, or count as mentions without a concept (``nil``). Under ``all`` and ``found`` one missing part is enough,
    otherwise all parts must be missing. ``depth``: the number of answers that are considered; a gold concept below
    counts as not found, also for MRR.
    """

    data: str
    split: str
    terminology: str
    names: NamesRule = "ontology"
    types: tuple[str, ...] = ()
    ambiguity: Ambiguity = "strict"
    composite: CompositeRule = "any"
    nil: NilRule = "out"
    missing: MissingRule = "wrong"
    depth: int = 10

    def __post_init__(self) -> None:
        for field, valid in CHOICES.items():
            if getattr(self, field) not in valid:
                raise UnknownNameError(f"{field} rule", str(getattr(self, field)), valid)
        if self.missing == "nil" and self.nil == "out":
            raise InputError("gold that the terminology lacks can count as NIL only where NIL is counted: `nil=in`")
        if self.depth < 1:
            raise InputError(f"depth must be at least 1, not {self.depth}")

    def to_dict(self) -> dict[str, Any]:
        """The protocol as JSON values."""
        return {**asdict(self), "types": list(self.types)}

    def caption(self) -> str:
        """The protocol in one line for people."""
        kept = f" ({', '.join(self.types)})" if self.types else ""
        return (
            f"{self.data} {self.split}{kept}, {self.terminology}, names: {self.names}, ambiguous names: "
            f"{self.ambiguity}, composites: {self.composite}, NIL {self.nil}, gold missing from the terminology: "
            f"{self.missing}, first {self.depth} answers"
        )


CHOICES: dict[str, tuple[str, ...]] = {
    "names": get_args(NamesRule),
    "ambiguity": get_args(Ambiguity),
    "composite": get_args(CompositeRule),
    "nil": get_args(NilRule),
    "missing": get_args(MissingRule),
}
"""The valid values of a protocol's rules."""


def gold_rank(hits: Sequence[Hit], gold: frozenset[str], resolve: Resolve, *, lenient: bool, depth: int) -> int:
    """The 1-based rank of the first right hit, or 0 if none of the first ``depth`` is right.

    ``gold`` holds acceptable ids as given by ``resolve``. With ``lenient`` a hit is right if its concept, one that
    shares its matched name, or one of its equivalents is; otherwise its own concept must be.
    """
    for rank, hit in enumerate(hits[:depth], 1):
        answered = (hit.id, *hit.ambiguous, *hit.equivalents) if lenient else (hit.id,)
        if any((resolve(id_) or id_) in gold for id_ in answered):
            return rank
    return NOT_FOUND


def composite_rank(
    answers: Sequence[Sequence[Hit]], gold: Sequence[frozenset[str]], resolve: Resolve, *, lenient: bool, depth: int
) -> int:
    """The rank of a composite mention's worst part, or 0 if a part is not found.

    ``answers`` has the hits of each split part, ``gold`` the acceptable ids of each gold part. Every gold part must be
    found by some split part and every split part must find some gold part ("every prediction for each separate mention
    is correct", Xu section 4.3), so neither splitting too little nor too much helps. Rank 1 is right.
    """
    table = np.array(
        [[gold_rank(hits, part, resolve, lenient=lenient, depth=depth) for part in gold] for hits in answers],
        dtype=np.int64,
    ).reshape(len(answers), len(gold))
    if not table.size:
        return NOT_FOUND
    table[table == NOT_FOUND] = depth + 1
    worst = int(max(table.min(axis=0).max(), table.min(axis=1).max()))
    return worst if worst <= depth else NOT_FOUND


def nil_rank(hits: Sequence[Hit]) -> int:
    """1 if a mention without a concept got no answer, else 0."""
    return NOT_FOUND if hits else 1


def found_within(ranks: Ints, k: int) -> Doubles:
    """1.0 for every mention whose gold concept is among the first ``k`` answers, else 0.0."""
    return ((ranks > NOT_FOUND) & (ranks <= k)).astype(np.float64)


def reciprocal(ranks: Ints) -> Doubles:
    """1 / rank for every mention, 0.0 where the gold concept was not found."""
    return np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > NOT_FOUND)


_CUTOFF = re.compile(r"^(?:accuracy|hits)@([1-9]\d*)$")

NORMALIZATION_MEASURES = ("accuracy@1", "accuracy@5", "accuracy@10", "mrr")
HELD_OUT_MEASURES = ("hits@1", "hits@10", "mrr")


def per_mention(measure: str, ranks: Ints) -> Doubles:
    """A measure's value for every mention, in [0, 1], higher is better; its mean over mentions is the figure.

    ``accuracy@k`` and ``hits@k`` (the same formula, each named as in its task's papers) and ``mrr``. Every mention
    counts, also those without an answer. Raises UnknownNameError for another name.
    """
    if measure == "mrr":
        return reciprocal(ranks)
    cutoff = _CUTOFF.match(measure)
    if cutoff is None:
        raise UnknownNameError("measure", measure, ["accuracy@k", "hits@k", "mrr"])
    return found_within(ranks, int(cutoff[1]))


def check_cutoffs(measures: Iterable[str], depth: int) -> None:
    """Raises InputError if a measure needs more answers than the protocol's ``depth``."""
    for measure in measures:
        cutoff = _CUTOFF.match(measure)
        if cutoff is not None and int(cutoff[1]) > depth:
            raise InputError(f"{measure} needs {cutoff[1]} answers, and the protocol looks at {depth}. Raise depth")


# Rankings with graded gains -----------------------------------------------------------------------------------------

RIGHT, NEAR, RELATED = 3, 2, 1
"""The gain of the right concept, of its parents and children, and of what is two steps away (Ngo, "Usefulness")."""

CUTOFFS = (1, 5, 10)
"""Ngo's K."""

Gains = Mapping[str, int]
"""What each concept is worth for a question, by its id; concepts that are not there are worth nothing."""

Ranking = Sequence[str]
"""The ids of the concepts found for a question, best first, each once."""


def right_ranks(rankings: Sequence[Ranking], gains: Sequence[Gains], right: int) -> Ints:
    """The rank of the first right concept of each ranking, 0 where there is none; shape ``(questions,)``.

    Here and below a concept is right where its gain is at least ``right``.
    """
    return np.array(
        [
            next((place for place, concept in enumerate(ranking, 1) if worth.get(concept, 0) >= right), NOT_FOUND)
            for ranking, worth in zip(rankings, gains, strict=True)
        ],
        dtype=np.int64,
    )


def hits(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int, right: int = RIGHT) -> Doubles:
    """1 where a right concept is among the first ``k``, else 0; shape ``(questions,)``."""
    return found_within(right_ranks(rankings, gains, right), k)


def reciprocal_ranks(rankings: Sequence[Ranking], gains: Sequence[Gains], right: int) -> Doubles:
    """1 over the rank of the first right concept, 0 where none was found; shape ``(questions,)``."""
    return reciprocal(right_ranks(rankings, gains, right))


def ndcg(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int, *, returned: bool = False) -> Doubles:
    """Normalized discounted cumulative gain of the first ``k``, in [0, 1]; shape ``(questions,)``.

    A concept's gain over log2(1 + rank), summed, over the same sum of the best ranking there is, made of all concepts
    that are worth something (Järvelin and Kekäläinen 2002; gains linear, as in Ngo's example of 0.976). A gain below 0,
    by which some gold marks junk, counts as 0. With ``returned`` the best ranking is the best order of the first ``k``
    themselves: it judges their order alone, and is 1 for any single answer that is worth something. Ngo's table 3 seems
    to have this one, for its figures hardly fall from 1 to 10 answers.
    """
    found = np.zeros(len(rankings))
    discounts = 1 / np.log2(np.arange(2, k + 2))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        got = [max(worth.get(concept, 0), 0) for concept in ranking[:k]]
        ideal = sorted(got if returned else (gain for gain in worth.values() if gain > 0), reverse=True)[:k]
        best = float(np.dot(ideal, discounts[: len(ideal)]))
        found[row] = float(np.dot(got, discounts[: len(got)])) / best if best else 0.0
    return found


def recall(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int, right: int = RIGHT) -> Doubles:
    """The share of the right concepts that are among the first ``k``; shape ``(questions,)``, 0 where there is none.

    Recall@K of Kong and Rahimi, whose questions have one right concept each: there it equals Hits@K.
    """
    found = np.zeros(len(rankings))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        all_right = sum(gain >= right for gain in worth.values())
        if all_right:
            found[row] = sum(worth.get(concept, 0) >= right for concept in ranking[:k]) / all_right
    return found


MRR = "mrr"
MEASURES = ("hits", MRR, "ndcg", "recall", "ndcg-returned")
"""What can be measured of rankings; the first three are Ngo's. ``ndcg-returned`` is `ndcg` with ``returned``."""


def measured(
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    cutoffs: Sequence[int] = CUTOFFS,
    measures: Sequence[str] = MEASURES[:3],
    right: int = RIGHT,
) -> dict[str, Doubles]:
    """The measures of every question by name: ``hits@1``, ``mrr``… Raises UnknownNameError for a measure not known."""
    of_first: dict[str, Callable[[int], Doubles]] = {
        "hits": lambda k: hits(rankings, gains, k, right),
        "recall": lambda k: recall(rankings, gains, k, right),
        "ndcg": lambda k: ndcg(rankings, gains, k),
        "ndcg-returned": lambda k: ndcg(rankings, gains, k, returned=True),
    }
    found: dict[str, Doubles] = {}
    for name in measures:
        if name == MRR:
            found[MRR] = reciprocal_ranks(rankings, gains, right)
        elif name in of_first:
            found |= {f"{name}@{k}": of_first[name](k) for k in cutoffs}
        else:
            raise UnknownNameError("measure", name, MEASURES)
    return found


# How much of a query is written in the names it is after -------------------------------------------------------------

STOP_WORDS = frozenset(
    "a an and are as at be by for from has have in is it its of on or that the this to was with".split()
)
"""English words that say nothing about a concept; negations ("no", "without") are not among them."""

OVERLAPS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""The upper ends of the intervals of Ngo's figure 3; each begins where the one before ends, the first at 0."""


def overlap_degree(query: str, labels: Iterable[str]) -> float:
    """The share in [0, 1] of the query's different words, without stop words, that some label of the concept has.

    ``|T_q ∩ T_c| / |T_q|`` (Ngo, "Impact of Overlapping Text and Synonymy"); words are compared after text
    normalization. A query of stop words only has 0.
    """
    asked = frozenset(tokens(query)) - STOP_WORDS
    if not asked:
        return 0.0
    known = frozenset(word for label in labels for word in tokens(label))
    return len(asked & known) / len(asked)


def overlap_interval(degree: float) -> str:
    """The interval of `OVERLAPS` with a degree; ``overlap 0-0.2`` includes both its ends, the others the upper one."""
    place = next(number for number, edge in enumerate(OVERLAPS) if degree <= edge + 1e-9)
    return f"overlap {OVERLAPS[place - 1] if place else 0:g}-{OVERLAPS[place]:g}"
