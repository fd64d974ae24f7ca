"""Learns which stretches of a text are mentions though they are written like no name: from the definitions of a
terminology, some of whose names are hidden, without annotation; or from annotated documents.

A stretch is right if it has the place of a mention and the search finds its concept, and wrong if it is no mention or
the search finds another concept. Stretches that only overlap a mention whose concept they find, or that mean what a
definition defines, are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Doubles, Mask
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.ranges import check_seed
from ontonym.tasks.annotation.acceptance import FOUND, SHAPE, Acceptance, Logistic, OperatingPoint
from ontonym.tasks.annotation.likelymentions import LikelyFinder
from ontonym.tasks.annotation.spans import Finder, SpanOptions
from ontonym.tasks.annotation.stretches import PiecedText, Stretch
from ontonym.tasks.search import SearchOptions, allowed_by
from ontonym.text.abbreviations import find_abbreviations
from ontonym.text.normalization import tokens
from ontonym.text.pieces import pieces

RISING = frozenset(
    "kind kind_low of_phrase of_name last confidence margin dense dense_concept char words_shared query_share "
    "name_share rarity_shared".split()
)
"""Features that never make a stretch less likely to be a mention."""

FALLING = frozenset(
    "single normal common hyphen before after number_missing number_extra contradicted qualifier_missing "
    "qualifier_extra inexact abbreviation short_query kind_gap rarity_missing rarity_extra".split()
)
"""Features that never make it more likely."""

UNTAUGHT = frozenset(
    "of words modifier capitals digits common before dense_concept number_missing number_extra".split()
)
"""Features about which definitions teach nothing, or something wrong: names are written in them as they are in the
terminology, and where a name is hidden, the other names of its concept can still be found."""

_SHORTEST, _LONGEST = 80, 900
"""The least and the most characters of a definition to learn from."""
_STEPS = 50
"""The most steps of Newton's method."""
_POINTS = (0.03, 0.05, 0.08, *(round(0.1 + 0.05 * step, 2) for step in range(17)), 0.93, 0.96, 0.98)
_FEWEST = 20
"""Thresholds at which fewer stretches are accepted are not reported: their precision would be uncertain."""
_CLOSE = 1e-8
"""The tolerance of Newton's method, and the penalty on the squared constant, so that the equations can be solved."""


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


def learn_acceptance(
    examples: Sequence[Example],
    characters: int,
    options: AcceptanceOptions = AcceptanceOptions(),
    without: Collection[str] = UNTAUGHT,
    prior: Acceptance | None = None,
) -> Acceptance:
    """The acceptance learned from the examples of a text of so many ``characters``; features ``without`` get no weight.

    With a ``prior`` the penalty is on the difference from its weights, so that few examples change little. The result
    has no figures yet; see `measured`.

    Raises InputError if no example is right or none is wrong.
    """
    right = np.array([one.right for one in examples])
    if not right.any() or right.all():
        raise InputError("acceptance is learned from mentions and from what is none, but there is only one of both")
    features = np.array([one.features for one in examples], dtype=np.float64)
    weights = np.array([one.weight for one in examples])
    before = (prior.shape, prior.found) if prior else (None, None)
    shape = _fit(features[:, : len(SHAPE)], right, weights, options.decay, SHAPE, without, before[0])
    found = _fit(features, right, weights, options.decay, (*SHAPE, *FOUND), without, before[1])
    chances = shape.probabilities(features[:, : len(SHAPE)])
    order = np.argsort(-chances)
    most = options.searched * characters / 1000
    last = min(int(np.searchsorted(np.cumsum(weights[order]), most)), len(order) - 1)
    return Acceptance(shape, found, round(float(chances[order[last]]), 5), options.accepted)


def measured(
    datasets: Sequence[AcceptanceDataset],
    options: AcceptanceOptions = AcceptanceOptions(),
    without: Collection[str] = UNTAUGHT,
    prior: Acceptance | None = None,
    searched: float | None = None,
) -> tuple[OperatingPoint, ...]:
    """Precision and recall by threshold on texts that were not learned from: each half is judged by what was learned
    from the other half.

    A stretch is right where it overlaps a mention whose concept it finds; one that means what its definition defines
    is not counted. ``searched`` is as in `Acceptance`. Empty where a half has nothing to learn from.
    """
    sure: list[float] = []
    right: list[bool] = []
    wanted = 0
    for half in (0, 1):
        examples = [one for dataset in datasets for one in dataset.part(1 - half, 2).examples(options)]
        characters = sum(dataset.part(1 - half, 2).characters for dataset in datasets)
        try:
            learned = learn_acceptance(examples, characters, options, without, prior)
        except InputError:
            return ()
        judge = replace(learned, accepted=_POINTS[0], searched=learned.searched if searched is None else searched)
        for dataset in datasets:
            finder = dataset.finder.judging(judge)
            for marked in dataset.part(half, 2).texts:
                wanted += len(marked.mentions)
                for probability, is_right in _judged(finder, marked):
                    sure.append(probability)
                    right.append(is_right)
    return tuple(_points(np.array(sure), np.array(right, dtype=np.bool_), wanted))


