"""Our own JSONL: a line about the release, then an object for each concept, from which the very same comes back.

Other JSONL is read with ids and names tidied; this is taken as it is.
"""

from __future__ import annotations

from collections.abc import Mapping as ReadOnlyDict
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeVar

from ontonym.ontology.tables.rows import BadRow
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term

HEADER = "ontonym_terminology"
"""The key of the first line that says that the lines below are ours; its value is the version of this format."""
VERSION = 1

_T = TypeVar("_T", Term, Relation, Property, Mapping)

_TEXT_LISTS = ("parents", "definitions", "tags", "alternative_ids", "replaced_by", "consider", "xrefs")
_WORDS: ReadOnlyDict[str, tuple[str, ...]] = MappingProxyType({"kind": KINDS, "scope": SCOPES, "status": STATUSES})
_KEYS = frozenset(field.name for field in fields(Concept))
_PLAIN_TERM = {"kind": "synonym", "scope": "exact", "language": "en", "status": "active", "source": ""}
_PLAIN_MAPPING = {
    "confidence": None, "subject_label": "", "object_label": "", "source": "", "rule": "", "comment": "", "group": 0,
    "priority": 0,
}  # fmt: skip


_TYPES: ReadOnlyDict[type, dict[str, tuple[type, ...]]] = MappingProxyType(
    {
        kind: {
            field.name: {"float | None": (float, int), "int": (int,)}.get(str(field.type), (str,))
            for field in fields(kind)
        }
        for kind in (Term, Relation, Property, Mapping)
    }
)
"""The fields of each of our types, and what a value of theirs may be."""


def header_record(metadata: ReadOnlyDict[str, Any]) -> dict[str, Any]:
    """The first line: what is known about the release (`ReleaseMetadata.to_dict`), empty facts left out."""
    kept = ("name", "version", "title", "licence", "format", "details")
    return {HEADER: VERSION, **{key: metadata[key] for key in kept if metadata.get(key)}}


def concept_record(concept: Concept) -> dict[str, Any]:
    """A concept as JSON values; what is empty or the default is left out."""
    record: dict[str, Any] = {"id": concept.id, "terms": [_lean(term, _PLAIN_TERM) for term in concept.terms]}
    if concept.status != "active":
        record["status"] = concept.status
    for name in _TEXT_LISTS:
        values = getattr(concept, name)
        if values:
            record[name] = values
    if concept.relations:
        record["relations"] = [{"predicate": r.predicate, "target": r.target} for r in concept.relations]
    if concept.properties:
        record["properties"] = [{"name": p.name, "value": p.value} for p in concept.properties]
    if concept.mappings:
        plain = {**_PLAIN_MAPPING, "subject_id": concept.id}
        record["mappings"] = [_lean(mapping, plain) for mapping in concept.mappings]
    return record


def concept_from(record: ReadOnlyDict[str, Any]) -> Concept:
    """The concept that `concept_record` wrote; raises ``BadRow`` where the record is of another shape."""
    unknown = record.keys() - _KEYS
    if unknown:
        raise BadRow(f"unknown field {min(unknown)!r} (known: {', '.join(sorted(_KEYS))})")
    concept_id = record.get("id")
    if not isinstance(concept_id, str) or not concept_id:
        raise BadRow("no id")
    subject = {"subject_id": concept_id}
    return Concept(
        id=concept_id,
        terms=tuple(_made(Term, value) for value in _list(record, "terms")),
        relations=tuple(_made(Relation, value) for value in _list(record, "relations")),
        properties=tuple(_made(Property, value) for value in _list(record, "properties")),
        mappings=tuple(_made(Mapping, value, subject) for value in _list(record, "mappings")),
        status=_word("status", record.get("status", "active")),  # type: ignore[arg-type]
        **{name: _texts(record, name) for name in _TEXT_LISTS},
    )


def mapping_from(value: Any, subject_id: str) -> Mapping:
    """The mapping in a JSON object; raises ``BadRow``."""
    return _made(Mapping, value, {"subject_id": subject_id, "justification": "semapv:UnspecifiedMatching"})


def property_from(value: Any) -> Property:
    """The property in a JSON object; raises ``BadRow``."""
    return _made(Property, value)


def _lean(value: Term | Mapping, plain: ReadOnlyDict[str, Any]) -> dict[str, Any]:
    record = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: held for name, held in record.items() if name not in plain or held != plain[name]}


def _made(kind: type[_T], value: Any, given: ReadOnlyDict[str, str] = MappingProxyType({})) -> _T:
    """The record of one of our types; every field but a mapping's numbers is a text."""
    what = kind.__name__.lower()
    if type(value) is not dict:
        raise BadRow(f"a {what} is not an object")
    values = {**given, **value} if given else value
    types = _TYPES[kind]
    for name, held in values.items():
        wanted = types.get(name)
        if wanted is None:
            raise BadRow(f"unknown field {name!r} of a {what} (known: {', '.join(types)})")
        if not isinstance(held, wanted) or isinstance(held, bool):
            raise BadRow(f"{name!r} of a {what} is {type(held).__name__}, not {wanted[0].__name__}")
        if name in _WORDS:
            _word(name, held)
    try:
        return kind(**values)
    except TypeError:
        missing = [name for name in types if name not in values]
        raise BadRow(f"a {what} without {missing[0]!r}") from None


def _list(record: ReadOnlyDict[str, Any], name: str) -> list[Any]:
    value = record.get(name, [])
    if not isinstance(value, list):
        raise BadRow(f"{name!r} is not a list")
    return value


def _texts(record: ReadOnlyDict[str, Any], name: str) -> tuple[str, ...]:
    values = _list(record, name)
    if not all(isinstance(value, str) for value in values):
        raise BadRow(f"{name!r} is not a list of texts")
    return tuple(values)


def _word(what: str, word: Any) -> str:
    if word not in _WORDS[what]:
        raise BadRow(f"unknown {what} {word!r} (known: {', '.join(_WORDS[what])})")
    return str(word)
