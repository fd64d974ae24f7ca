"""Reader of generic tables: CSV and TSV with a column mapping or obvious headers, JSON tables, and JSONL.

Rows with the same id make one concept, adjacent or not, in one file or in several: a file of names, one of is-a edges
and one of cross-references are one release.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from ontonym.files.counts import BadRow
from ontonym.files.records import comments_of, delimiter_of, is_json_table
from ontonym.files.source import Source
from ontonym.files.spool import Spool
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables.jsonl import is_jsonl, read_jsonl
from ontonym.ontology.tables.layout import TableLayout, layout_of
from ontonym.ontology.tables.rows import NOT_TRANSLATED, Merging, TableRow
from ontonym.types import Concept, Property

AMBIGUOUS = "parent_names_shared"
UNRESOLVED = "parent_names_not_found"
UNREAD_COLUMNS = "columns_unread"
TREE_NUMBER = "tree number"
"""The `Property` for a position in the tree."""


@dataclass(slots=True)
class _Survey:
    """The results of a first pass over all tables: the order that groups rows by id, and ids by tree number and by
    name.
    """

    hashes: array[int] = field(default_factory=lambda: array("q"))
    owners: dict[str, str] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)

    def order(self) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        """None if the rows of every id are adjacent; else the order of rows by the first row of their id.

        Ids are compared by their 64-bit hashes, so this takes about 50 bytes per row, however long ids and rows are.
        """
        keys = np.frombuffer(self.hashes, dtype=np.int64)
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        runs = np.count_nonzero(np.diff(keys)) + min(len(keys), 1)
        return None if len(unique) == runs else np.argsort(first[inverse], kind="stable")


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a row, for messages."""

    source: Source
    line: int | None


def is_table(head: str) -> bool:
    """Whether the beginning of a file is a table: JSONL, a JSON array of objects or object of texts, or lines with the
    same number of fields (and no other JSON or XML).
    """
    if is_json_table(head) or is_jsonl(head):
        return True
    return not head.lstrip().startswith(("{", "[", "<")) and bool(delimiter_of(head))


