"""Tables that are read in blocks: which rows are kept, and which are malformed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.files.counts import RowCounts, RowLog
from ontonym.files.delimited import BlockTable
from ontonym.files.source import open_source

Write = Callable[[str, str | bytes], Path]


def read(path: Path) -> tuple[list[tuple[bytes, bytes]], list[tuple[int | None, str]]]:
    """The rows of a table of two columns, and the malformed ones, each with its line."""
    log = RowLog(RowCounts())
    table = BlockTable(open_source(path), log, delimiter=b"\t")
    rows = [(block.field(row, 0), block.field(row, 1)) for block in table.blocks() for row in range(len(block))]
    assert log.counts.malformed == len(log.counts.examples)
    return rows, [(one.line, one.problem) for one in log.counts.examples]


@pytest.mark.parametrize(
    ("content", "rows", "malformed"),
    [
        (b"a\tb\n1\tx\0\n2\ty\n", [(b"2", b"y")], [(2, "a NUL byte in the row")]),
        (b"a\tb\n1\tx\n2\t\0y\n", [(b"1", b"x")], [(3, "a NUL byte in the row")]),
        (b"a\tb\n1\tx\n\0bad\n2\ty\n", [(b"1", b"x"), (b"2", b"y")], [(3, "1 field where 2 are needed")]),
        (b"a\tb\tc\0\n", [], []),
        (b"a\tb\0\n1\tx\n", [(b"1", b"x")], []),
    ],
    ids=["at the end", "in the last row", "in a malformed row", "in a header alone", "in the header"],
)
def test_a_nul_byte_costs_its_own_row_alone(
    write: Write, content: bytes, rows: list[tuple[bytes, bytes]], malformed: list[tuple[int, str]]
) -> None:
    assert read(write("t.txt", content)) == (rows, malformed)
