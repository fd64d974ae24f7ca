"""Finds the mentions of a text: names as they are written, the longest first, names in other forms and words, and what
is likely one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from typing import Literal, NamedTuple, get_args

import numpy as np

from ontonym.arrays import Ints
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.windows import NameWindows
from ontonym.tasks.annotation.acceptance import Acceptance
from ontonym.tasks.annotation.likelymentions import LikelyFinder
from ontonym.tasks.annotation.namedspans import NamedSpans, sought
from ontonym.tasks.annotation.nofindings import is_no_finding
from ontonym.tasks.annotation.numberedforms import NumberedForms
from ontonym.tasks.annotation.otherwords import Reworder
from ontonym.tasks.annotation.overlaps import (
    IN_OTHER_WORDS,
    LEAST_LIKELY,
    RankedSpan,
    Span,
    longest,
    nested,
    placed,
    with_qualifiers,
)
from ontonym.tasks.annotation.proposals import Proposal, Proposer
from ontonym.tasks.annotation.shortforms import meant_by_long_forms
from ontonym.tasks.annotation.shorthand import ShorthandFinder
from ontonym.tasks.annotation.stretches import Head, PiecedText
from ontonym.tasks.annotation.textreadings import TextReader, TextReading
from ontonym.tasks.search import SearchOptions
from ontonym.tasks.strategy import source_of
from ontonym.text.bodyparts import fractured, is_shape_of_part
from ontonym.text.capitals import genes_of, is_capitals_in
from ontonym.text.counting import count
from ontonym.text.english import is_english
from ontonym.text.frames import without_negation
from ontonym.text.normalization import tokens
from ontonym.text.pieces import Piece
from ontonym.text.rewordings import has_finding_noun, other_words
from ontonym.text.wordlists import COMMON, FILLERS

_OF_OTHERS, _OWN = re.compile(r"\bfamily[\s-]+$", re.IGNORECASE), re.compile(r"history|hx\b", re.IGNORECASE)
"""The two halves of "family[ ]history of gout"."""
_ENDS_DENYING = re.compile(r"[,;] (?:no|not|without)\Z", re.IGNORECASE)
"""The end of "eyes, no", which denies what follows."""
_SHARING = re.compile(r"(?<![\w-])([^\W\d_]{4,})(?:[/-]|,? (?:and|or|and/or) )$")
_LISTED = re.compile(r"(?<![\w-])([^\W\d_]{4,}), $")
"""The first word of a name whose end another name has: the "breast" of "breast and ovarian cancer", and more before it.
"""
_FARTHEST = 40
"""Characters before a mention in which such words are looked for."""
_SHORTEST = 2
_REMEMBERED, _MOST_TEXTS = 200, 5_000  # characters of a text whose mentions are kept, since short texts come again
_SURE_ENOUGH = 0.94
"""The least closeness of a proposal that an enumeration joins: one of two words may be in another form."""
_ACCEPTED_OF_RIGHT = 0.5
"""A likely mention is right twice as often as acceptance says: it learned from definitions, where fewer stretches are
mentions than in notes (docs/decisions.md)."""


Sought = Literal["names", "phrases", "statements", "likely", "all"]
"""What is found: names; also phrases that mean a name in other forms of its words or another order; with *statements*
also sentences that state one ("the ears were low-set") and values ("K 6.2"), with *likely* what resembles a name so
much that it is likely a mention ("lysosomal storage disorder"; `ontonym.tasks.annotation.acceptance`), with *all* both.
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

    @property
    def finds_likely(self) -> bool:
        """Whether what is likely a mention is found."""
        return self.find in {"likely", "all"}

    @property
    def finds_statements(self) -> bool:
        """Whether sentences and values that state something are found."""
        return self.find in {"statements", "all"}


