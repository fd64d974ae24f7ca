"""The ids of the same concept: of its duplicates, and of its like in the other terminologies of an index."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.interpretation import Interpretation
from ontonym.memo import kept_for_owner
from ontonym.tasks.duplicates import LIKELY, duplicates_of

_MOST_KNOWN = 1 << 14


def equivalents_of(index: Index, choice: Choice) -> tuple[str, ...]:
    """The ids of the same concept: of its duplicates, then of other terminologies."""
    same = tuple(map(index.id, duplicates_of(index, choice)))
    return (*same, *_elsewhere(index, choice)) if len(index.terminologies) > 1 else same


def _elsewhere(index: Index, choice: Choice) -> tuple[str, ...]:
    """The ids of the same concept in other terminologies: by the name searched for, an id, or the preferred term."""
    found = [*choice.namesakes(elsewhere=True), *_found_alike(index, choice), *_beside(index, choice.concept)]
    own = index.id(choice.concept) if found else ""
    return tuple(one for one in dict.fromkeys(map(index.id, found)) if one != own)


@kept_for_owner(_MOST_KNOWN)
def _beside(index: Index, concept: int) -> tuple[int, ...]:
    """The concepts of other terminologies that share an id with a concept, and those with its preferred term."""
    signals, names = index.signals, index.signals.names
    preferred = signals.preferred_name(concept)
    beside = tuple(index.sharing_ids(*index.locate(concept)))
    rows = () if preferred is None else names.namesakes(preferred)
    if len(rows) < 2:  # so it is for nearly all, and every hit asks
        return beside
    alike = names.concepts[rows[names.kinds[rows] == 0]]
    others = alike[signals.terminologies_of(alike) != index.place(concept)]
    return (*beside, *others.tolist())


def _found_alike(index: Index, choice: Choice) -> list[int]:
    """The likely candidates of other terminologies that are found by the same name, equal to the query or not."""
    read = choice.read
    if read.scan.signal != "fused" or read.confidences[choice.place] < LIKELY or choice.is_spelled:
        return []
    forms = _forms_of_likely(index, read)
    own, form = read.terminologies[choice.place], forms[choice.place]
    alike = [place for place, one in forms.items() if one == form and read.terminologies[place] != own]
    concepts: list[int] = read.evidence.concepts[alike].tolist()
    return concepts


@kept_for_owner(16)  # the hits of a few queries are made one after another
def _forms_of_likely(index: Index, read: Interpretation) -> Mapping[int, str]:
    """The places of the likely candidates of a query, each with the form by which it is found."""
    (likely,) = np.nonzero(read.confidences >= LIKELY)
    return {place: form_found(index, Choice.of(read, place)) for place in likely.tolist()}


def form_found(index: Index, choice: Choice) -> str:
    """The normalized form of the name by which a concept is found."""
    return " ".join(sorted(index.signals.words_of(int(choice.read.evidence.best[choice.place]))))
