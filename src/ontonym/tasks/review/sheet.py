"""A review as a spreadsheet: a row for each candidate, with a column for decisions that is read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ontonym.errors import FormatError, InputError
from ontonym.files.cells import guarded, unguarded
from ontonym.files.output import written_file
from ontonym.files.records import fold_header
from ontonym.tasks.review.events import VERDICTS, Verdict
from ontonym.tasks.review.review import Review

COLUMNS = (
    "source_id", "source_label", "frequency", "target_id", "target_label", "confidence", "why", "decision", "comment",
)  # fmt: skip
"""The columns of a sheet; only ``source_id``, ``target_id``, ``decision`` and ``comment`` are read back."""

WORDS: Mapping[str, Verdict] = {
    **{verdict: verdict for verdict in VERDICTS},
    "accept": "exact", "yes": "exact", "y": "exact", "x": "exact", "1": "exact", "=": "exact", "same": "exact",
    "broader": "broad", "narrower": "narrow", "no": "reject", "n": "reject", "0": "reject", "not": "reject",
    "no match": "none", "nothing": "none",
}  # fmt: skip
"""What people may write in the column ``decision``, in any case."""


def write_sheet(review: Review, sources: Iterable[str], out: BinaryIO, *, each: int = 3, raw: bool = False) -> int:
    """Writes CSV in UTF-8 that spreadsheets open, and gives its number of rows.

    A source concept has a row for each of its first ``each`` candidates and of those that were decided on, and at least
    one. What this reviewer decided already stands in ``decision``. Cells
    that a spreadsheet would run have an apostrophe before them, unless ``raw``.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)

    def write(cells: list[str]) -> None:
        writer.writerow(cells if raw else map(guarded, cells))

    rows = 0
    for source in sources:
        item, standing = review.item(source), review.standing(source)
        own = {event.target: event.verdict for event in standing.in_force if event.who == review.reviewer}
        shown = [one for place, one in enumerate(item.candidates) if place < each or one.id in own]
        start = [source, item.label, item.frequency_text]
        if "" in own or not shown:
            write([*start, "", "", "", item.note, own.get("", ""), ""])
            rows += 1
        for one in shown:
            confidence = "" if one.confidence is None else f"{one.confidence:.2f}"
            why = "; ".join([f"“{one.name}”"] * bool(one.name) + list(one.why))
            write([*start, one.id, one.label, confidence, why, own.get(one.id, ""), ""])
            rows += 1
    out.write(b"\xef\xbb\xbf" + text.getvalue().encode(errors="replace"))
    return rows


def save_sheet(
    review: Review, path: Path | str, chosen: str = "undecided", *, each: int = 3, raw: bool = False
) -> tuple[int, int]:
    """Writes the sheet of what a filter leaves to a file: how many source concepts it has, and how many rows."""
    sources = review.listed(chosen)
    with written_file(path) as stream:
        return len(sources), write_sheet(review, sources, stream, each=each, raw=raw)


def read_sheet(review: Review, path: Path | str) -> int:
    """Takes the decisions of a filled sheet, and gives how many were new: all of them or, where one is wrong, none.

    Several targets of one source concept are mappings to each. Raises FormatError with the line.
    """
    decisions: list[tuple[str, str, str, str, bool]] = []
    taken: dict[str, list[tuple[int, Verdict]]] = {}
    for line, cells in _rows(Path(path)):
        said = " ".join(cells["decision"].split()).casefold()
        if not said:
            if cells["comment"]:
                raise FormatError(path, "a comment without a decision", line=line,
                                  hint="Comments go with decisions; write one, or leave it out")  # fmt: skip
            continue
        if said not in WORDS:
            raise FormatError(path, f"{cells['decision']!r} is no decision", line=line,
                              hint=f"Write one of {', '.join(VERDICTS)}")  # fmt: skip
        verdict = WORDS[said]
        source, target = cells["source_id"], "" if verdict == "none" else cells["target_id"]
        _check(review, path, line, source, verdict, target)
        before = taken.setdefault(source, [])
        positive = [number for number, other in before if other != "reject"]
        if verdict != "reject" and positive and (verdict == "none" or "none" in [other for _, other in before]):
            raise FormatError(path, f"{source} has no match by one line and one by line {positive[0]}", line=line)
        decisions.append((source, verdict, target, cells["comment"], verdict not in ("reject", "none") and
                          bool(positive)))  # fmt: skip
        before.append((line, verdict))
    return review.decide_all(decisions)


def _check(review: Review, path: Path | str, line: int, source: str, verdict: Verdict, target: str) -> None:
    try:
        review.item(source)
    except InputError as error:
        raise FormatError(path, str(error), line=line) from None
    if verdict != "none" and not target:
        raise FormatError(path, f"{verdict} without a target", line=line, hint="Write an id into target_id, or none")


def _rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text", hint="Save it as CSV UTF-8") from None
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [fold_header(name) for name in next(reader, [])]
    needed = ("source_id", "target_id", "decision")
    missing = [name for name in needed if name not in header]
    if missing:
        raise FormatError(path, f"no column {', '.join(missing)}", line=1, hint=f"Keep the columns {_listed(needed)}")
    for row in reader:
        cells = dict.fromkeys((*COLUMNS, *header), "") | dict(zip(header, (cell.strip() for cell in row), strict=False))
        cells |= {name: unguarded(cells[name]) for name in ("source_id", "target_id")}
        if cells["source_id"]:
            yield reader.line_num, cells
        elif cells["decision"]:
            raise FormatError(path, "a decision without a source_id", line=reader.line_num)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