class _Read(NamedTuple):
    """A text with what was found in all its readings: its pieces as it is written, the abbreviations that it defines,
    the mentions chosen so far and the ``others`` that were not, and the symbols of genes in it.

    Of those chosen, ``heads`` are names around which a longer likely mention may be, ``apart`` the others.
    """

    pieces: list[Piece]
    defined: Mapping[str, str]
    chosen: list[Span]
    others: list[Span]
    heads: list[Head]
    apart: list[Span]
    genes: frozenset[str]

    def beside(self, text: str) -> PiecedText:
        """The text as likely mentions are looked for in it beside what was found."""
        taken = tuple((span.start, span.end) for span in self.apart)
        return PiecedText(text, self.pieces, self.defined, taken, tuple(self.heads))


def _is_cut(text: str, span: Span) -> bool:
    """Whether it is the history of a family without this word, which would be the patient's own, or the shape of a part
    of the body without that part, which would be a mood; or whether it ends with a word that denies what follows: the
    "eyes, no" of "both eyes, no tears"."""
    if is_shape_of_part(text, span.start, span.end) or _ENDS_DENYING.search(span.written(text)):
        return True
    return bool(_OWN.match(text, span.start) and _OF_OTHERS.search(text, max(0, span.start - _FARTHEST), span.start))


def _likely_in(finder: LikelyFinder, read: PiecedText, least: float = 0.0) -> list[Span]:
    """What resembles a name, in none of the taken places; not what has a name in it and is less likely than ``least``:
    the *pain* of "pain in shins" stays one."""
    found: list[Span] = []
    for one, accepted in finder.find(read):
        start, end = read.pieces[one.stretch.first].start, read.pieces[one.stretch.last].end
        is_around = read.by_piece.around(one.stretch)
        sure = IN_OTHER_WORDS if is_around else min(accepted / _ACCEPTED_OF_RIGHT, 1.0)
        has_name = bool(read.by_piece.within(one.stretch))
        if sure * one.confidence >= least or not has_name:
            found.append(Span(start, end, one.stretch.lookup, accepted, sure=sure, around=has_name))
    return found


def _bounds(row: Sequence[Piece]) -> tuple[Ints, Ints]:
    """Where the pieces of a text start, and where they end."""
    return np.array([piece.start for piece in row]), np.array([piece.end for piece in row])


def _ranked_names(text: str, row: Sequence[Piece], names: Iterable[Span]) -> Iterator[RankedSpan]:
    """Names as they are written, each with its rank: above proposals of as many words that tell something."""
    starts, ends = _bounds(row)
    for span in names:
        first, stop = int(np.searchsorted(starts, span.start)), int(np.searchsorted(ends, span.end, "right"))
        used = tuple(range(first, stop))
        denies = bool(without_negation(span.lookup))  # "no hair loss" is no *no hair*
        says_more = set(tokens(span.written(text))) < set(tokens(span.lookup))  # by its heading
        yield RankedSpan((_told_by(row, used) + 0.2, 1.0 + says_more, -denies, -span.start), used, span)


def _reworded(reworder: Reworder, proposer: Proposer, text: str, row: Sequence[Piece]) -> Iterator[RankedSpan]:
    """The names in other words, each with its rank: below those in their own, unless words elsewhere say more."""
    for one in reworder.reword(text, row):
        used = tuple(range(one.first, one.last + 1))
        start, end = row[one.first].start, row[one.last].end
        span = Span(start, end, proposer.text_of(one.row), one.closeness, sure=IN_OTHER_WORDS)
        yield RankedSpan((_told_by(row, used) + (0.5 if one.part else 0.0), one.closeness, start - end), used, span)


