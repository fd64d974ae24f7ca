"""Stretches of a text that are likely mentions though no name spells them, by what they resemble: "genetic
disorder" for Genetic Diseases, Inborn."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.evidence import FEATURES
from ontonym.memo import MemoOfMany
from ontonym.tasks.annotation.acceptance import FOUND, SHAPE, Acceptance, default_acceptance
from ontonym.tasks.annotation.stretches import Head, Key, PiecedText, Stretch, Stretches
from ontonym.tasks.search import Experiment, SearchOptions, allowed_by, whole_rankings
from ontonym.tasks.strategy import source_of
from ontonym.text.amounts import amount_of, said_as_amount
from ontonym.text.bodyparts import is_site, names_a_part
from ontonym.text.english import is_english
from ontonym.text.findings import has_abnormal_word, has_finding_word, is_disorder_head
from ontonym.text.kinds import THING_KINDS, kind_scores
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import words_on
from ontonym.text.rewordings import is_part_adjective
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordlists import FILLERS, MODIFIERS, SMALL
from ontonym.text.wordroots import root

_OF_RANKING = (
    "dense", "dense_concept", "char", "words", "query_share", "name_share", "number_missing", "number_extra",
    "contradicted", "qualifier_missing", "qualifier_extra", "inexact", "abbreviation", "short_query",
)  # fmt: skip
"""Features of the ranking (`ontonym.index.evidence.FEATURES`) that are among `FOUND`."""
_COLUMNS = [FEATURES.index(name) for name in _OF_RANKING]
_SHARE = 2 + _OF_RANKING.index("query_share")  # in `FOUND`
_EXTRA = FOUND.index("rarity_extra")
_UNKNOWN_KIND = THING_KINDS.index("other")
_MOST_KNOWN = 1 << 15
_AT_ONCE = 32
_SURE, _ALL = 0.5, 0.99
"""The confidence of what is likelier right than not, and the share of words that is all of them, but for rounding."""
_CERTAIN, _CERTAIN_CHANCE = 0.9, 0.4
"""The confidence from which on a stretch needs no acceptance, and the least probability that it then has."""
_CERTAIN_EPONYM, _SHORTEST_EPONYM = 0.7, 5
"""The same of a person's name, and the letters that it has more than."""
_POSSESSIVE = re.compile(r"[^\W\d_]+(?:['\u2019]s|s['\u2019])(?!\w)")
_WORDS, _MODIFIER, _NORMAL = map(SHAPE.index, ("words", "modifier", "normal"))
_OF, _BEFORE, _AFTER, _HYPHEN = map(SHAPE.index, ("of", "before", "after", "hyphen"))
"""Places of features in `SHAPE`."""
_WHEN_AND_WHERE = words_on("time", "side", "level", "front", "middle", "distance", "depth")
_DISORDERS = frozenset("deficiency deficit disease disorder syndrome".split())
_VAGUE = frozenset("certain specific specified".split())
"""Words of names that do not say what a thing is."""
_MADE_OF = frozenset("blood bone serum".split())
"""Parts of the body that are in all others."""
_MOST_OF_PHRASE = 4
"""Words of a phrase that begins with what is wrong."""
_FEW, _LOWER = (2, 3), 0.2
"""Words of a short phrase: where it is whole it is searched for at a fifth of the usual probability."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A stretch with the concept that it resembles most, its number and name row, and the features by `FOUND`.

    ``spelled`` says that the words are a name of the concept; ``confidence`` is that of a search, in [0, 1].
    """

    stretch: Stretch
    concept: int
    name: int
    spelled: bool
    confidence: float
    found: tuple[float, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the name has all words, and the search is surer of the concept than not."""
        return self.found[_SHARE] >= _ALL and self.confidence >= _SURE

    @property
    def is_certain(self) -> bool:
        """Whether it has several words, the name the roots of all, and the search is nearly certain of the concept."""
        has_all = self.found[_EXTRA] == 0
        return has_all and self.confidence >= _CERTAIN and self.stretch.shape[_WORDS] >= _FEW[0]

    @property
    def features(self) -> tuple[float, ...]:
        """All that the second model sees."""
        return self.stretch.shape + self.found


_Facts: TypeAlias = tuple[int, int, bool, float, tuple[float, ...]]
"""What is found for words: the fields of `Likely` after the stretch."""


class LikelyFinder:
    """Finds likely mentions of the concepts that ``search`` may find, with ``sought`` only of these; the name rows
    ``hidden`` are left out."""

    def __init__(
        self,
        index: Index,
        search: SearchOptions,
        acceptance: Acceptance | None = None,
        hidden: Ints | None = None,
        sought: Mask | None = None,
    ) -> None:
        self._index = index
        self._acceptance = acceptance or default_acceptance()
        self._sought = sought
        out_of_sight = () if hidden is None else tuple(hidden.tolist())
        self._search = Experiment.of(search, k=2, least=0.0, verbatim=True, calibrated=False, hidden=out_of_sight)
        searched = index.signals.parts(source_of(index, search.strategy))
        parts = [part for _, part in searched if not index.signals.is_everyday(part)]
        self._stretches = Stretches(index, parts, allowed_by(index, search), hidden)
        self._known = MemoOfMany(self._looked_up, _MOST_KNOWN)
        self._ahead: dict[Key, list[Stretch]] = {}

    def judging(self, acceptance: Acceptance) -> LikelyFinder:
        """The same finder, with what it knows, under another acceptance."""
        other = copy(self)
        other._acceptance = acceptance
        other._ahead = {}
        return other

    def find(self, read: PiecedText) -> Iterator[tuple[Likely, float]]:
        """The accepted stretches, none overlapping, with their probabilities: those around a name of several words
        first, the longest before others, then the likeliest."""
        acceptance = self._acceptance
        free = read.free
        asked = self._ahead.pop(read.key, None)
        if asked is None:
            (asked,) = self._asked([read])
        likely = [
            one for one in self.searched(asked) if not one.spelled and (self._is_eponym(one) or not self._is_other(one))
        ]
        if self._sought is not None:
            likely = [one for one in likely if self._sought[one.concept]]
        if not likely:
            return
        chances = acceptance.found.probabilities(np.array([one.features for one in likely]))
        named = read.by_piece
        accepted = [
            (one, max(chance, _CERTAIN_CHANCE) if chance < acceptance.accepted else chance)
            for one, chance in zip(likely, chances.tolist(), strict=True)
            if chance >= acceptance.accepted
            or self._is_certain(one)
            or self._names_same_abnormality(one)
            or self._is_eponym(one)
            or self._lacks_only_vague(one)
            or _completes(one, named.within(one.stretch))
        ]
        for one, chance in sorted(accepted, key=lambda pair: (-named.around(pair[0].stretch), -pair[1])):
            here = slice(one.stretch.first, one.stretch.last + 1)
            within = named.within(one.stretch)
            is_list = len(within) > 1 and read.fills(one.stretch, within)
            if free[here].all() and not is_list and self._says_more(one, within):
                free[here] = False
                yield one, chance

    def _says_more(self, one: Likely, within: Sequence[Head]) -> bool:
        """Whether a stretch means another concept than each of the names that lie in it: where that has several words
        one below it, surer than not and by a name that has all words of the stretch."""
        for head in within:
            if one.concept in head.concepts:
                return False
            if head.first < head.last and not (one.is_whole and self._is_below(one.concept, head.concepts)):
                return False
        return True

    def _is_certain(self, one: Likely) -> bool:
        """Whether a stretch needs no acceptance: it leaves out nothing of the name that says that something is wrong,
        as "bone metabolism" does of *metabolic bone disease*, and does not end with an adjective, but for an amount:
        "CRP raised"."""
        words = one.stretch.words
        if not one.is_certain or (is_adjective(words[-1]) and not _says_amount(words)):
            return False
        return not any(map(is_disorder_head, set(tokens(self._index.term(one.name).text)) - set(one.stretch.words)))

    def _names_same_abnormality(self, one: Likely) -> bool:
        """Whether a whole phrase needs no acceptance: it begins with what is wrong with something, and the name, of
        which the search is surer than not, says so of the same thing (`is_same_abnormality`)."""
        if one.confidence < _SURE or not _begins_with_abnormality(one.stretch):
            return False
        return is_same_abnormality(one.stretch.words, tokens(self._index.term(one.name).text))

    def _is_eponym(self, one: Likely) -> bool:
        """Whether a stretch is the possessive that a name begins with, of which the search is sure: "Hashimoto's"."""
        if one.confidence < _CERTAIN_EPONYM or not _is_possessive(one.stretch):
            return False
        name, words = self._index.term(one.name).text, one.stretch.words
        first, *rest = tokens(name) or ("",)
        is_called_so = len(rest) == 1 and rest[0] in _DISORDERS and not is_english(words[0])  # "Addison disease"
        return first == words[0] and (is_called_so or bool(_POSSESSIVE.match(name)))

    def _lacks_only_vague(self, one: Likely) -> bool:
        """Whether a phrase is a name but for a word that says nothing, and the search is surer of it than not:
        "learning disability" is the *specific learning disability*."""
        if one.stretch.shape[_WORDS] < _FEW[0] or one.stretch.shape[_AFTER] or not one.is_whole:
            return False
        lacking = set(tokens(self._index.term(one.name).text)) - set(one.stretch.words)
        return bool(lacking) and lacking <= _VAGUE

    def _is_below(self, concept: int, others: Collection[int]) -> bool:
        return not self._index.above(concept).isdisjoint(others)

    def _is_other(self, one: Likely) -> bool:
        """Whether a stretch cannot mean the name: part of a phrase, one word for another kind of thing, or words where
        only the name says that something is wrong, or only its concept, as a "vertebra" is no *fractured vertebra*."""
        words = one.stretch.words
        if _is_cut(one.stretch):
            return True
        if len(words) == 1 and int(np.argmax(kind_scores(words))) not in (*self._stretches.kinds, _UNKNOWN_KIND):
            return True
        if not names_a_part(words) and has_finding_word(words):
            return False
        name = tokens(self._index.term(one.name).text)
        if has_abnormal_word(name):
            return True
        return names_a_part(name) and has_abnormal_word(tokens(self._index.preferred(one.concept)))

    def look_ahead(self, texts: Sequence[PiecedText]) -> None:
        """Searches together for what `find` will search for in each of these texts, which is faster."""
        self._ahead = {read.key: asked for read, asked in zip(texts, self._asked(texts), strict=True)}
        self._known.of([one.lookup for asked in self._ahead.values() for one in asked])

    def _asked(self, texts: Sequence[PiecedText]) -> list[list[Stretch]]:
        """For each text the stretches that are likely enough to be searched for."""
        acceptance = self._acceptance
        found = self._stretches.between(texts)
        shapes = [one.shape for some in found for one in some]
        if not shapes:
            return found
        chances = iter(acceptance.shape.probabilities(np.array(shapes)).tolist())
        least = acceptance.searched
        return [[one for one in some if next(chances) >= least * _share_asked(one)] for some in found]

    def stretches(self, read: PiecedText) -> list[Stretch]:
        """All stretches of a text that have words in common with a name and may be of the terminology's kind, whatever
        is taken."""
        return self._stretches.every(read)

    def searched(self, asked: Sequence[Stretch]) -> Iterator[Likely]:
        """The stretches with what is found for each; without those that resemble nothing."""
        for one, facts in zip(asked, self._known.of([one.lookup for one in asked]), strict=True):
            if facts is not None:
                yield Likely(one, *facts)

    def _looked_up(self, texts: Sequence[str]) -> Iterator[_Facts | None]:
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            queries = self._index.signals.queries(some)
            yield from map(self._facts, some, whole_rankings(self._index, queries, self._search, 2))

    def _facts(self, text: str, choices: Sequence[Choice]) -> _Facts | None:
        """What is found first."""
        if not choices:
            return None
        best, evidence = choices[0], choices[0].read.evidence
        values, name = evidence.features[best.place], int(evidence.best[best.place])
        sure = min(max(best.confidence, 1e-4), 1 - 1e-4)
        margin = best.confidence - (choices[1].confidence if len(choices) > 1 else 0.0)
        ours = [word for word in tokens(text) if word not in FILLERS]
        theirs = [word for word in tokens(self._index.term(name).text) if word not in SMALL]
        our_roots, their_roots = set(map(root, ours)), set(map(root, theirs))
        gaps = kind_scores(theirs) - kind_scores(ours)
        gap = float(gaps[self._stretches.kinds].max()) if theirs else 0.0
        rarity = self._stretches.rarity  # a stretch is searched for only where a part has a match
        found = (
            float(np.log(sure / (1 - sure))),
            margin,
            *values[_COLUMNS].tolist(),
            max(gap, 0.0),
            sum(rarity(word) for word in ours if root(word) in their_roots),
            sum(rarity(word) for word in theirs if root(word) not in our_roots),
            sum(rarity(word) for word in ours if root(word) not in their_roots),
        )
        return best.concept, name, best.is_spelled, best.confidence, found


def _share_asked(one: Stretch) -> float:
    """The share of the usual probability from which on a stretch is searched for: a few words that say how much there
    is of something, or that begin with what is wrong with it, always are, and possessives."""
    if (len(one.words) <= _FEW[1] and _says_amount(one.words)) or _begins_with_abnormality(one) or _is_possessive(one):
        return 0.0
    return _LOWER if _is_whole_phrase(one.shape) else 1.0


def _is_cut(one: Stretch) -> bool:
    """Whether a stretch ends with an adjective of the word after it: the "weakness of the facial" of "weakness of the
    facial expression"."""
    last = one.words[-1]
    return bool(one.shape[_OF] and one.shape[_AFTER]) and (is_part_adjective(last) or is_adjective(last))


def _is_possessive(one: Stretch) -> bool:
    """Whether a stretch is one word in the possessive, which may lack its apostrophe, written as a name or no English
    word ("hashimotos", "Parkinsons"), and no word follows that it may belong to."""
    written, shape = one.lookup, one.shape
    if len(one.words) != 1 or shape[_AFTER] or not written.endswith("s") or written.lower() == one.words[0]:
        return False
    if len(written) <= _SHORTEST_EPONYM or written.isupper():
        return False
    return written[0].isupper() or not is_english(one.words[0])


def _begins_with_abnormality(one: Stretch) -> bool:
    """Whether a stretch is a phrase of a few words that begins with what is wrong, and ends with what has it."""
    shape, words = one.shape, one.words
    is_phrase = 1 < shape[_WORDS] <= _MOST_OF_PHRASE and not (shape[_BEFORE] or shape[_AFTER] or shape[_NORMAL])
    if not is_phrase or not _is_abnormal_word(words[0]) or is_adjective(words[-1]):
        return False
    return not (is_adjective(words[0]) and words[1] in FILLERS)  # "retarded in growth"


def _is_abnormal_word(word: str) -> bool:
    """Whether a normalized word says that something is wrong, by itself: "early embryos" are of that time, and
    "posterior fontanelle" is a place."""
    return has_abnormal_word((word,)) and word not in _WHEN_AND_WHERE


def is_same_abnormality(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether normalized words and a name say that something is wrong with the same thing, be it in different words:
    "wide ventricles" and *enlarged ventricles*. Neither says more to be wrong than the other, both or none that it is
    absent, and the name names no part of the body where the words name none: "increased echogenicity" may be of any."""
    ours, theirs = set(map(root, words)), set(map(root, name))
    thing = [word for word in words if not (word in FILLERS or word in MODIFIERS or has_abnormal_word((word,)))]
    only_ours = [word for word in words if root(word) not in theirs and _is_disorder_word(word)]
    only_theirs = [word for word in name if root(word) not in ours and word not in FILLERS]
    if not has_abnormal_word(name) or len(only_ours) != sum(map(_is_disorder_word, only_theirs)):
        return False
    if any(map(_is_absent, only_ours)) != any(map(_is_absent, only_theirs)):
        return False
    is_same = not all(map(is_site, thing)) and all(root(word) in theirs for word in thing)
    return is_same and (_has_part(thing) or not _has_part(only_theirs))


def _is_absent(word: str) -> bool:
    return amount_of(word) == "none"


def _is_disorder_word(word: str) -> bool:
    return has_abnormal_word((word,)) or is_disorder_head(word) or word in _DISORDERS


def _has_part(words: Iterable[str]) -> bool:
    """Whether one of some normalized words is a part of the body, and not what all parts are made of."""
    return any(word not in _MADE_OF and names_a_part((word,)) for word in words)


def _says_amount(words: tuple[str, ...]) -> bool:
    """Whether normalized words say that there is much or little of something, as in "CRP raised" and "raised CRP"."""
    if len(words) == 1 or "normal" in words:
        return False
    return bool(said_as_amount(words) or said_as_amount((*words[1:], words[0])))


def _is_whole_phrase(shape: Sequence[float]) -> bool:
    """Whether a stretch is a short phrase, with no more words beside it, and does not say that something is normal. How
    many of its words a name has tells little of it: "yellow sclerae" is *Conjunctival icterus*."""
    is_short = _FEW[0] <= shape[_WORDS] <= _FEW[1]
    return is_short and not (shape[_BEFORE] or shape[_AFTER] or shape[_NORMAL])


def _completes(one: Likely, within: Sequence[Head]) -> bool:
    """Whether a stretch says what its last word, a name too, is of, and its own name has all of that: the *ST* of "ST
    depression"."""
    last, shape = one.stretch.last, one.stretch.shape
    is_phrase = one.is_whole and not (shape[_MODIFIER] or shape[_HYPHEN] or shape[_BEFORE])
    return is_phrase and any(head.first == head.last == last for head in within)
