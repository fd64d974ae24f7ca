"""Everyday English names for concepts: "passed out" for syncope, "water on the knee" for an effusion of the knee.

They come with the package (``text/everyday.tsv``) and join the names of each concept that has one of the clinical names
they stand for, unless a concept of that terminology has the everyday name already. So do the other clinical names of
the row: where a terminology has influenza and no flu, that is one more name of it. "Ankle sprain" also stands for the
"Sprain of ankle" of a classification.

A row also has names that are only near, for terminologies that have none of the others: pitting edema is found as edema
there. Such a concept gets what people say, and the clinical names that no other has, with the scope *related*: they are
not its own. What people say has that scope too where another concept of the index has it as its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask, distinct
from ontonym.index.earlier import matched
from ontonym.index.names import forms_of
from ontonym.index.part import IndexPart
from ontonym.index.shortened import Shortened
from ontonym.ragged import boundaries, spread
from ontonym.store.columns import load_numbers, save_numbers
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings
from ontonym.types import Hit, Term

SOURCE = "everyday name"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3
"""A clinical name that more concepts of one terminology have gives them no everyday name: it says too little."""

_CLINICAL, _SAID = "clinical", "said"
_OF = "of"
_ARTICLES = frozenset({"a", "an", "my", "the"})
_Forms = tuple[list[str], list[str]]
_NEAR = "~"  # before a clinical name that open terminologies hold apart (benchmarks/lexicon/everyday.py)


@cache
def everyday_names() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The clinical names that mean the same, the best known first, and the everyday names of every row of the list."""
    rows = ([column.split("|") for column in line.split("\t")] for line in _list().decode().splitlines())
    return tuple(
        (tuple(name for name in clinical if not name.startswith(_NEAR)), tuple(said)) for clinical, said in rows
    )


def _list() -> bytes:
    return files("ontonym.text").joinpath("everyday.tsv").read_bytes().replace(b"\r\n", b"\n")


def is_near_name(name: Term | Hit) -> bool:
    """Whether a name, or that of a hit, was given to a concept that is only near to it."""
    return name.source == SOURCE and name.scope != "exact"


class ListedNames(NamedTuple):
    """The names of the list in its order, in columns: the text, the row, whether it is a clinical name, and whether it
    is only near to the other clinical names of its row.
    """

    texts: Strings
    rows: Ints
    is_clinical: Mask
    is_near: Mask

    @classmethod
    @cache
    def read(cls) -> ListedNames:
        """Those of the list that comes with the package."""
        data = np.frombuffer(_list(), dtype=np.uint8)
        line, tab, bar, near = (data == ord(mark) for mark in ("\n", "\t", "|", _NEAR))
        (ends,) = np.nonzero(line | tab | bar)
        starts = np.append(0, ends[:-1] + 1)
        rows, columns = (mark[ends].cumsum() - mark[ends] for mark in (line, tab))
        text = ~(line | tab | bar | near)
        texts = Strings(data[text], np.append(0, text.cumsum()[ends]))
        return cls(texts, rows, columns == rows, near[starts])


class TextForms(NamedTuple):
    """Texts of the list as hashes, and two forms of each, as hashes too, shape ``(texts, 2)``.

    An index keeps those that it asked for, so that an update reads only texts that it did not.
    """

    texts: Hashes
    forms: Hashes

    @classmethod
    def of(cls, texts: Strings, both: Callable[[list[str]], _Forms], name: str, old: Path | None) -> TextForms:
        """The forms that ``both`` gives of the words of each text; what the folder ``old`` has of this ``name`` is not
        read again.
        """
        hashes, forms = texts.hashes(), np.empty((len(texts), 2), dtype=np.uint64)
        places = np.full(len(texts), -1, dtype=np.int64)
        if old is not None and (old / f"{name}_form.npy").exists():
            kept: Hashes = load_numbers(old, f"{name}_form", np.uint64, 2)
            places = matched(load_numbers(old, f"{name}_text", np.uint64, count=len(kept)), hashes)
            forms[places >= 0] = kept[places[places >= 0]]
        fresh = np.flatnonzero(places < 0).tolist()
        read = chain.from_iterable(both(tokens(texts[place])) for place in fresh)
        forms[fresh] = forms_of(list(read)).reshape(-1, 2)
        return cls(hashes, forms)

    def save(self, folder: Path, name: str) -> None:
        """Writes them into a folder under a name."""
        save_numbers(folder, f"{name}_text", self.texts)
        save_numbers(folder, f"{name}_form", self.forms)


