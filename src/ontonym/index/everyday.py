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
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Hashes, Ints
from ontonym.index.earlier import NO_FORM, EarlierIndex, matched
from ontonym.index.names import forms_of, word_forms
from ontonym.index.part import IndexPart
from ontonym.index.shortened import Shortened
from ontonym.store.columns import load_numbers, save_numbers
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings, boundaries, hash64

SOURCE = "everyday name"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A clinical name that more concepts of one terminology have gives them no everyday name: it says too little."""

_TEXTS, _FORMS = "clinical_text", "clinical_form"
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


class ClinicalForms(NamedTuple):
    """The clinical names of the list, row after row: the row, a hash of the text, and the hashes of the form with and
    without "of", shape ``(names, 2)``.

    An index keeps all but the rows, so that an update reads only names that are new in the list.
    """

    rows: Ints
    texts: Hashes
    forms: Hashes

    @classmethod
    def of(cls, old: Path | None) -> ClinicalForms:
        """Those of the list; what the part of the extra names in ``old`` has is not read again."""
        names = tuple(chain.from_iterable(clinical for clinical, _ in everyday_names()))
        rows = np.repeat(np.arange(len(everyday_names())), [len(clinical) for clinical, _ in everyday_names()])
        texts, forms = Strings.of(names).hashes(), np.empty((len(names), 2), dtype=np.uint64)
        places = np.full(len(names), -1, dtype=np.int64)
        if old is not None and (old / f"{_FORMS}.npy").exists():
            kept: Hashes = load_numbers(old, _FORMS, np.uint64, 2)
            places = matched(load_numbers(old, _TEXTS, np.uint64, count=len(kept)), texts)
            forms[places >= 0] = kept[places[places >= 0]]
        fresh = np.flatnonzero(places < 0).tolist()
        read = chain.from_iterable(_both_forms(tokens(names[place])) for place in fresh)
        forms[fresh] = forms_of(list(read)).reshape(-1, 2)
        return cls(rows, texts, forms)

    def save(self, folder: Path) -> None:
        """Writes them into the folder of the extra names of their index."""
        save_numbers(folder, _TEXTS, self.texts)
        save_numbers(folder, _FORMS, self.forms)


class EverydayTerms(NamedTuple):
    """The everyday names that concepts get, by concept ascending: its number and the text; and what they stand for."""

    concepts: Ints
    texts: Strings
    clinical: ClinicalForms


def everyday_terms(
    ontology: IndexPart, firsts: Sequence[int], shortened: Shortened, earlier: EarlierIndex, old: Path | None
) -> EverydayTerms:
    """The everyday names of the concepts that get some.

    ``firsts`` are the numbers of the first concepts of the terminologies. ``shortened`` are further names of their
    concepts. The words of texts that ``earlier``, the extra names in ``old``, has are not read again.
    """
    clinical = ClinicalForms.of(old)
    hashes = clinical.forms.ravel()
    holders = _holders(*_held(ontology, hashes), ontology)
    further: dict[int, list[int]] = defaultdict(list)
    for place in np.flatnonzero(np.isin(shortened.hashes, hashes)).tolist():
        further[int(shortened.hashes[place])].append(int(shortened.concepts[place]))
    is_known = np.isin(hashes, np.fromiter(chain(holders, further), dtype=np.uint64))
    starts = 2 * np.searchsorted(clinical.rows, np.arange(len(everyday_names()) + 1))
    forms = hashes.tolist()
    texts: list[str] = []
    concepts: list[list[int]] = []
    for row in np.unique(clinical.rows.repeat(2)[is_known]).tolist():
        (names, said), same = everyday_names()[row], clinical_synonyms()[row]
        found = list(_concepts(holders, firsts, forms[starts[row] : starts[row + 1]], further))
        for some, own in (
            (said, [concept for concept, _ in found]),
            (same, [concept for concept, place in found if names[place // 2] in same]),
        ):
            if own:
                texts += some
                concepts += [own] * len(some)
    said_texts = Strings.of(tuple(texts))
    asked = np.repeat(np.arange(len(texts)), [*map(len, concepts)])
    chosen = np.fromiter(chain.from_iterable(concepts), dtype=np.int64, count=len(asked))
    kept = _new_names(ontology, firsts, _said_forms(texts, said_texts.hashes(), earlier), asked, chosen)
    return EverydayTerms(chosen[kept], said_texts.take(asked[kept]), clinical)


def _new_names(ontology: IndexPart, firsts: Sequence[int], said: _SaidForms, asked: Ints, concepts: Ints) -> Ints:
    """Which of these names, each by the number of its text in ``said`` and its concept, the concept gets: each once,
    and none that its terminology has. By concept, then in their order.
    """
    held, rows = _held(ontology, np.concatenate([said.whole, said.bare]))
    kinds, coded = np.unique(np.concatenate([said.whole, said.bare]), return_inverse=True)
    whole, bare = coded[: len(said.whole)][asked], coded[len(said.whole) :][asked]
    sources = len(firsts) + 1
    named = np.searchsorted(kinds, held) * sources + np.searchsorted(firsts, ontology.names.concepts[rows], "right")
    numbers = np.searchsorted(firsts, concepts, "right")
    taken = np.isin(whole * sources + numbers, named) | np.isin(bare * sources + numbers, named)
    (free,) = np.nonzero((said.whole[asked] != NO_FORM) & ~taken)
    size = int(concepts.max(initial=0)) + 1
    _, first = np.unique(whole[free] * size + concepts[free], return_index=True)
    free = np.sort(free[first])
    found: Ints = free[np.argsort(concepts[free], kind="stable")]
    return found


class _Holder(NamedTuple):
    """A concept with a name, which may be its preferred term."""

    concept: int
    is_preferred: bool


def _held(ontology: IndexPart, hashes: Hashes) -> tuple[Hashes, Ints]:
    """The names that have one of the forms, by their hashes: the form and the row of each."""
    forms = ontology.names.forms
    known = np.unique(hashes[forms.first(hashes) >= 0])
    each = [forms.rows_of(form) for form in known]
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *each]).astype(np.int64)
    return known.repeat([*map(len, each)]), rows


def _holders(forms: Hashes, rows: Ints, ontology: IndexPart) -> dict[int, list[_Holder]]:
    """Who has a name of a form, by its hash, of names in ``rows``; without synonyms that are not exact."""
    names = ontology.names
    exact = names.scopes[rows] == 0
    forms, rows = forms[exact], rows[exact]
    found: dict[int, list[_Holder]] = defaultdict(list)
    columns = forms.tolist(), names.concepts[rows].tolist(), (names.kinds[rows] == 0).tolist()
    for form, concept, is_preferred in zip(*columns, strict=True):
        found[form].append(_Holder(concept, is_preferred))
    return found


class _SaidForms(NamedTuple):
    """The forms of texts, as hashes, and those without the articles inside them: *roof of mouth* for "roof of the
    mouth". An article before a name may be part of what it means ("the pill"). `NO_FORM` for a text without words.
    """

    whole: Hashes
    bare: Hashes


def _said_forms(texts: Sequence[str], hashed: Hashes, earlier: EarlierIndex) -> _SaidForms:
    places = earlier.find(hashed)
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
