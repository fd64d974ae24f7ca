"""Corrects the spelling of queries, and of words in running text, by the vocabulary of an ontology.

A word that no name has is replaced by the nearest one that some name has. The distance is the number of letters to
insert, delete, replace or swap with their neighbour (optimal string alignment): at most one for words of four and five
letters, two for words of six and seven, three for longer ones. It counts half where the words sound alike, and one more
where they begin otherwise. Of equally near words those that more names have come first; the next ones are
tried too, and what the terminologies have for them decides. An everyday word is no misspelling, nor is one built of a
combining form and a known word ("nephrotoxicity"), nor is a word of medicine one with another root or ending
("enthesopathy" is no enteropathy), nor any word its opposite ("nonmineralized"). Two known words that are written
together are parted ("lefteye").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes, Ints, Offsets
from ontonym.index.names import Names
from ontonym.index.query import Query
from ontonym.index.vocabulary import SHORTEST_CORRECTED, is_correctable, letter_bits
from ontonym.ragged import boundaries
from ontonym.text.english import (
    SHORTEST_ENGLISH,
    clinical_parts,
    everyday_words,
    is_clinical_root,
    is_compound,
    is_english,
)
from ontonym.text.normalization import key, tokens
from ontonym.text.sounds import sound
from ontonym.text.wordforms import VERB_FORMS

_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")

_MIDDLING, _LONG = 6, 8
"""From so many letters on a word may be two letters off, and three."""

_LONG_ENGLISH = 9
"""From so many letters on even an English word may be more than one letter off."""

_SHORTEST_SLIP, _LONG_SLIP = 7, 11
"""From so many letters on a word of running text may be one letter off, and two: there more words are right."""

_FARTHEST_SLIP = 1.5
"""The highest `misspelling` of a word of running text."""

_LONG_ROOT = 5
"""Letters from which on the consonants alone tell roots apart: vowels of long words are often mistaken."""

_VOWELS = re.compile("[aeiouy]+")

_DENYING = ("non", "un", "in", "a", "an", "dis")
_OPPOSITE = (("hyper", "hypo"), ("macro", "micro"), ("pre", "post"))
"""Beginnings of words that deny the rest, and pairs that say the opposite of it."""

_SHORTEST_PARTED, _LONGEST_PARTED = 3, 40
"""Letters of the shortest of two words that are written together, and of both."""
_PARTED = 0.25
"""How far such words are from the two (`misspelling`)."""

_NEARLY = 0.5
"""Words whose `misspelling` is higher than the least by no more are tried too."""

_TRIED = 4
"""The most words that are tried for one that is misspelled, and the most ways to correct a text."""

_VARIED = 3
"""Where more words are misspelled, only the likeliest correction of each is tried."""

_LIKELIER_NEARER, _LIKELIER_KNOWN = 4.0, 0.5
"""The log odds of the nearer of two words per unit of `misspelling`, and of the one that more names have per unit of
rarity (docs/decisions.md, "Two known words at the same distance").
"""

_CHOICES = 20
"""The words nearest by letters of which the sounds are compared."""

_COST_OF_LETTER = 1.25
"""What a correction costs of the trust in it, as a multiple of the share of the word's letters that it changes."""

_ANOTHER, _TRUST_IN_ANOTHER = 2, 1.2
"""A word alone that is so many letters and sounds off is another word more often than a slip: the trust in its
correction is this, divided by the number of sounds, of what it would be (docs/decisions.md, "Misspelled words are
corrected before the search").
"""

_MOST_WORDS = 12
"""Longer queries are not corrected."""


def trust_in(changes: Sequence[tuple[str, str]], *, alone: bool = False) -> float:
    """How far corrected words can be trusted, in [0, 1]: less, the more letters and sounds had to change.

    ``alone`` says that no other word stands beside them, from which one could see that they are what is meant.
    """
    trust = 1.0
    for word, read in changes:
        written = _nearer_form(word, read)
        trust *= max(1 - _COST_OF_LETTER * misspelling(written, read) / max(len(written), len(read), 1), 0.0)
        if alone:
            letters, sounds = _apart(written, read)
            trust *= _TRUST_IN_ANOTHER / sounds if min(letters, sounds) >= _ANOTHER else 1.0
    return trust


def letters_apart(changes: Sequence[tuple[str, str]]) -> float:
    """How far corrected words are from the written ones: the sum of their `misspelling`, plurals off where nearer."""
    return sum(misspelling(_nearer_form(written, read), read) for written, read in changes)


def replaces_english(changes: Sequence[tuple[str, str]]) -> bool:
    """Whether a word that English has was corrected: it is a slip where that makes a name ("planter fasciitis"), and
    else it is meant ("growling stomach" is no growing one).
    """
    return any(is_english(word) for written, _ in changes for word in tokens(written) if len(word) >= SHORTEST_ENGLISH)


