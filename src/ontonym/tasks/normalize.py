"""Normalization: from mentions in text to one concept each, or to NIL where none is sure enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.tasks.abbreviations import expand, find_abbreviations
from ontonym.tasks.search import SearchOptions, search
from ontonym.types import Hit, Mention


@dataclass(frozen=True, slots=True)
class NormalizeOptions:
    """How to normalize.

    ``threshold`` is the least confidence, in [0, 1], of an answer: below it a mention is NIL. ``precision`` chooses it
    in its place: the least threshold from which on so many of the answers are right, by what `ontonym calibrate` kept
    in the index. ``search`` says how candidates are found; its ``k`` is how many come with each answer.
    ``abbreviations`` that a mention's passage defines are written out before it is looked up.
    """

    threshold: float = 0.0
    abbreviations: bool = True
    search: SearchOptions = field(default_factory=SearchOptions)
    precision: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is {self.threshold}, but a confidence is between 0 and 1")
        if self.precision is not None and self.threshold:
            raise InputError("give a threshold or a precision, not both: the precision chooses the threshold")

    def least(self, index: Index) -> float:
        """The threshold in an index. InputError where a precision was asked for that the index cannot promise."""
        if self.precision is None:
            return self.threshold
        if self.search.signal != "fused" or not self.search.calibrated:
            raise InputError("a precision can be asked for only where the calibrated, fused confidence ranks")
        if index.calibration is None:
            raise InputError(
                f"{index.path}: was never calibrated, so no threshold for a precision is known: run "
                f"`ontonym calibrate {index.path}`"
            )
        return index.calibration.threshold(self.precision)


@dataclass(frozen=True, slots=True)
class Normalization:
    """The answer for one mention: ``id`` is None for NIL; ``candidates`` are the hits, best first.

    ``confidence`` is the best candidate's, in [0, 1], 0 where there is none.
    """

    mention: Mention
    id: str | None
    confidence: float
    candidates: tuple[Hit, ...]


def normalize(
    index: Index,
    mentions: Iterable[Mention],
    options: NormalizeOptions = NormalizeOptions(),
) -> Iterator[Normalization]:
    """One answer for each mention, in order, streamed; equal texts are looked up once.

    Give the mentions of a document one after another: its abbreviations are then looked for once.
    """
    index.refresh()
    threshold = options.least(index)
    known: dict[str, tuple[Hit, ...]] = {}
    passage, defined = "", dict[str, str]()
    for mention in mentions:
        if options.abbreviations and mention.passage != passage:
            passage, defined = mention.passage, find_abbreviations(mention.passage)
        text = expand(mention.text, defined) if defined else mention.text
        candidates = known.get(text)
        if candidates is None:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            candidates = known[text] = tuple(search(index, text, options.search))
        confidence = candidates[0].confidence if candidates else 0.0
        sure = bool(candidates) and confidence >= threshold
        yield Normalization(mention, candidates[0].id if sure else None, confidence, candidates)


def normalize_groups(
    index: Index,
    groups: Iterable[Sequence[Mention]],
    options: NormalizeOptions = NormalizeOptions(),
) -> Iterator[list[Normalization]]:
    """The answers of each group of mentions, such as those of one document, as a list: streamed as `normalize` does."""
    asked: deque[Mention] = deque()

    def mentions() -> Iterator[Mention]:
        while True:
            yield asked.popleft()  # asked for only where an answer is taken below

    answers = normalize(index, mentions(), options)
    for group in groups:
        asked.extend(group)
        yield [next(answers) for _ in group]


_MOST_KNOWN = 10_000  # ten hits each are 9 kB: 90 MB
