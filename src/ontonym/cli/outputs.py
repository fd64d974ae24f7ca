"""What the verbs that give mentions their concepts write: JSON lines, TSV, PubTator, BioC XML and JSON, as streams."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import BinaryIO, Protocol

import click

from ontonym.cli.bioc_output import json_collection, xml_collection
from ontonym.cli.documents import Document, Entry
from ontonym.cli.options import Command
from ontonym.cli.pubtator import PubTatorOutput
from ontonym.cli.shapes import (
    ANNOTATION_COLUMNS,
    NORMALIZATION_COLUMNS,
    entry_rows,
    entry_shape,
    to_json,
    tsv_line,
)
from ontonym.errors import UnknownNameError
from ontonym.files.output import written_file

_ENDINGS = (
    (".tsv", "tsv"), (".pubtator", "pubtator"), (".pubtator.txt", "pubtator"), (".xml", "bioc"),
    (".bioc.json", "bioc-json"),
)  # fmt: skip


class Output(Protocol):
    """Writes one document after another."""

    def write(self, document: Document, entries: Sequence[Entry]) -> None:
        """Writes what was found in a document."""


class JsonLines:
    """One JSON object for each mention."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, document: Document, entries: Sequence[Entry]) -> None:
        """One line for each mention."""
        for entry in entries:
            self._stream.write(f"{to_json(entry_shape(entry))}\n".encode())


class Table:
    """One row of a TSV for each mention, or for each part of a composite one."""

    def __init__(self, stream: BinaryIO, *, annotating: bool) -> None:
        self._stream = stream
        stream.write(f"{tsv_line(ANNOTATION_COLUMNS if annotating else NORMALIZATION_COLUMNS)}\n".encode())

    def write(self, document: Document, entries: Sequence[Entry]) -> None:
        """The rows of each mention."""
        for row in (row for entry in entries for row in entry_rows(entry)):
            self._stream.write(f"{tsv_line(row)}\n".encode())


@contextmanager
def _json_lines(stream: BinaryIO, source: str, annotating: bool) -> Iterator[Output]:
    yield JsonLines(stream)


@contextmanager
def _table(stream: BinaryIO, source: str, annotating: bool) -> Iterator[Output]:
    yield Table(stream, annotating=annotating)


@contextmanager
def _pubtator(stream: BinaryIO, source: str, annotating: bool) -> Iterator[Output]:
    output = PubTatorOutput(stream)
    yield output
    if output.placeless:
        click.echo(f"{output.placeless:,} mentions without a place in the text were left out", err=True)


def _xml(stream: BinaryIO, source: str, annotating: bool) -> AbstractContextManager[Output]:
    return xml_collection(stream, source)


def _json(stream: BinaryIO, source: str, annotating: bool) -> AbstractContextManager[Output]:
    return json_collection(stream, source)


OUTPUTS: MappingProxyType[str, Callable[[BinaryIO, str, bool], AbstractContextManager[Output]]] = MappingProxyType(
    {"jsonl": _json_lines, "tsv": _table, "pubtator": _pubtator, "bioc": _xml, "bioc-json": _json}
)
"""Every output format by name; ``bioc`` is XML."""

WHOLE = ("pubtator", "bioc", "bioc-json")
"""The formats that hold whole documents, with their text."""


def output_options(command: Command) -> Command:
    """``--output`` and ``--output-format``: where the answers go, and in which format."""
    for option in (
        click.option("--output-format", "output_format_", metavar="NAME",
                     help=f"{', '.join(OUTPUTS)}; by default told by the ending of OUT."),
        click.option("-o", "--output", metavar="OUT", help="Where to write: .tsv gives a table, .pubtator, .xml (BioC) "
                     "and .bioc.json the documents with their mentions, anything else JSON lines; by default JSON "
                     "lines to standard output."),
    ):  # fmt: skip
        command = option(command)
    return command


def output_format(path: str | None, name: str | None, *, as_json: bool = False) -> str:
    """The name of the output format: the one named, else by the ending, else JSON lines."""
    if as_json:
        return "jsonl"
    if name is not None:
        if name not in OUTPUTS:
            raise UnknownNameError("output format", name, OUTPUTS)
        return name
    ending = (path or "").lower().removesuffix(".gz")
    return next((told for end, told in _ENDINGS if ending.endswith(end)), "jsonl")


@contextmanager
def opened_output(path: str | None, name: str, *, source: str, annotating: bool = False) -> Iterator[Output]:
    """An output of the format ``name`` to a file, which takes its place only when all went well, or to standard output.

    ``source`` tells BioC where the identifiers come from; ``annotating`` adds to a table how the text speaks of a
    mention.
    """
    if path is None:
        with OUTPUTS[name](sys.stdout.buffer, source, annotating) as output:
            yield output
        return
    with written_file(path) as stream, OUTPUTS[name](stream, source, annotating) as output:
        yield output
