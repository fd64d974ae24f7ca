"""Mentions with their concepts, as they are written: tables, JSON lines, PubTator, BioC XML and JSON, as streams."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from ontonym.documents import WHOLE, Document
from ontonym.documents.formats import document_writer, written_format
from ontonym.documents.pubtator import PubTatorWriter
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.cells import cell_text
from ontonym.files.output import STDOUT, written_file
from ontonym.files.tables import TABLE_ENDINGS, WriteRow, table_format, written_table
from ontonym.resuming import Draft
from ontonym.serve.shapes import explanation_shape, hit_shape, mention_shape, rounded
from ontonym.serve.show import to_json
from ontonym.tasks import MentionExplanation, Normalization
from ontonym.tasks.columns import ANSWER_COLUMNS, NUMBERS, answer_cells
from ontonym.tasks.documents import MarkAnswer
from ontonym.text.notes.context import CONTEXTS
from ontonym.text.visible import cut_to, visible

NORMALIZATION_COLUMNS = (
    "mention", "document", "start", "end", "type", "text", "id", "preferred", "matched", "kind", "source",
    "terminology", "confidence", "similarity", "reason", "ambiguous", "equivalents", "nearest", "part",
)  # fmt: skip
"""The columns of a normalized file as TSV; ``mention`` is the mention's own id (for plain lines the line number).

``equivalents`` are further ids of the same answer. Where no concept is given, ``nearest`` is the best candidate's id
and preferred term.

A composite mention has one row for each ``part``, the name that the row's concept is for; it is empty elsewhere."""

ANNOTATION_COLUMNS = (*NORMALIZATION_COLUMNS, "context", "section", "runner_up", "nested")
"""The columns of an annotated file as TSV; ``context`` lists how the text speaks of the mention (negated…), ``section``
is the heading above it. ``runner_up`` is the id and preferred term of the best other candidate, ``nested`` is *yes* for
a mention in a longer one."""

_WIDEST = 36
"""The letters of a mention that a line for people shows."""

_WHOLE_ENDINGS = (".pubtator", ".xml", ".bioc.json")

OUTPUTS = (*TABLE_ENDINGS, *WHOLE)
"""Every output format; ``bioc`` is XML."""

BY_ROW = ("csv", "tsv", "jsonl")
"""Those of which what is written is whole after every row, unless it is packed."""

CANDIDATES = "ontonym_candidates"
"""The further key that JSON lines of a table have: the candidates, best first."""

TAKEN = (*ANSWER_COLUMNS, CANDIDATES)
"""The names of columns that a table has from an earlier run, as a rule: they give way to the new ones."""

Write = Callable[[Document, Sequence[MarkAnswer]], None]
"""Writes a document with its answers."""


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """Where answers are written, None or ``-`` for standard output, and in which format: the one named, else by the
    ending.

    With ``raw`` the cells of a table are not guarded from spreadsheets.
    """

    path: str | None = None
    format: str | None = None
    as_json: bool = False
    raw: bool = False

    def __post_init__(self) -> None:
        if self.path == STDOUT:
            object.__setattr__(self, "path", None)
        if self.as_json and self.format not in (None, "jsonl"):
            raise InputError(f"JSON lines and `output_format={self.format}` are asked for: give one of them")

    @property
    def written_as(self) -> str:
        """The name of the format; UnknownNameError where it is not one of `OUTPUTS`, InputError for another ending."""
        if self.as_json:
            return "jsonl"
        if self.format is not None:
            if self.format not in OUTPUTS:
                raise UnknownNameError("output format", self.format, OUTPUTS)
            return self.format
        if self.path is None:
            return "jsonl"
        self.check_ending()
        return table_format(self.path) or written_format(self.path) or "jsonl"

    @property
    def is_read_by_people(self) -> bool:
        """Whether no place and no format is asked for, and standard output is a terminal."""
        return self.path is None and self.format is None and not self.as_json and sys.stdout.isatty()

    @property
    def named_as_file(self) -> bool:
        """Whether the path, of which there is no folder, is called as a file of answers is."""
        path = self.path
        if path is None or path.endswith(("/", os.sep)) or Path(path).is_dir():
            return False
        return Path(path).is_file() or table_format(path) is not None or written_format(path) is not None

    def check_ending(self, further: Sequence[str] = (), formats: Sequence[str] = OUTPUTS) -> None:
        """Raises InputError, with all endings and the ``further`` ones, where the path ends as that of no format.

        So it does for a path that is the name of one of the ``formats``, unless there is such a folder.
        """
        path = self.path
        if path is None or self.format is not None or path.lower().endswith(".json"):
            return
        if path.lower() in formats and not Path(path).is_dir():
            hint = f"give it as `output_format={path.lower()}`, beside a place to write"
            raise InputError(f"{path} is the name of a format, not of a file: {hint}, or name it ./{path}")
        if not Path(path).suffix:
            return
        if table_format(path) is None and written_format(path) is None:
            endings = [*(one for each in TABLE_ENDINGS.values() for one in each), *_WHOLE_ENDINGS, *further]
            hint = f"Give one of {', '.join(endings)}, or `output_format=NAME`"
            raise InputError(f"{path}: no format has this ending. {hint}")


