"""JSONL, one JSON object per line: our own export, which gives exactly the same concepts, and any other by its keys.

Our own begins with a line about the release. In other JSONL, keys are field names of ``Concept`` or mapped like
columns, and ids and names are cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as ReadOnlyDict
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeVar

import orjson

from ontonym.errors import UnknownNameError
from ontonym.files.cells import cell_text, whole
from ontonym.files.counts import BadRow
from ontonym.files.jsontext import json_record
from ontonym.files.source import Source
from ontonym.ontology.batch import LARGEST_PLACE
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables.columns import ROLES, ColumnMapping
from ontonym.ontology.tables.headers import guess_columns, with_guessed_id
from ontonym.ontology.tables.rows import UNKNOWN, Merging, TableRow
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term

HEADER = "ontonym_terminology"
"""The key in the first line of our own JSONL; its value is the version of that format."""
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
"""The fields of each of our types, and the values they may have."""


def header_record(metadata: ReadOnlyDict[str, Any]) -> dict[str, Any]:
    """The first line: the release's metadata (`ReleaseMetadata.to_dict`), without empty facts."""
    kept = ("name", "version", "title", "licence", "format", "details")
    return {HEADER: VERSION, **{key: metadata[key] for key in kept if metadata.get(key)}}


def concept_record(concept: Concept) -> dict[str, Any]:
    """A concept as JSON values, without empty and default ones."""
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
    """The concept that `concept_record` wrote; raises ``BadRow`` for a record of another shape."""
    unknown = record.keys() - _KEYS
    if unknown:
        raise BadRow(f"unknown field {min(unknown)!r} (known: {', '.join(sorted(_KEYS))})")
    concept_id = record.get("id")
    if not isinstance(concept_id, str) or not concept_id:
        raise BadRow("no id")
    subject = {"subject_id": concept_id}
    return Concept(
        id=concept_id,
        terms=tuple(_own_record(Term, value) for value in _own_list(record, "terms")),
        relations=tuple(_own_record(Relation, value) for value in _own_list(record, "relations")),
        properties=tuple(_own_record(Property, value) for value in _own_list(record, "properties")),
        mappings=tuple(_own_record(Mapping, value, subject) for value in _own_list(record, "mappings")),
        status=_word("status", record.get("status", "active")),  # type: ignore[arg-type]
        **{name: _own_texts(record, name) for name in _TEXT_LISTS},
    )


def mapping_from(value: Any, subject_id: str) -> Mapping:
    """The mapping in a JSON object; raises ``BadRow``."""
    return _own_record(Mapping, value, {"subject_id": subject_id, "justification": "semapv:UnspecifiedMatching"})


def property_from(value: Any) -> Property:
    """The property in a JSON object; raises ``BadRow``."""
    return _own_record(Property, value)


def _lean(value: Term | Mapping, plain: ReadOnlyDict[str, Any]) -> dict[str, Any]:
    record = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: held for name, held in record.items() if name not in plain or held != plain[name]}


def _own_record(kind: type[_T], value: Any, given: ReadOnlyDict[str, str] = MappingProxyType({})) -> _T:
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
        if wanted == (int,) and isinstance(held, int) and not 0 <= held <= LARGEST_PLACE:
            raise BadRow(f"{name!r} of a {what} is {held}, not a number from 0 to {LARGEST_PLACE:,}")
        if name in _WORDS:
            _word(name, held)
    try:
        return kind(**values)
    except TypeError:
        missing = [name for name in types if name not in values]
        raise BadRow(f"a {what} without {missing[0]!r}") from None


def _own_list(record: ReadOnlyDict[str, Any], name: str) -> list[Any]:
    value = record.get(name, [])
    if not isinstance(value, list):
        raise BadRow(f"{name!r} is not a list")
    return value


def _own_texts(record: ReadOnlyDict[str, Any], name: str) -> tuple[str, ...]:
    values = _own_list(record, name)
    if not all(isinstance(value, str) for value in values):
        raise BadRow(f"{name!r} is not a list of texts")
    return tuple(values)


def _word(what: str, word: Any) -> str:
    if word not in _WORDS[what]:
        raise BadRow(f"unknown {what} {word!r} (known: {', '.join(_WORDS[what])})")
    return str(word)


_OWN_KEYS: ReadOnlyDict[str, tuple[str, ...]] = MappingProxyType(
    {**{role: (role,) for role in ROLES}, "definition": ("definition", "definitions"), "consider": ("consider",)}
)
"""Our own names of each role: the column role, and the fields of a Concept."""


def is_jsonl(head: str) -> bool:
    """Whether the beginning of a file has one JSON object per line, and is not a FHIR resource."""
    first, newline, _ = head.lstrip().partition("\n")
    if not first.startswith("{"):
        return False
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return not newline and len(first) > 1 << 15 and first.startswith('{"')
    return isinstance(value, dict) and bool(value) and "resourceType" not in value


