"""A progress bar on stderr for work that lasts: nothing in the first two seconds, and nothing but on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ontonym.cli.terminal import echo
from ontonym.text.visible import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds of work before a bar is drawn."""
REFRESH = 8
"""Times a second that it is drawn."""


class Bar:
    """A progress bar that the library's callbacks drive: ``advance`` counts items, ``stage`` names what is being done.

    ``total`` None shows a count without an end. Nothing stays on the screen when the block ends.
    """

    def __init__(self, label: str, total: int | None = None) -> None:
        self._label = label
        self._total = total
        self._note = ""
        self._done = 0
        self._began = self._drawn = time.monotonic()
        self._drawing: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawing is not None:
            self._drawing.stop()

    @property
    def seconds(self) -> float:
        """Seconds since the bar was made."""
        return time.monotonic() - self._began

    def advance(self, count: int) -> None:
        """Counts ``count`` more items."""
        self._done += count
        self._draw()

    def stage(self, label: str, done: int, total: int | None, note: str = "") -> None:
        """Says that ``done`` of ``total`` items of the stage ``label`` are done; another label begins a new bar.

        No total, or a total of 0, shows a count without an end.
        """
        if label != self._label and self._drawing is not None and self._task is not None:
            self._drawing.reset(self._task)
        self._label, self._done, self._total, self._note = visible(label), done, total or None, visible(note)
        self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._drawn < 1 / REFRESH:
            return
        self._drawn = now
        if self._drawing is None:
            if not sys.stderr.isatty() or now - self._began < PATIENCE:
                return
            self._drawing = _new_drawing()
            self._task = self._drawing.add_task(self._label, total=self._total, count="", note="")
            self._drawing.start()
        assert self._task is not None  # noqa: S101 (set with the drawing)
        count = f"{self._done:,}" if self._total is None else f"{self._done:,} of {self._total:,}"
        self._drawing.update(
            self._task,
            description=self._label,
            completed=self._done,
            total=self._total,
            count=count,
            note=self._note,
        )


def _new_drawing() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=28, complete_style="cyan", finished_style="cyan", pulse_style="cyan"),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[note]}", style="dim"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=REFRESH,
    )


@contextmanager
def resumable(kept: Path, what: str = "what was found", holding: str = "") -> Iterator[None]:
    """Says, when the block is interrupted, that ``what`` is in ``kept``, from where the run can be resumed.

    With ``holding``, a pattern of names, nothing is said unless the folder ``kept`` has such a file.
    """
    try:
        yield
    except KeyboardInterrupt:
        if not holding or any(kept.glob(holding)):
            echo(f"{what} is in {kept}: --resume goes on from there", err=True)
        raise
