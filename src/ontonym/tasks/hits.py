"""Turns chosen candidates into hits, each when it is wanted, and gives hits other confidences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.evidence import FEATURES, SIGNAL_COLUMNS
from ontonym.memo import kept_for_owner
from ontonym.tasks.duplicates import duplicates_of
from ontonym.tasks.equivalents import equivalents_of
from ontonym.tasks.reasons import less_sure, reason_of
from ontonym.text.normalization import key, normalize, tokens
from ontonym.types import Correction, Hit, Reason, Status, Term

_SPELLED = FEATURES.index("spelled")
_COLUMNS = tuple(SIGNAL_COLUMNS.items())
_DENSE = SIGNAL_COLUMNS["dense"]
_MOST_KNOWN = 1 << 14


def hit_of(index: Index, choice: Choice, equivalents: tuple[str, ...] | None = None) -> Hit:
    """The hit for a choice; its ``equivalents`` where they are known."""
    read, concept = choice.read, choice.concept
    query, evidence = read.query, read.evidence
    record = _record_of(index, concept)
    features = evidence.features[choice.place].tolist()
    name = int(evidence.best[choice.place])
    is_spelled = features[_SPELLED] > 0
    term = matched_term(index, query.text, name, is_spelled=True) if is_spelled else term_of(index, name)
    typed = query.text if query.correction is Correction.NONE else query.typed  # without a negation before it
    reason = reason_of(typed, term.text, features, read_as=query.text, correction=query.correction)
    if query.negated:
        reason = replace(reason, detail=f"negated in the query; {reason.detail}", negated=True)
    reason = less_sure(reason, choice.why_doubted)
    similarity, signals = similarities_of(features)
    namesakes = choice.namesakes() if is_spelled else ()
    same = duplicates_of(index, choice) if namesakes else ()
    ambiguous = tuple([index.id(one) for one in namesakes if one not in same])
    return Hit(
        id=record.id,
        preferred=record.preferred,
        matched=term.text,
        kind=term.kind,
        scope=term.scope,
        source=term.source,
        terminology=record.terminology,
        confidence=choice.confidence,
        similarity=similarity,
        signals=signals,
        reason=reason,
        ambiguous=ambiguous,
        equivalents=equivalents_of(index, choice) if equivalents is None else equivalents,
        status=record.status,
    )


class PendingHit:
    """The `hit_of` a choice, made when it is wanted, as most are not: what ranks it is known without."""

    __slots__ = ("_choice", "_extra", "_hit", "_index", "confidence", "equivalents", "id", "terminology")

    def __init__(self, index: Index, choice: Choice) -> None:
        record = _record_of(index, choice.concept)
        self._index, self._choice = index, choice
        self._hit: Hit | None = None
        self._extra: frozenset[str] | None = None
        self.id, self.terminology = record.id, record.terminology
        self.confidence = choice.confidence
        self.equivalents = equivalents_of(index, choice)

    @property
    def choice(self) -> Choice:
        """What it is made of."""
        return self._choice

    @property
    def made(self) -> Hit:
        """The hit."""
        if self._hit is None:
            self._hit = hit_of(self._index, self._choice, self.equivalents)
        return self._hit

    @property
    def matched(self) -> str:
        """The text of the matched term."""
        return self.made.matched

    @property
    def reason(self) -> Reason:
        """Why it was found."""
        return self.made.reason

    @property
    def extra_words(self) -> frozenset[str]:
        """The words of the matched term, but for numbers, that the query does not have; every document asks."""
        if self._extra is None:
            read = self._choice.read
            name = int(read.evidence.best[self._choice.place])
            self._extra = _telling_words(self._index, name).difference(tokens(read.query.typed))
        return self._extra


AnyHit: TypeAlias = Hit | PendingHit


def made(hit: AnyHit) -> Hit:
    """The hit, at last."""
    return hit.made if isinstance(hit, PendingHit) else hit


@kept_for_owner(_MOST_KNOWN)  # the same names are found for many queries
def _telling_words(index: Index, name: int) -> frozenset[str]:
    return without_numbers(index.signals.words_of(name))


def without_numbers(words: Iterable[str]) -> frozenset[str]:
    """The words that have no digit."""
    return frozenset(word for word in words if word.isalpha() or not any(map(str.isdigit, word)))


class _Record(NamedTuple):
    """What a hit says of its concept, whatever the query; no terminology is held open by it."""

    id: str
    preferred: str
    terminology: str
    status: Status


@kept_for_owner(_MOST_KNOWN)  # the same concepts are hits of many queries
def _record_of(index: Index, concept: int) -> _Record:
    terminology, row = index.locate(concept)
    return _Record(terminology.id(row), terminology.preferred(row), terminology.name, terminology.status(row))


@kept_for_owner(_MOST_KNOWN)
def term_of(index: Index, name: int) -> Term:
    """The term in a row of names; few are asked for again and again."""
    return index.term(name)


@dataclass(frozen=True, slots=True)
class MovedHits:
    """Hits, best first, and the confidences that they are to have; each is made when it is wanted, as most are not.

    ``documents`` are by hit what is to stand as ``document`` among its signals, empty where nothing is.
    """

    hits: Sequence[AnyHit]
    confidences: Sequence[float]
    documents: Sequence[float] = ()

    @classmethod
    def of(cls, hits: Sequence[AnyHit]) -> MovedHits:
        """The hits as they are."""
        return cls(hits, [hit.confidence for hit in hits])

    def hit(self, number: int, confidence: float) -> Hit:
        """A hit by its number, with its confidence at last."""
        hit = made(self.hits[number])
        if self.documents:
            return with_confidence(hit, confidence, {**hit.signals, "document": self.documents[number]})
        return hit if hit.confidence == confidence else with_confidence(hit, confidence)

    def first(self, k: int) -> list[Hit]:
        """The first ``k``, with the confidences that they are to have."""
        return [self.hit(number, one) for number, one in enumerate(self.confidences[:k])]


def with_confidence(hit: Hit, confidence: float, signals: Mapping[str, float] | None = None) -> Hit:
    """The hit with another confidence, and with other ``signals`` where they are given.

    As by ``dataclasses.replace``, in a fifth of the time.
    """
    return Hit(
        hit.id, hit.preferred, hit.matched, hit.kind, hit.scope, hit.source, hit.terminology, confidence,
        hit.similarity, hit.signals if signals is None else signals, hit.reason, hit.ambiguous, hit.equivalents,
        hit.status,
    )  # fmt: skip


def similarities_of(features: Sequence[float]) -> tuple[float, dict[str, float]]:
    """The ``similarity`` and the ``signals`` of a hit, from the features of its concept."""
    signals = {}
    for name, at in _COLUMNS:  # every hit has them: `min` and `max` take three times as long
        value = features[at]
        signals[name] = round(0.0 if value < 0 else 1.0 if value > 1 else value, 4)
    return min(max(features[_DENSE], -1.0), 1.0), signals


def read_hit(hit: Hit, read_as: str, correction: Correction, sure: float) -> Hit:
    """The hit of a text that was ``read_as`` another one; its confidence is multiplied by ``sure``, in [0, 1], the
    probability that the text says that. The reason tells the ``correction``, unless it tells of one already."""
    if sure < 1:
        hit = with_confidence(hit, round(hit.confidence * sure, 6))
    reason = hit.reason
    if correction is Correction.NONE or reason.correction is not Correction.NONE:
        return hit
    rule = "spelling" if reason.rule in {"exact", "normalized"} else reason.rule
    detail = f"read as “{read_as}”: {reason.detail}"
    return replace(hit, reason=replace(reason, rule=rule, detail=detail, correction=correction))


def matched_term(index: Index, text: str, name: int, *, is_spelled: bool) -> Term:
    """The term of a name row; if the name equals the text, the term of the row that is written most like it."""
    names = index.signals.names
    if name >= len(names) or not is_spelled:
        return index.term(name)
    terminology, row = index.locate(int(names.concepts[name]))
    texts = terminology.term_texts()
    first = int(names.terms[name])
    rows = range(first, terminology.terms_of(row).stop)
    written = texts.take(rows)
    form = normalize(written[0])
    best = text
    if text not in written or normalize(text) != form:
        wanted = key(text)
        alike = (one for one in dict.fromkeys(written) if key(one) == wanted)
        best = next((one for one in alike if normalize(one) == form), written[0])
    return terminology.term(rows[written.index(best)])
