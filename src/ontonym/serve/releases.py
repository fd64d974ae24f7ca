"""A release that was read into a terminology, for a person and as JSON: what was read, kept, skipped and malformed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ontonym.manifest import Manifest
from ontonym.ontology.tables.layout import CHANGED_IDS, UNREAD, UNSPLIT
from ontonym.ontology.tables.read import AMBIGUOUS, UNREAD_COLUMNS, UNRESOLVED
from ontonym.ontology.tables.rows import RENAMED
from ontonym.serve.show import Summary, counted, size
from ontonym.store.successor import Replaced
from ontonym.text.counting import count, first_few
from ontonym.text.visible import visible

SHOWN_COLUMNS = 12
"""Up to how many columns of tables are shown one by one."""
SHOWN_FILES = 4
"""How many files that are no part of a release are named."""


def import_summary(path: Path, manifest: Manifest, *, many_columns: str = "") -> Summary:
    """What an import made: the release, what became of its rows, and what is in the terminology.

    ``many_columns`` says where columns are found that are too many to show.
    """
    content = manifest.content
    kept = ("metadata", "reader", "statistics", "unknown_parents", "cycles", "merged_concepts")
    shape = {
        "path": str(path),
        "fingerprint": manifest.fingerprint,
        **{part: content[part] for part in kept if part in content},
    }
    facts = [
        ("terminology", f"{path}  ({size(manifest.bytes)})"),
        ("release", release_line(content["metadata"])),
        ("columns", _columns_line(content["metadata"], many_columns)),
        ("  not read", _unread_line(content["metadata"])),
        ("left out", _left_out_line(content["metadata"])),
        *reader_rows(content["reader"]),
        *value_rows(content),
        *structure_rows(content),
        ("ids", _bare_ids(content)),
    ]
    return Summary(shape, facts, malformed_lines(content))


def _bare_ids(content: Mapping[str, Any]) -> str:
    """What ids without a prefix lack; empty where most have one."""
    if content.get("prefixes", [])[:1] != [""]:
        return ""
    return "without a prefix, so cross-references such as NAME:123 do not find them (the import option prefix adds one)"


def read_rows(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Of a table that was read on the way to something else: its columns, and what became of its rows."""
    metadata = content["metadata"]
    columns = [("columns", _columns_line(metadata, "")), ("  not read", _unread_line(metadata))]
    files = ("left out", _left_out_line(metadata))
    return [*columns, files, *reader_rows(content["reader"])[:2], *value_rows(content)]


