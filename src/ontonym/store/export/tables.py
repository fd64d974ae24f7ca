"""JSONL, one object per concept, which loses nothing; CSV and TSV, one row per concept.

The column names are known to the table reader. Lists are joined by ``|``, which is escaped by a backslash inside a
value. Names in further languages and further definitions have rows of their own, right below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from types import MappingProxyType
from typing import BinaryIO

import orjson

from ontonym.files.cells import RAW_NOTE, guarded
from ontonym.files.lists import join_list
from ontonym.ontology.tables.jsonl import concept_record, header_record
from ontonym.ontology.tables.layout import EXPORTED
from ontonym.store.export.formats import csv_rows
from ontonym.store.export.walk import Walk
from ontonym.types import Concept, Kind, Scope, Term

COLUMNS = EXPORTED
"""The header."""

_NAME_COLUMNS = MappingProxyType[tuple[Kind, Scope], str](
    {
        ("synonym", "exact"): "synonyms",
        ("synonym", "related"): "related_synonyms",
        ("synonym", "broad"): "broad_synonyms",
        ("synonym", "narrow"): "narrow_synonyms",
        ("lay", "exact"): "lay",
        ("abbreviation", "exact"): "abbreviations",
    }
)
"""The column for each kind and scope of a name; names of other kinds go to the column of their scope."""

NUL = "\0"
"""The one character that no table may contain; it is removed from values."""
_BREAKS = str.maketrans("\t\r\n", "   ")


def write_jsonl(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes a line about the release, then one for each concept; nothing is left out."""
    out.write(orjson.dumps(header_record(walk.metadata), option=orjson.OPT_APPEND_NEWLINE))
    for concept in walk.concepts():
        out.write(orjson.dumps(concept_record(concept), option=orjson.OPT_APPEND_NEWLINE))
    return Counter()


def write_csv(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes the terminology as CSV (RFC 4180, but for line ends, which are ``\\n``); returns what is left out."""
    with csv_rows(out) as write:
        return _write(walk, write)


def write_tsv(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes the terminology as TSV; a tab or a line break inside a value becomes a space."""
    flattened = 0

    def write(cells: list[str]) -> None:
        nonlocal flattened
        flat = [cell.translate(_BREAKS) for cell in cells]
        flattened += sum(cell != one for cell, one in zip(cells, flat, strict=True))
        out.write(("\t".join(map(_quoted, flat)) + "\n").encode())

    left_out = _write(walk, write)
    left_out["tabs and line breaks in a value"] = flattened
    return left_out


def _quoted(cell: str) -> str:
    """Quotes a cell that begins and ends with quotes, which readers would remove."""
    return '"' + cell.replace('"', '""') + '"' if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _write(walk: Walk, write: Callable[[list[str]], object]) -> Counter[str]:
    left_out: Counter[str] = Counter()
    if walk.raw:
        write([RAW_NOTE])
    write(list(COLUMNS))
    for concept in walk.concepts():
        for row in _rows(concept, left_out):
            cells = [row.get(name, "") for name in COLUMNS]
            left_out["NUL characters"] += sum(cell.count(NUL) for cell in cells)
            cells = [cell.replace(NUL, "") for cell in cells]
            write(cells if walk.raw else list(map(guarded, cells)))
    return left_out


def _rows(concept: Concept, left_out: Counter[str]) -> Iterator[dict[str, str]]:
    """The rows of a concept: one, or more if it has names in several languages or several definitions."""
    left_out["relations"] += len(concept.relations)
    left_out["properties"] += len(concept.properties)
    left_out["mappings"] += len(concept.mappings)
    left_out["weaker suggestions for a retired concept"] += len(concept.consider)
    left_out["concepts without a name (written, but not read back)"] += not concept.terms
    shared = {
        name: join_list(getattr(concept, name))
        for name in ("parents", "xrefs", "tags", "alternative_ids", "replaced_by")
    }
    names = list(_names(concept.terms, left_out))
    for number, (named, definition) in enumerate(zip_longest(names, concept.definitions)):
        row = {"id": concept.id, "status": concept.status, "definition": definition or "", **(named or {})}
        yield row if number else {**row, **shared}
    if not names and not concept.definitions:
        yield {"id": concept.id, "status": concept.status, **shared}


def _names(terms: tuple[Term, ...], left_out: Counter[str]) -> Iterator[dict[str, str]]:
    """The name columns of a concept for each of its languages, that of the preferred term first."""
    by_language: dict[str, dict[str, list[str]]] = {}
    for term in terms:
        if term.status == "retired":
            left_out["retired names"] += 1
            continue
        columns = by_language.setdefault(term.language, {})
        if term.kind == "preferred" and "preferred" not in columns:
            column = "preferred"
        else:
            column = _NAME_COLUMNS.get((term.kind, term.scope)) or _NAME_COLUMNS["synonym", term.scope]
            left_out["kinds of names (written as synonyms)"] += (term.kind, term.scope) not in _NAME_COLUMNS
        left_out["where a name comes from"] += term.source != ""
        left_out["white space around a name"] += term.text != term.text.strip()
        columns.setdefault(column, []).append(term.text)
    for language, columns in by_language.items():
        cells = {name: texts[0] if name == "preferred" else join_list(texts) for name, texts in columns.items()}
        yield {"language": language, **cells}
