"""What normalization is asked and what it answers: the options, and the answer for one mention."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.calibration import SUREST
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.pickling import pickled_as_tuple
from ontonym.tasks.confidences import SURE
from ontonym.tasks.rerank import Reranking
from ontonym.tasks.search import Experiment, SearchOptions
from ontonym.types import Hit, Mention

Certainty = Literal["sure", "doubtful", "none"]
"""How far an answer can be relied on: ``none`` is NIL."""


@dataclass(frozen=True, slots=True)
class NormalizeOptions:
    """How to normalize.

    ``threshold`` is the lowest confidence, in [0, 1], of an answer: below it a mention is NIL; 0 turns it off. None is
    `LIKELIER_RIGHT`, which all concepts that share the first one's name (`Hit.ambiguous`) must reach together, or 0 if
    one signal alone ranks, whose similarity is not a probability. ``precision`` sets it instead, to the lowest one at
    which this share of the answers is right, by the calibration of the index. ``search`` says how candidates are found;
    its ``k`` is the number of candidates in each answer. ``abbreviations``: expand those that a mention's passage
    defines before lookup. ``document``: let the words of the passage choose between near candidates and resolve
    undefined abbreviations. ``composites``: answer a composite mention part by part if it has no concept of its own and
    every part by itself has a higher confidence, and one that tells a single name among other words ("left-sided
    weakness") by that name. The last two apply only if all signals rank.
    ``expected`` are tags of concepts to prefer, without excluding others; ``sections`` are pairs of a heading and a tag
    to prefer there. With ``reranking`` a second stage reorders the hits of a search, before the document chooses.
    """

    threshold: float | None = None
    abbreviations: bool = True
    document: bool = True
    composites: bool = True
    expected: tuple[str, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()
    search: SearchOptions = field(default_factory=SearchOptions)
    reranking: Reranking | None = None
    precision: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is {self.threshold}, but a confidence is between 0 and 1")
        if self.precision is not None and self.threshold:
            raise InputError("give a threshold or a precision, not both: the precision chooses the threshold")

    def least(self, index: Index) -> float:
        """The threshold in an index; raises InputError if the index cannot promise the requested precision, or only ids
        could reach the threshold unless it is 1.
        """
        if self.precision is None and self.threshold is not None:
            most = 1.0 if self.search.signal != "fused" or index.calibration is not None else SUREST
            if most < self.threshold < 1:
                raise InputError(
                    f"{index.path}: was never calibrated, so no name has a confidence above {most:g}: give a threshold "
                    f"up to that instead of {self.threshold:g} (or 1, for ids alone), or run `calibrate()`"
                )
            return self.threshold
        if self.precision is None:
            return LIKELIER_RIGHT if self.search.signal == "fused" else 0.0
        if self.search.signal != "fused" or not Experiment.of(self.search).calibrated:
            raise InputError("a precision can be asked for only where the calibrated, fused confidence ranks")
        if index.calibration is None:
            raise InputError(
                f"{index.path}: was never calibrated, so no threshold for a precision is known: run `calibrate()`"
            )
        return index.calibration.threshold(self.precision)

    def answering_all(self) -> NormalizeOptions:
        """The same without the default threshold, so that every mention that is like some name has an answer."""
        return self if self.threshold is not None else replace(self, threshold=0.0)


@dataclass(frozen=True, slots=True)
class AnsweredMention:
    """A mention with its ``candidates``, best first, and the ``id`` of the concept that it is given, None for NIL.

    ``confidence`` is the best candidate's, in [0, 1].
    """

    mention: Mention
    id: str | None
    confidence: float
    candidates: tuple[Hit, ...]

    @property
    def text(self) -> str:
        """The mention's text."""
        return self.mention.text

    @property
    def hit(self) -> Hit | None:
        """The candidate that is the answer, None for NIL."""
        return next((hit for hit in self.candidates if hit.id == self.id), None)

    @property
    def preferred(self) -> str | None:
        """The preferred term of the concept, None for NIL."""
        return self.hit.preferred if self.hit else None


@pickled_as_tuple
@dataclass(frozen=True, slots=True)
class Normalization(AnsweredMention):
    """The answer for one mention: ``id`` is None for NIL; ``candidates`` are the hits, best first.

    ``confidence`` is the best candidate's, in [0, 1], 0 without candidates. A composite mention has ``parts``, one
    answer for each name it stands for, in order, with the name as its mention's text. Its ``id`` is then the first that
    a part has, its ``confidence`` the lowest of its parts', and its ``candidates`` begin with the best of each part.
    ``lookup`` is the text that was looked up: the mention's with abbreviations expanded.
    """

    parts: tuple[Normalization, ...] = ()
    lookup: str = ""

    @property
    def equivalents(self) -> tuple[str, ...]:
        """Further ids of the concept (see `Hit`), empty for NIL."""
        return self.hit.equivalents if self.hit else ()

    @property
    def certainty(self) -> Certainty:
        """Whether the answer is sure (`SURE`), doubtful, or NIL; means nothing if one signal alone ranks."""
        if self.id is None:
            return "none"
        return "sure" if self.confidence >= SURE else "doubtful"

    @property
    def negated(self) -> bool:
        """Whether the text denies the answer's concept ("no fever"), or that of one of its parts."""
        own = any(hit.reason.negated for hit in self.candidates if hit.id == self.id)
        return own or any(part.negated for part in self.parts)

    def of(self, mention: Mention) -> Normalization:
        """The answer of another mention of the same text, where both have the same passage or none."""
        parts = tuple(
            replace(part, mention=part_of(mention, part.mention.text, number))
            for number, part in enumerate(self.parts, 1)
        )
        return replace(self, mention=mention, parts=parts)


def part_of(mention: Mention, name: str, number: int) -> Mention:
    """The mention of one of the names that a composite mention stands for."""
    return replace(mention, text=name, id=f"{mention.id}#{number}", start=None, end=None)


def together(whole: Normalization, parts: tuple[Normalization, ...], k: int) -> Normalization:
    """The answer in parts. Parts with the same meaning are one answer; a part without candidates leaves the whole."""
    if not all(part.candidates for part in parts):
        return whole
    if len({part.candidates[0].id for part in parts}) == 1:
        surest = max(parts, key=lambda part: part.confidence)
        return replace(surest, mention=whole.mention)
    first = [part.candidates[0] for part in parts]
    hits = {hit.id: hit for hit in [*whole.candidates, *first]}
    order = dict.fromkeys([*(hit.id for hit in first), *(hit.id for hit in whole.candidates)])
    answered = next((part.id for part in parts if part.id is not None), None)
    least = min(part.confidence for part in parts)
    shown = tuple(hits[id_] for id_ in order)[: max(k, len(first))]
    return Normalization(whole.mention, answered, least, shown, parts, whole.lookup)