def _told_by(row: Sequence[Piece], places: Sequence[int]) -> int:
    """How many of some pieces tell something."""
    return sum(not FILLERS.issuperset(row[place].words) for place in places)


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
        source = source_of(index, search.strategy)
        self._lexicon = NameWindows(index, source)
        allowed = sought(index, self._lexicon, search)
        self._shorthand = ShorthandFinder(index, search, allowed)
        self._numbered = NumberedForms(index, self._shorthand.best)
        self._named = NamedSpans(index, self._lexicon, allowed, options.shortest, self._shorthand.means_other)
        freely = options.find != "names"
        self._reader = TextReader(
            index, self._lexicon, self._shorthand, abbreviations=options.abbreviations, freely=freely,
            values=options.finds_statements,
        )  # fmt: skip
        self._proposer = Proposer(index, source, allowed) if freely else None
        self._reworder = Reworder(self._proposer) if self._proposer and options.finds_likely else None
        self._likely = LikelyFinder(index, search, acceptance, sought=allowed) if options.finds_likely else None
        self._least = LEAST_LIKELY if acceptance is None else 0.0
        self._texts: dict[str, list[Span]] = {}

    def find(self, text: str) -> list[Span]:
        """The mentions in a text in order, without overlaps but for nested ones."""
        (found,) = self.find_each([text])
        return found

    def find_each(self, texts: Sequence[str]) -> list[list[Span]]:
        """The mentions in each text, as by `find`; what has to be searched for is searched for together."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._texts]
        read = self._read(fresh)
        if self._likely is not None and len(fresh) > 1:
            self._likely.look_ahead([one.beside(text) for text, one in zip(fresh, read, strict=True)])
        found = {text: self._finished(text, one) for text, one in zip(fresh, read, strict=True)}
        spans = [list(found[text] if text in found else self._texts[text]) for text in texts]
        if len(self._texts) + len(found) > _MOST_TEXTS:
            self._texts.clear()
        self._texts.update((text, some) for text, some in found.items() if len(text) <= _REMEMBERED)
        return spans

    def _read(self, texts: Sequence[str]) -> list[_Read]:
        """The names in each text, and what it says in other forms."""
        read = self._reader.read(texts)
        readings = [one for some in read for one in some]
        named = iter(self._named.find(readings))
        proposed = iter(self._proposer.propose(readings)) if self._proposer else repeat([])
        return [self._chosen(some, list(islice(named, len(some))), list(islice(proposed, len(some)))) for some in read]

    def _chosen(
        self, readings: Sequence[TextReading], named: Sequence[list[Span]], proposed: Sequence[list[Proposal]]
    ) -> _Read:
        """What is chosen of the names and proposals of each reading of a text, the first as it is written."""
        text, row, defined = readings[0].text, readings[0].row, readings[0].defined
        genes = genes_of(text) - defined.keys()
        every = {span for spans in named for span in spans}
        if self._options.finds_likely:
            every.update(Span(start, end, text[start:end], sure=IN_OTHER_WORDS) for start, end in fractured(text))
        candidates = [span for span in every if span.written(text) not in genes and not _is_cut(text, span)]
        others = candidates
        if self._proposer is None:
            chosen = self._sharing(text, longest(candidates, len(text)))
        else:
            every_ranked = self._ranked(self._proposer, readings, candidates, proposed)
            ranked = [one for one in every_ranked if not _is_cut(text, one.span)]
            chosen = placed(ranked, row)
            others = [one.span for one in ranked if not one.joined]
        heads, apart = self._heads_apart(text, row, chosen) if self._likely is not None else ([], chosen)
        return _Read(row, defined, chosen, others, heads, apart, genes)

    def _finished(self, text: str, read: _Read) -> list[Span]:
        """The mentions that were read, and what else is likely one."""
        chosen, others = read.chosen, read.others
        if self._likely is not None:
            chosen = self._with_likely(self._likely, text, read)
            chosen = [span for span in chosen if not is_no_finding(text, span.start, span.end)]
            chosen = with_qualifiers(chosen, text, read.pieces)
            if self._options.nested:
                others = [*others, *_likely_in(self._likely, PiecedText(text, read.pieces, read.defined))]
        if self._options.nested:
            chosen = [*chosen, *nested(others, chosen)]
        return sorted(chosen, key=lambda span: (span.start, span.nested, -span.end))

    def _with_likely(self, finder: LikelyFinder, text: str, read: _Read) -> list[Span]:
        """What was chosen and what resembles a name: in no chosen place, or around a name if it means another concept,
        as "coronary spasm" does around *spasm* (`LikelyFinder.find`)."""
        found = [span for span in _likely_in(finder, read.beside(text), self._least) if not _is_cut(text, span)]
        found = meant_by_long_forms(text, read.defined, read.pieces, read.chosen, found)
        kept = found + [
            one for one in read.chosen if not any(span.start <= one.start and one.end <= span.end for span in found)
        ]
        others = read.genes | read.defined.keys()
        every = [*kept, *self._shorthand.find(text, read.pieces, kept, others)]
        return list(self._numbered.with_numbers(text, read.pieces, every))

    def _heads_apart(self, text: str, row: Sequence[Piece], chosen: Sequence[Span]) -> tuple[list[Head], list[Span]]:
        """The names that a likely reading may be around, and what else was chosen."""
        starts = {piece.start: place for place, piece in enumerate(row)}
        ends = {piece.end: place for place, piece in enumerate(row)}
        heads: list[Head] = []
        others: list[Span] = []
        for span in chosen:
            first, last = starts.get(span.start), ends.get(span.end)
            concepts = self._heading(span, span.written(text))
            if first is not None and last is not None and concepts:
                heads.append(Head(first, last, concepts))
            else:
                others.append(span)
        return heads, others

    def _heading(self, span: Span, written: str) -> frozenset[int]:
        """The concepts of a name, or of one word in other words; empty for an abbreviation and a proposal."""
        words = tokens(span.lookup)
        if written.isupper():
            return frozenset()
        if span.closeness < 1.0 and not (other_words(tuple(tokens(written))) or has_finding_noun(written.lower())):
            return frozenset()
        return frozenset(map(self._lexicon.concept, self._lexicon.spelled(words)))

    def _ranked(
        self,
        proposer: Proposer,
        readings: Sequence[TextReading],
        names: Iterable[Span],
        proposed: Sequence[list[Proposal]],
    ) -> Iterator[RankedSpan]:
        """The names, the proposals of each reading, and the names in other words, each with its rank."""
        text, row = readings[0].text, readings[0].row
        yield from _ranked_names(text, row, names)
        for reading, proposals in zip(readings, proposed, strict=True):
            yield from self._ranked_proposals(proposer, row, reading, proposals)
        if self._reworder is not None:
            yield from _reworded(self._reworder, proposer, text, row)

    def _ranked_proposals(
        self, proposer: Proposer, row: Sequence[Piece], reading: TextReading, proposals: Sequence[Proposal]
    ) -> Iterator[RankedSpan]:
        """The proposals of a reading that count, each with its rank and the pieces of the text as it is written."""
        if not proposals:
            return
        starts, ends = _bounds(row)
        firsts = np.searchsorted(starts, [piece.start for piece in reading.row]).tolist()
        stops = np.searchsorted(ends, [piece.end for piece in reading.row], "right").tolist()
        for one in proposals:
            if (
                one.skipped
                or (one.joined and one.closeness < _SURE_ENOUGH)
                or (one.stated and not self._options.finds_statements)
            ):
                continue
            used = tuple(chain.from_iterable(range(firsts[place], stops[place]) for place in one.pieces))
            start, end = row[used[0]].start, row[used[-1]].end
            named = proposer.text_of(one.row)
            if is_capitals_in(reading.text[start:end], named) and not reading.row[0].flat:
                continue
            span = Span(start, end, named, one.closeness, sure=IN_OTHER_WORDS)
            yield RankedSpan((*one.rank, start - end), used, span, one.joined)

    def _sharing(self, text: str, kept: Sequence[Span]) -> list[Span]:
        """The mentions with those whose end they share, all of them in one place: in "breast and ovarian cancer" also
        *breast cancer*."""
        every: list[Span] = []
        end = 0
        for span in kept:
            _, _, shared = span.lookup.partition(" ")
            start, pattern, others = span.start, _SHARING, []
            while shared and (match := pattern.search(text, max(end, start - _FARTHEST), start)):
                lookup = f"{match.group(1)} {shared}"
                if match.group(1).lower() in COMMON or not self._named.is_name(lookup):
                    break
                others.append(lookup)
                start, pattern = match.start(), _LISTED
            end = span.end
            every += [Span(start, end, lookup) for lookup in reversed(others)]
            every.append(replace(span, start=start))
        return every

    def is_word(self, word: str) -> bool:
        """Whether a normalized word occurs in names, or English has it."""
        return self._lexicon.has_word(word) or is_english(word)
