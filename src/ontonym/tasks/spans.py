"""Finds the mentions of a text: windows of its words that are names of the index, the longest first.

Rules make matches reliable. An acronym must be in capitals, unless no letter around it is or all are; one that is also
a common English word (WAS) must be written as the name is. Numbers alone, single letters, words as general as
*disease*, and what follows *non-* are not mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple, get_args

import numpy as np

from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.windows import NameWindows, Window
from ontonym.tasks.acceptance import Acceptance
from ontonym.tasks.likely import Head, LikelyFinder
from ontonym.tasks.overlaps import RankedSpan, Span, longest, nested, placed
from ontonym.tasks.proposals import Proposer
from ontonym.tasks.rewording import Reworder
from ontonym.tasks.search import SearchOptions
from ontonym.tasks.shortforms import meant_by_long_forms
from ontonym.tasks.shorthand import ShorthandFinder
from ontonym.tasks.strategy import source_of
from ontonym.text.abbreviations import expand
from ontonym.text.counting import count
from ontonym.text.normalization import tokens
from ontonym.text.pieces import Piece, defined_in, pieces, without_asides, without_hyphens
from ontonym.text.rewordings import other_words
from ontonym.text.wording import COMMON, EDGES, GENERIC, genes_of
from ontonym.text.wordroots import FILLERS, is_adjective

_LETTER = re.compile(r"[^\W\d_]")
_SHARING = re.compile(r"(?<![\w-])([^\W\d_]{4,})(?:[/-]|,? (?:and|or|and/or) )$")
_LISTED = re.compile(r"(?<![\w-])([^\W\d_]{4,}), $")
_FARTHEST = 40
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+")
_SHORTEST = 2
_SHORT = 4
_LONGEST_ACRONYM = 6
_MOST_KNOWN = 50_000
_REMEMBERED, _MOST_TEXTS = 200, 5_000  # characters of a text whose mentions are kept, since short texts come again
_SURE_ENOUGH = 0.94


Sought = Literal["names", "phrases", "statements", "likely"]
"""What is found: names; also phrases that mean a name in other forms of its words or another order; with *statements*
also sentences that state one ("the ears were low-set"), with *likely* what resembles a name so much that it is likely a
mention ("lysosomal storage disorder"; `ontonym.tasks.acceptance`).
"""


@dataclass(frozen=True, slots=True)
class SpanOptions:
    """What counts as a mention.

    ``abbreviations``: those that a text defines are found everywhere in it. A name of fewer characters than
    ``shortest``, at least 2, counts only if the text defines it. ``find`` is explained there. ``nested``: also what
    lies in a longer mention or overlaps it.
    """

    abbreviations: bool = True
    shortest: int = 3
    find: Sought = "likely"
    nested: bool = False

    def __post_init__(self) -> None:
        if self.shortest < _SHORTEST:
            raise InputError(f"the shortest name has {count(self.shortest, 'character')}, but one alone is never found")
        if self.find not in get_args(Sought):
            raise UnknownNameError("kind of mention", self.find, get_args(Sought))


class _Read(NamedTuple):
    """The pieces of a text, its abbreviations and genes, the mentions chosen so far, and what may lie in them.

    Of those chosen, ``heads`` are names of one word that a likely reading may be around, ``apart`` the others.
    """

    pieces: list[Piece]
    defined: dict[str, str]
    chosen: list[Span]
    others: list[Span]
    heads: list[Head]
    apart: list[Span]
    genes: frozenset[str]


def _places(spans: Sequence[Span]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


class Finder:
    """Finds mentions that are names of concepts within the source and the filters of ``search``."""

    def __init__(
        self,
        index: Index,
        search: SearchOptions,
        options: SpanOptions = SpanOptions(),
        acceptance: Acceptance | None = None,
    ) -> None:
        self._options = options
        self._lexicon = NameWindows(index, source_of(index, search.strategy))
        self._allowed = index.mask(within=search.within, tags=search.tags, terminologies=search.terminologies)
        source = source_of(index, search.strategy)
        self._proposer = Proposer(index, source, self._allowed) if options.find != "names" else None
        self._reworder = Reworder(self._proposer) if self._proposer and options.find == "likely" else None
        self._likely = LikelyFinder(index, search, acceptance) if options.find == "likely" else None
        self._shorthand = ShorthandFinder(index, search)
        self._judged: dict[tuple[str, tuple[int, ...], bool], bool] = {}
        self._texts: dict[str, list[Span]] = {}

    def find(self, text: str) -> list[Span]:
        """The mentions in a text in order, without overlaps but for nested ones."""
        (found,) = self.find_each([text])
        return found

    def find_each(self, texts: Sequence[str]) -> list[list[Span]]:
        """The mentions in each text, as by `find`; what has to be searched for is searched for together."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._texts]
        read = [self._read(text) for text in fresh]
        if self._likely is not None and len(fresh) > 1:
            self._likely.look_ahead(
                [
                    (text, one.pieces, _places(one.apart), one.defined, one.heads)
                    for text, one in zip(fresh, read, strict=True)
                ]
            )
        found = {text: self._finished(text, one) for text, one in zip(fresh, read, strict=True)}
        spans = [list(found[text] if text in found else self._texts[text]) for text in texts]
        if len(self._texts) + len(found) > _MOST_TEXTS:
            self._texts.clear()
        self._texts.update((text, some) for text, some in found.items() if len(text) <= _REMEMBERED)
        return spans

    def _read(self, text: str) -> _Read:
        """The names in a text, and what it says in other forms."""
        defined = self._defined(text) if self._options.abbreviations else {}
        found = pieces(text, defined)
        rows = [found]
        if defined and (passing := without_asides(text, found, defined)) is not None:
            rows.append(passing)
        if self._proposer is not None and (joined := without_hyphens(text, found, self._is_word)) is not None:
            rows.append(joined)
        genes = genes_of(text) - defined.keys()
        every = {span for row in rows for span in self._candidates(text, row, defined)}
        candidates = [span for span in every if text[span.start : span.end] not in genes]
        others = candidates
        if self._proposer is None:
            kept = longest(candidates, len(text))
            chosen = [*kept, *self._sharing(text, kept)]
        else:
            ranked = self._ranked(self._proposer, text, rows, candidates)
            chosen = placed(ranked, found)
            others = [span for _, _, span, joined in ranked if not joined]
        heads, apart = self._heads_apart(text, found, chosen) if self._likely is not None else ([], chosen)
        return _Read(found, defined, chosen, others, heads, apart, genes)

    def _finished(self, text: str, read: _Read) -> list[Span]:
        """The mentions that were read, and what else is likely one."""
        found, defined, chosen, others = read[:4]
        if self._likely is not None:
            chosen = self._with_likely(self._likely, text, read)
            if self._options.nested:
                others = [*others, *self._likely_in(self._likely, text, found, (), defined)]
        if self._options.nested:
            chosen = [*chosen, *nested(others, chosen)]
        return sorted(chosen, key=lambda span: (span.start, span.nested, -span.end))

    def _with_likely(self, finder: LikelyFinder, text: str, read: _Read) -> list[Span]:
        """What was chosen and what resembles a name: in no chosen place, or around a name of one word if it means
        another concept, as "coronary spasm" does around *spasm*."""
        found = self._likely_in(finder, text, read.pieces, read.apart, read.defined, read.heads)
        found = meant_by_long_forms(text, read.defined, read.pieces, read.chosen, found)
        kept = found + [
            one for one in read.chosen if not any(span.start <= one.start and one.end <= span.end for span in found)
        ]
        others = read.genes | read.defined.keys()
        return [*kept, *self._shorthand.find(text, read.pieces, _places(kept), others)]

    def _heads_apart(self, text: str, row: Sequence[Piece], chosen: Sequence[Span]) -> tuple[list[Head], list[Span]]:
        """The names of one word that a likely reading may be around, and what else was chosen."""
        starts = {piece.start: place for place, piece in enumerate(row)}
        heads: list[Head] = []
        others: list[Span] = []
        for span in chosen:
            place = starts.get(span.start)
            alone = place is not None and row[place].end == span.end
            concepts = self._heading(span, text[span.start : span.end]) if alone else frozenset[int]()
            if place is not None and concepts:
                heads.append(Head(place, concepts))
            else:
                others.append(span)
        return heads, others

    def _heading(self, span: Span, written: str) -> frozenset[int]:
        """The concepts of a name of one word, or of one in other words; empty for an abbreviation and a proposal."""
        words = tokens(span.lookup)
        named = len(words) == 1 and span.closeness == 1.0
        if written.isupper() or not (named or other_words(tuple(tokens(written)))):
            return frozenset()
        return frozenset(map(self._lexicon.concept, self._lexicon.spelled(words)))

    @staticmethod
    def _likely_in(
        finder: LikelyFinder,
        text: str,
        row: Sequence[Piece],
        chosen: Sequence[Span],
        defined: dict[str, str],
        heads: Sequence[Head] = (),
    ) -> list[Span]:
        """What resembles a name, in none of the chosen places."""
        taken = _places(chosen)
        return [
            Span(row[one.stretch.first].start, row[one.stretch.last].end, one.stretch.lookup, sure)
            for one, sure in finder.find(text, row, taken, defined, heads)
        ]

    def _ranked(
        self, proposer: Proposer, text: str, rows: Sequence[list[Piece]], candidates: Iterable[Span]
    ) -> list[RankedSpan]:
        """The names and the proposals, each with its rank, the pieces it uses, and whether an enumeration joins it."""
        pieced = rows[0]
        starts = np.array([piece.start for piece in pieced])
        ranked: list[RankedSpan] = []
        for span in candidates:
            first, last = np.searchsorted(starts, [span.start, span.end]).tolist()
            used = tuple(range(first, last))
            content = sum(not FILLERS.issuperset(pieced[place].words) for place in used)
            ranked.append(((content + 0.2, 1.0, span.end - span.start), used, span, False))
        for row in rows:
            moved = np.searchsorted(starts, [piece.start for piece in row]).tolist()
            ends = np.searchsorted(starts, [piece.end for piece in row]).tolist()
            for one in proposer.propose(text, row):
                if (
                    one.skipped
                    or (one.joined and one.closeness < _SURE_ENOUGH)
                    or (one.stated and self._options.find != "statements")
                ):
                    continue
                used = tuple(chain.from_iterable(range(moved[place], ends[place]) for place in one.pieces))
                span = Span(
                    pieced[used[0]].start,
                    pieced[used[-1]].end,
                    proposer.text_of(one.row),
                    one.closeness,
                    one.stated,
                )
                ranked.append(((*one.rank, span.start - span.end), used, span, one.joined))
        if self._reworder is not None:
            ranked += self._reworded(self._reworder, proposer, text, pieced)
        return ranked

    @staticmethod
    def _reworded(reworder: Reworder, proposer: Proposer, text: str, row: list[Piece]) -> Iterable[RankedSpan]:
        """The names in other words, each with its rank: below those in their own, unless words elsewhere say more."""
        for one in reworder.reword(text, row):
            used = tuple(range(one.first, one.last + 1))
            content = sum(not FILLERS.issuperset(row[place].words) for place in used) + (0.5 if one.part else 0.0)
            span = Span(row[one.first].start, row[one.last].end, proposer.text_of(one.row), one.closeness)
            yield (content, one.closeness, span.start - span.end), used, span, False

    def _sharing(self, text: str, kept: Sequence[Span]) -> Iterable[Span]:
        """Words before a mention that share its end: the *breast* of "breast and ovarian cancer"."""
        end = 0
        for span in kept:
            _, _, shared = span.lookup.partition(" ")
            start, pattern = span.start, _SHARING
            while shared and (match := pattern.search(text, max(end, start - _FARTHEST), start)):
                start, word = match.start(), match.group(1)
                lookup = f"{word} {shared}"
                if word.lower() in COMMON or not self._is_searched(lookup):
                    break
                yield Span(start, match.end(1), lookup)
                pattern = _LISTED
            end = span.end

    def _is_word(self, word: str) -> bool:
        return self._lexicon.has_word(word)

    def _is_searched(self, words: str) -> bool:
        return bool(self._left(self._lexicon.spelled(tokens(words))))

    def _left(self, rows: Sequence[int]) -> tuple[int, ...]:
        """The names whose concepts pass the filters."""
        allowed = self._allowed
        return tuple(row for row in rows if allowed is None or allowed[self._lexicon.concept(row)])

    def _defined(self, text: str) -> dict[str, str]:
        """The abbreviations that a text defines, without those that the terminologies know better.

        "von Hippel-Lindau (VHL)" is not a name, but VHL is one, of a concept that has a name with all these words.
        """
        return {short: long for short, long in defined_in(text).items() if not self._knows_better(short, long)}

    def _knows_better(self, short: str, long: str) -> bool:
        words = set(tokens(long))
        if self._lexicon.spelled(tokens(long)):
            return False
        concepts = map(self._lexicon.concept, self._lexicon.spelled(tokens(short)))
        return any(words <= set(name) for concept in concepts for name in self._lexicon.names_of(concept))

    def _candidates(self, text: str, row: list[Piece], defined: dict[str, str]) -> Iterable[Span]:
        words = [word for piece in row for word in piece.words]
        if not words:
            return
        owners = np.repeat(np.arange(len(row)), [len(piece.words) for piece in row])
        changes = np.diff(owners) != 0
        opens, closes = np.concatenate([[True], changes]), np.concatenate([changes, [True]])
        limits = self._limits(row, owners)
        for window in self._lexicon.windows(words, opens, closes, limits):
            first, last = int(owners[window.start]), int(owners[window.end - 1])
            start, end = row[first].start, row[last].end
            if self._counts(text, row[first : last + 1], window, defined):
                yield Span(start, end, self._lookup(text[start:end], row[first : last + 1], defined))

    @staticmethod
    def _limits(row: list[Piece], owners: np.typing.NDArray[np.int64]) -> np.typing.NDArray[np.int64]:
        """For each word the position up to which a name that begins there may extend."""
        breaks = np.array([not piece.goes_on for piece in row], dtype=np.bool_)
        stretches = np.cumsum(breaks)[owners]
        return np.searchsorted(stretches, stretches, side="right")

    def _counts(self, text: str, row: Sequence[Piece], window: Window, defined: dict[str, str]) -> bool:
        """Whether a window that is a name counts as a mention."""
        rows = self._left(window.rows)
        if not rows or (not window.in_order and any(piece.comma for piece in row[1:])):
            return False
        if all(word in GENERIC for piece in row for word in piece.words):
            return False
        start, end = row[0].start, row[-1].end
        written, before = text[start:end], text[max(0, start - 4) : start].lower()
        if before.endswith(("non-", "non ")) or {row[0].words[0], row[-1].words[-1]} & EDGES:
            return False
        if len(row) > 1:
            return bool(_LETTER.search(written))
        if before.endswith("-") and len(written) <= _SHORT:  # the ALD of X-ALD
            return False
        return written in defined or written.removesuffix("s") in defined or self._is_name(written, rows, row[0])

    def _is_name(self, written: str, rows: tuple[int, ...], piece: Piece) -> bool:
        """Whether the spelling of a single word means the name."""
        key = (written, rows, piece.flat)
        if key not in self._judged:
            if len(self._judged) >= _MOST_KNOWN:
                self._judged.clear()
            self._judged[key] = self._judge(written, rows, flat=piece.flat)
        return self._judged[key]

    def _judge(self, written: str, rows: tuple[int, ...], *, flat: bool) -> bool:
        if len(written) < self._options.shortest or not _LETTER.search(written) or self._only_qualifies(written):
            return False
        common = written.lower() in COMMON
        if len(written) > _LONGEST_ACRONYM and not common:
            return True
        terms = {term for row in rows for term in self._lexicon.spellings(row)}
        if common:
            return not flat and written.isupper() and written in terms
        if flat or written in terms or written.removesuffix("s") in terms:
            return True
        acronym = written.isupper() and len(written) <= _SHORT  # that is not a name
        return any(map(str.isupper, terms)) if acronym else not all(map(_ACRONYM.fullmatch, terms))

    def _only_qualifies(self, written: str) -> bool:
        return not written.isupper() and is_adjective(written.lower()) and self._lexicon.is_modifier(tokens(written))

    @staticmethod
    def _lookup(written: str, row: Sequence[Piece], defined: dict[str, str]) -> str:
        if row[0].flat:
            written = written.lower()
        return expand(written, defined) if defined else written
