"""A query: a text to search for, converted once to words and a vector; and the correction of its spelling.

A word that no name has is replaced by the nearest one that some name has. The distance is the number of letters to
insert, delete, replace or swap with their neighbour (optimal string alignment): at most one for words of four and five
letters, two for words of up to eight, three for longer ones. It counts half where the words sound alike, and one more
where they begin otherwise. Of equally near words those that more names have come first; if only one word is corrected,
the next ones are tried too, and what the terminologies have for them decides. An everyday word is no misspelling, nor
is one built of a combining form and a known word ("nephrotoxicity").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.errors import InputError
from ontonym.index.names import Names
from ontonym.index.vocabulary import SHORTEST, is_correctable, letter_bits
from ontonym.text.english import is_english
from ontonym.text.normalization import key, tokens
from ontonym.text.sounds import everyday_words, is_compound, sound
from ontonym.text.wordforms import VERB_FORMS
from ontonym.types import LONGEST_TEXT, Correction

_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
_AT_ONCE = 1 << 16
_MOST_WORDS = 12
_CHOICES = 20
_TRIED = 4
_COST_OF_LETTER = 1.25
_NEARLY = 0.5
_LONG, _RATHER_LONG, _VERY_LONG = 7, 9, 11
_SLIP = 1.5


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


def trust_in(changes: Sequence[tuple[str, str]]) -> float:
    """How far corrected words can be trusted, in [0, 1]: less, the more letters and sounds had to change."""
    trust = 1.0
    for written, read in changes:
        trust *= max(1 - _COST_OF_LETTER * misspelling(written, read) / max(len(written), len(read), 1), 0.0)
    return trust


def misspelling(written: str, read: str) -> float:
    """How far a word is from what it is read as: the mean number of letters and of sounds to change, and one more where
    they begin with different sounds. 0 for equal words.
    """
    from rapidfuzz.distance import OSA

    said, meant = sound(written), sound(read)
    begins_otherwise = said[:1] != meant[:1]
    return (OSA.distance(written, read) + OSA.distance(said, meant)) / 2 + begins_otherwise


def read_queries(encoder: Encoder, texts: Sequence[str]) -> list[Query]:
    """One query for each text; they are encoded together, which is faster, if that gives the same vectors.

    Raises InputError for a text of more than `LONGEST_TEXT` characters.
    """
    distinct = list(dict.fromkeys(texts))
    for text in distinct:
        if len(text) > LONGEST_TEXT:
            raise InputError(f"a query of {len(text):,} characters, {text[:40]!r}…; {LONGEST_TEXT:,} are the most")
    batches = [distinct] if encoder.is_steady else [[text] for text in distinct]
    vectors = [vector for batch in batches if batch for vector in encoder.encode_names(batch)]
    read = {text: Query(text, text, tuple(tokens(text)), one) for text, one in zip(distinct, vectors, strict=True)}
    return [read[text] for text in texts]


def changed_queries(
    encoder: Encoder, query: Query, texts: Mapping[str, Sequence[tuple[str, str]]], correction: Correction
) -> list[Query]:
    """The query with other texts searched for instead of what was typed, each with what was changed for it."""
    (found,) = changed_together(encoder, [(query, texts, correction)])
    return found


def changed_together(
    encoder: Encoder, asked: Sequence[tuple[Query, Mapping[str, Sequence[tuple[str, str]]], Correction]]
) -> list[list[Query]]:
    """The `changed_queries` of several queries, encoded together."""
    read = iter(read_queries(encoder, [text for _, texts, _ in asked for text in texts]))
    return [
        [
            Query(query.typed, one.text, one.words, one.vector, correction, (*query.changes, *changes), query.negated)
            for one, changes in zip(islice(read, len(texts)), texts.values(), strict=True)
        ]
        for query, texts, correction in asked
    ]


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
        ``is_kept`` says are right, stay. Several texts only if one word alone is corrected.
        """
        written, words = key(query.text).split(), query.words
        if len(written) > _MOST_WORDS or len(written) != len(words):
            return {}
        acronyms = {word.lower() for word in _ACRONYM.findall(query.text)}
        near = [
            [raw]
            if known or raw in acronyms or not is_correctable(raw) or is_kept(raw) or self._is_right(raw, word)
            else self._nearest(raw, word, 1 if len(raw) < _RATHER_LONG and is_english(raw) else 3)
            for raw, word, known in zip(written, words, is_known(words), strict=True)
        ]
        wrong = [place for place, (raw, choices) in enumerate(zip(written, near, strict=True)) if choices[0] != raw]
        if not wrong:
            return {}
        found, likeliest = {}, [choices[0] for choices in near]
        for one in near[wrong[0]] if len(wrong) == 1 else likeliest[wrong[0] : wrong[0] + 1]:
            chosen = [*likeliest[: wrong[0]], one, *likeliest[wrong[0] + 1 :]]
            found[" ".join(chosen)] = tuple((written[place], chosen[place]) for place in wrong)
        return found

    def meant(self, word: str) -> str | None:
        """The known word that a long unknown one is a slip for, one letter off or two in the longest; None for a word
        that may be right."""
        if len(word) < _LONG or not is_correctable(word) or self._is_right(word, word) or is_english(word):
            return None
        nearest = self._nearest(word, word, 1 if len(word) < _VERY_LONG else 2)[0]
        return nearest if nearest != word and misspelling(word, nearest) <= _SLIP else None

    def _is_right(self, written: str, word: str) -> bool:
        """Whether a word that no name has is an everyday one, or a combining form and a word that some name has."""
        forms = {written, word}
        if not forms.isdisjoint(everyday_words()):
            return True
        return any(is_compound(form, lambda rest: self._names.word_ids([rest])[0] is not None) for form in forms)

    def _nearest(self, written: str, word: str, letters: int) -> list[str]:
        """The known words that are nearest, at most `_TRIED`, and ``letters`` off; the word itself if none is."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found: list[tuple[float, float, str]] = []
        for form in dict.fromkeys((written, word)):
            most = min(1 if len(form) < 6 else 2 if len(form) < _RATHER_LONG else 3, letters)
            choices = self._alike(form, most)
            near = process.extract(form, choices, scorer=OSA.distance, score_cutoff=most, limit=_CHOICES)
            found += [(misspelling(form, choice), self._rarity(choice), choice) for choice, *_ in near]
        least = min(found)[0] if found else 0.0
        nearest = (choice for distance, _, choice in sorted(found) if distance <= least + _NEARLY)
        return list(dict.fromkeys(nearest))[:_TRIED] or [written]

    def _alike(self, form: str, most: int) -> list[str]:
        """The choices of a similar length and of similar letters; each change adds one letter and takes one at most."""
        letters, near = np.uint64(letter_bits(form)), []
        for start in range(0, len(self._letters), _AT_ONCE):
            own = self._letters[start : start + _AT_ONCE]
            alike = np.bitwise_count(own & ~letters) <= most
            alike &= np.bitwise_count(letters & ~own) <= most
            alike &= (own != 0) & (np.abs(self._sizes[start : start + _AT_ONCE].astype(np.int32) - len(form)) <= most)
            near.append(np.flatnonzero(alike) + start)
        found = self._names.vocabulary.take(np.concatenate(near)) if near else []
        return found + [verb for verb in self._verbs if abs(len(verb) - len(form)) <= most]

    def _rarity(self, choice: str) -> float:
        (number,) = self._names.word_ids([VERB_FORMS.get(choice, choice)])
        return self._names.unseen_idf if number is None else float(self._names.idf[number])

    @cached_property
    def _verbs(self) -> Sequence[str]:
        """The forms of verbs that names have in their first form."""
        bases = [base for base in dict.fromkeys(VERB_FORMS.values()) if is_correctable(base)]
        known = {base for base, number in zip(bases, self._names.word_ids(bases), strict=True) if number is not None}
        return [form for form, base in VERB_FORMS.items() if base in known and len(form) >= SHORTEST]
