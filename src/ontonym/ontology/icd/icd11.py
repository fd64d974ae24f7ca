"""Reader of WHO's tabulation of ICD-11 (also of ICF and ICHI): ``SimpleTabulation-ICD-11-MMS-en.txt`` and its like.

The older ``LinearizationMiniOutput-MMS-en.txt`` has the same columns. Files of several languages are one release.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ontonym.files.csvtext import csv_reader
from ontonym.files.source import Source
from ontonym.ontology.icd.titles import with_full_titles
from ontonym.ontology.release import ReleaseLog
from ontonym.text.numbers import whole_number
from ontonym.types import Concept, Property, Term

FURTHER_PLACE = "further place of an entity, taken as one more parent"
OTHER_FILE_ONLY = "entity that the file of the first language does not have"

_NEEDED = frozenset({"code", "title", "classkind", "depthinkind"})
_LINKS = ("linearization uri", "linearization (release) uri")
_START = re.compile(r'"?(?:https?://[^\t]*)?\t"?https?://')
_DASHES = re.compile(r"(?:-\s+)+")
_URI = re.compile(
    r"https?://id\.who\.int/icd/(?:entity|release/11/(?:(?P<release>[\w-]+)/)?(?P<of>[a-z]+))/(?P<id>.+)$"
)
_DATED = re.compile(r"\d{4}-\d{2}$")
_LANGUAGE = re.compile(r"[-_]([a-z]{2}(?:[-_][A-Za-z]{2,4})?)(?:\.\w+)+$")
_BROWSER_LANGUAGE = re.compile(r"/(?:mms|icf|ichi)/([a-z]{2}(?:-[A-Za-z]{2,4})?)[#/\"]")
_KINDS = MappingProxyType({"chapter": 0, "block": 1, "category": 2})
_OF = MappingProxyType(
    {
        "mms": ("ICD11", "ICD-11 for Mortality and Morbidity Statistics"),
        "icf": ("ICF", "International Classification of Functioning, Disability and Health"),
        "ichi": ("ICHI", "International Classification of Health Interventions"),
    }
)
"""Linearizations by their name in WHO's URIs: the prefix of their codes, and their title."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The parts of one line of a tabulation that are used; ``depth`` is -1 where the title has no dashes."""

    line: int
    code: str
    block: str
    titles: tuple[tuple[str, str], ...]
    kind: str
    depth: int
    depth_in_kind: int
    residual: bool
    primary: bool
    foundation: str
    link: str
    parent: str
    group: str
    properties: tuple[Property, ...]


@dataclass(slots=True)
class _Tree:
    """The position of every entity: its id by WHO's numbers, and its parents by its id."""

    prefix: str = "ICD11"
    ids: dict[str, str] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)


def is_icd11(head: str) -> bool:
    """Whether the beginning of a file is the header of such a tabulation."""
    columns = _columns(head.partition("\n")[0].rstrip("\r"))
    return columns.keys() >= _NEEDED and any(link in columns for link in _LINKS)


