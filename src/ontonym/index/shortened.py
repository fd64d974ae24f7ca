"""Shorter names that follow from a terminology's own: "burn of hand" from "Burn of unspecified degree of hand,
unspecified site", "insect bite of hip" from "Insect bite (nonvenomous) of hip". Classifications write out what is left
open, and put in brackets what may be said or not: nobody searches for it.

A concept gets the shorter name unless its terminology has it already, or a broader concept gets it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask
from ontonym.index.earlier import NO_FORM, EarlierIndex, ShorterForms
from ontonym.index.extra import EVERYDAY, ExtraTerm
from ontonym.index.handle import first_concepts
from ontonym.index.names import Names, forms_of
from ontonym.index.newnames import NewNames
from ontonym.index.part import IndexPart
from ontonym.store import Terminology
from ontonym.store.columns import StringColumn
from ontonym.text.normalization import tokens
from ontonym.text.strings import spread
from ontonym.text.unspecified import OPEN, without_brackets, without_unspecified

SOURCE = "shortened"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A shorter name that more concepts of one terminology would get says too little."""

_BRACKETS = b"(["


class Shortened(NamedTuple):
    """The shorter names of the concepts that get some, by number; these concepts by the form of the name, as its hash;
    the rows of the names that they come from, by concept, in the same order; and all shorter forms.
    """

    terms: Mapping[int, Sequence[ExtraTerm]]
    concepts: Mapping[int, Sequence[int]]
    rows: Mapping[int, Sequence[int]]
    forms: ShorterForms

    def placed(self, starts: Mapping[int, int]) -> ShorterForms:
        """The forms with the place of each shorter name; ``starts`` are those of the first one of each concept."""
        places = np.full(len(self.forms.rows), -1, dtype=np.int32)
        rows = [row for own in self.rows.values() for row in own]
        numbers = [starts[concept] + place for concept, own in self.rows.items() for place in range(len(own))]
        places[np.searchsorted(self.forms.rows, np.array(rows, dtype=np.int64))] = numbers
        return self.forms._replace(places=places)


def shortened_names(
    ontology: IndexPart, new: NewNames, terminologies: Sequence[Terminology], earlier: EarlierIndex, old: Path | None
) -> Shortened:
    """The shorter names that follow from the names just written into ``ontology``.

    ``old``, the folder of the ``earlier`` index, saves reading the texts that it has.
    """
    names, firsts = ontology.names, first_concepts(terminologies)
    shorter, read = _shorter_forms(names, new, earlier.shorter if old else None)
    wanted = (names.scopes[shorter.rows] == 0) & (shorter.forms != NO_FORM)
    rows, forms = shorter.rows[wanted].astype(np.int64), shorter.forms[wanted]
    numbers = np.searchsorted(firsts, names.concepts[rows], side="right") - 1
    free = ~_are_taken(ontology, firsts, forms, numbers)
    rows, forms, numbers = rows[free], forms[free], numbers[free]
    found: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)  # by terminology and form, a row by concept
    columns = numbers.tolist(), forms.tolist(), names.concepts[rows].tolist(), rows.tolist()
    for number, form, concept, row in zip(*columns, strict=True):
        found[number, form].setdefault(concept, row)
    chosen: list[tuple[int, int, int]] = []
    for (number, form), by_concept in found.items():
        broadest = _broadest(by_concept, terminologies[number], firsts[number])
        chosen += [(concept, by_concept[concept], form) for concept in broadest if len(broadest) <= _MOST_CONCEPTS]
    texts = _texts(sorted({row for _, row, _ in chosen}), new, shorter, read, old)
    terms: dict[int, list[ExtraTerm]] = defaultdict(list)
    concepts: dict[int, list[int]] = defaultdict(list)
    sources: dict[int, list[int]] = defaultdict(list)
    for concept, row, form in chosen:
        terms[concept].append(ExtraTerm(texts[row], SOURCE))
        concepts[form].append(concept)
        sources[concept].append(row)
    return Shortened(terms, concepts, sources, shorter)


def _texts(
    rows: Sequence[int], new: NewNames, shorter: ShorterForms, read: dict[int, str], old: Path | None
) -> dict[int, str]:
    """The shorter names of the names in ``rows``, which ascend, by row: ``read`` now, or for the index before."""
    others = np.array([row for row in rows if row not in read], dtype=np.int64)
    places = shorter.places[np.searchsorted(shorter.rows, others)]
    known = others[places >= 0]
    texts = {row: text[:1].upper() + text[1:] for row, text in read.items()}
    if old is not None and len(known):
        texts.update(
            zip(known.tolist(), StringColumn.open(old / EVERYDAY, "term").take(places[places >= 0]), strict=True)
        )
    left = others[places < 0]  # now the first of its concept, or no longer below another
    return texts | {row: text[:1].upper() + text[1:] for row, text in _read(left, new).items()}


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
        fresh = np.union1d(_open_rows(names, None), new.having(_BRACKETS))
    else:
        at = np.full(int(max(new.earlier_rows.max(), earlier.rows[-1:].max(initial=0))) + 2, -1, dtype=np.int64)
        at[earlier.rows] = np.arange(len(earlier.rows))  # of no earlier row, -1, it is -1
        places = at[new.earlier_rows]
        (rows,) = np.nonzero(places >= 0)
        places = places[rows]
        (unknown,) = np.nonzero(new.earlier_rows < 0)
        has = [any(mark in text for mark in _BRACKETS.decode()) for text in new.texts(unknown)]
        fresh = np.union1d(_open_rows(names, unknown), unknown[np.array(has, dtype=np.bool_)])
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
    found: Ints = np.unique(np.searchsorted(names.word_bounds, places, side="right") - 1)
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


def _broadest(concepts: Sequence[int] | dict[int, int], terminology: Terminology, first: int) -> list[int]:
    """Those of some concepts of a terminology, by number, that are below none of the others."""
    if len(concepts) == 1:
        return list(concepts)
    some = set(concepts)
    above = terminology.hierarchy.ancestors
    return [one for one in concepts if some.isdisjoint((above(one - first).astype(np.int64) + first).tolist())]
