"""Reader of JSONL: one JSON object a line, with the field names of ``Concept`` or with keys mapped like columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from ontonym.errors import UnknownNameError
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables.columns import ROLES, ColumnMapping
from ontonym.ontology.tables.headers import guess_columns
from ontonym.ontology.tables.interchange import HEADER, VERSION, concept_from, mapping_from, property_from
from ontonym.ontology.tables.rows import UNKNOWN, BadRow, Merging, Row
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Relation, Term

_OWN_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**{role: (role,) for role in ROLES}, "definition": ("definition", "definitions"), "consider": ("consider",)}
)
"""Role to our own names for it: those of a column role, and those of the fields of a Concept."""


def is_jsonl(head: str) -> bool:
    """Whether the beginning of a file is one JSON object a line, and not a FHIR resource."""
    first, newline, _ = head.lstrip().partition("\n")
    if not first.startswith("{"):
        return False
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return not newline and len(first) > 1 << 15 and first.startswith('{"')
    return isinstance(value, dict) and bool(value) and "resourceType" not in value


def read_jsonl(source: Source, log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of a JSONL file, one per object; those of our own export come back exactly as they were.

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
            record = _object(line)
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
    """Notes what the first line of our own JSONL says of the release."""
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
            concept = concept_from(_object(line))
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


def _object(line: str) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadRow(f"not valid JSON ({error.msg})") from None
    if not isinstance(record, dict):
        raise BadRow("not a JSON object")
    return record


def _keys(record: dict[str, Any], source: Source, line: int, log: ReleaseLog) -> dict[str, tuple[str, ...]]:
    """Role to keys: as given, or our own field names, or obvious ones."""
    mapping: ColumnMapping | None = log.options.columns
    if mapping is not None:
        for keys in mapping.by_role().values():
            for key in keys:
                if key not in record:
                    raise UnknownNameError("column", key, record)
    elif "id" in record and "terms" in record:
        return dict(_OWN_KEYS)
    else:
        mapping = guess_columns(list(record))
        if mapping is None:
            shown = ", ".join(list(record)[:20])
            hint = f"Name them, for example id=KEY preferred=KEY. The keys are: {shown}"
            source.fail(line, "cannot tell which keys hold ids and names", hint)
    log.columns.update(mapping.to_dict())
    roles = mapping.by_role()
    return dict(_OWN_KEYS) | roles


def _row(record: dict[str, Any], keys: Mapping[str, tuple[str, ...]]) -> Row:
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
    return Row(ids[0], values, terms, relations, properties, mappings)


def _texts(name: str, value: Any) -> list[str]:
    """The texts of a value: a string, number, boolean, or a list of them; null and blank ones are left out."""
    texts = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, bool):
            texts.append(str(item).lower())
        elif isinstance(item, str | int):
            texts.append(str(item).strip())
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
