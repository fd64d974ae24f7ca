"""Reading the next release of a terminology as the last one was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ontonym.ontology.release import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping


def as_before(metadata: Mapping[str, Any]) -> tuple[str | None, ReadOptions]:
    """Format and options by which the release was read, from its metadata in a terminology's manifest.

    The format is None where it is to be told by the content, because tables were given with a release of another
    format. Columns that were guessed then are given now, so that a table whose columns changed is refused, not guessed
    otherwise. The name stays.
    """
    details = metadata.get("details", {})
    options = ReadOptions.from_dict(details.get("options", {}))
    columns = details.get("columns") or _columns_by_key(metadata.get("columns", {}))
    if columns and options.columns is None:
        options = replace(options, columns=ColumnMapping.parse(columns))
    options = replace(options, name=options.name or str(metadata.get("name", "")), strict=False)
    return (None if details.get("added_from") else metadata.get("format")), options


def _columns_by_key(columns: Mapping[str, str]) -> list[str]:
    """The settings of a mapping that is noted by role only, as for JSONL."""
    return [f"{role}={name}" for role, names in columns.items() for name in names.split(",")] if "id" in columns else []
