"""Groups that a reranker of pages learns from: a concept, its page, and the other pages that the first stage brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.errors import InputError
from ontonym.index.pages import Pages
from ontonym.learning.rerankers.groups import Group
from ontonym.store import Terminology
from ontonym.tasks.align import AlignOptions, bring, weigh
from ontonym.tasks.weighing import Weighing
from ontonym.types import Advance


@dataclass(frozen=True, slots=True)
class PageGroups:
    """Groups, and how many of the concepts asked for had their page not brought, or no name in the languages."""

    groups: Sequence[Group]
    missed: int
    nameless: int


def page_groups(
    source: Terminology,
    pages: Pages,
    gold: Sequence[tuple[int, int]],
    weighing: Weighing,
    options: AlignOptions,
    depth: int,
    *,
    training: bool,
    progress: Advance = lambda done: None,
) -> PageGroups:
    """A group for each concept row and the number of its page: names against the names of the ``depth`` likeliest.

    In training the right page takes the last place where it is not among these; else the group then has none (-1).
    ``progress`` counts concepts. Raises InputError where no concept has a name in the languages.
    """
    groups: list[Group] = []
    missed = nameless = 0
    for row, right in gold:
        progress(1)
        brought = bring(source, pages, row, options)
        if brought is None or not len(brought.places):
            nameless += brought is None
            missed += brought is not None
            continue
        sure = weigh(pages, brought, weighing)
        assert sure is not None  # noqa: S101
        (held,) = np.nonzero(brought.pages == right)
        missed += not len(held)
        order = np.argsort(-sure, kind="stable")[:depth].tolist()
        place = int(held[0]) if len(held) else -1
        if training and place >= 0 and place not in order:
            order[-1] = place
        groups.append(
            Group(
                query=brought.names,
                candidates=tuple(brought.known_as[one] for one in order),
                positive=order.index(place) if place in order else -1,
                confidences=tuple(sure[order].tolist()),
            )
        )
    if not groups:
        asked = ", ".join(options.languages) or "all"
        raise InputError(f"{source.name}: no aligned concept has a name in the languages {asked}, and candidates")
    return PageGroups(groups, missed, nameless)