def misspelling(written: str, read: str) -> float:
    """How far a word is from what it is read as: the mean number of letters and of sounds to change, and one more where
    they begin with different sounds. 0 for equal words.
    """
    if read.replace(" ", "") == written:
        return 0.0 if read == written else _PARTED
    letters, sounds = _apart(written, read)
    begins_otherwise = sound(written)[:1] != sound(read)[:1]
    return (letters + sounds) / 2 + begins_otherwise


def _nearer_form(written: str, read: str) -> str:
    """A word as written, or as names are compared, without its plural, whichever is nearer to what it is read as."""
    return min(dict.fromkeys((written, " ".join(tokens(written)))), key=lambda form: misspelling(form, read))


def _apart(written: str, read: str) -> tuple[int, int]:
    """The number of letters and of sounds to change."""
    from rapidfuzz.distance import OSA

    return OSA.distance(written, read), OSA.distance(sound(written), sound(read))


def _are_opposite(one: str, other: str) -> bool:
    """Whether one of two words denies the other, or both begin with opposites and go on alike."""
    shorter, longer = sorted((one, other), key=len)
    if any(f"{start}{shorter}" == longer for start in _DENYING):
        return True
    return any(
        {f"{first}{end}", f"{second}{end}"} == {one, other}
        for first, second in _OPPOSITE
        for end in {one.removeprefix(first), one.removeprefix(second)}
    )


def _consonants(word: str) -> str:
    """What is left of the sound of a word without its vowels."""
    return _VOWELS.sub("", sound(word))


def _likeliest(choices: Sequence[int]) -> list[tuple[int, ...]]:
    """Ways to take a choice, by rank, for each of some words, those with the first choices first; at most `_TRIED`."""
    few = [min(count, _TRIED if len(choices) <= _VARIED else 1) for count in choices]
    return sorted(product(*map(range, few)), key=sum)[:_TRIED]


