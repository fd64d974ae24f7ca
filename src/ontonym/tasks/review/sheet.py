"""A review as a table for spreadsheets: a row for each candidate, and a column of decisions that is read back."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ontonym.errors import FormatError, InputError
from ontonym.files.cells import cell_text, guarded, unguarded
from ontonym.files.csvtext import csv_reader
from ontonym.files.output import written_file
from ontonym.files.records import fold_header, stated_delimiter
from ontonym.files.tables import table_format, written_table
from ontonym.files.workbooks import SHEET, binary_format, other_sheets_hint, sheet_rows, workbook_and_sheet
from ontonym.tasks.review.events import VERDICTS, GivenDecision, Verdict
from ontonym.tasks.review.review import Review

COLUMNS = (
    "source_id", "source_label", "frequency", "target_id", "target_label", "confidence", "why", "decision", "comment",
)  # fmt: skip
"""The columns of a sheet; only ``source_id``, ``target_id``, ``decision`` and ``comment`` are read back, and
``source_label`` to notice a code that a spreadsheet has changed."""

_CHANGED = "Spreadsheets change codes such as 0012 in a CSV that they open: write the sheet as .xlsx"

_NUMBERS = ("frequency", "confidence")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

FORMATS = ("csv", "tsv", SHEET)
"""The formats that a sheet is written in."""

WORDS: Mapping[str, Verdict] = {
    **{verdict: verdict for verdict in VERDICTS},
    "accept": "exact", "yes": "exact", "y": "exact", "x": "exact", "1": "exact", "=": "exact", "same": "exact",
    "broader": "broad", "narrower": "narrow", "no": "reject", "n": "reject", "0": "reject", "not": "reject",
    "no match": "none", "nothing": "none",
}  # fmt: skip
"""What people may write in the column ``decision``, in any case."""


def _written(review: Review, sources: Iterable[str], each: int) -> Iterator[list[str]]:
    """The rows of a sheet, without the header: of each source concept its first ``each`` candidates and those that were
    decided on, and at least one. What this reviewer decided already stands in ``decision``.
    """
    for source in sources:
        item, standing = review.item(source), review.standing(source)
        own = {event.target: event.verdict for event in standing.in_force if event.who == review.reviewer}
        shown = [one for place, one in enumerate(item.candidates) if place < each or one.id in own]
        start = [source, item.label, item.frequency_text]
        if "" in own or not shown:
            yield [*start, "", "", "", item.note, own.get("", ""), ""]
        for one in shown:
            confidence = "" if one.confidence is None else f"{one.confidence:.2f}"
            why = "; ".join([f"“{one.name}”"] * bool(one.name) + list(one.why))
            yield [*start, one.id, one.label, confidence, why, own.get(one.id, ""), ""]


def save_sheet(
    review: Review, path: Path | str, chosen: str = "undecided", *, each: int = 3, raw: bool = False
) -> tuple[int, int]:
    """Writes the sheet of what a filter leaves to a file: how many source concepts it has, and how many rows.

    A source concept has a row for each of its first ``each`` candidates, and for those that were decided on. The ending
    says whether it is CSV, TSV or a workbook (xlsx). Cells that a spreadsheet would run have an apostrophe before them,
    unless ``raw``. Raises InputError for another kind of table.
    """
    sources = review.listed(chosen)
    format = table_format(path) or "csv"
    if format not in FORMATS:
        raise InputError(f"{path}: a sheet is {_listed(FORMATS)}, by the ending of its name, and not {format}")
    rows = list(_written(review, sources, each))
    if format == "csv":
        with written_file(path) as stream:
            stream.write(_csv(rows if raw else [[guarded(cell) for cell in row] for row in rows]))
    else:
        with written_table(path, format, COLUMNS, raw=raw) as write:
            for row in rows:
                write(_with_numbers(row) if format == SHEET else row)
    return len(sources), len(rows)


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    """CSV in UTF-8 with the mark by which spreadsheets know it."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([COLUMNS, *rows])
    return b"\xef\xbb\xbf" + text.getvalue().encode(errors="replace")


def _with_numbers(row: Sequence[str]) -> list[str | float]:
    """A row with frequency and confidence as numbers, by which a spreadsheet sorts and filters."""
    return [
        float(cell) if name in _NUMBERS and _NUMBER.fullmatch(cell) else cell
        for name, cell in zip(COLUMNS, row, strict=True)
    ]


