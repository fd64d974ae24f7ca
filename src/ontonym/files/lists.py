"""Several values in one cell of a table, joined so that they can be split again."""

from __future__ import annotations

import re
from collections.abc import Iterable

SEPARATOR = "|"
"""What stands between the values of a cell."""


def join_list(values: Iterable[str]) -> str:
    """The cell; backslashes are doubled where they stand right before a separator, and nowhere else."""
    texts = list(values)
    inside = re.compile(rf"(\\*){re.escape(SEPARATOR)}")
    ends = re.compile(r"(\\+)$")
    cells = [inside.sub(lambda m: f"{m[1]}{m[1]}\\{SEPARATOR}", text) for text in texts]
    return SEPARATOR.join([*(ends.sub(r"\1\1", cell) for cell in cells[:-1]), *cells[-1:]])


def split_list(cell: str, separator: str = SEPARATOR) -> list[str]:
    """The values that `join_list` joined; a cell without backslashes before separators is split at every separator."""
    parts = cell.split(separator)
    if "\\" not in cell:
        return parts
    values: list[str] = []
    open_ = False
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        slashes = 0 if last else len(part) - len(part.rstrip("\\"))
        text = part[: len(part) - (slashes + 1) // 2] if slashes else part
        if open_:
            values[-1] += separator + text
        else:
            values.append(text)
        open_ = slashes % 2 == 1
    return values
