"""What is measured, apart from how predictions are made: the protocol, the rank of the gold concept, the measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints
from ontonym.errors import InputError, UnknownNameError
from ontonym.types import Hit

Names = Literal["ontology", "ontology+added terms", "added terms"]
Ambiguity = Literal["strict", "lenient"]
CompositeRule = Literal["any", "all", "found", "skip"]
NilRule = Literal["in", "out"]
MissingRule = Literal["wrong", "skip", "nil"]

Resolve = Callable[[str], str | None]
"""Gives the id a terminology knows a concept by (following alternative ids), or None where it has no such concept."""


NOT_FOUND = 0


@dataclass(frozen=True, slots=True)
class Protocol:
    """Under which rules a figure was measured; printed with every figure.

    ``data``, ``split`` and ``terminology`` (with its release) name what was read; ``types`` the mention types that were
    kept, all of them when empty.

    ``names``: ``ontology`` when the searched names are the terminology's own, ``ontology+added terms`` when terms were
    added (annotated mentions, as Xu does), ``added terms`` when only those are searched; they are never compared.
    ``ambiguity``: ``strict`` counts a hit for its own concept only; ``lenient`` also for the concepts that share the
    matched name (``Hit.ambiguous``).
    ``composite``: ``any`` asks once and accepts any part's concept; ``all`` splits it, asks for every part, and
    is right when every answer is right and every gold part is found (Xu section 4.3); ``found`` judges in the same way
    the parts that the normalizer itself takes a mention into, so that a name taken apart for nothing is wrong; ``skip``
    leaves mentions with several parts out. Ids joined by ``+`` count as one part under every rule, and any of them is
    right.
    ``nil``: ``in`` counts mentions with no concept, right when nothing is answered; ``out`` leaves them out.
    ``missing``: mentions whose gold ids the terminology does not have count as ``wrong``, are skipped, or count as
    mentions with no concept (``nil``). Under ``all`` and ``found`` one missing part is enough,
    otherwise all parts must be missing.
    ``depth``: how many answers are looked at; a gold concept below counts as not found, also for MRR.
    """

    data: str
    split: str
    terminology: str
    names: Names = "ontology"
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
            raise InputError("gold that the terminology lacks can count as NIL only where NIL is counted: --nil in")
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
    "names": get_args(Names),
    "ambiguity": get_args(Ambiguity),
    "composite": get_args(CompositeRule),
    "nil": get_args(NilRule),
    "missing": get_args(MissingRule),
}
"""The valid values of a protocol's rules."""


def gold_rank(hits: Sequence[Hit], gold: frozenset[str], resolve: Resolve, *, lenient: bool, depth: int) -> int:
    """The 1-based rank of the first hit that is right, or 0 where none of the first ``depth`` is.

    ``gold`` holds acceptable ids as ``resolve`` gives them. With ``lenient`` a hit is right when its concept or one
    that shares its matched name is; otherwise its own concept must be.
    """
    for rank, hit in enumerate(hits[:depth], 1):
        answered = (hit.id, *hit.ambiguous) if lenient else (hit.id,)
        if any((resolve(id_) or id_) in gold for id_ in answered):
            return rank
    return NOT_FOUND


def composite_rank(
    answers: Sequence[Sequence[Hit]], gold: Sequence[frozenset[str]], resolve: Resolve, *, lenient: bool, depth: int
) -> int:
    """The rank of a composite mention's worst part, or 0 where a part is not found.

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
    """1 where nothing was answered to a mention with no concept, else 0."""
    return NOT_FOUND if hits else 1


def found_within(ranks: Ints, k: int) -> npt.NDArray[np.float64]:
    """1.0 for every mention whose gold concept is among the first ``k`` answers, else 0.0."""
    return ((ranks > NOT_FOUND) & (ranks <= k)).astype(np.float64)


def reciprocal(ranks: Ints) -> npt.NDArray[np.float64]:
    """1 / rank for every mention, 0.0 where the gold concept was not found."""
    return np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > NOT_FOUND)


_CUTOFF = re.compile(r"^(?:accuracy|hits)@([1-9]\d*)$")

NORMALIZATION_MEASURES = ("accuracy@1", "accuracy@5", "accuracy@10", "mrr")
HELD_OUT_MEASURES = ("hits@1", "hits@10", "mrr")


def per_mention(measure: str, ranks: Ints) -> npt.NDArray[np.float64]:
    """A measure's value for every mention, in [0, 1], higher is better; its mean over mentions is the figure.

    ``accuracy@k`` and ``hits@k`` (the same formula, named as each task's papers do) and ``mrr``. Every mention counts,
    also those with no answer. Raises UnknownNameError for another name.
    """
    if measure == "mrr":
        return reciprocal(ranks)
    cutoff = _CUTOFF.match(measure)
    if cutoff is None:
        raise UnknownNameError("measure", measure, ["accuracy@k", "hits@k", "mrr"])
    return found_within(ranks, int(cutoff[1]))


def check_cutoffs(measures: Iterable[str], depth: int) -> None:
    """Raises InputError where a measure looks further down than the protocol's ``depth``."""
    for measure in measures:
        cutoff = _CUTOFF.match(measure)
        if cutoff is not None and int(cutoff[1]) > depth:
            raise InputError(f"{measure} needs {cutoff[1]} answers, and the protocol looks at {depth}. Raise depth")
