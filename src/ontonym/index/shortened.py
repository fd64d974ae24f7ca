"""Shorter names that follow from a terminology's own: "burn of hand" from "Burn of unspecified degree of hand,
unspecified site", "insect bite of hip" from "Insect bite (nonvenomous) of hip". Classifications write out what is left
open, and put in brackets what may be said or not: nobody searches for it.

A concept gets the shorter name unless its terminology has it already, or a broader concept gets it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask, distinct
from ontonym.index.earlier import NO_FORM, EarlierIndex, ShorterForms
from ontonym.index.extra import EVERYDAY
from ontonym.index.handle import first_concepts
from ontonym.index.names import Names, forms_of
from ontonym.index.newnames import NewNames
from ontonym.index.part import IndexPart
from ontonym.ragged import spread
from ontonym.store import Terminology
from ontonym.store.columns import StringColumn
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings
from ontonym.text.unspecified import OPEN, without_brackets, without_unspecified

SOURCE = "shortened"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A shorter name that more concepts of one terminology would get says too little."""

_BRACKETS = b"(["


class Shortened(NamedTuple):
    """The shorter names that concepts get, in columns, by concept ascending: the concept's number, the text, its form
    as a hash, and the row of the name that it comes from; and the shorter forms of all names.
    """

    concepts: Ints
    texts: Strings
    hashes: Hashes
    rows: Ints
    forms: ShorterForms

    def placed(self, places: Ints) -> ShorterForms:
        """All forms, with the place of each shorter name among the extra terms."""
        found = np.full(len(self.forms.rows), -1, dtype=np.int32)
        found[np.searchsorted(self.forms.rows, self.rows)] = places
        return self.forms._replace(places=found)


def shortened_names(
    ontology: IndexPart, new: NewNames, terminologies: Sequence[Terminology], earlier: EarlierIndex
) -> Shortened:
    """The shorter names that follow from the names just written into ``ontology``.

    The texts that the ``earlier`` index has are not read again.
    """
    names, firsts = ontology.names, first_concepts(terminologies)
    shorter, read = _shorter_forms(names, new, earlier.shorter)
    wanted = (names.scopes[shorter.rows] == 0) & (shorter.forms != NO_FORM)
    rows, forms = shorter.rows[wanted].astype(np.int64), shorter.forms[wanted]
    numbers = np.searchsorted(firsts, names.concepts[rows], side="right") - 1
    free = ~_are_taken(ontology, firsts, forms, numbers)
    rows, forms, numbers = rows[free], forms[free], numbers[free]
    concepts = names.concepts[rows].astype(np.int64)
    chosen = _chosen(concepts, forms, numbers, terminologies, firsts)
    rows = rows[chosen]
    return Shortened(concepts[chosen], _texts(rows, new, shorter, read, earlier.folder), forms[chosen], rows, shorter)


