"""Stretches of a text that are likely mentions though no name spells them, by what they resemble: "genetic
disorder" for Genetic Diseases, Inborn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.evidence import FEATURES
from ontonym.index.partialforms import NO_MATCH, PartialForms, PartialMatch
from ontonym.tasks.acceptance import Acceptance, default_acceptance
from ontonym.tasks.overlaps import free_pieces
from ontonym.tasks.search import Experiment, SearchOptions, rankings
from ontonym.tasks.strategy import source_of
from ontonym.text.abbreviations import expand
from ontonym.text.chunks import is_border, says_other, stretches
from ontonym.text.kinds import KINDS, kind_scores
from ontonym.text.normalization import tokens
from ontonym.text.pieces import Piece
from ontonym.text.rewordings import is_finding
from ontonym.text.wording import COMMON
from ontonym.text.wordroots import FILLERS, MODIFIERS, SMALL, names_a_part, root, says_amiss

_OF_RANKING = (
    "dense", "dense_concept", "char", "words", "query_share", "name_share", "number_missing", "number_extra",
    "contradicted", "qualifier_missing", "qualifier_extra", "inexact", "abbreviation", "short_query",
)  # fmt: skip
_COLUMNS = [FEATURES.index(name) for name in _OF_RANKING]
_SPELLED = FEATURES.index("spelled")
_SAMPLED = 500
_OFTEN = 0.2
_COMMON_SHARE, _COMMON_NAMES = 1 / 1500, 20
_LEAST_KIND = -4.0
_UNKNOWN_KIND = KINDS.index("other")
_MOST_KNOWN = 1 << 15
_AT_ONCE = 32
_OF = ("of", "in", "on")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pieces ``first`` to ``last`` of a text, the words to look up, and the features by `SHAPE`."""

    first: int
    last: int
    lookup: str
    words: tuple[str, ...]
    shape: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Likely:
    """A stretch with the concept that it resembles most, its number and name row, and the features by `FOUND`.

    ``spelled`` says that the words are a name of the concept.
    """

    stretch: Stretch
    concept: int
    name: int
    spelled: bool
    found: tuple[float, ...]

    @property
    def features(self) -> tuple[float, ...]:
        """All that the second model sees."""
        return self.stretch.shape + self.found


@dataclass(frozen=True, slots=True)
class Head:
    """A piece of a text that is a name by itself, of these concepts: the *spasm* of "coronary spasm"."""

    place: int
    concepts: frozenset[int]

    def lies_in(self, stretch: Stretch) -> bool:
        """Whether a stretch has it in it."""
        return stretch.first <= self.place <= stretch.last

    def lets(self, stretch: Stretch) -> bool:
        """Whether a stretch may be a mention beside it: one that is not this piece alone."""
        return not self.lies_in(stretch) or stretch.first < stretch.last


@dataclass(frozen=True, slots=True)
class PiecedText:
    """A text in ``pieces``, with its abbreviations (``defined``), as likely mentions are looked for in it.

    None lies in the places ``taken``, in characters. One may have ``heads`` in it if it means another concept than
    these.
    """

    text: str
    pieces: Sequence[Piece]
    defined: Mapping[str, str] = field(default_factory=dict)
    taken: tuple[tuple[int, int], ...] = ()
    heads: tuple[Head, ...] = ()

    @property
    def key(self) -> _Key:
        """What tells it from other texts, and from itself with other mentions taken."""
        return self.text, self.taken, self.heads


_Key: TypeAlias = tuple[str, tuple[tuple[int, int], ...], tuple[Head, ...]]