def malformed_lines(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The first malformed rows of what a manifest with this ``content`` was read from, in yellow."""
    return [(_malformed_line(row), "yellow") for row in content["reader"]["malformed_examples"]]


def tried_summary(path: Path, manifest: Manifest, before: Replaced | None) -> Summary:
    """What an import would make, and what it would replace."""
    made = import_summary(path, manifest)
    there = before.title if before is not None else ""
    shape = {**made.shape, "dry_run": True, "replaces": there, "refused": before.refusal if before is not None else ""}
    refused = f"{path}: {before.refusal}: the import would be refused" if before is not None and before.refusal else ""
    facts = [("would write", str(path)), ("replaces", there), *made.facts[1:]]
    return Summary(shape, facts, made.lines, notes=[refused] if refused else [])


def _malformed_line(row: Mapping[str, Any]) -> str:
    """The place of a malformed row, what is wrong, and how it begins."""
    place = row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"
    return f"  {place}: {row['problem']}" + (f": {row['excerpt']}" if row["excerpt"] else "")


def _columns_line(metadata: Mapping[str, Any], many_columns: str) -> str:
    """Which columns of a table were taken for what; empty for other formats."""
    settings: list[str] = metadata["details"].get("columns", [])
    if len(settings) > SHOWN_COLUMNS:
        files = len({setting.partition("=")[0].rpartition(":")[0] for setting in settings})
        return f"{len(settings)} of {count(files, 'table')}" + (f" ({many_columns})" if many_columns else "")
    return ", ".join(settings)


def _unread_line(metadata: Mapping[str, Any]) -> str:
    """The columns of a table that were taken for nothing; empty where all columns are too many to show."""
    details: dict[str, Any] = metadata["details"]
    if len(details.get("columns", [])) > SHOWN_COLUMNS:
        return ""
    return first_few(map(visible, details.get(UNREAD_COLUMNS, [])), SHOWN_COLUMNS)


def _left_out_line(metadata: Mapping[str, Any]) -> str:
    """The files of a folder or archive, and the sheets of a workbook, that are no part of the release."""
    found = metadata["details"].get("files_left_out", _NONE)
    names = [visible(name) for name in found["first"][:SHOWN_FILES]]
    more = f" and {found['count'] - len(names):,} more" if found["count"] > len(names) else ""
    return ", ".join(names) + more


def release_line(metadata: Mapping[str, Any]) -> str:
    """Title, version, format and licence of a release in one line."""
    title = " ".join(part for part in (metadata.get("title") or metadata.get("name"), metadata.get("version")) if part)
    extra = [part for part in (metadata.get("format"), metadata.get("licence")) if part]
    return f"{title}  ({', '.join(extra)})" if extra else title


def reader_rows(reader: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the reader counted, each line an equation that holds."""
    rows, terms = reader["rows"], reader["terms"]
    return [
        (
            "rows",
            f"{rows['read']:,} read = {rows['kept']:,} kept + {sum(rows['skipped'].values()):,} skipped + "
            f"{rows['malformed']:,} malformed",
        ),
        ("  skipped", _by_rule(rows["skipped"])),
        ("concepts", f"{reader['concepts']['active']:,} active, {reader['concepts']['retired']:,} retired"),
        (
            "names",
            f"{terms['read']:,} read = {sum(terms['kept'].values()):,} kept + {sum(terms['skipped'].values()):,} "
            "skipped",
        ),
        ("  kept", counted(terms["kept"].items())),
        ("  skipped", _by_rule(terms["skipped"])),
    ]


def _by_rule(skipped: Mapping[str, int]) -> str:
    return "; ".join(f"{number:,} {rule}" for rule, number in skipped.items())


def value_rows(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The values of tables that were left out, though their rows were kept, and names in the wrong encoding."""
    details, rows = content.get("metadata", {}).get("details", {}), []
    if unread := details.get(UNREAD, _NONE)["count"]:
        said = count(unread, "frequency that cannot be read", "frequencies that cannot be read")
        rows.append(("", f"{said}: {_first(details[UNREAD], '; ')}"))
    if unsplit := details.get(UNSPLIT, _NONE)["count"]:
        said = f"{count(unsplit, 'cell')} with a semicolon, each taken as one value"
        first = _first(details[UNSPLIT], " / ", "; …")
        rows.append(("", f"{said} (the column setting separator=; splits such): {first}"))
    if changed := details.get(CHANGED_IDS, _NONE)["count"]:
        said = f"{count(changed, 'id')} that a spreadsheet seems to have changed"
        first = _first(details[CHANGED_IDS], "; ")
        rows.append(("", f"{said} (format the column as text there, and save it again): {first}"))
    if renamed := details.get(RENAMED, _NONE)["count"]:
        said = count(renamed, "id whose rows name it", "ids whose rows name them")
        rows.append(("", f"{said} differently, the later names are synonyms: {_first(details[RENAMED], '; ')}"))
    if misread := content.get("misread_names", _NONE)["count"]:
        said = f"{count(misread, 'name')} of a Windows file that was read as Latin-1 (iconv -f WINDOWS-1252)"
        rows.append(("", f"{said}: {_first(content['misread_names'])}"))
    for key, why in ((UNRESOLVED, "that no concept has"), (AMBIGUOUS, "that several concepts have")):
        if details.get(key):
            rows.append(("", f"{count(details[key], 'parent')} left out, given by a name {why}"))
    return rows


_NONE: Mapping[str, Any] = {"count": 0, "first": []}


def _first(found: Mapping[str, Any], between: str = ", ", more: str = "") -> str:
    """The first ones of what was found, and ``more`` where there are others; by default dots after another comma."""
    rest = (more or f"{between}…") if found["count"] > len(found["first"]) else ""
    return between.join(map(visible, found["first"])) + rest


def structure_rows(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The hierarchy and what was wrong in it."""
    rows = [("is-a", count(content["statistics"]["is_a_edges"], "edge"))]
    for key, one, several in (
        ("unknown_parents", "parent that is not in the release", "parents that are not in the release"),
        ("cycles", "is-a edge left out because it closes a cycle", "is-a edges left out because they close a cycle"),
        ("merged_concepts", "concept given twice and merged", "concepts given twice and merged"),
    ):
        if number := content.get(key, _NONE)["count"]:
            rows.append(("", f"{count(number, one, several)}: {_first(content[key])}"))
    return rows