def read_sheet(review: Review, path: Path | str) -> int:
    """Takes the decisions of a filled sheet, and gives how many were new: all of them or, where one is wrong, none.

    The sheet is CSV, however parted, or a workbook (xlsx), of which the first sheet or, as ``FILE.xlsx#SHEET``, another
    is read. Several targets of one source concept are mappings to each. Raises FormatError with the line.
    """
    given = list(_decisions(review, Path(path)))
    reached = 0

    def each() -> Iterator[GivenDecision]:
        nonlocal reached
        for line, decision in given:
            reached = line
            yield decision
        reached = 0

    try:
        return review.decide_all(each())
    except InputError as error:
        if not reached:
            raise  # of the state file
        raise FormatError(path, str(error), line=reached) from None


def _decisions(review: Review, path: Path) -> Iterator[tuple[int, GivenDecision]]:
    """The decisions of a sheet with their lines; raises FormatError for one that is wrong or goes against one above."""
    taken: dict[str, list[tuple[int, Verdict]]] = defaultdict(list)
    called: dict[str, list[str]] = defaultdict(list)
    for item in review.items.values():
        called[_folded(item.label)].append(item.id)
    for line, cells in _rows(path):
        verdict = _verdict(path, line, cells)
        if verdict is None:
            continue
        source, target = _source(review, path, line, cells, called), "" if verdict == "none" else cells["target_id"]
        _check(path, line, verdict, target)
        before = taken[source]
        positive = [number for number, other in before if other != "reject"]
        if verdict != "reject" and positive and (verdict == "none" or "none" in [other for _, other in before]):
            raise FormatError(path, f"{source} has no match by one line and one by line {positive[0]}", line=line)
        before.append((line, verdict))
        also = verdict not in ("reject", "none") and bool(positive)
        yield line, GivenDecision(source, verdict, target, cells["comment"], also)


def _verdict(path: Path, line: int, cells: Mapping[str, str]) -> Verdict | None:
    """The verdict of a row; None where nothing is decided."""
    said = " ".join(cells["decision"].split()).casefold()
    if not said and cells["comment"]:
        raise FormatError(path, "a comment without a decision", line=line,
                          hint="Comments go with decisions; write one, or leave it out")  # fmt: skip
    if not said:
        return None
    if said not in WORDS:
        raise FormatError(path, f"{cells['decision']!r} is no decision", line=line,
                          hint=f"Write one of {', '.join(VERDICTS)}")  # fmt: skip
    return WORDS[said]


def _source(
    review: Review, path: Path, line: int, cells: Mapping[str, str], called: Mapping[str, Sequence[str]]
) -> str:
    """The source concept of a row: by its id or, where a spreadsheet has changed that, by a label that no other has."""
    given, label = cells["source_id"], _folded(unguarded(cells["source_label"]))
    same = called.get(label, ())
    if given in review.items and (not same or given in same):
        return given
    if given in review.items:
        known = f"{given} is {review.item(given).label!r}, and not {cells['source_label']!r}"
        raise FormatError(path, known, line=line, hint=_CHANGED)
    if len(same) == 1:
        return same[0]
    try:
        return review.item(given).id
    except InputError as error:
        raise FormatError(path, str(error), line=line, hint=_CHANGED if same else "") from None


def _folded(label: str) -> str:
    return " ".join(label.split())


def _check(path: Path | str, line: int, verdict: Verdict, target: str) -> None:
    if verdict != "none" and not target:
        raise FormatError(path, f"{verdict} without a target", line=line, hint="Write an id into target_id, or none")


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a sheet as they stand in the file, with their numbers."""
    if binary_format(workbook_and_sheet(path)[0].name) == SHEET:
        yield from ((number, [cell_text(cell) for cell in row]) for number, row in sheet_rows(path))
        return
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text", hint="Save it as CSV UTF-8, or as a workbook (xlsx)") from None
    head, _, rest = text.partition("\n")
    stated = stated_delimiter(head.strip())
    delimiter = stated or max(",;\t", key=head.count)
    reader = csv_reader(io.StringIO(rest if stated else text, newline=""), delimiter, strict=True)
    try:
        yield from ((reader.line_num + bool(stated), cells) for cells in reader)
    except csv.Error as error:
        raise FormatError(path, f"not valid CSV ({error})", line=reader.line_num + bool(stated)) from None


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    rows = _cells(path)
    header = [fold_header(name) for name in next(rows, (0, []))[1]]
    needed = ("source_id", "target_id", "decision")
    missing = [name for name in needed if name not in header]
    if missing:
        hint = ". ".join(filter(None, (f"Keep the columns {_listed(needed)}", other_sheets_hint(path))))
        raise FormatError(path, f"no column {', '.join(missing)}", line=1, hint=hint)
    for line, row in rows:
        cells = dict.fromkeys((*COLUMNS, *header), "") | dict(zip(header, (cell.strip() for cell in row), strict=False))
        cells |= {name: unguarded(cells[name]) for name in ("source_id", "target_id")}
        if cells["source_id"]:
            yield line, cells
        elif cells["decision"]:
            raise FormatError(path, "a decision without a source_id", line=line)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