def _chosen(
    concepts: Ints, forms: Hashes, numbers: Ints, terminologies: Sequence[Terminology], firsts: Sequence[int]
) -> Ints:
    """Which of these shorter names, each of a terminology by number, stay: by concept, then in their order.

    Names of one terminology and form go together: of each concept the first, and of all these the broadest concepts.
    """
    size = int(concepts.max(initial=0)) + 1
    _, kinds = np.unique(forms, return_inverse=True)
    pairs, chosen = np.unique((kinds * len(firsts) + numbers) * size + concepts, return_index=True)
    _, starts, group, sizes = np.unique(pairs // size, return_index=True, return_inverse=True, return_counts=True)
    kept = np.ones(len(pairs), dtype=np.bool_)
    own, number = concepts[chosen], numbers[chosen]
    for place in distinct(number[sizes[group] > 1]).tolist():
        (here,) = np.nonzero((sizes[group] > 1) & (number == place))
        hierarchy = terminologies[place].hierarchy
        kept[here] = ~hierarchy.are_below_others(own[here] - firsts[place], group[here])
    kept &= np.bincount(group, kept)[group] <= _MOST_CONCEPTS
    order = np.lexsort((chosen[starts][group[kept]], own[kept]))
    found: Ints = chosen[kept][order]
    return found


def _texts(rows: Ints, new: NewNames, shorter: ShorterForms, read: dict[int, str], old: Path | None) -> Strings:
    """The shorter names of the names in ``rows``: those of ``old``, and those that are ``read`` now."""
    places = shorter.places[np.searchsorted(shorter.rows, rows)]
    known = places >= 0
    others = rows[~known].tolist()
    missing = sorted(set(others) - read.keys())  # now the first of its concept, or no longer below another
    read = read | _read(np.array(missing, dtype=np.int64), new)
    parts = [Strings.of(tuple(read[row][:1].upper() + read[row][1:] for row in others))]
    if old is not None and known.any():
        parts.append(StringColumn.open(old / EVERYDAY, "term").strings().take(places[known]))
    order = np.empty(len(rows), dtype=np.int64)
    order[np.concatenate([np.flatnonzero(~known), np.flatnonzero(known)])] = np.arange(len(rows))
    return Strings.joined(parts).take(order)


def _read(rows: Ints, new: NewNames) -> dict[int, str]:
    """What is left of the texts of the names in ``rows``, which ascend, by row."""
    return dict(
        zip(rows.tolist(), (without_unspecified(without_brackets(text)) for text in new.texts(rows)), strict=True)
    )


def _shorter_forms(names: Names, new: NewNames, earlier: ShorterForms | None) -> tuple[ShorterForms, dict[int, str]]:
    """The shorter forms of all names, with the places that the shorter names have in the index before; and what is left
    of the texts that had to be read, by row.
    """
    if earlier is None:
        rows, places = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        fresh = distinct(np.concatenate([_open_rows(names, None), new.having(_BRACKETS)]))
    else:
        at = np.full(int(max(new.earlier_rows.max(), earlier.rows[-1:].max(initial=0))) + 2, -1, dtype=np.int64)
        at[earlier.rows] = np.arange(len(earlier.rows))  # of no earlier row, -1, it is -1
        places = at[new.earlier_rows]
        (rows,) = np.nonzero(places >= 0)
        places = places[rows]
        (unknown,) = np.nonzero(new.earlier_rows < 0)
        has = [any(mark in text for mark in _BRACKETS.decode()) for text in new.texts(unknown)]
        fresh = distinct(np.concatenate([_open_rows(names, unknown), unknown[np.array(has, dtype=np.bool_)]]))
    read = _read(fresh, new)
    left = [tokens(text) for text in read.values()]
    forms = np.where([bool(words) for words in left], forms_of(left), NO_FORM)
    terms = np.full(len(fresh), -1, dtype=np.int32)
    if earlier is None:
        return ShorterForms(fresh.astype(np.uint32), forms, terms), read
    every = np.concatenate([rows, fresh])
    order = np.argsort(every)
    forms = np.concatenate([earlier.forms[places], forms])[order]
    terms = np.concatenate([earlier.places[places], terms])[order]
    return ShorterForms(every[order].astype(np.uint32), forms, terms), read


def _open_rows(names: Names, among: Ints | None) -> Ints:
    """The rows of the names with a word of `OPEN`, ascending; ``among`` some, which ascend, or all."""
    words = [word for word in names.word_ids(tokens(" ".join(OPEN))) if word is not None]
    if among is None:
        (places,) = np.nonzero(np.isin(names.words, words))
    else:
        starts = names.word_bounds[among]
        places = spread(starts, names.word_bounds[among + 1] - starts)
        places = places[np.isin(names.words[places], words)]
    found: Ints = distinct(np.searchsorted(names.word_bounds, places, side="right") - 1)
    return found


def _are_taken(ontology: IndexPart, firsts: Sequence[int], forms: Hashes, numbers: Ints) -> Mask:
    """Whether the terminology of each number has a name of the form."""
    names, found = ontology.names, ontology.names.forms.first(forms)
    taken: Mask = found >= 0
    if len(firsts) == 1:
        return taken
    owners = np.searchsorted(firsts, names.concepts[found], side="right") - 1
    for place in np.flatnonzero(taken & (owners != numbers)).tolist():
        concepts = names.concepts[names.forms.rows_of(forms[place])]
        taken[place] = numbers[place] in np.searchsorted(firsts, concepts, side="right") - 1
    return taken