class TableInput(Protocol):
    """What answers may be written beside: the header of a table, and the Arrow types of its columns if it has them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The header, once the first row was read."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The Arrow types by column."""


@contextmanager
def opened_answers(
    output: OutputChoice,
    *,
    source: str,
    annotating: bool = False,
    left_out: Counter[str],
    table: TableInput | None = None,
    draft: Draft | None = None,
) -> Iterator[Write]:
    """Writes answers to a file, which takes its place only when all went well, or to standard output.

    ``source`` tells BioC where the identifiers come from; ``annotating`` adds to a table how the text speaks of a
    mention; ``left_out`` counts by reason the mentions that the format has no room for: PubTator needs their place in a
    text. On a terminal, where nothing else is asked for, each answer is a line to read. A row of the ``table`` that is
    read is written with all its cells, and `ANSWER_COLUMNS` beside them. A ``draft`` in one of the formats `BY_ROW` is
    gone on with.
    """
    path, name = output.path, output.written_as
    if name in WHOLE:
        with document_writer(path, name, source) as writer:
            yield lambda document, found: writer.write(replace(document, marks=tuple(one.marked() for one in found)))
        if isinstance(writer, PubTatorWriter) and writer.placeless:
            left_out["without a place in the text"] += writer.placeless
    elif output.is_read_by_people:
        yield lambda _, found: sys.stdout.writelines(f"{visible(_line(one))}\n" for one in found)
    elif name == "jsonl":
        shown = visible if path is None and sys.stdout.isatty() else str
        beside = path is not None and not output.as_json
        with nullcontext(sys.stdout.buffer) if path is None else written_file(path, draft=draft) as stream:
            yield lambda document, found: stream.writelines(
                f"{shown(line)}\n".encode(errors="replace")
                for line in _json_lines(document, found, table, beside=beside)
            )
    else:
        with ExitStack() as stack:
            yield from _written_rows(stack, output, table, draft, annotating=annotating)


def _written_rows(
    stack: ExitStack, output: OutputChoice, table: TableInput | None, draft: Draft | None, *, annotating: bool
) -> Iterator[Write]:
    """Writes rows; what columns there are is known when the first document was read."""
    plain = ANNOTATION_COLUMNS if annotating else NORMALIZATION_COLUMNS
    rows: list[WriteRow] = []
    kept: list[int] = []

    def begun() -> WriteRow:
        if not rows:
            given = table.columns if table is not None else ()
            kept.extend(_kept(given))
            columns = (*(given[place] for place in kept), *ANSWER_COLUMNS) if given else plain
            schema = table.schema if table is not None else {}
            rows.append(stack.enter_context(written_table(
                output.path, output.written_as, columns, schema=schema, numbers=NUMBERS if given else (),
                raw=output.raw, draft=draft,
            )))  # fmt: skip
        return rows[0]

    def write(document: Document, found: Sequence[MarkAnswer]) -> None:
        row = begun()
        if document.row is not None:
            row([*(document.row[place] for place in kept), *answer_cells(found[0].answer if found else None)])
            return
        for one in found:
            for cells in _table_rows(one):
                row(cells)

    yield write
    begun()


def _kept(columns: Sequence[str]) -> list[int]:
    """The places of the columns that answers do not take."""
    return [place for place, name in enumerate(columns) if name not in TAKEN]


def _line(one: MarkAnswer) -> str:
    """An answer for people to read: its words, how sure it is, id and name; an explained one is JSON."""
    if one.why is not None:
        return to_json(document_answer_shape(one))
    id, name, _, _, negated, *_ = answer_cells(one.answer)
    words = cut_to(visible(" ".join(one.answer.text.split())), _WIDEST)
    said = f"  negated{'' if negated == 'yes' else f': {negated}'}" if negated else ""
    name = name or "no concept is likely enough"
    return f"{words:<{_WIDEST}}  {one.answer.confidence:.2f}  {id or '-':<14}  {name}{said}"