def read_table(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of tables; a concept whose rows are scattered comes at the position of its first row.

    Tables without names (edges, cross-references) only add to the concepts that the others name.

    Raises:
        FormatError: the columns are not obvious and no mapping is given, or it names a column that does not exist.
        InputError: the rows of an id are scattered, and the folder for temporary files has no room to sort them.
    """
    tables: list[TableLayout] = []
    left_out: list[Source] = []
    for source in sources:
        head = source.head()
        if is_jsonl(head) and not is_json_table(head):
            yield from read_jsonl(source, log)
        elif (layout := layout_of(source, head, log)) is not None:
            tables.append(layout)
        else:
            left_out.append(source)
    if left_out:
        _leave_out(left_out, sources, log)
    if not tables:
        return
    tables.sort(key=lambda layout: not layout.names_concepts)
    if not tables[0].names_concepts and log.base is None and len(tables) + len(left_out) == len(sources):
        hint = "Name it, for example preferred=COLUMN, or give the table with the names too"
        tables[0].source.fail(1, f"no column with names ({_columns_shown(tables[0])})", hint)
    _describe(tables, log)
    survey = _survey(tables, log)
    order = survey.order()
    rows = _rows(tables, log) if order is None else _sorted_rows(tables, log, order)
    with closing(rows):
        yield from _merge(rows, survey, log)


def _leave_out(left_out: Sequence[Source], sources: Sequence[Source], log: ReleaseLog) -> None:
    """Records files of a folder or archive whose columns cannot be guessed; raises if these are all its files."""
    if len(left_out) == len(sources):
        hint = 'Name the file, and its columns: `columns=["id=…", "preferred=…"]`'
        left_out[0].fail(1, "cannot tell which columns hold ids and names", hint)
    if log.base is None:
        log.used = tuple(source for source in sources if source not in left_out)
    known = log.details.get("files_left_out", {"count": 0, "first": []})
    names = [*known["first"], *(source.name for source in left_out)]
    log.details["files_left_out"] = {"count": known["count"] + len(left_out), "first": sorted(names)}


def _columns_shown(layout: TableLayout) -> str:
    return ", ".join(layout.mapping.settings())


def _describe(tables: Sequence[TableLayout], log: ReleaseLog) -> None:
    """Records the columns used: by role if there is one table, else by file and role; and for the next release. Those
    that are not used are named too.
    """
    settings: list[str] = []
    unread: list[str] = []
    for layout in tables:
        said = comments_of(layout.source.head())
        version = said.get("mapping_set_version", "")
        dated = re.search(r"\d{4}-\d{2}-\d{2}", version)
        log.describe(
            licence=said.get("license", ""),
            version=dated[0] if dated else version,
            title=said.get("mapping_set_title", ""),
        )
        shown = layout.mapping.to_dict()
        alone = len(tables) == 1
        log.columns.update(shown if alone else {f"{layout.source.name}:{k}": v for k, v in shown.items()})
        pattern = "" if alone else f"{layout.name_pattern}:"
        settings.extend(f"{pattern}{word}" for word in layout.mapping.settings())
        unread.extend(f"{pattern}{name}" for name in layout.unread)
    log.details["columns"] = settings
    if unread:
        log.details[UNREAD_COLUMNS] = unread


def _survey(tables: Sequence[TableLayout], log: ReleaseLog) -> _Survey:
    survey = _Survey()
    by_name = any(layout.has("parent_names") for layout in tables)
    for layout in tables:
        for _, concept_id, fields in _good_rows(layout, log, count=False):
            survey.hashes.append(hash(concept_id))
            for number in layout.texts("tree", fields):
                survey.owners.setdefault(number, concept_id)
            if by_name:
                for name in layout.texts("preferred", fields):
                    if survey.names.setdefault(name, concept_id) != concept_id:
                        survey.names[name] = None
    return survey


def _good_rows(layout: TableLayout, log: ReleaseLog, *, count: bool) -> Iterator[tuple[int | None, str, list[str]]]:
    """Line, id and fields of every readable row; the others are counted if ``count`` is set."""
    for record in layout.records():
        try:
            if record.problem:
                raise BadRow(record.problem)
            concept_id = layout.concept_id(record.fields, log)
        except BadRow as bad:
            if count:
                log.malformed(layout.source, record.line, str(bad), record.text)
            continue
        if layout.untranslated(record.fields):
            if count:
                log.counts.skip(NOT_TRANSLATED)
            continue
        yield record.line, concept_id, record.fields  # type: ignore[misc]


def _rows(tables: Sequence[TableLayout], log: ReleaseLog) -> Generator[tuple[_Place, str, TableRow]]:
    for layout in tables:
        for line, concept_id, fields in _good_rows(layout, log, count=True):
            row = _row(layout, line, fields, log)
            if row is not None:
                yield _Place(layout.source, line), concept_id, row


def _row(layout: TableLayout, line: int | None, fields: list[str], log: ReleaseLog) -> TableRow | None:
    try:
        return layout.row(line, fields, log)
    except BadRow as bad:
        log.malformed(layout.source, line, str(bad), str(fields))
        return None


def _sorted_rows(
    tables: Sequence[TableLayout], log: ReleaseLog, order: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Generator[tuple[_Place, str, TableRow]]:
    """The rows in the given order, from a temporary file that is always removed.

    Only their positions are in memory, 8 bytes a row.

    Raises:
        FormatError: a file is no longer the one that ``order`` is for.
        InputError: there is no room for the temporary file.
    """
    problem = f"{tables[0].source.path}: the rows of its ids are scattered and cannot be brought together"
    with Spool(problem, "Sort the file by id, or let TMPDIR name a folder with more room") as spool:
        starts = array("q")
        for number, layout in enumerate(tables):
            starts.extend(spool.add(number, *good) for good in _good_rows(layout, log, count=True))
        if len(starts) != len(order):
            tables[0].source.fail(None, "changed while it was read", "Import it again once it is complete")
        for place in order.data:
            number, line, concept_id, fields = spool.read(starts[place])
            row = _row(tables[number], line, fields, log)
            if row is not None:
                yield _Place(tables[number].source, line), concept_id, row


def _merge(rows: Iterable[tuple[_Place, str, TableRow]], survey: _Survey, log: ReleaseLog) -> Iterator[Concept]:
    """One concept for every run of rows with the same id."""
    current: Merging | None = None
    finish: Callable[[Merging], Concept | None] = lambda merging: _finish(merging, survey, log)  # noqa: E731
    for place, concept_id, row in rows:
        if current is None or concept_id != current.id:
            concept = finish(current) if current else None
            if concept is not None:
                yield concept
            current = Merging(row.id, concept_id)
        try:
            current.add(row, log)
        except BadRow as bad:
            log.malformed(place.source, place.line, str(bad), row.id)
    concept = finish(current) if current else None
    if concept is not None:
        yield concept


def _finish(merging: Merging, survey: _Survey, log: ReleaseLog) -> Concept | None:
    """The concept, with its parents by tree number and by name looked up."""
    numbers, names = merging.fields.get("tree", {}), merging.fields.get("parent_names", {})
    if numbers or names:
        above = [survey.owners.get(number.rpartition(".")[0]) for number in numbers]
        found = {parent for parent in above if parent and parent != merging.id}
        parents = dict.fromkeys([*merging.fields.get("parents", ()), *sorted(found)])
        for name in names:
            parent = survey.names.get(name)
            if parent is None:
                problem = AMBIGUOUS if name in survey.names else UNRESOLVED
                log.details[problem] = log.details.get(problem, 0) + 1
            else:
                parents[parent] = None
        merging.fields["parents"] = parents
        merging.properties.update(dict.fromkeys(Property(TREE_NUMBER, number) for number in numbers))
    return merging.concept(log)
