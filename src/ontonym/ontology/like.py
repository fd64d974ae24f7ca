"""Reads a release like an earlier one: with the format and the options in a terminology's manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ontonym.artifact import read_manifest
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping


def options_like(terminology: Path | str, given: ReadOptions) -> tuple[str | None, ReadOptions]:
    """The format and options with which the release of a terminology's folder was read, updated by those ``given``.

    The format is None if the content decides. Raises ArtifactError if there is no terminology.
    """
    format_, earlier = as_before(read_manifest(terminology, "terminology").content["metadata"])
    changed = {field.name: value for field in fields(given) if (value := getattr(given, field.name)) != field.default}
    return format_, replace(earlier, **changed)


def as_before(metadata: Mapping[str, Any]) -> tuple[str | None, ReadOptions]:
    """The format and options with which the release was read, from its metadata in a terminology's manifest.

    The format is None if the content decides, because tables were given with a release of another format. Columns that
    were guessed then are fixed now, so that a table whose columns changed is refused instead of guessed anew.
    """
    details = metadata.get("details", {})
    options = ReadOptions.from_dict(details.get("options", {}))
    columns = details.get("columns") or _columns_by_key(metadata.get("columns", {}))
    if columns and options.columns is None:
        options = replace(options, columns=ColumnMapping.parse(columns))
    options = replace(options, name=options.name or str(metadata.get("name", "")), strict=False)
    return (None if details.get("added_from") else metadata.get("format")), options


def _columns_by_key(columns: Mapping[str, str]) -> list[str]:
    """The settings of a mapping that was recorded by role only, as for JSONL."""
    return [f"{role}={name}" for role, names in columns.items() for name in names.split(",")] if "id" in columns else []