def _json_lines(
    document: Document, found: Sequence[MarkAnswer], table: TableInput | None, *, beside: bool
) -> Iterator[str]:
    """The answers of a document; of a row ``beside`` its cells, or else with the row in them."""
    if document.row is None or table is None:
        yield from (to_json(document_answer_shape(one)) for one in found)
        return
    cells = {key: _json_cell(document.row[place]) for place, key in _keys(table.columns).items()}
    if beside and not any(one.why for one in found):
        answer = found[0].answer if found else None
        candidates = [hit_shape(hit) for hit in answer.candidates] if answer is not None else None
        yield to_json(cells | dict(zip(ANSWER_COLUMNS, answer_cells(answer), strict=True)) | {CANDIDATES: candidates})
    else:
        yield from (to_json(document_answer_shape(one) | {"row": cells}) for one in found)


@lru_cache(maxsize=8)
def _keys(columns: tuple[str, ...]) -> Mapping[int, str]:
    """The keys under which JSON has the cells of a row, by place; columns without a name have their number.

    InputError where two columns have one name: one of them would be lost.
    """
    keys = {place: columns[place] or f"column_{place + 1}" for place in _kept(columns)}
    twice, times = Counter(keys.values()).most_common(1)[0] if keys else ("", 0)
    if times > 1:
        raise InputError(f"two columns are called {twice!r}, which JSON lines cannot hold: rename one")
    return keys


def _json_cell(cell: Any) -> Any:
    if isinstance(cell, dict):
        return {key: _json_cell(value) for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return [_json_cell(value) for value in cell]
    return cell if isinstance(cell, str | int | float | None) else cell_text(cell)


def _table_rows(one: MarkAnswer) -> Iterator[list[str]]:
    """One row of a table for each part of a composite mention, else one."""
    answer = one.answer
    for part in answer.parts:
        chosen = replace(answer, id=part.id, confidence=part.confidence, candidates=part.candidates)
        yield _row(chosen, part.mention.text, one)
    if not answer.parts:
        yield _row(answer, "", one)


def document_answer_shape(one: MarkAnswer) -> dict[str, Any]:
    """A mention of a document with its concept as JSON values, with its context and section if it was annotated."""
    around = None if one.context is None else context_shape(one.context, one.section, nested=one.nested)
    return answer_shape(one.answer, around, one.why)


def context_shape(context: Collection[str], section: str, *, nested: bool) -> dict[str, Any]:
    """What surrounds a mention: each of `CONTEXTS` true or false, its section, and whether it lies in a longer one."""
    return {**{name: name in context for name in CONTEXTS}, "section": section, "nested": nested}


def answer_shape(
    answer: Normalization, around: Mapping[str, Any] | None = None, why: MentionExplanation | None = None
) -> dict[str, Any]:
    """A mention with its concept as JSON values; ``id`` is null where no concept fits.

    ``around`` is a `context_shape`.
    """
    mention = answer.mention
    candidates = [hit_shape(hit) for hit in answer.candidates]
    explained = {}
    if why is not None:
        explained["explanation"] = mention_shape(why)
        for shape, explanation in zip(candidates, why.candidates, strict=False):  # a composite has none
            shape["explanation"] = explanation_shape(explanation)
    parts = zip(answer.parts, why.parts if why else [None] * len(answer.parts), strict=True)
    return {
        "mention": mention.id,
        "document": mention.document,
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "text": mention.text,
        "id": answer.id,
        "equivalents": list(answer.equivalents),
        "confidence": rounded(answer.confidence),
        **(around or {}),
        **explained,
        "candidates": candidates,
        "parts": [answer_shape(part, None, explanation) for part, explanation in parts],
    }


def _row(answer: Normalization, part: str, one: MarkAnswer) -> list[str]:
    """One row of ``NORMALIZATION_COLUMNS``, or with its context of ``ANNOTATION_COLUMNS``.

    Where no concept fits, columns of the concept are empty but for ``nearest``.
    """
    mention, hit = answer.mention, answer.hit
    place = ["" if value is None else str(value) for value in (mention.start, mention.end)]
    row = [mention.id, mention.document, *place, mention.type, mention.text, answer.id or ""]
    last = [part]
    if one.context is not None:
        last += ["|".join(one.context), one.section, one.runner_up, "yes" if one.nested else ""]
    if hit is None:
        nearest = next((f"{one.id} {one.preferred}" for one in answer.candidates), "")
        return [*row, "", "", "", "", "", f"{answer.confidence:.4f}", "", "", "", "", nearest, *last]
    return [
        *row, hit.preferred, hit.matched, hit.kind, hit.source, hit.terminology, f"{answer.confidence:.4f}",
        f"{hit.similarity:.4f}", f"{hit.reason.rule}: {hit.reason.detail}", "|".join(hit.ambiguous),
        "|".join(hit.equivalents), "", *last,
    ]  # fmt: skip
