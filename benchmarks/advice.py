"""Which trained encoder a user should take, told from the figures of a table: a fast one of those that are level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.arrays import Ints
from ontonym.evaluate import BootstrapOptions, Interval, PairedDifference
from ontonym.evaluate.measures import per_mention
from ontonym.evaluate.significance import clusters, paired_difference

_SHOWN = 4
"""Level encoders that are named."""


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What one encoder reached on one task: accuracy@1, rank and document of each mention.

    ``pace`` is how many texts a second of processor time its training encoded, 0 where it was not trained.
    """

    accuracy: Interval
    ranks: Ints
    documents: tuple[str, ...]
    protocol: str
    pace: float

    @classmethod
    def of(cls, shape: Mapping[str, Any], pace: float) -> Figures:
        """From its JSON values."""
        ranks = np.asarray(shape["ranks"], dtype=np.int64)
        return cls(Interval(**shape["accuracy@1"]), ranks, tuple(shape["documents"]), shape["protocol"], pace)

    def less(self, other: Figures) -> PairedDifference:
        """By how much this is more accurate than the other, mention by mention."""
        options = BootstrapOptions()
        right = [per_mention("accuracy@1", one.ranks) for one in (other, self)]
        return paired_difference(right[0], right[1], clusters(self.documents, options), options)


def advise(data: str, rows: Mapping[str, Mapping[str, Figures]], tasks: Sequence[str]) -> str:
    """A line that names one of the rows and says why; empty where fewer than two rows have a figure for every task.

    The best has the highest mean of accuracies over the tasks. Level with it are those that no task shows to be worse
    (the paired 95% interval of the difference reaches 0). Of these the most accurate one is to be taken that
    trains at least half as fast as the fastest.
    """
    whole = {name: figures for name, figures in rows.items() if all(task in figures for task in tasks)}
    trained = {name: figures for name, figures in whole.items() if all(figures[task].pace for task in tasks)}
    if len(trained) < 2:
        return ""
    means = {name: float(np.mean([figures[task].accuracy.value for task in tasks])) for name, figures in whole.items()}
    paces = {name: float(np.mean([figures[task].pace for task in tasks])) for name, figures in whole.items()}
    best = max(trained, key=means.__getitem__)
    level = [
        name
        for name, figures in trained.items()
        if all(whole[best][task].less(figures[task]).difference.low <= 0 for task in tasks)
    ]
    fastest = max(paces[name] for name in level)
    taken = max((name for name in level if 2 * paces[name] >= fastest), key=means.__getitem__)
    others = sorted((name for name in level if name != taken), key=means.__getitem__, reverse=True)
    told = f"{data}, {', '.join(tasks)}: take {taken} (mean accuracy@1 {means[taken]:.3f}"
    told += f", {paces[taken]:,.0f} texts a processor second). "
    if taken == best:
        told += "It is the most accurate"
    else:
        told += f"{best} is the most accurate ({means[best]:.3f}), but these mentions do not tell the two apart"
    told += f"; level with the best: {_listed(others, means)}" if others else ", and none is level"
    behind = sorted((name for name in trained if name not in level), key=means.__getitem__, reverse=True)
    if behind:
        told += f"; shown to be worse: {_listed(behind, means)}"
    for name in whole.keys() - trained.keys():
        told += f". Beside it {name}: {means[name]:.3f}"
    return told


def _listed(names: Sequence[str], means: Mapping[str, float]) -> str:
    told = ", ".join(f"{name} {means[name]:.3f}" for name in names[:_SHOWN])
    return f"{told} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else told
