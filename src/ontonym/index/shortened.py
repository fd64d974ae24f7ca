"""Shorter names that follow from a terminology's own: "burn of hand" from "Burn of unspecified degree of hand,
unspecified site", "insect bite of hip" from "Insect bite (nonvenomous) of hip". Classifications write out what is left
open, and put in brackets what may be said or not: nobody searches for it.

A concept gets the shorter name unless its terminology has it already, or a broader concept gets it too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ontonym.index.extra import ExtraTerm, NameForm, form_of
from ontonym.index.handle import first_concepts
from ontonym.index.names import forms_of
from ontonym.index.newnames import NewNames
from ontonym.index.part import IndexPart
from ontonym.store import Terminology
from ontonym.text.normalization import tokens
from ontonym.text.unspecified import OPEN, without_brackets, without_unspecified

SOURCE = "shortened"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A shorter name that more concepts of one terminology would get says too little."""


class Shortened(NamedTuple):
    """The shorter names of the concepts that get some, by number, and these concepts by the form of the name."""

    terms: Mapping[int, Sequence[ExtraTerm]]
    concepts: Mapping[NameForm, Sequence[int]]


def shortened_names(ontology: IndexPart, new: NewNames, terminologies: Sequence[Terminology]) -> Shortened:
    """The shorter names that follow from the names just written into ``ontology``."""
    names = ontology.names
    words = [word for word in names.word_ids(tokens(" ".join(OPEN))) if word is not None]
    places = np.flatnonzero(np.isin(names.words, words))
    rows = np.union1d(np.searchsorted(names.word_bounds, places, side="right") - 1, new.having(b"(["))
    rows = rows[names.scopes[rows] == 0]
    texts = [without_unspecified(without_brackets(text)) for text in new.texts(rows)]
    forms = [form_of(tokens(text)) for text in texts]
    firsts = first_concepts(terminologies)
    found: dict[tuple[int, NameForm], dict[int, str]] = defaultdict(dict)  # by terminology and form, a text by concept
    taken = (names.forms.first(forms_of(forms)) >= 0).tolist()
    for concept, text, form, is_taken in zip(names.concepts[rows].tolist(), texts, forms, taken, strict=True):
        number = bisect_right(firsts, concept) - 1
        if form and not (is_taken and number in _terminologies(ontology, firsts, form)):
            found[number, form].setdefault(concept, text[:1].upper() + text[1:])
    terms: dict[int, list[ExtraTerm]] = defaultdict(list)
    concepts: dict[NameForm, list[int]] = defaultdict(list)
    for (number, form), by_concept in found.items():
        broadest = _broadest(by_concept, terminologies[number], firsts[number])
        for concept in broadest if len(broadest) <= _MOST_CONCEPTS else ():
            terms[concept].append(ExtraTerm(by_concept[concept], SOURCE))
            concepts[form].append(concept)
    return Shortened(terms, concepts)


def _terminologies(ontology: IndexPart, firsts: Sequence[int], words: Sequence[str]) -> set[int]:
    """The numbers of the terminologies that have a name of these words."""
    concepts = ontology.names.concepts[ontology.names.spelled(words)].tolist()
    return {bisect_right(firsts, concept) - 1 for concept in concepts}


def _broadest(concepts: Sequence[int] | dict[int, str], terminology: Terminology, first: int) -> list[int]:
    """Those of some concepts of a terminology, by number, that are below none of the others."""
    if len(concepts) == 1:
        return list(concepts)
    some = set(concepts)
    above = terminology.hierarchy.ancestors
    return [one for one in concepts if some.isdisjoint((above(one - first).astype(np.int64) + first).tolist())]
