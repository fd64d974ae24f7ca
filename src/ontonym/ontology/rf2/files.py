"""Recognizes the files of an RF2 release by header and folder, and selects those to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ontonym.errors import InputError
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog

View = Literal["Snapshot", "Full", "Delta"]
TableKind = Literal[
    "concept", "description", "relationship", "concrete", "language", "association", "attribute", "simple map",
    "extended map", "simple", "modules", "stated", "other",
]  # fmt: skip

_COMPONENT = frozenset({"id", "effectiveTime", "active", "moduleId"})
_MEMBER = _COMPONENT | {"refsetId", "referencedComponentId"}
_COLUMNS: tuple[tuple[frozenset[str], TableKind], ...] = (
    (_COMPONENT | {"definitionStatusId"}, "concept"),
    (_COMPONENT | {"conceptId", "languageCode", "typeId", "term"}, "description"),
    (_COMPONENT | {"sourceId", "destinationId"}, "relationship"),
    (_COMPONENT | {"sourceId", "value"}, "concrete"),
    (_MEMBER | {"acceptabilityId"}, "language"),
    (_MEMBER | {"targetComponentId"}, "association"),
    (_MEMBER | {"valueId"}, "attribute"),
    (_MEMBER | {"mapGroup", "mapPriority", "mapRule", "mapAdvice", "mapTarget"}, "extended map"),
    (_MEMBER | {"mapTarget"}, "simple map"),
    (_MEMBER | {"sourceEffectiveTime", "targetEffectiveTime"}, "modules"),
    (_MEMBER, "other"),
)
_NAMES: tuple[tuple[str, TableKind], ...] = (
    ("sct2_Concept_", "concept"),
    ("sct2_Description_", "description"),
    ("sct2_TextDefinition_", "description"),
    ("sct2_Relationship_", "relationship"),
    ("sct2_RelationshipConcreteValues_", "concrete"),
)
"""What a file is by its name, where a column is missing by which it is recognized; its reader names that column."""
_NAMED_VIEW = re.compile(r"(Snapshot|Full|Delta)(?=[-_.]|$)")
_RELEASE_DATE = re.compile(r"_(\d{8})(?:T\d+Z?)?(?=[_.]|$)")


@dataclass(frozen=True, slots=True)
class File:
    """One file of a release: ``group`` identifies its release, where several were given."""

    source: Source
    table: TableKind
    view: View
    group: str


def is_rf2(head: str, name: str = "") -> bool:
    """Whether a file begins with the header of an RF2 component or reference set, or is called as a component's is."""
    return any(columns <= _header(head) for columns, _ in _COLUMNS) or _named_as(name) is not None


def chosen_files(sources: Sequence[Source], log: ReleaseLog) -> list[File]:
    """The files to read: of each release its Snapshot, or its Full where it has none or a day is asked for.

    Raises:
        FormatError: a Delta alone, or no Full for a day asked for, or no concept file.
        InputError: the day asked for is not one.
    """
    at = log.options.at
    if at and not re.fullmatch(r"\d{8}", at):
        raise InputError(f"`at={at}` is not a day; write it as YYYYMMDD, for example 20240131")
    files = [_file(source) for source in sources]
    groups = {file.group: {f.view for f in files if f.group == file.group} for file in files}
    wanted: dict[str, View] = {}
    for group, views in groups.items():
        order: tuple[View, ...] = ("Full", "Delta") if at else ("Snapshot", "Full", "Delta")
        found = next((view for view in order if view in views), None)
        if found is None:
            first = next(file.source for file in files if file.group == group)
            first.fail(None, "only a Snapshot, which knows one day", "Give the Full files, or leave `at=` out")
        wanted[group] = found
    if set(wanted.values()) == {"Delta"}:
        hint = "Give the release that it builds on too, before it"
        files[0].source.fail(None, "a Delta, which has only what changed", hint)
    chosen = [file for file in files if file.view == wanted[file.group]]
    if not any(file.table == "concept" for file in chosen):
        files[0].source.fail(None, "no concept file (sct2_Concept_…)", "Give the whole release folder or zip")
    log.details["views"] = {group or ".": view for group, view in wanted.items()}
    unread = sorted(file.source.name for file in chosen if file.table in ("other", "stated"))
    log.details["files_not_read"] = unread
    log.describe(
        name="snomedct", title="SNOMED CT", version=_version(chosen), licence="licensed by SNOMED International"
    )
    # a Delta is read after what it builds on, so that of two rows of the same day its own counts
    read = sorted((f for f in chosen if f.table not in ("other", "stated")), key=lambda file: file.view == "Delta")
    log.used = tuple(file.source for file in read)
    return read


def _file(source: Source) -> File:
    """A file with its table, told by its header or its name, and the view and root that its folders name."""
    header = _header(source.head())
    known: TableKind | None = next((table for columns, table in _COLUMNS if columns <= header), None)
    if header == _MEMBER:
        known = "simple"
    table: TableKind = known or _named_as(source.name) or "other"
    if table == "relationship" and "StatedRelationship" in source.name:
        table = "stated"
    parts = source.name.split("/")
    place = next((i for i, part in enumerate(parts[:-1]) if part in ("Snapshot", "Full", "Delta")), None)
    if place is not None:
        view: View = parts[place]  # type: ignore[assignment]
        root = "/".join(parts[:place])
    else:
        named = _NAMED_VIEW.search(parts[-1])
        view = named[1] if named else "Snapshot"  # type: ignore[assignment]
        root = ""
    return File(source, table, view, f"{_origin(source)}{root}")


def _named_as(name: str) -> TableKind | None:
    return next((table for start, table in _NAMES if name.rpartition("/")[2].startswith(start)), None)


def _header(head: str) -> frozenset[str]:
    line = head.partition("\n")[0].lstrip("\ufeff").rstrip("\r")
    return frozenset(line.split("\t"))


def _origin(source: Source) -> str:
    """The identification of a file's release: the path of its archive, or of the given folder."""
    path = source.path.as_posix()
    return path.removesuffix(source.name) if path.endswith(source.name) else f"{path}!"


def _version(files: Sequence[File]) -> str:
    """The latest date in the names of the files, as YYYYMMDD."""
    dates = [match[1] for file in files for match in [_RELEASE_DATE.search(file.source.name.split("/")[-1])] if match]
    return max(dates, default="")