def _with_and_without_of(words: list[str]) -> _Forms:
    """The words of a name, and those of "sprain of ankle" for "ankle sprain", or the other way round."""
    others = [word for word in words if word != _OF]
    return words, others if len(others) < len(words) else [*words, _OF]


def _with_and_without_articles(words: list[str]) -> _Forms:
    """The words of a name, and those without the articles inside it: *roof of mouth* for "roof of the mouth". An
    article before a name may be part of what it means ("the pill"), and at its end it is none ("hepatitis A").
    """
    return words, [*words[:1], *(word for word in words[1:-1] if word not in _ARTICLES), *words[1:][-1:]]


class EverydayTerms(NamedTuple):
    """The everyday names that concepts get, by concept ascending: its number, the text, and whether it is a clinical
    name that the concept is only near to; and what was read of the list: the clinical names, and the everyday names of
    those that a concept has.
    """

    concepts: Ints
    texts: Strings
    is_near: Mask
    clinical: TextForms
    said: TextForms

    def save_forms(self, folder: Path) -> None:
        """Writes what was read into the folder of the extra names of their index."""
        self.clinical.save(folder, _CLINICAL)
        self.said.save(folder, _SAID)


def everyday_terms(ontology: IndexPart, firsts: Sequence[int], shortened: Shortened, old: Path | None) -> EverydayTerms:
    """The everyday names of the concepts that get some.

    ``firsts`` are the numbers of the first concepts of the terminologies. ``shortened`` are further names of their
    concepts. What ``old``, the folder of the extra names of an earlier index, has is not read again.
    """
    listed = ListedNames.read()
    (names,) = np.nonzero(listed.is_clinical)
    clinical = _clinical_forms(old) if old else _all_clinical_forms()
    found = _concepts(ontology, firsts, clinical.forms, listed.rows[names], shortened)
    names = names[found.names]
    (given,) = np.nonzero(~listed.is_near)
    given = given[np.lexsort((listed.is_clinical[given], listed.rows[given]))]  # the clinical names of a row last
    every = np.bincount(listed.rows[given])
    rows = listed.rows[names]
    counts = every[rows]
    asked, concepts = given[spread(boundaries(every)[rows], counts)], found.concepts.repeat(counts)
    by_near, is_clinical = listed.is_near[names].repeat(counts), listed.is_clinical[asked]
    some, asked = np.unique(asked, return_inverse=True)
    texts = listed.texts.take(some)
    said = TextForms.of(texts, _with_and_without_articles, _SAID, old)
    kept = _new_names(ontology, firsts, said.forms, asked, concepts)
    forms = said.forms[asked, 0]
    # What people say is near only where another concept of the index has it as its own.
    is_near = by_near & (is_clinical | _is_among(forms, np.zeros_like(concepts), ~by_near))
    is_near &= ~_is_among(forms, concepts, ~is_near)  # of one row near, of another its own
    kept = kept[~(is_near & _is_among(forms, np.searchsorted(firsts, concepts, "right"), ~is_near))[kept]]
    return EverydayTerms(concepts[kept], texts.take(asked[kept]), is_near[kept], clinical, said)


def _clinical_forms(old: Path | None) -> TextForms:
    listed = ListedNames.read()
    return TextForms.of(listed.texts.take(np.flatnonzero(listed.is_clinical)), _with_and_without_of, _CLINICAL, old)


@cache
def _all_clinical_forms() -> TextForms:
    """The forms of the clinical names, which a program that builds several indexes reads once."""
    return _clinical_forms(None)


