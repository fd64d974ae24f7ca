"""Given pairs scored: candidates that somebody else chose, judged as our own are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.tasks.match.learned import Learned
from ontonym.tasks.match.matching import Questions, searched
from ontonym.tasks.match.mediators import Names
from ontonym.tasks.match.options import Known, MatchOptions
from ontonym.tasks.match.scoring import scores_of
from ontonym.types import Advance


def score_given(
    source: Terminology,
    index: Index,
    given: Mapping[str, Sequence[str]],
    options: MatchOptions,
    *,
    via: Sequence[Terminology] = (),
    weights: Learned | None = None,
    jobs: int = 1,
    progress: Advance = lambda done: None,
) -> dict[str, dict[str, float]]:
    """The scores in [0, 1] of given candidates (target ids) of source concepts (ids), by source and target.

    All concepts of the source are searched for, as for `match`: what the others match says something of each. Sources
    that are not there or retired are left out, candidates that have no name in the index too.
    """
    names = Names(source, via)
    wanted = {
        row: {id_: number for id_ in ids if (number := index.find(id_)) is not None}
        for asked, ids in given.items()
        if (row := source.current(asked)) is not None
    }
    also = {row: tuple(numbers.values()) for row, numbers in wanted.items()}
    questions = Questions.of(names, index, options, Known(), also=also)
    found = searched(index, questions, options, jobs=jobs, progress=progress)
    scores = scores_of(names, index, found, options, weights)
    told: dict[int, dict[int, float]] = {row: {} for row in wanted}
    for place in np.flatnonzero(np.isin(found.sources, list(wanted))).tolist():
        told[int(found.sources[place])][int(found.targets[place])] = float(scores[place])
    return {
        asked: {id_: told[row][number] for id_, number in wanted[row].items() if number in told[row]}
        for asked in given
        if (row := source.current(asked)) is not None
    }
