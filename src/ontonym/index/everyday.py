"""Everyday English names for concepts: "passed out" for syncope, "water on the knee" for an effusion of the knee.

They come with the package (``text/everyday.tsv``) and join the names of each concept that has one of the clinical names
they stand for, unless a concept of that terminology has the everyday name already. So do the other clinical names of
the row: where a terminology has influenza and no flu, that is one more name of it. "Ankle sprain" also stands for the
"Sprain of ankle" of a classification.
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
from ontonym.index.extra import ExtraTerm, NameForm, form_of
from ontonym.index.names import forms_of
from ontonym.index.part import IndexPart
from ontonym.text.normalization import tokens

SOURCE = "everyday name"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A clinical name that more concepts of one terminology have gives them no everyday name: it says too little."""

_OF = "of"
_ARTICLES = frozenset({"a", "an", "my", "the"})
_NEAR = "~"  # before a clinical name that open terminologies hold apart (benchmarks/lexicon/everyday.py)


@cache
def everyday_names() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The clinical names, the best known first, and the everyday names of every row of the list."""
    rows = (line.replace(_NEAR, "").split("\t") for line in _lines())
    return tuple((tuple(clinical.split("|")), tuple(said.split("|"))) for clinical, said in rows)


@cache
def clinical_synonyms() -> tuple[tuple[str, ...], ...]:
    """The clinical names of every row that mean the same, without those that are only near to them."""
    names = (line.partition("\t")[0].split("|") for line in _lines())
    return tuple(tuple(name for name in clinical if not name.startswith(_NEAR)) for clinical in names)


def _lines() -> list[str]:
    return files("ontonym.text").joinpath("everyday.tsv").read_text(encoding="utf-8").splitlines()


def everyday_terms(
    ontology: IndexPart, firsts: Sequence[int], further: Mapping[NameForm, Sequence[int]]
) -> dict[int, list[ExtraTerm]]:
    """The everyday names of the concepts that get some, by number.

    ``firsts`` are the numbers of the first concepts of the terminologies. ``further`` are the concepts with a name by
    its form, beside those of ``ontology``.
    """
    rows, names, hashes = _clinical_forms()
    is_known = ontology.names.forms.first(hashes) >= 0
    is_known |= np.fromiter((name in further for name in names), dtype=np.bool_, count=len(names))
    starts = np.searchsorted(rows, np.arange(len(everyday_names()) + 1)).tolist()
    asked: list[tuple[list[int], str, list[str]]] = []
    for row in np.unique(rows[is_known]).tolist():
        (clinical, said), same = everyday_names()[row], clinical_synonyms()[row]
        found = list(_concepts(ontology, firsts, names[starts[row] : starts[row + 1]], further))
        for texts, concepts in (
            (said, [concept for concept, _ in found]),
            (same, [concept for concept, place in found if clinical[place // 2] in same]),
        ):
            asked += [(concepts, text, tokens(text)) for text in texts if concepts]
    taken = _owners(ontology, [words for _, _, words in asked])
    held: dict[int, dict[NameForm, str]] = defaultdict(dict)
    for (concepts, text, words), owners in zip(asked, taken, strict=True):
        form, named = form_of(words), {bisect_right(firsts, concept) for concept in owners}
        for concept in concepts:
            if form and bisect_right(firsts, concept) not in named:
                held[concept].setdefault(form, text)
    return {concept: [ExtraTerm(text, SOURCE, kind="lay") for text in said.values()] for concept, said in held.items()}


def _owners(ontology: IndexPart, texts: Sequence[Sequence[str]]) -> list[set[int]]:
    """The concepts that have each of some names already, with or without articles inside it: *roof of mouth* for "roof
    of the mouth". An article before it may be part of what it means ("the pill")."""
    forms = [form_of(words) for words in texts]
    bare = [form_of([*words[:1], *(word for word in words[1:] if word not in _ARTICLES)]) for words in texts]
    found: list[set[int]] = [set() for _ in texts]
    for some in (forms, bare):
        taken = ontology.names.forms.first(forms_of(some)) >= 0
        for owners, form, is_taken in zip(found, some, taken.tolist(), strict=True):
            if is_taken:
                owners.update(ontology.names.concepts[ontology.names.spelled(form)].tolist())
    return found


@cache
def _clinical_forms() -> tuple[Ints, Sequence[NameForm], Hashes]:
    """Every clinical name of the list, with and without "of": its row, ascending, its form, and the hash of that."""
    names = [[form for name in clinical for form in _both_forms(tokens(name))] for clinical, _ in everyday_names()]
    every = list(chain.from_iterable(names))
    return np.repeat(np.arange(len(names)), [*map(len, names)]), every, forms_of(every)


def _both_forms(words: Sequence[str]) -> tuple[NameForm, NameForm]:
    """The form of a name, and that of "sprain of ankle" for "ankle sprain", or the other way round."""
    others = [word for word in words if word != _OF]
    return form_of(words), form_of(others if len(others) < len(words) else [*words, _OF])


def _concepts(
    ontology: IndexPart, firsts: Sequence[int], clinical: Sequence[NameForm], further: Mapping[NameForm, Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """The concepts of each terminology that have the first of the clinical names that any of its concepts has.

    ``clinical`` are both forms of each name; each concept comes with the place of that form.
    """
    for number in range(1, len(firsts) + 1):
        for place, form in enumerate(clinical):
            rows = ontology.names.spelled(form)
            rows = rows[ontology.names.scopes[rows] == 0]
            own = [row for row in rows.tolist() if bisect_right(firsts, int(ontology.names.concepts[row])) == number]
            found = [one for one in further.get(form, ()) if bisect_right(firsts, one) == number]
            if own:
                preferred = [row for row in own if ontology.names.kinds[row] == 0]
                found = list(dict.fromkeys(int(ontology.names.concepts[row]) for row in preferred or own))
            if found:
                if len(found) <= _MOST_CONCEPTS:
                    yield from ((concept, place) for concept in found)
                break
