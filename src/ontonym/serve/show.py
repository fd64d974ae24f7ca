"""What a person sees: consoles, tables, and what a command did; it loads nothing that searches."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeAlias, cast

from ontonym.jsonbytes import json_bytes
from ontonym.text.counting import count, singular
from ontonym.text.visible import visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType
    from rich.table import Table

ShownLine: TypeAlias = "str | tuple[str, str] | ConsoleRenderable"
"""What is printed for a person: a text, a text and its style, or what else rich draws, such as a table."""

PIPE_WIDTH = 120
"""Columns where the output is no terminal and COLUMNS is not set."""

_LONGEST = 10_000  # characters of a fact: laying more out takes seconds, and nobody reads them


def console() -> Console:
    """A console on stdout; without colours where it is no terminal or NO_COLOR is set.

    Raises BrokenPipeError where the reader of a pipe went away.
    """
    from rich.console import Console
    from rich.segment import Segment

    class Out(Console):
        """Rich would end the process itself."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """All that is printed goes through here; what a terminal would obey is shown instead."""
            for one in super().render(renderable, options):
                yield one if one.control else Segment(visible(one.text), one.style)

    if sys.stdout.isatty():
        return Out(highlight=False, emoji=False, markup=False)
    width = None if "COLUMNS" in os.environ else PIPE_WIDTH
    return Out(file=cast("IO[str]", _Trimmed(sys.stdout)), width=width, highlight=False, emoji=False, markup=False)


class _Trimmed:
    """A stream without the spaces that pad the ends of lines, for files and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        """Writes ``text`` without spaces before its line breaks."""
        return self._stream.write(re.sub(r" +(?=\n)", "", text))

    def flush(self) -> None:
        """Flushes the stream below."""
        self._stream.flush()


@dataclass(frozen=True, slots=True)
class Summary:
    """What a command did or found: as JSON its ``shape``, and the same for a person.

    For a person ``facts`` are printed in two columns (rows without text are left out), below them ``lines``, each a
    text, a text and its style, or what else rich draws, such as a table; then the command that usually comes ``next``,
    and on stderr the ``notes``. ``failure`` says why the command ends with exit code 1. Where ``stderr`` is set,
    standard output has something else, and JSON goes to stderr too.
    """

    shape: Mapping[str, Any]
    facts: Sequence[tuple[str, str]] = ()
    lines: Sequence[ShownLine] = ()
    next: str = ""
    notes: Sequence[str] = ()
    failure: str = ""
    stderr: bool = False

    def then(self, next: str) -> Summary:
        """The same, with the command that usually comes next."""
        return replace(self, next=next)

    def print(self) -> None:
        """Prints what a person reads: on stdout, but for the notes."""
        out = console()
        if self.facts:
            facts(self.facts, out)
        for line in self.lines:
            if isinstance(line, str | tuple):
                text, style = (line, "") if isinstance(line, str) else line
                out.print(text, style=style, soft_wrap=True)
            else:
                out.print(line)
        if self.next:
            out.print(f"next: {self.next}", style="dim", soft_wrap=True)
        for note in self.notes:
            sys.stderr.write(f"{note}\n")


def facts(rows: Iterable[tuple[str, str]], out: Console) -> None:
    """Prints labels and what belongs to them in two columns; rows without text are left out."""
    out.print(facts_table(rows))


def facts_table(rows: Iterable[tuple[str, str]]) -> Table:
    """Labels and what belongs to them in two columns; rows without text are left out."""
    table = plain_table(show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows:
        if value:
            table.add_row(label, value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
    return table


def to_json(value: Any) -> str:
    """One line of JSON, with nothing in it that a terminal would obey."""
    return visible_json(json_bytes(value).decode())


def plain_table(**settings: Any) -> Table:
    """A table without lines, whose columns are two spaces apart; ``settings`` are further ones of rich's."""
    from rich.table import Table

    return Table(**{"box": None, "padding": (0, 2, 0, 0), "pad_edge": False, "header_style": "dim", **settings})


def counted(counts: Iterable[tuple[str, int]]) -> str:
    """``12 preferred, 3 lay``, the most first."""
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts, key=lambda item: -item[1]) if number)


def counted_nouns(counts: Iterable[tuple[str, int]]) -> str:
    """``12 terms, 1 name``, the most first, of things that are called by their plural."""
    ordered = sorted(counts, key=lambda item: -item[1])
    return ", ".join(count(number, singular(name), name) for name, number in ordered if number)


def size(number: int) -> str:
    """Bytes as a person reads them, in steps of 1000."""
    for unit, digits in (("B", 0), ("kB", 0), ("MB", 1)):
        if number < 1000:
            return f"{number:.{digits}f} {unit}"
        number /= 1000  # type: ignore[assignment]
    return f"{number:.1f} GB"


def size_at(path: Path | str) -> str:
    """The size of a file as a person reads it."""
    return size(Path(path).stat().st_size)
