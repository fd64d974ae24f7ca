"""MeSH's ASCII form (``d2024.bin``, ``q2024.bin``, ``c2024.bin``): records of lines ``NAME = value``.

The data elements are those of https://www.nlm.nih.gov/mesh/dtype.html, ``qtype.html`` and ``ctype.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from ontonym.files.source import Source
from ontonym.ontology.mesh.record import ACTION, CONSIDER_ALSO, MAPPED_TO, SEE_ALSO, Heading, MeshName, MeshRecord
from ontonym.types import Scope

RELATIONS = MappingProxyType[str, Scope]({"EQV": "exact", "NRW": "narrow", "BRD": "broad", "REL": "related"})
"""Semantic relation of an entry term, and of a MeSH concept to the preferred one of its record, to the scope."""

_START = "*NEWRECORD"
_LINE = re.compile(r"([A-Z][A-Z0-9_ ]*?)\s*=\s?(.*)$")
_MAP = re.compile(r"a[b-z]*$")
_HEADINGS = MappingProxyType({"FX": SEE_ALSO, "PA": ACTION, "HM": MAPPED_TO, "II": CONSIDER_ALSO})
_IS_ASCII = re.compile(r"^\*NEWRECORD\s+RECTYPE\s*=\s*[DQC]\b", re.MULTILINE)

Fields = dict[str, list[str]]


def is_ascii(head: str) -> bool:
    """Whether the beginning of a file is MeSH in its ASCII form."""
    return bool(_IS_ASCII.search(head))


def ascii_records(source: Source) -> Iterator[MeshRecord | tuple[int, str, str]]:
    """The records in the order of the file, or line, problem and text of one that cannot be read.

    Lines before the first record are nothing of ours.
    """
    fields: Fields | None = None
    start, bad = 0, None
    for number, line in enumerate(source.lines(), start=1):
        if line.startswith(_START):
            if fields is not None:
                yield bad or _record(fields, start)
            fields, start, bad = {}, number, None
        elif fields is not None and line.strip():
            found = _LINE.match(line)
            if found:
                fields.setdefault(found[1], []).append(found[2].strip())
            else:
                bad = bad or (number, "a line that is not NAME = value", line)
    if fields is not None:
        yield bad or _record(fields, start)


def _record(fields: Fields, line: int) -> MeshRecord:
    def first(name: str) -> str:
        return fields.get(name, [""])[0]

    form = first("RECTYPE")
    name = first({"D": "MH", "Q": "SH"}.get(form, "NM"))
    names = [MeshName(name, preferred=True)] if name else []
    for key in ("PRINT ENTRY", "ENTRY", "SY", "QX"):
        names.extend(_name(text) for text in fields.get(key, ()))
    names.extend(MeshName(text, tag="CASN1Name") for text in fields.get("N1", ()))
    return MeshRecord(
        ui=first("UI"),
        form=form,
        line=line,
        of_class=first("DC") if form == "D" else "1" if form == "Q" else "",
        names=_with_scopes(names),
        tree_numbers=fields.get("MN", []),
        definitions=[*fields.get("MS", ()), *(fields.get("NO", ()) if form == "C" else ())],
        registry=fields.get("RN", []),
        related=fields.get("RR", []),
        semantic_types=fields.get("ST", []),
        headings=[
            (predicate, Heading(words=text)) for key, predicate in _HEADINGS.items() for text in fields.get(key, ())
        ],
        qualifiers=first("AQ").split(),
        abbreviation=first("QA"),
    )


def _name(text: str) -> MeshName:
    """A name with its subfields; the last of them is a map that says with a letter what each other one is."""
    parts = text.split("|")
    letters = parts[-1].strip()
    if len(parts) == 1 or not _MAP.match(letters):
        return MeshName(parts[0].strip(), None if len(parts) == 1 else "exact", permuted=len(parts) == 1)
    told: dict[str, str] = {}
    for letter, part in zip(letters, parts[:-1], strict=False):
        told.setdefault(letter, part.strip())
    return MeshName(told["a"], RELATIONS.get(told.get("d", "EQV"), "related"), told.get("c", ""))


def _with_scopes(names: list[MeshName]) -> list[MeshName]:
    """The names, permuted forms with the scope of the others where those agree: which one they permute is not told."""
    scopes = {name.scope for name in names if name.scope is not None}
    for name in names:
        if name.scope is None and len(scopes) == 1:
            name.scope = next(iter(scopes))
    return names
