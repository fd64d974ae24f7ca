"""SSSOM TSV (https://mapping-commons.github.io/sssom/): mappings as a table below a block of metadata."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from ontonym.store.export.mappingfacts import MappingExport, MappingFacts
from ontonym.store.mappings.iris import IRIS, Contraction, split_id
from ontonym.store.mappings.rows import COLUMNS, FREQUENCY, FREQUENCY_PROPERTY, LITERAL, Row
from ontonym.store.mappings.sssom import IDS, PROPAGATED

LICENCE = "https://w3id.org/sssom/license/unspecified"
"""The licence to write if none is known, as SSSOM requires."""
UNNAMED = "urn:ontonym:mappings"
"""The id of a set that has none."""

_BREAKS = str.maketrans(dict.fromkeys("\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))
_ALWAYS = frozenset(
    ("subject_id", "subject_label", "predicate_id", "object_id", "object_label", "mapping_justification")
)
_WORDS = ("semapv", "skos", "owl", "oboInOwl")
_LISTS = frozenset(
    ("creator_id", "creator_label", "see_also", "mapping_set_source", "cardinality_scope", "subject_match_field",
     "object_match_field", "subject_preprocessing", "object_preprocessing")
)  # fmt: skip
"""Metadata slots with several values, separated by ``|`` here."""
_ID_SLOTS = ("creator_id", "subject_source", "object_source")
_EXTENSION = [
    "extension_definitions:", f"- slot_name: {FREQUENCY}", f"  property: {FREQUENCY_PROPERTY}",
    '  type_hint: "http://www.w3.org/2001/XMLSchema#integer"',
]  # fmt: skip


def write_sssom(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> MappingExport:
    """Writes mappings; columns that no row uses are left out, except the six of every mapping.

    Ids that are not CURIEs get a prefix of the file's own. Tabs and line breaks in texts become spaces.
    """
    slots = {"mapping_set_id": UNNAMED, "license": LICENCE, **facts.slots}
    slots |= {"mapping_set_id": facts.url} if facts.url else {}
    shown = _shown(rows, slots)
    ids = [one for row in rows for column in IDS for one in row.get(column, "").split("|")]
    slot_ids = [one for slot in _ID_SLOTS for one in slots.get(slot, "").split("|") if split_id(one)[0]]
    contracted = Contraction((*ids, *slot_ids), facts.iris)
    prefixes = {prefix: IRIS[prefix] for prefix in _WORDS} | contracted.prefixes
    lines = ["curie_map:", *(f"  {json.dumps(prefix)}: {json.dumps(iri)}" for prefix, iri in sorted(prefixes.items()))]
    lines += _metadata(slots)
    lines += _EXTENSION if FREQUENCY in shown else []
    out.write("".join(f"# {line}\n" for line in lines).encode())
    out.write(("\t".join(shown) + "\n").encode())
    for row in rows:
        cells = _cells(row, contracted)
        out.write(("\t".join(_quoted(cells.get(name, "").translate(_BREAKS)) for name in shown) + "\n").encode())
    unknown = sorted({column for row in rows for column in row} - set(COLUMNS))
    return MappingExport(len(rows), Counter({f"column {name}, which SSSOM does not have": 1 for name in unknown}))


def _shown(rows: Sequence[Row], slots: Mapping[str, str]) -> list[str]:
    """The columns to write: those that some row uses, unless the metadata gives one value for all of them."""
    given = {column for row in rows for column, value in row.items() if value}
    for column in PROPAGATED:
        if slots.get(column) and all((row.get(column) or slots[column]) == slots[column] for row in rows):
            given.discard(column)
    if any(not row.get("subject_id") for row in rows):
        given.add("subject_type")
    return [name for name in COLUMNS if name in given or name in _ALWAYS]


def _cells(row: Row, contracted: Contraction) -> dict[str, str]:
    ids = {column: "|".join(map(contracted.curie, row[column].split("|"))) for column in IDS if row.get(column)}
    return {**row, **ids, **({} if row.get("subject_id") else {"subject_type": LITERAL})}


def _metadata(slots: Mapping[str, str]) -> Iterator[str]:
    for slot, value in sorted(slots.items()):
        if value and slot in _LISTS:
            yield f"{slot}:"
            yield from (f"- {json.dumps(part, ensure_ascii=False)}" for part in value.split("|"))
        elif value:
            yield f"{slot}: {json.dumps(value, ensure_ascii=False)}"


def _quoted(cell: str) -> str:
    """Quotes a cell that begins with a quote, since readers would take it for a quoted one."""
    return '"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell
