"""How well a normalizer recognizes mentions that have no concept (NIL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.evaluate.significance import BootstrapOptions, Interval, clusters, precision_recall_f1


@dataclass(frozen=True, slots=True)
class NilReport:
    """How well mentions without a concept were recognized.

    ``gold`` mentions have none, ``answered`` mentions got NIL, ``both`` are in both groups. ``precision`` is the share
    of ``answered`` that have none, ``recall`` the share of ``gold`` that got NIL, ``f1`` their harmonic mean; None on
    division by zero.
    """

    gold: int
    answered: int
    both: int
    precision: Interval | None
    recall: Interval | None
    f1: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """The counts and figures as JSON values."""
        figures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {
            **{"gold": self.gold, "answered": self.answered, "both": self.both},
            **{name: None if figure is None else figure.to_dict() for name, figure in figures.items()},
        }


def nil_report(nils: Sequence[tuple[bool, bool]], documents: Sequence[str], options: BootstrapOptions) -> NilReport:
    """The report of decisions: for each mention whether its gold has no concept, and whether its answer was NIL."""
    table = np.asarray(nils, dtype=np.float64).reshape(-1, 2)
    gold, answered = table[:, 0], table[:, 1]
    both = gold * answered
    figures = precision_recall_f1(both, answered, gold, clusters(documents, options), options)
    return NilReport(int(gold.sum()), int(answered.sum()), int(both.sum()), *figures)
