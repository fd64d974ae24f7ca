"""Tables of mappings, read whole: SSSOM as TSV or CSV with its metadata, and the spreadsheets that we write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ontonym.files.cells import unguarded
from ontonym.files.records import delimiter_of, sample_lines, text_records
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog
from ontonym.store.mappings.iris import expanded
from ontonym.store.mappings.rows import (
    ENDS,
    EXACT,
    HEADERS,
    JUSTIFICATIONS,
    LITERAL,
    NO_TERM,
    NOT,
    NOTHING_FITS,
    TARGET_IS,
    Row,
    denied,
)

PROPAGATED = (
    "subject_type", "subject_source", "subject_source_version", "predicate_type", "object_type", "object_source",
    "object_source_version", "mapping_provider", "mapping_tool", "mapping_tool_id", "mapping_tool_version",
    "mapping_date", "subject_match_field", "object_match_field", "subject_preprocessing", "object_preprocessing",
    "similarity_measure",
)  # fmt: skip
"""Columns of which a file's metadata may say once what holds of every row (SSSOM, propagatable slots)."""

IDS = (*ENDS, "predicate_id", "mapping_justification", "author_id", "reviewer_id", "creator_id")
"""Columns with CURIEs."""

_LINE = re.compile(r"(?P<indent>\s*)(?P<item>-\s+)?(?P<key>[^\s:\"']+|\"[^\"]*\"|'[^']*'):(?:\s+(?P<value>.*))?")
_ITEM = re.compile(r"\s*-\s+(?P<value>.*)")


def is_sssom(head: str) -> bool:
    """Whether the beginning of a file is a table with the columns of SSSOM."""
    header = header_of(head)
    return {"predicate_id", "object_id"} <= header and bool(header & {"subject_id", "subject_label"})


def is_spreadsheet(head: str) -> bool:
    """Whether the beginning of a file is a table of mappings as we write it for people."""
    return {HEADERS["predicate_id"], *(HEADERS[end] for end in ENDS)} <= header_of(head)


def header_of(head: str) -> set[str]:
    """The names of the columns of a table, by the beginning of its file; none where it is no table."""
    delimiter = delimiter_of(head)
    first = next(text_records(sample_lines(head), delimiter), None) if delimiter else None
    return {str(field).strip() for field in first.fields} if first else set()


def read_sssom(source: Source, log: ReleaseLog) -> Iterator[Row]:
    """The rows of an SSSOM file, with what its metadata says of all of them."""
    metadata, prefixes = metadata_of(source.head())
    shared = {slot: metadata[slot] for slot in PROPAGATED if metadata.get(slot)}
    log.details["slots"], log.details["prefixes"] = metadata, prefixes
    for line, given in table_records(source, log):
        row = {**shared, **given}
        for column in IDS:
            if row.get(column):
                row[column] = "|".join(expanded(part.strip(), prefixes) for part in row[column].split("|"))
        row.setdefault("predicate_id", "skos:relatedMatch")
        row.setdefault("mapping_justification", JUSTIFICATIONS["unspecified"])
        if (checked := _checked(source, line, row, log)) is not None:
            yield checked


def read_spreadsheet(source: Source, log: ReleaseLog) -> Iterator[Row]:
    """The rows of a table that we wrote for people, and that they may have changed."""
    columns = {header: column for column, header in HEADERS.items()}
    predicates = {word: predicate for predicate, word in TARGET_IS.items()}
    for line, cells in table_records(source, log):
        row = {columns[name]: unguarded(value) for name, value in cells.items() if name in columns}
        word = row.get("predicate_id", "")
        if word.startswith("not "):
            row["predicate_modifier"], word = NOT, word.removeprefix("not ")
        if word == NOTHING_FITS and row.setdefault("object_id", NO_TERM) != NO_TERM:
            log.malformed(source, line, f"{NOTHING_FITS!r}, but with the target {row['object_id']}")
            continue
        row["predicate_id"] = EXACT if word == NOTHING_FITS else predicates.get(word, word) or EXACT
        row.setdefault("mapping_justification", JUSTIFICATIONS["unspecified"])
        if ":" not in row["predicate_id"]:
            known = ", ".join(predicates)
            log.malformed(source, line, f"unknown relation {word!r} (known: {known})")
        elif (checked := _checked(source, line, row, log)) is not None:
            yield checked


def table_records(source: Source, log: ReleaseLog) -> Iterator[tuple[int | None, dict[str, str]]]:
    """The line and the cells that are not empty of every row, by header."""
    head = source.head()
    delimiter = delimiter_of(head) or "\t"
    records = text_records(source.lines(), delimiter)
    header = [str(field).strip() for field in next(records).fields]
    for record in records:
        if record.problem or len(record.fields) != len(header):
            problem = record.problem or f"expected {len(header)} fields, found {len(record.fields)}"
            log.malformed(source, record.line, problem, record.text)
            continue
        cells = {name: str(field) for name, field in zip(header, record.fields, strict=True)}
        yield record.line, {name: text for name, field in cells.items() if (text := field.strip())}


def _checked(source: Source, line: int | None, row: dict[str, str], log: ReleaseLog) -> Row | None:
    """The row, or None where something is wrong with it, which is counted then."""
    if row.get("subject_type") == LITERAL:
        row.pop("subject_id", None)
    subject = row.get("subject_id") or row.get("subject_label")
    if not subject or not row.get("object_id"):
        log.malformed(source, line, f"no {'object_id' if subject else 'subject_id'}", "\t".join(row.values()))
        return None
    for column in ("confidence", "similarity_score"):
        if column in row and not _is_share(row[column]):
            problem = f"the {column} {row[column]!r} is not a number between 0 and 1"
            log.malformed(source, line, problem, "\t".join(row.values()))
            return None
    if denied(row):
        row["predicate_modifier"] = NOT
    if "subject_id" not in row:
        row["subject_type"] = LITERAL
    log.counts.keep()
    return row


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def metadata_of(head: str) -> tuple[dict[str, str], dict[str, str]]:
    """The slots of the metadata block, lists joined by ``|``, and its prefix map.

    The block is YAML of which SSSOM uses little: scalars, lists of scalars, one mapping. What is deeper is passed over.
    The space after ``#`` may be missing, in some lines or in all.
    """
    slots: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    key, outer, inner = "", 0, 0
    for line in head.split("\n"):
        if not line.startswith("#"):
            break
        text = line[1:].rstrip()
        match = _LINE.fullmatch(text)
        indent = len(match["indent"]) if match is not None else 0
        if match is not None and not match["item"] and key == "curie_map" and indent > outer and indent >= inner:
            inner = inner or indent
            prefixes[_scalar(match["key"])] = _scalar(match["value"] or "")
        elif match is not None and not match["item"] and indent < 2:
            key, value, outer, inner = _scalar(match["key"]), _scalar(match["value"] or ""), indent, 0
            if value:
                slots[key] = value
        elif (item := _ITEM.fullmatch(text)) is not None and key and match is None:
            slots[key] = "|".join(filter(None, (slots.get(key, ""), _scalar(item["value"]))))
    return slots, prefixes


def _scalar(text: str) -> str:
    text = text.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text[1:-1].replace("''", "'") if text.startswith("'") and text.endswith("'") and len(text) > 1 else text