class _Found(NamedTuple):
    """Concepts that have a clinical name of the list, and the place of the name in it; rows of the list ascend."""

    concepts: Ints
    names: Ints


def _concepts(ontology: IndexPart, firsts: Sequence[int], clinical: Hashes, rows: Ints, shortened: Shortened) -> _Found:
    """The concepts of each terminology that have the first of the clinical names of a row that any of its concepts has.

    ``clinical`` are both forms of each name, ``rows`` the row of each. A concept whose preferred term a name is goes
    before one that has it as an exact synonym, and this before one with a shortened name.
    """
    sources = len(firsts) + 1
    asked, coded = np.unique(clinical, return_inverse=True)
    # Names that concepts have in one of these forms: 0 preferred terms, 1 exact synonyms, 2 shortened names.
    forms, held = _held(ontology, asked)
    exact = ontology.names.scopes[held] == 0
    forms, held = forms[exact], held[exact]
    further = matched(asked, shortened.hashes) >= 0
    ranks = np.concatenate([ontology.names.kinds[held] != 0, np.full(np.count_nonzero(further), 2)])
    concepts = np.concatenate([ontology.names.concepts[held].astype(np.int64), shortened.concepts[further]])
    forms = np.concatenate([forms, shortened.hashes[further]])
    # Of each form in each terminology (a key) the concepts of the best rank.
    keys = np.searchsorted(asked, forms) * sources + np.searchsorted(firsts, concepts, "right")
    best = np.full(len(asked) * sources, 3)
    np.minimum.at(best, keys, ranks)
    size, chosen = int(concepts.max(initial=0)) + 1, ranks == best[keys]
    pairs = distinct(keys[chosen] * size + concepts[chosen])
    held_keys, starts, counts = np.unique(pairs // size, return_index=True, return_counts=True)
    # Of each row of the list in each terminology the first form that a concept has.
    places, numbers = np.nonzero((best < 3).reshape(-1, sources)[coded.ravel()])
    _, first = np.unique(rows[places // 2] * sources + numbers, return_index=True)
    at = np.searchsorted(held_keys, coded.ravel()[places[first]] * sources + numbers[first])
    few = counts[at] <= _MOST_CONCEPTS
    at, names = at[few], places[first][few] // 2
    return _Found(pairs[spread(starts[at], counts[at])] % size, names.repeat(counts[at]))


def _new_names(ontology: IndexPart, firsts: Sequence[int], forms: Hashes, asked: Ints, concepts: Ints) -> Ints:
    """Which of these names, each by the number of its text in ``forms`` and its concept, the concept gets: each once,
    and none that its terminology has. By concept, then in their order.
    """
    different, coded = np.unique(forms, return_inverse=True)
    held, rows = _held(ontology, different)
    whole, bare = coded.reshape(-1, 2)[asked].T
    sources = len(firsts) + 1
    named = np.zeros((len(different), sources), dtype=np.bool_)
    named[np.searchsorted(different, held), np.searchsorted(firsts, ontology.names.concepts[rows], "right")] = True
    numbers = np.searchsorted(firsts, concepts, "right")
    (free,) = np.nonzero(~(named[whole, numbers] | named[bare, numbers]))
    size = int(concepts.max(initial=0)) + 1
    _, first = np.unique(whole[free] * size + concepts[free], return_index=True)
    free = np.sort(free[first])
    found: Ints = free[np.argsort(concepts[free], kind="stable")]
    return found


def _is_among(forms: Hashes, owners: Ints, chosen: Mask) -> Mask:
    """Whether each form is one that its owner has among the ``chosen`` too."""
    _, kinds = np.unique(forms, return_inverse=True)
    keys = kinds * (int(owners.max(initial=0)) + 1) + owners
    among: Mask = np.isin(keys, keys[chosen])
    return among


def _held(ontology: IndexPart, forms: Hashes) -> tuple[Hashes, Ints]:
    """The names that have one of the forms, each given once: the form and the row of each."""
    lookup = ontology.names.forms
    known = forms[lookup.first(forms) >= 0]
    rows, counts = lookup.each(known)
    return known.repeat(counts), rows.astype(np.int64)
