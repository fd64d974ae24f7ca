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
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Hashes, Ints
from ontonym.index.earlier import NO_FORM, EarlierIndex
from ontonym.index.extra import ExtraTerm
from ontonym.index.names import forms_of, word_forms
from ontonym.index.part import IndexPart
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings, boundaries, hash64

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
    ontology: IndexPart, firsts: Sequence[int], further: Mapping[int, Sequence[int]], earlier: EarlierIndex
) -> dict[int, list[ExtraTerm]]:
    """The everyday names of the concepts that get some, by number.

    ``firsts`` are the numbers of the first concepts of the terminologies. ``further`` are the concepts with a name by
    its form, as its hash, beside those of ``ontology``. The words of texts that ``earlier`` extra names have are not
    read again.
    """
    rows, hashes = _clinical_forms()
    holders = _holders(ontology, hashes, exact=True)
    is_known = np.isin(hashes, np.fromiter(chain(holders, further), dtype=np.uint64))
    starts = np.searchsorted(rows, np.arange(len(everyday_names()) + 1)).tolist()
    forms = hashes.tolist()
    asked: list[tuple[list[int], str]] = []
    for row in np.unique(rows[is_known]).tolist():
        (clinical, said), same = everyday_names()[row], clinical_synonyms()[row]
        found = list(_concepts(holders, firsts, forms[starts[row] : starts[row + 1]], further))
        for texts, concepts in (
            (said, [concept for concept, _ in found]),
            (same, [concept for concept, place in found if clinical[place // 2] in same]),
        ):
            asked += [(concepts, text) for text in texts if concepts]
    read = _said_forms([text for _, text in asked], earlier)
    holders = _holders(ontology, np.concatenate([read.whole, read.bare]), exact=False)
    named = {form: {bisect_right(firsts, one.concept) for one in own} for form, own in holders.items()}
    held: dict[int, dict[int, str]] = defaultdict(dict)
    for (concepts, text), form, bare in zip(asked, read.whole.tolist(), read.bare.tolist(), strict=True):
        taken = named.get(form, set()) | named.get(bare, set())
        for concept in concepts if form else ():
            if bisect_right(firsts, concept) not in taken:
                held[concept].setdefault(form, text)
    return {concept: [ExtraTerm(text, SOURCE, kind="lay") for text in said.values()] for concept, said in held.items()}


class _Holder(NamedTuple):
    """A concept with a name, which may be its preferred term."""

    concept: int
    is_preferred: bool


def _holders(ontology: IndexPart, hashes: Hashes, *, exact: bool) -> dict[int, list[_Holder]]:
    """Who has a name of a form, by its hash, for the forms that names have; without synonyms that are not ``exact``."""
    names = ontology.names
    known = np.unique(hashes[names.forms.first(hashes) >= 0])
    each = [names.forms.rows_of(form) for form in known]
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *each]).astype(np.int64)
    owners = known.repeat([*map(len, each)])
    if exact:
        kept = names.scopes[rows] == 0
        rows, owners = rows[kept], owners[kept]
    found: dict[int, list[_Holder]] = defaultdict(list)
    columns = owners.tolist(), names.concepts[rows].tolist(), (names.kinds[rows] == 0).tolist()
    for form, concept, is_preferred in zip(*columns, strict=True):
        found[form].append(_Holder(concept, is_preferred))
    return found


class _SaidForms(NamedTuple):
    """The forms of texts, as hashes, and those without the articles inside them: *roof of mouth* for "roof of the
    mouth". An article before a name may be part of what it means ("the pill"). `NO_FORM` for a text without words.
    """

    whole: Hashes
    bare: Hashes


def _said_forms(texts: Sequence[str], earlier: EarlierIndex) -> _SaidForms:
    places = earlier.find(Strings.of(tuple(texts)).hashes())
    known = places >= 0
    lengths = np.zeros(len(texts), dtype=np.int64)
    words, lengths[known] = earlier.words(places[known])
    read = [tokens(texts[place]) for place in np.flatnonzero(~known).tolist()]
    lengths[~known] = [*map(len, read)]
    owners = np.arange(len(texts)).repeat(lengths)
    hashes = np.empty(len(owners), dtype=np.uint64)
    is_known = known[owners]
    hashes[is_known] = earlier.word_hashes[words]
    hashes[~is_known] = [hash64(word) for words_read in read for word in words_read]
    inside = np.arange(len(owners)) > boundaries(lengths)[owners]
    articles = inside & np.isin(hashes, np.array([hash64(word) for word in _ARTICLES], dtype=np.uint64))
    whole, bare = (
        word_forms(
            hashes[kept],
            np.arange(np.count_nonzero(kept), dtype=np.uint32),
            boundaries(np.bincount(owners[kept], minlength=len(texts))),
        )
        for kept in (np.ones(len(owners), dtype=np.bool_), ~articles)
    )
    return _SaidForms(*(np.where(lengths > 0, some, NO_FORM) for some in (whole, bare)))


@cache
def _clinical_forms() -> tuple[Ints, Hashes]:
    """Every clinical name of the list, with and without "of": its row, ascending, and the hash of its form."""
    names = [[form for name in clinical for form in _both_forms(tokens(name))] for clinical, _ in everyday_names()]
    return np.repeat(np.arange(len(names)), [*map(len, names)]), forms_of(list(chain.from_iterable(names)))


def _both_forms(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of a name, and those of "sprain of ankle" for "ankle sprain", or the other way round."""
    others = [word for word in words if word != _OF]
    return words, others if len(others) < len(words) else [*words, _OF]


def _concepts(
    holders: Mapping[int, Sequence[_Holder]],
    firsts: Sequence[int],
    clinical: Sequence[int],
    further: Mapping[int, Sequence[int]],
) -> Iterator[tuple[int, int]]:
    """The concepts of each terminology that have the first of the clinical names that any of its concepts has.

    ``clinical`` are both forms of each name; each concept comes with the place of that form.
    """
    known = [(place, form) for place, form in enumerate(clinical) if form in holders or form in further]
    for number in range(1, len(firsts) + 1):
        for place, form in known:
            own = [one for one in holders.get(form, ()) if bisect_right(firsts, one.concept) == number]
            found = [one for one in further.get(form, ()) if bisect_right(firsts, one) == number]
            if own:
                preferred = [one for one in own if one.is_preferred]
                found = list(dict.fromkeys(one.concept for one in preferred or own))
            if found:
                if len(found) <= _MOST_CONCEPTS:
                    yield from ((concept, place) for concept in found)
                break
