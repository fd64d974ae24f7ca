"""What the spaCy component says of spans: extension attributes, as plain values in the document's user data, so that
documents go to bytes and to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from spacy.tokens import Span

from ontonym.tasks.answer import Normalization
from ontonym.types import Correction, Hit, Mention, Reason

MEDSPACY = MappingProxyType(
    {
        "is_negated": "negated",
        "is_uncertain": "uncertain",
        "is_hypothetical": "hypothetical",
        "is_historical": "historical",
        "is_family": "family",
    }
)
"""medspaCy's attributes of an entity, each with the context that sets it."""

_HIT_FIELDS = tuple(one.name for one in fields(Hit))


def mention_of(span: Span, passage: str = "") -> Mention:
    """A span as a mention of the text ``passage``."""
    return Mention(span.text, start=span.start_char, end=span.end_char, type=span.label_, passage=passage)


def _stored(span: Span, attribute: str) -> Any:
    """The stored value, or None."""
    user_data: dict[Any, Any] = span.doc.user_data
    return user_data.get(("._.", attribute, span.start_char, span.end_char))


def _store(span: Span, attribute: str, value: Any) -> None:
    """Stores a value under the key that spaCy itself uses, so that it moves with spans."""
    user_data: dict[Any, Any] = span.doc.user_data
    user_data["._.", attribute, span.start_char, span.end_char] = value


def _kb_ents(span: Span) -> list[tuple[str, float]]:
    return [(concept, confidence) for concept, confidence in _stored(span, "kb_ents") or ()]


def _set_kb_ents(span: Span, value: Iterable[tuple[str, float]]) -> None:
    _store(span, "kb_ents", list(value))


def _answer(span: Span) -> Normalization | None:
    kept = _stored(span, "ontonym")
    if kept is None:
        return None
    parts = tuple(_normalization(Mention(part["text"]), part) for part in kept.get("parts", ()))
    return _normalization(mention_of(span), kept, parts)


def _normalization(mention: Mention, kept: Mapping[str, Any], parts: tuple[Normalization, ...] = ()) -> Normalization:
    candidates = tuple(_hit(values) for values in kept["candidates"])
    return Normalization(mention, kept["id"], kept["confidence"], candidates, parts)


def _set_answer(span: Span, answer: Normalization) -> None:
    parts = [{"text": part.mention.text, **_kept(part)} for part in answer.parts]
    _store(span, "ontonym", {**_kept(answer), "parts": parts})


def _kept(answer: Normalization) -> dict[str, Any]:
    candidates = [_values(hit) for hit in answer.candidates]
    return {"id": answer.id, "confidence": answer.confidence, "candidates": candidates}


def _values(hit: Hit) -> dict[str, Any]:
    values = {name: getattr(hit, name) for name in _HIT_FIELDS}
    reason = hit.reason
    return values | {
        "signals": dict(hit.signals),
        "ambiguous": list(hit.ambiguous),
        "equivalents": list(hit.equivalents),
        "reason": [reason.rule, reason.detail, list(reason.changes), str(reason.correction), reason.negated],
    }


def _hit(values: dict[str, Any]) -> Hit:
    rule, detail, changes, correction, negated = values["reason"]
    reason = Reason(rule, detail, tuple(changes), Correction(correction), negated=negated)
    given = {"reason": reason, **{name: tuple(values[name]) for name in ("ambiguous", "equivalents")}}
    return Hit(**(values | given))


def _context(span: Span) -> tuple[str, ...]:
    return tuple(_stored(span, "ontonym_context") or ())


def _set_context(span: Span, value: Iterable[str]) -> None:
    _store(span, "ontonym_context", list(value))


def _negated(span: Span) -> bool:
    return "negated" in _context(span)


def _section(span: Span) -> str:
    return str(_stored(span, "ontonym_section") or "")


def _set_section(span: Span, value: str) -> None:
    _store(span, "ontonym_section", value)


def _runner_up(span: Span) -> Hit | None:
    answer = _answer(span)
    if answer is None or answer.id is None:
        return None
    return next((hit for hit in answer.candidates if hit.id != answer.id), None)


def _not_set(span: Span, value: Any) -> None:
    raise AttributeError("it follows from ontonym_context or ontonym: set that")


def _is_writable(attribute: str) -> bool:
    """Whether an attribute of spans is registered that anybody may set."""
    if not Span.has_extension(attribute):
        return False
    _, method, getter, setter = Span.get_extension(attribute)
    return method is None and (getter is None or setter is not None)


ATTRIBUTES: dict[str, tuple[Callable[[Span], Any], Callable[[Span, Any], None]]] = {
    "kb_ents": (_kb_ents, _set_kb_ents),
    "ontonym": (_answer, _set_answer),
    "ontonym_context": (_context, _set_context),
    "ontonym_negated": (_negated, _not_set),
    "ontonym_section": (_section, _set_section),
    "ontonym_runner_up": (_runner_up, _not_set),
}


def register() -> None:
    """Registers the attributes of spans that are not there yet."""
    for attribute, (getter, setter) in ATTRIBUTES.items():
        if not Span.has_extension(attribute):
            Span.set_extension(attribute, getter=getter, setter=setter)


def set_around(span: Span, context: Iterable[str], section: str) -> None:
    """Says of a span how the text speaks of it, and its section; medspaCy's attributes are set where they are there."""
    said = tuple(context)
    span._.ontonym_context = said
    span._.ontonym_section = section
    for attribute, name in MEDSPACY.items():
        if name in said and _is_writable(attribute):
            setattr(span._, attribute, True)
