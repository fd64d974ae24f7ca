"""Shared by all tables of export formats: an entry, the choice of a format, and the target of the bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import orjson

from ontonym.errors import InputError, UnknownNameError
from ontonym.files.cells import csv_line
from ontonym.files.output import written_file

_Write = TypeVar("_Write")


@dataclass(frozen=True)
class ExportFormat(Generic[_Write]):
    """An export format: its ``title`` for people, its file endings, and what it cannot represent."""

    name: str
    title: str
    endings: tuple[str, ...]
    leaves_out: str
    write: _Write


def chosen_format(
    formats: Mapping[str, ExportFormat[_Write]], target: Path | str | BinaryIO, name: str | None = None
) -> ExportFormat[_Write]:
    """The format with this name, or without a name the one of the file's ending.

    ``.gz`` after the ending is ignored; the longest matching ending counts.

    Raises:
        UnknownNameError: there is no format with this name.
        InputError: there is no name, and the ending belongs to no format or to several.
    """
    if name is not None:
        if name not in formats:
            raise UnknownNameError("format", name, formats)
        return formats[name]
    if not isinstance(target, str | Path):
        raise InputError("standard output has no name that tells the format: name it, `format=NAME`")
    file = Path(target).name.lower().removesuffix(".gz")
    known = {ending: one for one in formats.values() for ending in one.endings}
    fitting = [ending for ending in known if file.endswith(ending)]
    if fitting:
        return known[max(fitting, key=len)]
    several = [one.name for ending, one in known.items() if ending.endswith(".json")]
    why = "the ending of the name does not tell the format"
    if file.endswith(".json") and several:
        why = f"JSON could be {' or '.join(dict.fromkeys(several))}"
    listed = ", ".join(f"{ending} ({one.name})" for ending, one in known.items())
    raise InputError(f"{target}: {why}: name it, `format=NAME`. Endings known: {listed}")


def left_out_words(left_out: Mapping[str, int]) -> str:
    """A sentence on what a format left out, by kind; empty if it took everything."""
    return "; ".join(f"{count:,} {what}" for what, count in left_out.items() if count)


@contextmanager
def csv_rows(
    out: BinaryIO, line_end: str = "\n", encoding: str = "utf-8"
) -> Iterator[Callable[[Sequence[object]], object]]:
    """A context manager for a function that writes one row of CSV to a stream, which stays open."""
    text = io.TextIOWrapper(out, encoding=encoding, newline="", write_through=True)
    try:
        yield lambda row: text.write(csv_line(row, line_end))
    finally:
        text.detach()


def write_items(out: BinaryIO, items: Iterable[Any]) -> None:
    """Writes the items of a JSON list, one a line, between brackets that the caller writes."""
    for number, item in enumerate(items):
        out.write((b",\n" if number else b"\n") + orjson.dumps(item))


@contextmanager
def opened_target(target: Path | str | BinaryIO) -> Iterator[BinaryIO]:
    """A context manager for the stream itself, or for one to a file that is replaced in one step at the end of the
    block.
    """
    if isinstance(target, str | Path):
        with written_file(target) as out:
            yield out
    else:
        yield target
