"""Texts of which it is known what is a mention in them, and the examples that a model of mentions learns from.

They are the definitions of a terminology, some of whose names are hidden, without annotation; or annotated documents. A
stretch of a text is right if it has the place of a mention and the search finds its concept, and wrong if it is no
mention or the search finds another concept. Stretches that only overlap a mention whose concept they find, or that mean
what a definition defines, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.ranges import check_seed
from ontonym.tasks.annotation.likelymentions import LikelyFinder
from ontonym.tasks.annotation.spans import Finder, SpanOptions
from ontonym.tasks.annotation.stretches import PiecedText, Stretch
from ontonym.tasks.search import SearchOptions, allowed_by
from ontonym.text.abbreviations import find_abbreviations
from ontonym.text.normalization import tokens
from ontonym.text.pieces import pieces

_SHORTEST, _LONGEST = 80, 900
"""The least and the most characters of a definition to learn from."""


@dataclass(frozen=True, slots=True)
class AcceptanceOptions:
    """How acceptance is learned.

    ``definitions`` is the number of definitions to learn from, ``hidden`` the share of their names that are hidden. Of
    the stretches that overlap no mention only the share ``wrong`` is searched for, each with a weight of 1 / ``wrong``.
    ``decay`` is the penalty on squared weights. ``searched`` is the number of stretches per thousand characters that
    the first model passes on to the second, ``accepted`` the probability from which a stretch is a mention.
    """

    definitions: int = 600
    hidden: float = 0.5
    wrong: float = 0.15
    decay: float = 100.0
    searched: float = 3.0
    accepted: float = 0.4
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)


@dataclass(frozen=True, slots=True)
class Example:
    """The features of a stretch by `SHAPE` and `FOUND`, whether it is right, and how much it counts."""

    features: tuple[float, ...]
    right: bool
    weight: float


class MarkedMention(NamedTuple):
    """A known mention of a text: its span in characters, and the numbers of the concepts that it may mean."""

    start: int
    end: int
    concepts: frozenset[int]

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it and another place have a character in common."""
        return start < self.end and self.start < end


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with its ``mentions``; ``taken`` are the spans that are found in other ways, and left out.

    ``own`` are the concept that a definition defines and its ancestors: stretches that mean them are not counted.
    """

    text: str
    mentions: tuple[MarkedMention, ...]
    taken: tuple[tuple[int, int], ...]
    own: frozenset[int] = frozenset()

    def meant(self, start: int, end: int, concept: int) -> list[MarkedMention]:
        """The mentions that overlap a place and may mean a concept."""
        return [mention for mention in self.mentions if mention.overlaps(start, end) and concept in mention.concepts]


@dataclass(frozen=True, slots=True)
class AcceptanceDataset:
    """Marked texts to learn from, and a ``finder`` that knows all names but the hidden ones."""

    finder: LikelyFinder
    texts: tuple[MarkedText, ...]

    @property
    def characters(self) -> int:
        """How many characters the texts have."""
        return sum(len(one.text) for one in self.texts)

    def examples(self, options: AcceptanceOptions = AcceptanceOptions()) -> list[Example]:
        """The examples that the texts give."""
        return list(_examples(self.finder, self.texts, options, np.random.default_rng(options.seed)))

    def part(self, number: int, of: int) -> AcceptanceDataset:
        """Every ``of``-th text, from the one of this number on."""
        return AcceptanceDataset(self.finder, self.texts[number::of])


def definition_dataset(
    index: Index,
    options: AcceptanceOptions,
    search: SearchOptions = SearchOptions(),  # noqa: B008 (frozen)
) -> AcceptanceDataset:
    """The definitions of the concepts of an index, with some of their names hidden; no annotation is read.

    Raises InputError if no definition has a name.
    """
    rng = np.random.default_rng(options.seed)
    finder = Finder(index, search, SpanOptions(find="names"))
    drawn = list(_definitions(index, options, search, rng))
    named = [finder.find(text) for _, text in drawn]
    rows = {
        span.lookup: tuple(index.signals.spelled(tokens(span.lookup), "O").tolist()) for one in named for span in one
    }
    hidden = {text for text in rows if rng.random() < options.hidden}
    out_of_sight = np.unique(np.array([row for text in sorted(hidden) for row in rows[text]], dtype=np.int64))
    if not len(out_of_sight):
        raise InputError(
            f"{index.name}: its definitions have no name of a concept that acceptance could be learned from"
        )
    names = index.signals.names
    marked = []
    for (own, text), spans in zip(drawn, named, strict=True):
        mentions = tuple(
            MarkedMention(span.start, span.end, frozenset(int(names.concepts[row]) for row in rows[span.lookup]))
            for span in spans
            if span.lookup in hidden
        )
        taken = tuple((span.start, span.end) for span in spans if span.lookup not in hidden)
        marked.append(MarkedText(text, mentions, taken, own))
    return AcceptanceDataset(LikelyFinder(index, search, hidden=out_of_sight), tuple(marked))


def document_dataset(
    index: Index,
    documents: Iterable[tuple[str, Sequence[tuple[int, int, Iterable[str]]]]],
    search: SearchOptions = SearchOptions(),  # noqa: B008 (frozen)
) -> AcceptanceDataset:
    """A dataset of documents: texts, each with the start, end and concept ids of its mentions."""
    finder = Finder(index, search, SpanOptions(find="phrases"))
    marked = []
    for text, given in documents:
        mentions = tuple(MarkedMention(start, end, frozenset(_numbers(index, ids))) for start, end, ids in given)
        marked.append(MarkedText(text, mentions, tuple((span.start, span.end) for span in finder.find(text))))
    return AcceptanceDataset(LikelyFinder(index, search), tuple(marked))


def pieced(text: str) -> PiecedText:
    """A text in the pieces that stretches are made of, with the abbreviations that it defines."""
    defined = find_abbreviations(text)
    return PiecedText(text, pieces(text, defined), defined)


def span_of(text: PiecedText, stretch: Stretch) -> tuple[int, int]:
    """The first character of a stretch, and the one after its last."""
    return text.pieces[stretch.first].start, text.pieces[stretch.last].end


def _definitions(
    index: Index, options: AcceptanceOptions, search: SearchOptions, rng: np.random.Generator
) -> Iterator[tuple[frozenset[int], str]]:
    """Definitions, each with the concept that it defines and those above it."""
    allowed = allowed_by(index, search)
    left = options.definitions
    for number in rng.permutation(index.concept_count if allowed is None else np.flatnonzero(allowed)).tolist():
        terminology, row = index.locate(number)
        if not left:
            return
        texts = [str(one) for one in terminology.concept(row).definitions] if terminology.active[row] else []
        text = next((one for one in texts if _SHORTEST <= len(one) <= _LONGEST), "")
        if text:
            left -= 1
            above = terminology.hierarchy.ancestors(row)
            yield frozenset([number, *(number - row + int(one) for one in above)]), text


def _numbers(index: Index, ids: Iterable[str]) -> Iterator[int]:
    """The numbers of the concepts that these ids mean today, of those that the index has."""
    for id_ in ids:
        number = index.find(index.resolve(id_) or id_)
        if number is not None:
            yield number


def _examples(
    finder: LikelyFinder, texts: Iterable[MarkedText], options: AcceptanceOptions, rng: np.random.Generator
) -> Iterator[Example]:
    """The examples that texts give: all stretches that overlap a mention, and some of the others."""
    for marked in texts:
        text = pieced(marked.text)
        asked: list[Stretch] = []
        weights: dict[tuple[int, int], float] = {}
        for stretch in finder.stretches(text):
            start, end = span = span_of(text, stretch)
            if any(start < taken_end and taken_start < end for taken_start, taken_end in marked.taken):
                continue
            overlapping = any(mention.overlaps(start, end) for mention in marked.mentions)
            if overlapping or rng.random() < options.wrong:
                asked.append(stretch)
                weights[span] = 1.0 if overlapping else 1 / options.wrong
        for likely in finder.searched(asked):
            span = span_of(text, likely.stretch)
            meant = marked.meant(*span, likely.concept)
            exact = any((mention.start, mention.end) == span for mention in meant)
            only_overlaps = bool(meant) and not exact
            means_the_defined = not meant and likely.concept in marked.own
            if not (likely.spelled or only_overlaps or means_the_defined):
                yield Example(likely.features, exact, weights[span])
