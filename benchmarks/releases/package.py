"""The folder of an RF2 release: file names, header lines and the three views Snapshot, Full and Delta."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from .draws import Bytes
from .render import decimal, lines, table, text
from .versions import Versions
from .world import FIRST, date_of

_COMPONENT = "id effectiveTime active moduleId"
_DESCRIPTION = f"{_COMPONENT} conceptId languageCode typeId term caseSignificanceId"
_RELATED = "relationshipGroup typeId characteristicTypeId modifierId"
_ENDS = f"sourceId destinationId {_RELATED}"
_MEMBER = f"{_COMPONENT} refsetId referencedComponentId"

FILES: dict[str, tuple[str, str, str]] = {
    "concept": ("Terminology", "sct2_Concept_{view}_{where}", f"{_COMPONENT} definitionStatusId"),
    "description": ("Terminology", "sct2_Description_{view}-{language}_{where}", _DESCRIPTION),
    "definition": ("Terminology", "sct2_TextDefinition_{view}-{language}_{where}", _DESCRIPTION),
    "relationship": ("Terminology", "sct2_Relationship_{view}_{where}", f"{_COMPONENT} {_ENDS}"),
    "stated": ("Terminology", "sct2_StatedRelationship_{view}_{where}", f"{_COMPONENT} {_ENDS}"),
    "concrete": (
        "Terminology", "sct2_RelationshipConcreteValues_{view}_{where}",
        f"{_COMPONENT} sourceId value {_RELATED}",
    ),
    "owl": ("Terminology", "sct2_sRefset_OWLExpression{view}_{where}", f"{_MEMBER} owlExpression"),
    "language": ("Refset/Language", "der2_cRefset_Language{view}-{language}_{where}", f"{_MEMBER} acceptabilityId"),
    "association": ("Refset/Content", "der2_cRefset_Association{view}_{where}", f"{_MEMBER} targetComponentId"),
    "reason": ("Refset/Content", "der2_cRefset_AttributeValue{view}_{where}", f"{_MEMBER} valueId"),
    "simple": ("Refset/Content", "der2_Refset_Simple{view}_{where}", _MEMBER),
    "simple_map": ("Refset/Map", "der2_sRefset_SimpleMap{view}_{where}", f"{_MEMBER} mapTarget"),
    "extended_map": (
        "Refset/Map", "der2_iisssccRefset_ExtendedMap{view}_{where}",
        f"{_MEMBER} mapGroup mapPriority mapRule mapAdvice mapTarget correlationId mapCategoryId",
    ),
    "module": (
        "Refset/Metadata", "der2_ssRefset_ModuleDependency{view}_{where}",
        f"{_MEMBER} sourceEffectiveTime targetEffectiveTime",
    ),
}  # fmt: skip
"""Folder, name and columns of every file (SNOMED CT Release File Specification, "File naming" and the file formats)."""


@dataclass(frozen=True, slots=True)
class Written:
    """A release as it lies on disk: folder or zip, and the rows of each file."""

    path: Path
    rows: dict[str, int]


VIEWS = ("Snapshot", "Full", "Delta")
_MOST_RELEASES = 80
_ZIP_DAY = (2025, 1, 1, 0, 0, 0)


@dataclass
class Package:
    """An RF2 release being written; use it as a context manager. ``name`` goes into the folder's name, ``where`` into
    the files' (``INT``, or a country and namespace).
    """

    out: Path
    name: str
    where: str
    now: int
    views: tuple[str, ...]
    languages: tuple[str, ...] = ("en",)
    rows: dict[str, int] = field(default_factory=dict)
    _files: dict[tuple[str, str, str], IO[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._dates = table([str(date_of(time)) for time in range(FIRST + _MOST_RELEASES)])

    @property
    def folder(self) -> Path:
        """Where the release lies."""
        return self.out / f"SnomedCT_{self.name}_PRODUCTION_{date_of(self.now)}T120000Z"

    def __enter__(self) -> Package:
        if self.folder.exists():
            shutil.rmtree(self.folder)
        for kind, (folder, name, header) in FILES.items():
            for language in self.languages if "{language}" in name else ("",):
                for view in self.views:
                    file = name.format(view=view, where=self.where, language=language)
                    path = self.folder / view / folder / f"{file}_{date_of(self.now)}.txt"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    opened = path.open("wb", buffering=1 << 20)
                    opened.write(header.replace(" ", "\t").encode() + b"\r\n")
                    self._files[kind, language, view] = opened
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._files.values():
            opened.close()

    def needed(self, rows: Versions) -> Versions:
        """The rows that a view of this package has: all of them where the history is written."""
        if "Full" in self.views:
            return rows
        wanted = np.zeros(len(rows), dtype=bool)
        if "Snapshot" in self.views:
            wanted |= rows.last
        if "Delta" in self.views:
            wanted |= rows.fresh
        return rows.take(wanted)

    def write(
        self, kind: str, rows: Versions, ids: Bytes, module: Bytes | bytes, columns: Sequence[Bytes | bytes],
        language: str = "",
    ) -> None:  # fmt: skip
        """Appends the rows to the file's views. ``ids`` has a row for each component, ``columns`` for each row."""
        if not len(rows):
            return
        active = decimal(rows.active.astype(np.int64), 1)
        cells = lines(
            [ids[rows.component], self._dates[rows.time], active, module, *columns], between=b"\t", end=b"\r\n"
        )
        for view, chosen in (("Full", None), ("Snapshot", rows.last), ("Delta", rows.fresh)):
            if view in self.views:
                self._files[kind, language, view].write(text(cells if chosen is None else cells[chosen]))
                self.rows[f"{view} {kind}"] = self.rows.get(f"{view} {kind}", 0) + (
                    len(rows) if chosen is None else int(chosen.sum())
                )

    def inform(self, facts: dict[str, Any]) -> None:
        """Writes ``release_package_information.json`` as real packages have it."""
        path = self.folder / "release_package_information.json"
        path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def zipped(folder: Path) -> Path:
    """Packs a folder into a zip beside it, the same bytes every time, and removes the folder."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                member = zipfile.ZipInfo(file.relative_to(folder.parent).as_posix(), _ZIP_DAY)
                member.compress_type = zipfile.ZIP_DEFLATED
                member.file_size = file.stat().st_size
                with file.open("rb") as source, archive.open(member, "w") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
    shutil.rmtree(folder)
    return path