def read_jsonl(source: Source, log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of a JSONL file, one per object; those of our own export are exactly as they were.

    Raises:
        FormatError: the keys of the first object are not obvious and no mapping is given.
        UnknownNameError: the mapping names a key that the first object does not have.
    """
    keys: dict[str, tuple[str, ...]] | None = None
    seen: set[str] = set()
    lines = enumerate(source.lines(), start=1)
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = json_record(line)
            if keys is None and HEADER in record:
                _describe(record, source, number, log)
                yield from _read_own(lines, source, log)
                return
            if keys is None:
                keys = _keys(record, source, number, log)
            row = _row(record, keys)
            merging = Merging(row.id)
            if row.id in seen:
                raise BadRow(f"duplicate id {row.id}")
            merging.add(row, log)
        except BadRow as bad:
            log.malformed(source, number, str(bad), line)
            continue
        seen.add(row.id)
        concept = merging.concept(log)
        if concept is not None:
            yield concept


def _describe(header: dict[str, Any], source: Source, line: int, log: ReleaseLog) -> None:
    """Records the release's metadata from the first line of our own JSONL."""
    if header[HEADER] != VERSION:
        problem = f"written by another ontonym ({HEADER} {header[HEADER]!r}; this one reads {VERSION})"
        source.fail(line, problem, "Upgrade ontonym, or export it again")
    texts = {key: value for key, value in header.items() if isinstance(value, str)}
    log.describe(**{key: texts.get(key, "") for key in ("name", "version", "title", "licence")})
    if isinstance(header.get("details"), dict):
        log.details.update(header["details"])
    log.details["exported_from"] = texts.get("format", "")


def _read_own(lines: Iterator[tuple[int, str]], source: Source, log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of our own JSONL, exactly as they were written."""
    seen: set[str] = set()
    for number, line in lines:
        if not line.strip():
            continue
        try:
            concept = concept_from(json_record(line))
            if concept.id in seen:
                raise BadRow(f"duplicate id {concept.id}")
        except BadRow as bad:
            log.malformed(source, number, str(bad), line)
            continue
        seen.add(concept.id)
        if log.base is not None and concept.id not in log.base:
            log.counts.skip(UNKNOWN)
            continue
        log.counts.keep()
        yield concept


def _keys(record: dict[str, Any], source: Source, line: int, log: ReleaseLog) -> dict[str, tuple[str, ...]]:
    """The keys of each role: given ones, or our own field names, or obvious ones."""
    mapping: ColumnMapping | None = log.options.columns
    if mapping is not None and not mapping.id:
        mapping = with_guessed_id(mapping, list(record))
        if mapping is None:
            hint = f'Name it, `columns=["id=KEY"]`; the keys are {", ".join(record)}'
            source.fail(line, "cannot tell which key holds the ids", hint)
    if mapping is not None:
        for keys in mapping.by_role().values():
            for key in keys:
                if key not in record:
                    raise UnknownNameError("column", key, record)
    elif "id" in record and "terms" in record:
        return dict(_OWN_KEYS)
    else:
        mapping = guess_columns(list(record), [["" if value is None else str(value) for value in record.values()]])
        if mapping is None:
            shown = ", ".join(list(record)[:20])
            hint = f'Name them, for example `columns=["id=KEY", "preferred=KEY"]`. The keys are: {shown}'
            source.fail(line, "cannot tell which keys hold ids and names", hint)
    log.columns.update(mapping.to_dict())
    roles = mapping.by_role()
    return dict(_OWN_KEYS) | roles


def _row(record: dict[str, Any], keys: ReadOnlyDict[str, tuple[str, ...]]) -> TableRow:
    values = {}
    for role, names in keys.items():
        found = tuple(text for name in names for text in _texts(name, record.get(name)))
        if found:
            values[role] = found
    ids = values.pop("id", ())
    if len(ids) != 1:
        raise BadRow("no id" if not ids else "several ids")
    terms = tuple(_term(value) for value in _list("terms", record.get("terms")))
    relations = tuple(_relation(value) for value in _list("relations", record.get("relations")))
    properties = tuple(property_from(value) for value in _list("properties", record.get("properties")))
    mappings = tuple(mapping_from(value, ids[0]) for value in _list("mappings", record.get("mappings")))
    return TableRow(ids[0], values, terms, relations, properties, mappings)


def _texts(name: str, value: Any) -> list[str]:
    """The texts of a value: a string, number, boolean, or a list of them; without null and blank ones."""
    texts = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str | int | float):
            texts.append(cell_text(whole(item)).strip())
        elif item is not None:
            raise BadRow(f"{name!r} holds {type(item).__name__} where a text is needed")
    return [text for text in texts if text]


def _list(name: str, value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRow(f"{name!r} is not a list")
    return value


def _term(value: Any) -> Term:
    if isinstance(value, str) and value.strip():
        return Term(value.strip())
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BadRow("a term is neither a text nor an object of texts")
    text = value.get("text", "").strip()
    kind, scope = value.get("kind", "synonym"), value.get("scope", "exact")
    status = value.get("status", "active")
    if not text:
        raise BadRow("a term without a text")
    for what, word, known in (("kind", kind, KINDS), ("scope", scope, SCOPES), ("status", status, STATUSES)):
        if word not in known:
            raise BadRow(f"unknown {what} {word!r} of a term (known: {', '.join(known)})")
    return Term(text, kind, scope, value.get("language", "en"), status, value.get("source", ""))


def _relation(value: Any) -> Relation:
    if not isinstance(value, dict):
        raise BadRow("a relation is not an object")
    predicate, target = value.get("predicate"), value.get("target")
    if not isinstance(predicate, str) or not isinstance(target, str) or not predicate or not target:
        raise BadRow("a relation needs a predicate and a target")
    return Relation(predicate, target)
