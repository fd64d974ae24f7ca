"""Everyday English names for concepts: "passed out" for syncope, "water on the knee" for an effusion of the knee.

They come with the package (``text/everyday.tsv``) and join the names of each concept that has one of the clinical names
they stand for, unless a concept of that terminology has the everyday name already.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain

import numpy as np

from ontonym.arrays import Hashes, Ints
from ontonym.index.extra import ExtraTerm
from ontonym.index.names import forms_of
from ontonym.index.part import IndexPart
from ontonym.text.normalization import tokens

SOURCE = "everyday name"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3


@cache
def everyday_names() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The clinical names, the best known first, and the everyday names of every row of the list."""
    text = files("ontonym.text").joinpath("everyday.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return tuple((tuple(clinical.split("|")), tuple(said.split("|"))) for clinical, said in rows)


def everyday_terms(
    ontology: IndexPart, firsts: Sequence[int], shortened: Mapping[int, Sequence[ExtraTerm]]
) -> dict[int, list[ExtraTerm]]:
    """The everyday names of the concepts that get some, by number.

    ``firsts`` are the numbers of the first concepts of the terminologies. ``shortened`` are further names of concepts.
    """
    held: dict[int, dict[tuple[str, ...], str]] = defaultdict(dict)
    further: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for concept, terms in shortened.items():
        for term in terms:
            further[_form(tokens(term.text))].append(concept)
    rows, names, forms = _clinical_forms()
    is_known = ontology.names.forms.first(forms) >= 0
    is_known |= np.fromiter((name in further for name in names), dtype=np.bool_, count=len(names))
    for clinical, said in map(everyday_names().__getitem__, np.unique(rows[is_known]).tolist()):
        concepts = list(_concepts(ontology, firsts, clinical, further))
        for text in said if concepts else ():
            words = tokens(text)
            named = {bisect_right(firsts, concept) for concept in _named(ontology, words)}
            for concept in concepts:
                if words and bisect_right(firsts, concept) not in named:
                    held[concept].setdefault(_form(words), text)
    return {
        concept: [ExtraTerm(text, SOURCE, kind="lay") for text in texts.values()] for concept, texts in held.items()
    }


def _form(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(words))


@cache
def _clinical_forms() -> tuple[Ints, Sequence[tuple[str, ...]], Hashes]:
    """Every clinical name of the list: the row that it is of, its words, and their form."""
    names = [[_form(tokens(name)) for name in clinical] for clinical, _ in everyday_names()]
    every = list(chain.from_iterable(names))
    return np.repeat(np.arange(len(names)), [*map(len, names)]), every, forms_of(every)


def _concepts(
    ontology: IndexPart, firsts: Sequence[int], clinical: Sequence[str], further: Mapping[tuple[str, ...], list[int]]
) -> Iterator[int]:
    """The concepts of each terminology that have the first of the clinical names that any of its concepts has.

    ``further`` are the concepts with a name by its words, beside those of ``ontology``.
    """
    for number in range(1, len(firsts) + 1):
        for name in clinical:
            words = tokens(name)
            rows = ontology.names.spelled(words)
            rows = rows[ontology.names.scopes[rows] == 0]
            own = [row for row in rows.tolist() if bisect_right(firsts, int(ontology.names.concepts[row])) == number]
            found = [one for one in further.get(_form(words), ()) if bisect_right(firsts, one) == number]
            if own:
                preferred = [row for row in own if ontology.names.kinds[row] == 0]
                found = list(dict.fromkeys(int(ontology.names.concepts[row]) for row in preferred or own))
            if found:
                if len(found) <= _MOST_CONCEPTS:
                    yield from found
                break


def _named(ontology: IndexPart, words: Sequence[str]) -> list[int]:
    concepts: list[int] = ontology.names.concepts[ontology.names.spelled(words)].tolist()
    return concepts
