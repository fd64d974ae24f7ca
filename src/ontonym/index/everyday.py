"""Everyday English names for concepts: "passed out" for syncope, "water on the knee" for an effusion of the knee.

They come with the package (``text/everyday.tsv``) and join the names of each concept that has one of the clinical names
they stand for, unless a concept of that terminology has the everyday name already.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import accumulate, chain
from pathlib import Path

import numpy as np

from ontonym.arrays import Hashes, Ints
from ontonym.encoder.protocol import Encoder
from ontonym.index.extra import ExtraTerm, write_extra
from ontonym.index.names import IndexOptions, forms_of
from ontonym.index.part import IndexPart
from ontonym.text.normalization import tokens

PART = "everyday"
"""The name of the part's folder inside an index."""

SOURCE = "everyday name"
"""The source of these names in a hit."""

_MOST_CONCEPTS = 3


def speaks_english(options: IndexOptions) -> bool:
    """Whether English names are indexed."""
    return not options.languages or "en" in options.languages


@cache
def everyday_names() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The clinical names, the best known first, and the everyday names of every row of the list."""
    text = files("ontonym.text").joinpath("everyday.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return tuple((tuple(clinical.split("|")), tuple(said.split("|"))) for clinical, said in rows)


def write_everyday(folder: Path, sizes: list[int], encoder: Encoder, old: Path | None) -> int:
    """Writes the everyday names of the concepts of the index that is being written in ``folder``; returns their number.

    ``sizes`` are the numbers of concepts of its terminologies. ``old`` is the folder of an earlier index, or None.
    """
    ontology = IndexPart(folder)
    firsts = [0, *accumulate(sizes)][:-1]
    held: dict[int, dict[tuple[str, ...], str]] = defaultdict(dict)
    rows, forms = _clinical_forms()
    known = np.unique(rows[ontology.names.forms.first(forms) >= 0])
    for clinical, said in map(everyday_names().__getitem__, known.tolist()):
        concepts = list(_concepts(ontology, firsts, clinical))
        for text in said if concepts else ():
            words = tokens(text)
            named = {bisect_right(firsts, concept) for concept in _named(ontology, words)}
            for concept in concepts:
                if words and bisect_right(firsts, concept) not in named:
                    held[concept].setdefault(tuple(sorted(words)), text)
    if not held:
        return 0
    found = [(concept, [ExtraTerm(text, SOURCE) for text in held[concept].values()]) for concept in sorted(held)]
    write_extra(folder / PART, found, "lay", ontology, encoder, old / PART if old else None)
    return sum(len(terms) for _, terms in found)


@cache
def _clinical_forms() -> tuple[Ints, Hashes]:
    """The form of every clinical name of the list, and the row that each is of."""
    names = [[tokens(name) for name in clinical] for clinical, _ in everyday_names()]
    return np.repeat(np.arange(len(names)), [*map(len, names)]), forms_of(list(chain.from_iterable(names)))


def _concepts(ontology: IndexPart, firsts: list[int], clinical: tuple[str, ...]) -> Iterator[int]:
    """The concepts of each terminology that have the first of the clinical names that any of its concepts has."""
    for number in range(1, len(firsts) + 1):
        for name in clinical:
            rows = ontology.names.spelled(tokens(name))
            rows = rows[ontology.names.scopes[rows] == 0]
            own = [row for row in rows.tolist() if bisect_right(firsts, int(ontology.names.concepts[row])) == number]
            if own:
                preferred = [row for row in own if ontology.names.kinds[row] == 0]
                found = dict.fromkeys(int(ontology.names.concepts[row]) for row in preferred or own)
                if len(found) <= _MOST_CONCEPTS:
                    yield from found
                break


def _named(ontology: IndexPart, words: list[str]) -> list[int]:
    concepts: list[int] = ontology.names.concepts[ontology.names.spelled(words)].tolist()
    return concepts
