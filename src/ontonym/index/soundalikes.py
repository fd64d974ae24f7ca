"""What a query may be that was written down as it was heard: one word as several ("die a beetus"), or as another one
that sounds the same ("heal pain")."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from ontonym.index.spelling import Speller
from ontonym.text.denials import NEGATORS
from ontonym.text.english import everyday_words
from ontonym.text.normalization import key, tokens
from ontonym.text.sounds import HOMOPHONES, sound
from ontonym.text.wordforms import VERB_FORMS
from ontonym.text.wordlists import LIGHT, SMALL

_MOST_WORDS = 7
"""Longer queries are not read so."""

_MOST_PARTS, _SHORTEST, _LONGEST = 5, 6, 18
"""Of so many words, and so many letters, may be what was heard as one."""

_INSIDE = frozenset("a all i you".split())
"""What the middle of a word is heard as."""

_OF_SENTENCES = (SMALL | LIGHT | NEGATORS) - _INSIDE
"""The other words of which sentences are made."""

_LONG = 9
"""From so many letters on a word may be four letters off, else three."""

_MAIN_SHARE = 2 / 3
"""A known word of more than this share of the letters is no part of another one: "transferrin sat"."""

_SOUNDS_PER_SLIP = 4
"""One of so many sounds may be another."""

IN_PARTS = 0.85
"""The trust in a word that is spelled in parts, of which one is no word: how often it is meant."""


_SOUNDS_SAME = 0.84
"""The trust in a word that another one sounds just like."""

WordsBeside: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""The words that names have beside some normalized words and no others (`ontonym.index.signals.Signals.words_beside`).
"""


class SoundAlike(NamedTuple):
    """A text that sounds like a query, how far it can be trusted, in [0, 1], and what was written for what."""

    text: str
    trust: float
    changes: tuple[tuple[str, str], ...]


def sound_alikes(text: str, speller: Speller, beside: WordsBeside) -> Iterator[SoundAlike]:
    """The texts with a word of names in the place of words that sound like it.

    Of the words that are spelled otherwise only those are compared that ``beside`` gives for the rest of the text.
    """
    words = key(text).split()
    if len(words) > _MOST_WORDS:
        return
    for first, last in combinations(range(len(words) + 1), 2):
        part, rest = words[first:last], (*words[:first], *words[last:])
        for said, trust in _alike(part, rest, speller, beside):
            changed = " ".join((*words[:first], said, *words[last:]))
            yield SoundAlike(changed, trust, ((" ".join(part), said),))


def _alike(
    part: Sequence[str], rest: Sequence[str], speller: Speller, beside: WordsBeside
) -> Iterator[tuple[str, float]]:
    """The words that sound like some words said together, each with the trust in it; those that are spelled otherwise
    only where they may make a name with the rest of the text."""
    if len(part) == 1:
        for form in {part[0], *tokens(part[0])} & HOMOPHONES.keys():  # "soars" too: names are compared without plurals
            yield HOMOPHONES[form], _SOUNDS_SAME
        return
    whole = "".join(part)
    if len(part) > _MOST_PARTS or not _SHORTEST <= len(whole) <= _LONGEST or not whole.isalpha():
        return
    if not _OF_SENTENCES.isdisjoint(part):
        return
    has_rest = any(_is_rest(word, speller) for word in part)
    if speller.is_known(whole):
        yield whole, IN_PARTS if has_rest else _SOUNDS_SAME
    if not has_rest and _INSIDE.isdisjoint(part[1:-1]):
        return
    if any(len(word) > _MAIN_SHARE * len(whole) and not _is_unknown(word, speller) for word in part):
        return
    if fits := beside(tokens(" ".join(rest))):
        yield from _spelled_otherwise(part, fits, speller)


def _spelled_otherwise(part: Sequence[str], fits: Collection[str], speller: Speller) -> Iterator[tuple[str, float]]:
    """The words, of those that ``fits`` has, that sound like the words of a part said together, each with the trust in
    it."""
    from rapidfuzz.distance import OSA

    whole, own = "".join(part), "".join(map(sound, part))
    for word in speller.alike(whole, 3 if len(whole) < _LONG else 4):
        if word in part or VERB_FORMS.get(word, word) not in fits:
            continue  # in part: it would drop what stands beside it, "TB meningitis" is no meningitis
        most = (len(sound(word)) + 1) // _SOUNDS_PER_SLIP
        for form in (word, f"{word}s"):
            if (slips := OSA.distance(own, sound(form), score_cutoff=most)) <= most:
                yield form, _SOUNDS_SAME * (1 - (slips + OSA.distance(whole, form)) / (2 * len(form)))


def _is_rest(word: str, speller: Speller) -> bool:
    """Whether a word is what is left where another was cut ("monia"): no name has it, nor an everyday one."""
    return _is_unknown(word, speller) and everyday_words().isdisjoint((word, *tokens(word)))


def _is_unknown(word: str, speller: Speller) -> bool:
    """Whether no name has a word."""
    return not any(speller.is_known(form) for form in (word, *tokens(word)))
