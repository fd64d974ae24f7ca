"""What the columns of a table hold, told from its first records where the header alone does not say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from ontonym.ontology.columns import ColumnMapping, guess_columns

TRANSLATION_STATUS = frozenset({"OFFICIAL", "CANDIDATE", "NOT_TRANSLATED"})
"""Values of ``translation_status`` in Babelon (https://github.com/monarch-initiative/babelon)."""

_TEMPLATE = re.compile(r"(?:ID|LABEL|TYPE|CLASS_TYPE|(?:A[LTI]?|SC|EC|C|P|I|>A[LTI]?)\s+.*)?")
_CELL = re.compile(r"A[LTI]?\s+(?P<property>[^@^\s]+)(?:@(?P<language>[\w-]+))?(?:\^\^\S+)?(?:\s+SPLIT=(?P<split>.+))?")
_ID = re.compile(r"(?:[A-Za-z][\w.]*:\S+|[A-Za-z]{0,12}_?\d[\w.-]*)")
_PROPERTY_ROLES = MappingProxyType(
    {
        "rdfs:label": "preferred",
        "label": "preferred",
        "skos:preflabel": "preferred",
        "skos:altlabel": "synonyms",
        "oboinowl:hasexactsynonym": "synonyms",
        "has_exact_synonym": "synonyms",
        "oboinowl:hasrelatedsynonym": "related_synonyms",
        "has_related_synonym": "related_synonyms",
        "oboinowl:hasbroadsynonym": "broad_synonyms",
        "has_broad_synonym": "broad_synonyms",
        "oboinowl:hasnarrowsynonym": "narrow_synonyms",
        "has_narrow_synonym": "narrow_synonyms",
        "iao:0000115": "definition",
        "definition": "definition",
        "oboinowl:hasdbxref": "xrefs",
        "database_cross_reference": "xrefs",
        "oboinowl:hasalternativeid": "alternative_ids",
        "iao:0100001": "replaced_by",
    }
)
"""Properties of a ROBOT template (lower case) to the role of their column."""


def guess_table(records: Sequence[Sequence[str]]) -> tuple[ColumnMapping | None, int]:
    """The mapping that a table's first records mean, or None, and how many of them are no data.

    Told are: a ROBOT template (https://robot.obolibrary.org/template), whose second line says what its columns are;
    obvious headers, Babelon's among them; and a file without header that begins with id and name on every line.
    """
    if not records:
        return None, 0
    header, rows = records[0], records[1:]
    if rows and _is_template(rows[0]):
        return _from_template(header, rows), 2
    mapping = guess_columns(header)
    if mapping is not None:
        return _with_parent_names(mapping, header, rows), 1
    return _headless(records), 0


def _is_template(cells: Sequence[str]) -> bool:
    return "ID" in cells and all(_TEMPLATE.fullmatch(cell.strip()) for cell in cells)


def _from_template(header: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping | None:
    roles: dict[str, tuple[str, ...]] = {}
    qualifiers: list[tuple[str, str, str]] = []
    separator = "|"
    for i, cell in enumerate(map(str.strip, rows[0])):
        column = header[i]
        match = _CELL.fullmatch(cell)
        role = "id" if cell == "ID" else "preferred" if cell == "LABEL" else "parents" if cell == "SC %" else ""
        if match is not None:
            role = _PROPERTY_ROLES.get(match["property"].lower(), "")
            separator = match["split"] or separator
        elif not cell and _all_among(i, rows[1:], TRANSLATION_STATUS):
            role = "translation_status"
        if role:
            roles[role] = (*roles.get(role, ()), column)
            if match is not None and match["language"] and role != "definition":
                qualifiers.append((role, column, match["language"]))
    if "id" not in roles or len(roles) == 1:
        return None
    return ColumnMapping(**roles, separator=separator, delimiter="", header=True, qualifiers=tuple(qualifiers))


def _all_among(column: int, rows: Sequence[Sequence[str]], known: frozenset[str]) -> bool:
    values = {row[column].strip() for row in rows if column < len(row)} - {""}
    return bool(values) and values <= known


def _with_parent_names(mapping: ColumnMapping, header: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping:
    """The mapping with its parents taken for names, where ids are CURIEs and what the parents column holds never is."""
    if len(mapping.parents) != 1 or mapping.parents[0] not in header or mapping.id[0] not in header:
        return mapping
    parent, own = header.index(mapping.parents[0]), header.index(mapping.id[0])
    full = [row for row in rows if len(row) == len(header) and row[parent].strip()]
    if full and all(":" in row[own] and not _ID.fullmatch(row[parent].strip()) for row in full):
        return replace(mapping, parents=(), parent_names=mapping.parents)
    return mapping


def _headless(records: Sequence[Sequence[str]]) -> ColumnMapping | None:
    """Id, name, and synonyms where the third column has lists; None where the first is not an id on every line."""
    full = [row for row in records if len(row) == len(records[0])]
    if len(records[0]) < 2 or len({row[0] for row in full}) < max(2, len(full) // 2):
        return None
    if not all(_ID.fullmatch(row[0].strip()) for row in full):
        return None
    if any(_ID.fullmatch(row[1].strip()) and ":" in row[1] for row in full) or not any(
        re.search(r"[^\W\d]{3}", row[1]) for row in full
    ):
        return None
    lists = len(records[0]) > 2 and any("|" in row[2] for row in full)
    return ColumnMapping(id=("1",), preferred=("2",), synonyms=("3",) if lists else (), header=False)