def _judged(finder: LikelyFinder, marked: MarkedText) -> Iterator[tuple[float, bool]]:
    """The probability of every stretch that is found in a text, and whether it is right."""
    text = replace(_pieced(marked.text), taken=marked.taken)
    for likely, probability in finder.find(text):
        is_right = bool(marked.meant(*_span(text, likely.stretch), likely.concept))
        if is_right or likely.concept not in marked.own:
            yield probability, is_right


def _pieced(text: str) -> PiecedText:
    defined = find_abbreviations(text)
    return PiecedText(text, pieces(text, defined), defined)


def _span(text: PiecedText, stretch: Stretch) -> tuple[int, int]:
    """The first character of a stretch, and the one after its last."""
    return text.pieces[stretch.first].start, text.pieces[stretch.last].end


def _points(sure: Doubles, right: Mask, wanted: int) -> Iterator[OperatingPoint]:
    """Precision and recall (of ``wanted`` mentions) at each threshold that accepts enough stretches."""
    for point in _POINTS:
        accepted = right[sure >= point]
        if len(accepted) >= _FEWEST:
            yield OperatingPoint(point, round(float(accepted.mean()), 4), round(int(accepted.sum()) / wanted, 4))


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
        text = _pieced(marked.text)
        asked: list[Stretch] = []
        weights: dict[tuple[int, int], float] = {}
        for stretch in finder.stretches(text):
            start, end = span = _span(text, stretch)
            if any(start < taken_end and taken_start < end for taken_start, taken_end in marked.taken):
                continue
            overlapping = any(mention.overlaps(start, end) for mention in marked.mentions)
            if overlapping or rng.random() < options.wrong:
                asked.append(stretch)
                weights[span] = 1.0 if overlapping else 1 / options.wrong
        for likely in finder.searched(asked):
            span = _span(text, likely.stretch)
            meant = marked.meant(*span, likely.concept)
            exact = any((mention.start, mention.end) == span for mention in meant)
            only_overlaps = bool(meant) and not exact
            means_the_defined = not meant and likely.concept in marked.own
            if not (likely.spelled or only_overlaps or means_the_defined):
                yield Example(likely.features, exact, weights[span])


def _fit(
    features: Doubles,
    right: Mask,
    weights: Doubles,
    decay: float,
    names: Sequence[str],
    without: Collection[str],
    prior: Logistic | None,
) -> Logistic:
    """Logistic regression by Newton's method, with an L2 penalty of ``decay`` / 2 on the weights, or on their
    difference from those of the ``prior``; the constant has none.

    A feature whose weight has the wrong sign (`RISING`, `FALLING`) gets none.
    """
    start = np.zeros(len(names) + 1)
    if prior is None:
        mean = np.average(features, axis=0, weights=weights)
        scale = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights))
        scale[scale < _CLOSE] = 1.0
    else:
        mean, scale = prior.mean, prior.scale
        start[:-1], start[-1] = prior.weights, prior.constant
    table = np.column_stack([(features - mean) / scale, np.ones(len(features))])
    signs = np.array([(name in RISING) - (name in FALLING) for name in names] + [0])
    used = np.array([*(name not in without for name in names), True])
    found = np.zeros(table.shape[1])
    while True:
        found[:] = 0.0
        found[used] = _newton(table[:, used], right, weights, decay, start[used])
        wrong = found * signs < 0
        if not wrong.any():
            return Logistic(mean, scale, found[:-1], float(found[-1]))
        used &= ~wrong


def _newton(table: Doubles, right: Mask, weights: Doubles, decay: float, start: Doubles) -> Doubles:
    """The weights of the columns, the last of which is the constant, penalized for their difference from ``start``."""
    cost = np.diag([*[decay] * (table.shape[1] - 1), _CLOSE])
    found = start.copy()
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(table @ found, -50, 50)))
        slope = table.T @ (weights * (chances - right)) + cost @ (found - start)
        bend = (table.T * (weights * np.maximum(chances * (1 - chances), 1e-6))) @ table + cost
        step = np.linalg.solve(bend, slope)
        found -= np.clip(step, -4, 4)
        if np.abs(step).max() < _CLOSE:
            break
    return found