def read_icd11(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The chapters, blocks and categories in the order of the English file, or of the first where there is none.

    A category's id is its code, a block's its block id, a chapter's WHO's number of the entity; that number and WHO's
    URIs are alternative ids.
    """
    languages = {source: _language(source) for source in sources}
    first, *others = sorted(sources, key=lambda source: languages[source] != "en")
    tree = _learn_tree(first, log, languages[first])
    titles: dict[str, list[tuple[str, str]]] = {}
    for source in others:
        for row in _rows(source, log, languages[source], count=True):
            row_id = _id(row, tree.prefix)
            if row_id in tree.parents:
                log.counts.keep()
                titles.setdefault(row_id, []).extend(row.titles)
            else:
                log.counts.skip(OTHER_FILE_ONLY)
    concepts = _concepts(first, log, languages[first], tree, titles)
    return with_full_titles(concepts) if log.options.full_titles else concepts


def _concepts(
    source: Source, log: ReleaseLog, language: str, tree: _Tree, titles: Mapping[str, list[tuple[str, str]]]
) -> Iterator[Concept]:
    """The rows as concepts; one in several places is in the first of them, with the parents of all."""
    seen: set[str] = set()
    for row in _rows(source, log, language, count=True):
        own_id = _id(row, tree.prefix)
        if own_id in seen and row.primary and len(tree.parents[own_id]) == 1:
            log.malformed(source, row.line, f"duplicate id {own_id}", row.titles[0][1])
        elif own_id in seen:
            log.counts.skip(FURTHER_PLACE)
        else:
            seen.add(own_id)
            log.counts.keep()
            names = dict.fromkeys((*row.titles, *titles.get(own_id, ())))
            number = f"{tree.prefix}:{_number(row.foundation)}" if row.foundation and not row.residual else ""
            links = (number, row.foundation if not row.residual else "", row.link)
            yield Concept(
                id=own_id,
                terms=tuple(Term(text, "preferred", language=spoken) for spoken, text in names),
                parents=tuple(tree.parents[own_id]),
                tags=(row.kind, "residual") if row.residual else (row.kind,),
                alternative_ids=tuple(link for link in dict.fromkeys(links) if link and link != own_id),
                properties=row.properties,
            )


def _learn_tree(source: Source, log: ReleaseLog, language: str) -> _Tree:
    """The ids and parents of all entities of a file, and the release's metadata in it."""
    tree = _Tree()
    rows = list[tuple[str, str, str]]()
    above: list[tuple[int, tuple[int, int], str]] = []
    for row in _rows(source, log, language, count=False):
        if not tree.ids:
            _describe(row, log, tree)
        own_id = _id(row, tree.prefix)
        rank = (_KINDS.get(row.kind, 2), row.depth_in_kind)
        if row.depth >= 0:
            above = [place for place in above if place[0] < row.depth]
        else:
            above = [place for place in above if place[1] < rank]
        under = above[-1][2] if above else ""
        if row.depth < 0 and row.group and rank == (2, 1):
            under = f"{tree.prefix}:{row.group}"
        above.append((row.depth if row.depth >= 0 else len(above), rank, own_id))
        for link in (row.link, "" if row.residual else row.foundation):
            if link:
                tree.ids.setdefault(_number(link), own_id)
        rows.append((own_id, row.parent, under if row.primary else f"+{under}"))
    for own_id, parent, under in rows:
        stated = tree.ids.get(_number(parent), "") if parent else ""
        found = stated if stated and stated != own_id else under.removeprefix("+")
        parents = tree.parents.setdefault(own_id, [])
        if found and found not in parents:
            parents.insert(len(parents) if under.startswith("+") else 0, found)
    return tree


def _describe(row: _Row, log: ReleaseLog, tree: _Tree) -> None:
    matched = _URI.match(row.link)
    prefix, title = _OF.get(matched["of"] or "" if matched else "", _OF["mms"])
    tree.prefix = log.options.prefix or prefix
    release = matched["release"] or "" if matched else ""
    log.describe(name=prefix.lower(), title=title, licence="CC BY-ND 3.0 IGO (WHO)")
    if _DATED.match(release):
        log.facts["version"] = release


def _rows(source: Source, log: ReleaseLog, language: str, *, count: bool) -> Iterator[_Row]:
    """The rows of a file; faults are counted where ``count``."""
    columns: dict[str, int] = {}
    for number, cells in _records(source, log, count=count):
        if not columns:
            columns = _learn_header(source, log, cells)
            continue
        row = _row(number, {name: cells[i].strip() for name, i in columns.items() if i < len(cells)}, language)
        if row.titles and row.link and row.kind:
            yield row
        elif count:
            log.malformed(source, number, "a row without title, class kind or URI", " ".join(cells))


def _learn_header(source: Source, log: ReleaseLog, cells: Sequence[str]) -> dict[str, int]:
    columns = {cell.strip().lower(): i for i, cell in enumerate(cells)}
    if not columns.keys() >= _NEEDED or not any(link in columns for link in _LINKS):
        hint = "Give the tabulation as WHO publishes it (SimpleTabulation-ICD-11-MMS-en.zip), not the spreadsheet"
        source.fail(1, "the header has not the columns of an ICD-11 tabulation", hint)
    stamp = next((cell.strip() for cell in cells if cell.strip().lower().startswith("version:")), "")
    log.describe(version=stamp.partition(":")[2].strip())
    return columns


def _row(number: int, cells: Mapping[str, str], language: str) -> _Row:
    """A row from its cells; the dashes before a title are its depth, -1 without dashes."""
    titles: list[tuple[str, str]] = []
    depth = -1
    for spoken, column in ((language, "title"), ("en", "titleen")):
        text = " ".join(cells.get(column, "").split())
        if dashes := _DASHES.match(text):
            depth = max(depth, dashes[0].count("-"))
            text = text[dashes.end() :]
        if text:
            titles.append((spoken, text))
    kind = cells.get("classkind", "").lower()
    stated = whole_number(cells.get("depthinkind", ""))
    groups = [cells.get(f"grouping{n}", "") for n in range(1, 6)]
    notes = (
        ("ChapterNo", cells.get("chapterno", "")),
        ("CodingNote", " ".join(cells.get("codingnote", "").split())),
        ("Primary tabulation", cells.get("primary tabulation", "") or cells.get("primarytabulation", "")),
    )
    return _Row(
        line=number,
        code=cells.get("code", ""),
        block=cells.get("blockid", ""),
        titles=tuple(dict.fromkeys(titles)),
        kind=kind,
        depth=0 if kind == "chapter" else depth,
        depth_in_kind=1 if stated is None else stated,
        residual=cells.get("isresidual", "").lower() == "true",
        primary=cells.get("primarylocation", "").lower() != "false",
        foundation=cells.get("foundation uri", ""),
        link=next((cells[link] for link in _LINKS if cells.get(link)), ""),
        parent=cells.get("parent", ""),
        group=next((group for group in reversed(groups) if group), ""),
        properties=tuple(Property(name, value) for name, value in notes if value),
    )


def _records(source: Source, log: ReleaseLog, *, count: bool) -> Iterator[tuple[int, list[str]]]:
    """The header and the records of a file, each with the number of its first line.

    WHO quotes cells, and leaves line breaks in coding notes that it does not quote. So a line that begins with no URI
    belongs to the record before it, as long as that one has got no further than the note.
    """
    note, begun, record = -1, 0, ""
    for number, line in enumerate(source.lines(), start=1):
        if number == 1:
            yield 1, _cells(line)
            note = _columns(line).get("codingnote", -1)
        elif _START.match(line):
            if record:
                yield begun, _cells(record)
            begun, record = number, line
        elif not line.strip():
            continue
        elif record and len(_cells(record)) == note + 1:
            record = f"{record} {line}"
        elif count:
            log.malformed(source, number, "a line that is no row of the tabulation", line)
    if record:
        yield begun, _cells(record)


def _cells(line: str) -> list[str]:
    try:
        return next(csv_reader([line], "\t"), [])
    except csv.Error:
        return line.split("\t")


def _columns(header: str) -> dict[str, int]:
    return {cell.strip().lower(): i for i, cell in enumerate(_cells(header))}


def _id(row: _Row, prefix: str) -> str:
    return f"{prefix}:{row.code or row.block or _number(row.foundation or row.link)}"


def _number(uri: str) -> str:
    """What WHO's URIs end in, the same in all URIs of an entity: ``257068234``, ``257068234/other``."""
    matched = _URI.match(uri)
    return matched["id"] if matched else uri


def _language(source: Source) -> str:
    """The language of a file, as its name, its archive's name or its links to the browser say; English without."""
    for name in (source.name, source.label):
        named = _LANGUAGE.search(name)
        if named:
            return named[1].replace("_", "-")
    linked = _BROWSER_LANGUAGE.search(source.head())
    return linked[1] if linked else "en"