class LikelyFinder:
    """Finds likely mentions of the concepts that ``search`` may find; the name rows ``hidden`` are left out."""

    def __init__(
        self, index: Index, search: SearchOptions, acceptance: Acceptance | None = None, hidden: Ints | None = None
    ) -> None:
        self._index = index
        self._given = acceptance
        out_of_sight = () if hidden is None else tuple(hidden.tolist())
        self._search = Experiment.of(search, k=2, least=0.0, verbatim=True, calibrated=False, hidden=out_of_sight)
        allowed = index.mask(within=search.within, tags=search.tags, terminologies=search.terminologies)
        everyday = index.signals.everyday.part if index.signals.everyday else None
        searched = index.signals.parts(source_of(index, search.strategy))
        parts = [part for _, part in searched if part is not everyday]
        self._parts = [PartialForms(part.names, allowed, hidden if not n else None) for n, part in enumerate(parts)]
        self._ends = _Ends(index)
        self._kinds = _kinds_of(index, allowed)
        self._matches: dict[tuple[str, ...], tuple[PartialMatch, float]] = {}
        self._known: dict[str, tuple[int, int, bool, tuple[float, ...]] | None] = {}
        self._ahead: dict[_Key, list[Stretch]] = {}

    def judging(self, acceptance: Acceptance) -> LikelyFinder:
        """The same finder, with what it knows, under another acceptance."""
        other = copy(self)
        other._given = acceptance
        other._ahead = {}
        return other

    def find(self, read: PiecedText) -> Iterator[tuple[Likely, float]]:
        """The accepted stretches, none overlapping, with their probabilities, the likeliest first."""
        acceptance = self._given or default_acceptance()
        free = free_pieces(read.pieces, read.taken)
        asked = self._ahead.pop(read.key, None)
        if asked is None:
            asked = self._asked(read)
        likely = [one for one in self.searched(asked) if not (one.spelled or self._is_other(one))]
        if not likely:
            return
        sure = acceptance.found.probabilities(np.array([one.features for one in likely]))
        for place in np.argsort(-sure, kind="stable").tolist():
            stretch = likely[place].stretch
            if sure[place] < acceptance.accepted:
                return
            if any(head.lies_in(stretch) and likely[place].concept in head.concepts for head in read.heads):
                continue
            if free[stretch.first : stretch.last + 1].all():
                free[stretch.first : stretch.last + 1] = False
                yield likely[place], float(sure[place])

    def _is_other(self, one: Likely) -> bool:
        """Whether a stretch cannot mean the name: one word for another kind of thing, or words where only the name says
        that something is wrong, or only its concept, as a "vertebra" is no *fractured vertebra*."""
        words = one.stretch.words
        if len(words) == 1 and int(np.argmax(kind_scores(words))) not in (*self._kinds, _UNKNOWN_KIND):
            return True
        if not names_a_part(words) and (says_amiss(words) or any(map(is_finding, words))):
            return False
        name = tokens(self._index.term(one.name).text)
        if says_amiss(name):
            return True
        return names_a_part(name) and says_amiss(tokens(self._index.preferred(one.concept)))

    def look_ahead(self, texts: Sequence[PiecedText]) -> None:
        """Searches together for what `find` will search for in each of these texts, which is faster."""
        self._ahead = {read.key: self._asked(read) for read in texts}
        for _ in self.searched([one for asked in self._ahead.values() for one in asked]):
            pass

    def _asked(self, read: PiecedText) -> list[Stretch]:
        """The stretches that are likely enough to be searched for."""
        acceptance = self._given or default_acceptance()
        free = free_pieces(read.pieces, read.taken)
        seen = [
            one
            for one in self.stretches(read)
            if free[one.first : one.last + 1].all() and all(head.lets(one) for head in read.heads)
        ]
        if not seen:
            return []
        chances = acceptance.shape.probabilities(np.array([one.shape for one in seen]))
        return [one for one, chance in zip(seen, chances.tolist(), strict=True) if chance >= acceptance.searched]

    def stretches(self, read: PiecedText) -> Iterator[Stretch]:
        """All stretches of a text that have words in common with a name and may be of the terminology's kind, whatever
        is taken."""
        text, row = read.text, read.pieces
        written = [text[piece.start : piece.end].lower() for piece in row]
        for first, last in stretches(text, row):
            words = tuple(word for piece in row[first : last + 1] for word in piece.words)
            if len(words) == 1 and (self._ends.is_common(words[0]) or says_other(text, row, first)):
                continue  # a word of so many names means none of them
            match, kind = self._match(words)
            if match.of_name and kind >= _LEAST_KIND:
                lookup = " ".join(text[row[first].start : row[last].end].split())
                shape = self._shape(text, row, written, first, last, match, kind, words)
                yield Stretch(first, last, expand(lookup, read.defined) if read.defined else lookup, words, shape)

    def _match(self, words: tuple[str, ...]) -> tuple[PartialMatch, float]:
        found = self._matches.get(words)
        if found is None:
            if len(self._matches) > _MOST_KNOWN:
                self._matches.clear()
            kind = float(kind_scores(words)[self._kinds].max()) if words else _LEAST_KIND - 1
            match = NO_MATCH
            if kind >= _LEAST_KIND:
                match = max(
                    (part.nearest(words) for part in self._parts), key=lambda one: one.overlap, default=NO_MATCH
                )
            found = self._matches[words] = match, kind
        return found

    def _shape(
        self, text: str, row: Sequence[Piece], written: Sequence[str], first: int, last: int, match: PartialMatch,
        kind: float, words: Sequence[str],
    ) -> tuple[float, ...]:  # fmt: skip
        here, start, end = written[first : last + 1], row[first].start, row[last].end
        telling = [word for word in words if word not in FILLERS]
        links = [place for place, word in enumerate(here) if place and word in _OF]
        head = row[first + links[0] - 1] if links else row[last]
        return (
            kind,
            min(kind, 0.0),
            match.of_phrase,
            match.of_name,
            len(telling),
            len(telling) == 1,
            bool(links),
            here[0] in MODIFIERS,
            self._ends.odds(head.words[-1] if head.words else ""),
            bool(first) and row[first].continues and not is_border(written[first - 1]),
            last + 1 < len(row) and row[last + 1].continues and not is_border(written[last + 1]),
            text[start:end].isupper(),
            any(map(str.isdigit, text[start:end])),
            "normal" in here or "normally" in here,
            here[0] in COMMON,
            text[start - 1 : start] == "-" or text[end : end + 1] == "-",
        )

    def searched(self, asked: Sequence[Stretch]) -> Iterator[Likely]:
        """The stretches with what is found for each; without those that resemble nothing."""
        fresh = list(dict.fromkeys(one.lookup for one in asked if one.lookup not in self._known))
        if len(self._known) + len(fresh) > _MOST_KNOWN:
            self._known.clear()
            fresh = list(dict.fromkeys(one.lookup for one in asked))
        for start in range(0, len(fresh), _AT_ONCE):
            some = fresh[start : start + _AT_ONCE]
            ranked = rankings(self._index, self._index.signals.queries(some), self._search, 2)
            for text, choices in zip(some, ranked, strict=True):
                self._known[text] = self._facts(text, choices)
        for one in asked:
            facts = self._known[one.lookup]
            if facts is not None:
                concept, name, spelled, found = facts
                yield Likely(one, concept, name, spelled, found)

    def _facts(self, text: str, choices: Sequence[Choice]) -> tuple[int, int, bool, tuple[float, ...]] | None:
        """The first concept found, its name row, whether it is spelled, and the features by `FOUND`."""
        if not choices:
            return None
        best, evidence = choices[0], choices[0].read.evidence
        values, name = evidence.features[best.place], int(evidence.best[best.place])
        sure = min(max(best.confidence, 1e-4), 1 - 1e-4)
        margin = best.confidence - (choices[1].confidence if len(choices) > 1 else 0.0)
        ours = [word for word in tokens(text) if word not in FILLERS]
        theirs = [word for word in tokens(self._index.term(name).text) if word not in SMALL]
        our_roots, their_roots = set(map(root, ours)), set(map(root, theirs))
        gap = float((kind_scores(theirs)[self._kinds] - kind_scores(ours)[self._kinds]).max()) if theirs else 0.0
        rarity = self._parts[0].rarity  # a stretch is searched for only where a part has a match
        found = (
            float(np.log(sure / (1 - sure))),
            margin,
            *values[_COLUMNS].tolist(),
            max(gap, 0.0),
            sum(rarity(word) for word in ours if root(word) in their_roots),
            sum(rarity(word) for word in theirs if root(word) not in our_roots),
            sum(rarity(word) for word in ours if root(word) not in their_roots),
        )
        return best.concept, name, bool(values[_SPELLED]), found


