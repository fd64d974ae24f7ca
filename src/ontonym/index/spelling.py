"""Mending misspelled words: a word that no name has is read as the nearest one that some name has.

Nearness is the number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment):
one for words of four and five letters, two for longer ones. Words equally near are ordered by same first letter, then
by how many names have them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from ontonym.index.names import Names
from ontonym.text.normalization import VERB_FORMS, key, tokens

_SHORTEST = 4
_MOST_WORDS = 12
_CHOICES = 20


class Speller:
    """Mends words by the vocabulary of an ontology; the vocabulary is loaded when the first unknown word comes."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def mended(self, text: str, is_known: Callable[[Sequence[str]], Sequence[bool]]) -> str | None:
        """The text with its unknown words mended, or None where nothing is to be mended or can be.

        ``is_known`` says of normalized words whether they are words as they stand.
        """
        written, words = key(text).split(), tokens(text)
        if len(written) > _MOST_WORDS or len(written) != len(words):
            return None
        mended = [
            raw if known or not self._is_mendable(raw) else self._nearest(raw, word)
            for raw, word, known in zip(written, words, is_known(words), strict=True)
        ]
        return " ".join(mended) if mended != written else None

    @staticmethod
    def _is_mendable(word: str) -> bool:
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
        vocabulary = [word for word in self._names.vocabulary if self._is_mendable(word)]
        known = set(vocabulary)
        return vocabulary + [form for form, base in VERB_FORMS.items() if base in known and len(form) >= _SHORTEST]
