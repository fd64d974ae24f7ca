"""Options of the verbs that give mentions their concepts: how FILE is read, and where the answers go."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ontonym.cli.options import RAW, Opt, OptionGroup, refuse_without
from ontonym.cli.terminal import echo
from ontonym.documents import DocumentFile, DocumentOptions
from ontonym.documents.formats import COLUMNED, MENTION_FORMATS
from ontonym.errors import InputError
from ontonym.files.workbooks import workbook_and_sheet
from ontonym.serve.answers import OUTPUTS, OutputChoice
from ontonym.text.counting import count
from ontonym.text.visible import visible

READ = OptionGroup(
    DocumentOptions(),
    format=Opt(
        f"{', '.join(MENTION_FORMATS)}; by default detected from the ending and first line of FILE.", metavar="NAME"
    ),
    column=Opt(
        "The column of a table that holds the text, by its header, or by its number where the table has no header; of "
        "JSON lines its key.",
        metavar="COLUMN",
    ),
    strict=Opt("Stop at the first malformed row or file instead of counting it."),
)
"""How FILE is read: `DocumentOptions`."""


OUTPUT = OptionGroup(
    OutputChoice(),
    path=Opt(
        "Where to write, by its ending: .csv, .tsv, .xlsx and .parquet a table, .jsonl JSON lines, .pubtator, .xml "
        "(BioC) and .bioc.json the documents with their mentions; by default a terminal shows a line for each mention, "
        "and what is no terminal gets JSON lines.",
        "-o --output",
        "OUT",
    ),
    format=Opt(f"{', '.join(OUTPUTS)}; by default detected from the ending of OUT.", "--output-format", "NAME"),
    raw=RAW,
    as_json=Opt("Write JSON lines, whatever the ending of OUT.", "--json"),
)


def refuse_words(file: str, instead: str) -> None:
    """Raises InputError for what is no file and looks like words in the place of one, with what to do ``instead``."""
    try:
        path = Path(file)
        is_sheet = bool(workbook_and_sheet(file)[1])
        is_named = file == "-" or is_sheet or _has_ending(path) or path.exists()
        is_named |= path.name != file and " " not in file.strip()
    except (OSError, ValueError):  # longer than a name can be
        is_named = False
    if not is_named:
        raise InputError(f"{file}: no such file. {instead}")


def _has_ending(path: Path) -> bool:
    """Whether a name ends as those of files do; not "fever of 39.5" and "e.g. fever"."""
    ending = path.suffix[1:]
    return ending.isalnum() and not ending.isdigit()


def check_columns(documents: DocumentFile) -> None:
    """InputError for ``--column`` where the file has no columns."""
    if documents.format not in COLUMNED:
        refuse_without(f"a table or JSON lines as FILE ({documents.place} is read as {documents.format})",
                       "reading__column")  # fmt: skip


def check_raw(output: OutputChoice, note: str | None = None) -> None:
    """InputError for ``--raw`` where no table is written; ``note`` is the format of notes that is asked for."""
    written = output.written_as if note is None else note
    if written not in ("csv", "tsv", "concepts"):
        refuse_without("CSV or TSV as OUT", "output__raw")


def show_unwritten(mentions: Mapping[str, int]) -> None:
    """How many mentions the output format has no room for, by reason, on stderr."""
    for reason, number in mentions.items():
        echo(f"{count(number, 'mention')} {reason} left out", err=True)


def show_unread(documents: DocumentFile) -> None:
    """The first malformed rows of an input, and the sheets of a workbook that were not read, on stderr."""
    for row in documents.counts.examples:
        place = row.file if row.line is None else f"{row.file}:{row.line}"
        echo(f"  {place}: {row.problem}", err=True)
    if others := documents.left_out:
        echo(f"  not read: {', '.join(map(visible, others))}", err=True)
