"""Annotated notes: a page, a terminal, brat's files, phenopackets, and a table of one row a concept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from ontonym.documents import Document
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.tables import table_format, written_table
from ontonym.index import Index
from ontonym.serve.answers import OUTPUTS, OutputChoice, Write
from ontonym.serve.notes.branches import Branches
from ontonym.serve.notes.brat import BratFolder
from ontonym.serve.notes.concepts import CONCEPT_COLUMNS, concept_rows
from ontonym.serve.notes.page import written_page
from ontonym.serve.notes.phenopackets import PhenopacketFolder
from ontonym.serve.notes.terminal import written_note
from ontonym.tasks.documents import MarkAnswer


def _page(output: OutputChoice, index: Index, source: str, left_out: Counter[str]) -> AbstractContextManager[Write]:
    return written_page(output.path, Branches(index), f"{source}: notes")


def _brat(output: OutputChoice, index: Index, source: str, left_out: Counter[str]) -> AbstractContextManager[Write]:
    if output.path is None:
        raise InputError("brat is a folder of files: give its name, `path=FOLDER`")
    return nullcontext(BratFolder(Path(output.path)).write)


@contextmanager
def _concepts(output: OutputChoice, index: Index, source: str, left_out: Counter[str]) -> Iterator[Write]:
    branches = Branches(index)
    form = (table_format(output.path) if output.path else None) or "csv"
    if form == "jsonl":
        raise InputError(f"{output.path}: one row a concept is a table: give .csv, .tsv, .xlsx or .parquet")
    with written_table(output.path, form, CONCEPT_COLUMNS, numbers=("mentions", "confidence"), raw=output.raw) as row:

        def write(document: Document, found: Sequence[MarkAnswer]) -> None:
            for cells in concept_rows(document, found, branches):
                row(cells)

        yield write


def _phenopackets(
    output: OutputChoice, index: Index, source: str, left_out: Counter[str]
) -> AbstractContextManager[Write]:
    if output.path is None:
        raise InputError("phenopackets are a folder of files, one for each document: give its name, `path=FOLDER`")
    return nullcontext(PhenopacketFolder(Path(output.path), index, source, left_out).write)


def _note(output: OutputChoice, index: Index, source: str, left_out: Counter[str]) -> AbstractContextManager[Write]:
    return written_note(output.path, Branches(index))


_Opener: TypeAlias = Callable[[OutputChoice, Index, str, Counter[str]], AbstractContextManager[Write]]
_WRITERS: Mapping[str, _Opener] = MappingProxyType(
    {"html": _page, "brat": _brat, "concepts": _concepts, "phenopackets": _phenopackets, "note": _note}
)

NOTE_OUTPUTS = tuple(_WRITERS)
"""The formats of annotated notes: a page, a folder of brat's files, a table with one row a concept of a document, a
folder of phenopackets, and the text with its mentions, which a terminal shows in colours."""

_PAGES = (".html", ".htm")


def note_format(output: OutputChoice) -> str | None:
    """The format of `NOTE_OUTPUTS` that is asked for, by name or by the ending of a page; None for one of `OUTPUTS`.

    Raises UnknownNameError for a format that is in neither, InputError for an ending that is of no format.
    """
    if output.as_json:
        return None
    if output.format is not None:
        if output.format not in (*OUTPUTS, *_WRITERS):
            raise UnknownNameError("output format", output.format, (*OUTPUTS, *_WRITERS))
        return output.format if output.format in _WRITERS else None
    if output.path is not None and output.path.lower().endswith(_PAGES):
        return "html"
    output.check_ending(_PAGES[:1], (*OUTPUTS, *_WRITERS))
    return None


def opened_notes(
    output: OutputChoice, index: Index, *, source: str, left_out: Counter[str]
) -> AbstractContextManager[Write]:
    """Writes annotated documents in a format of `NOTE_OUTPUTS`; ``source`` is the title of a page.

    ``left_out`` counts by reason the mentions that the format has no room for: phenopackets have the patient's features
    only. Raises InputError where the format cannot be written to the place.
    """
    return _WRITERS[note_format(output) or "html"](output, index, source, left_out)