class _Ends:
    """Which words names end with."""

    def __init__(self, index: Index) -> None:
        self._names = index.signals.names
        self._all, self._last = self._names.word_uses
        self._known: dict[str, float] = {}

    def is_common(self, word: str) -> bool:
        """Whether very many names have a word."""
        (number,) = self._names.word_ids([word])
        most = max(_COMMON_NAMES, _COMMON_SHARE * len(self._names))
        return number is not None and int(self._all[number]) > most

    def odds(self, word: str) -> float:
        """The log-odds that a word of a name is the last one."""
        found = self._known.get(word)
        if found is None:
            (number,) = self._names.word_ids([word])
            if number is None:
                return 0.0  # not remembered: a text has any number of words that no name has
            last, total = int(self._last[number]), int(self._all[number])
            found = self._known[word] = float(np.log((last + 0.5) / (total - last + 0.5)))
        return found


def _kinds_of(index: Index, allowed: Mask | None) -> Ints:
    """The kinds that at least a fifth of the names are of, as columns; the commonest where none is."""
    names = index.signals.names
    rows = np.arange(len(names)) if allowed is None else np.flatnonzero(allowed[names.concepts])
    sample = rows[np.linspace(0, max(len(rows) - 1, 0), min(_SAMPLED, len(rows))).astype(np.int64)]
    best = [int(np.argmax(kind_scores(list(names.words_of(int(row)))))) for row in sample.tolist()]
    shares = np.bincount(best, minlength=len(KINDS)) / max(len(best), 1)
    often = np.flatnonzero(shares >= _OFTEN)
    return often if len(often) else np.array([int(np.argmax(shares))])
