"""A query: a text to search for, converted once to words and a vector; and the correction of its spelling.

A word that no name has is replaced by the nearest one that some name has. The distance is the number of letters to
insert, delete, replace or swap with their neighbour (optimal string alignment): at most one for words of four and five
letters, two for longer ones. Of equally near words, those with the same first letter come first, then those that more
names have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.names import Names
from ontonym.text.normalization import key, tokens
from ontonym.text.wordforms import VERB_FORMS
from ontonym.types import Correction

_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
_SHORTEST = 4
_MOST_WORDS = 12
_CHOICES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A text to search for, with its normalized ``words`` and its ``vector``, shape ``(dim,)``.

    ``typed`` is the text as it was given, ``text`` the one that is searched for; they differ after a ``correction``,
    which replaced what ``changes`` list: what was written, and what it was read as. ``negated``: a negation before it
    was set aside.
    """

    typed: str
    text: str
    words: tuple[str, ...]
    vector: Vectors
    correction: Correction = Correction.NONE
    changes: tuple[tuple[str, str], ...] = ()
    negated: bool = False


def read_queries(encoder: Encoder, texts: Sequence[str]) -> list[Query]:
    """One query for each text; they are encoded together, which is faster, if that gives the same vectors."""
    distinct = list(dict.fromkeys(texts))
    batches = [distinct] if encoder.is_steady else [[text] for text in distinct]
    vectors = [vector for batch in batches if batch for vector in encoder.encode_names(batch)]
    read = {text: Query(text, text, tuple(tokens(text)), one) for text, one in zip(distinct, vectors, strict=True)}
    return [read[text] for text in texts]


def changed_queries(
    encoder: Encoder, query: Query, texts: Mapping[str, Sequence[tuple[str, str]]], correction: Correction
) -> list[Query]:
    """The query with other texts searched for instead of what was typed, each with what was changed for it."""
    read = read_queries(encoder, list(texts))
    return [
        Query(query.typed, one.text, one.words, one.vector, correction, (*query.changes, *changes), query.negated)
        for one, changes in zip(read, texts.values(), strict=True)
    ]


class Speller:
    """Corrects words by the vocabulary of an ontology, which is loaded at the first unknown word."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def corrections(
        self, query: Query, is_known: Callable[[Sequence[str]], Sequence[bool]], is_kept: Callable[[str], bool]
    ) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The query's text with unknown words corrected, and what was corrected: nothing, if none is unknown or can be.

        ``is_known`` says for each normalized word whether some name has it. Short words in capitals, and words that
        ``is_kept`` says are right, stay.
        """
        written, words = key(query.text).split(), query.words
        if len(written) > _MOST_WORDS or len(written) != len(words):
            return query.text, ()
        acronyms = {word.lower() for word in _ACRONYM.findall(query.text)}
        corrected = [
            raw
            if known or raw in acronyms or not self._is_correctable(raw) or is_kept(raw)
            else self._nearest(raw, word)
            for raw, word, known in zip(written, words, is_known(words), strict=True)
        ]
        changes = tuple((raw, one) for raw, one in zip(written, corrected, strict=True) if raw != one)
        return (" ".join(corrected) if changes else query.text), changes

    @staticmethod
    def _is_correctable(word: str) -> bool:
        return len(word) >= _SHORTEST and word.isalpha()

    def _nearest(self, written: str, word: str) -> str:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found: list[tuple[int, bool, float, str]] = []
        for form in dict.fromkeys((written, word)):
            most = 1 if len(form) < 6 else 2
            near = process.extract(form, self._choices, scorer=OSA.distance, score_cutoff=most, limit=_CHOICES)
            found += [(distance, choice[0] != form[0], self._rarity(choice), choice) for choice, distance, _ in near]
        return min(found)[-1] if found else written

    def _rarity(self, choice: str) -> float:
        (number,) = self._names.word_ids([VERB_FORMS.get(choice, choice)])
        return self._names.unseen_idf if number is None else float(self._names.idf[number])

    @cached_property
    def _choices(self) -> Sequence[str]:
        vocabulary = [word for word in self._names.vocabulary if self._is_correctable(word)]
        known = set(vocabulary)
        return vocabulary + [form for form, base in VERB_FORMS.items() if base in known and len(form) >= _SHORTEST]