class Speller:
    """Corrects words by the vocabulary of an ontology.

    ``letters`` are those of each word that may be corrected to, as bits, and 0 for the others; ``sizes`` is how many
    letters each word has (`ontonym.index.vocabulary`).
    """

    def __init__(self, names: Names, letters: Hashes, sizes: npt.NDArray[np.uint16]) -> None:
        self._names = names
        self._letters, self._sizes = letters, sizes

    def corrections(
        self, query: Query, is_known: Callable[[Sequence[str]], Sequence[bool]], is_kept: Callable[[str], bool]
    ) -> dict[str, tuple[tuple[str, str], ...]]:
        """The texts that the query may mean, its unknown words corrected, the likeliest first, each with what was
        corrected; none, if no word is unknown or can be corrected. A short English word is one letter off at most:
        *planter* is *plantar*, and *parking* is not *passing*.

        ``is_known`` says for each normalized word whether some name has it. Short words in capitals, and words that
        ``is_kept`` says are right, stay.
        """
        written, words = key(query.text).split(), query.words
        if len(written) > _MOST_WORDS or len(written) != len(words):
            return {}
        acronyms = {word.lower() for word in _ACRONYM.findall(query.text)}
        near = [
            [raw] if known or raw in acronyms or is_kept(raw) else self._choices(raw, word)
            for raw, word, known in zip(written, words, is_known(words), strict=True)
        ]
        wrong = [place for place, (raw, choices) in enumerate(zip(written, near, strict=True)) if choices[0] != raw]
        if not wrong:
            return {}
        found = {}
        for ranks in _likeliest([len(near[place]) for place in wrong]):
            chosen = [choices[0] for choices in near]
            for place, rank in zip(wrong, ranks, strict=True):
                chosen[place] = near[place][rank]
            found[" ".join(chosen)] = tuple((written[place], chosen[place]) for place in wrong)
        return found

    def _choices(self, written: str, word: str) -> list[str]:
        """The words that one which no name has may be meant as, the likeliest first; itself where it may be right."""
        if not is_correctable(written) or self._is_right(written, word):
            return [written]
        is_short_english = len(written) < _LONG_ENGLISH and (is_english(written) or is_english(word))
        return self._nearest(written, word, 1 if is_short_english else 3)

    def likelihood(self, changes: Sequence[tuple[str, str]]) -> float:
        """How likely these corrections are meant, relative to others of the same text: the likelier, the nearer the
        words and the more names have them.
        """
        rarity = sum(self._rarity(word) for _, read in changes for word in tokens(read))
        return float(np.exp(-_LIKELIER_NEARER * letters_apart(changes) - _LIKELIER_KNOWN * rarity))

    def meant(self, word: str) -> str | None:
        """The known word that a long unknown one is a slip for, one letter off or two in the longest; None for a word
        that may be right."""
        if len(word) < _SHORTEST_SLIP or not is_correctable(word) or self._is_right(word, word) or is_english(word):
            return None
        nearest = self._nearest(word, word, 1 if len(word) < _LONG_SLIP else 2)[0]
        is_slip = nearest != word and " " not in nearest and misspelling(word, nearest) <= _FARTHEST_SLIP
        return nearest if is_slip else None

    def _is_right(self, written: str, word: str) -> bool:
        """Whether a word that no name has is an everyday one, or a combining form and a word that some name has."""
        forms = {written, word}
        if not forms.isdisjoint(everyday_words()):
            return True
        return any(is_compound(form, self.is_known) for form in forms)

    def _nearest(self, written: str, word: str, letters: int) -> list[str]:
        """The known words that are nearest, at most `_TRIED`, and ``letters`` off; the word itself if none is."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found: list[tuple[float, float, str]] = []
        for form in dict.fromkeys((written, word)):
            most = min(1 if len(form) < _MIDDLING else 2 if len(form) < _LONG else 3, letters)
            choices = self.alike(form, most)
            near = process.extract(form, choices, scorer=OSA.distance, score_cutoff=most, limit=_CHOICES)
            found += [
                (misspelling(form, choice), self._rarity(choice), choice)
                for choice, *_ in near
                if not self._is_another(form, choice)
            ]
        if letters > 1 and len(written) <= _LONGEST_PARTED:  # no word of English
            found += [(_PARTED, max(map(self._rarity, parts)), " ".join(parts)) for parts in self._parted(written)]
        least = min(found)[0] if found else 0.0
        nearest = (choice for distance, _, choice in sorted(found) if distance <= least + _NEARLY)
        return list(dict.fromkeys(nearest))[:_TRIED] or [written]

    def _parted(self, written: str) -> Iterator[tuple[str, str]]:
        """A word in two that names have, which may be written together: "lefteye"."""
        for place in range(_SHORTEST_PARTED, len(written) - _SHORTEST_PARTED + 1):
            first, second = written[:place], written[place:]
            if all(any(map(self.is_known, {part, *tokens(part)})) for part in (first, second)):
                yield first, second

    def _is_another(self, form: str, choice: str) -> bool:
        """Whether a word is another one than a choice, since it says the opposite, has another clinical ending, or a
        root of its own that names have; not where both sound alike ("tonsilitis"), nor where only vowels of a long root
        differ ("melenoma").
        """
        if _are_opposite(form, choice):
            return True
        root, ending = clinical_parts(form)
        other_root, other_ending = clinical_parts(choice)
        if not ending or sound(form) == sound(choice):
            return False
        if other_ending and other_ending != ending:
            return True
        if max(len(root), len(other_root)) >= _LONG_ROOT and _consonants(root) == _consonants(other_root):
            return False
        return root != other_root and is_clinical_root(root, self.is_known)

    def is_known(self, word: str) -> bool:
        """Whether some name has a normalized word."""
        return self._names.word_ids([word])[0] is not None

    def alike(self, form: str, most: int) -> list[str]:
        """The known words of a similar length and of similar letters: a change that makes a word longer takes none of
        its letters, one that makes it shorter adds none, and others add one and take one at most.
        """
        rows, letters, bounds = self._by_size
        own, near = np.uint64(letter_bits(form)), [rows[:0]]
        for size in range(max(len(form) - most, 0), min(len(form) + most + 1, len(bounds) - 1)):
            here, longer = slice(bounds[size], bounds[size + 1]), size - len(form)
            alike = np.bitwise_count(own & ~letters[here]) <= most - max(longer, 0)
            alike &= np.bitwise_count(letters[here] & ~own) <= most - max(-longer, 0)
            near.append(rows[here][alike])
        found = self._names.vocabulary.take(np.sort(np.concatenate(near)))
        return found + [verb for verb in self._verbs if abs(len(verb) - len(form)) <= most]

    @cached_property
    def _by_size(self) -> tuple[Ints, Hashes, Offsets]:
        """The words that may be corrected to, the shortest first, and their letters; where those of each size begin."""
        (rows,) = np.nonzero(self._letters)
        rows = rows[np.argsort(self._sizes[rows], kind="stable")]
        return rows, self._letters[rows], boundaries(np.bincount(self._sizes[rows]))

    def _rarity(self, choice: str) -> float:
        return self._names.rarity(VERB_FORMS.get(choice, choice))

    @cached_property
    def _verbs(self) -> Sequence[str]:
        """The forms of verbs that names have in their first form."""
        bases = [base for base in dict.fromkeys(VERB_FORMS.values()) if is_correctable(base)]
        known = {base for base, number in zip(bases, self._names.word_ids(bases), strict=True) if number is not None}
        return [form for form, base in VERB_FORMS.items() if base in known and len(form) >= SHORTEST_CORRECTED]
