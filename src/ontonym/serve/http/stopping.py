"""Whether this process was told to stop: what it still answers then says that the connection ends with it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stopping:
    """``asked`` is true from the moment on when a signal told the process to stop."""

    def __init__(self) -> None:
        self.asked = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Notes signals until the block ends; those who had them before still get them. Only in the main thread."""
        before: dict[int, Any] = {}

        def noted(number: int, frame: FrameType | None) -> None:
            self.asked = True
            handler = before[number]
            if callable(handler):
                handler(number, frame)

        try:
            for one in _SIGNALS:
                before[one] = signal.getsignal(one)
                signal.signal(one, noted)
        except ValueError:  # not in the main thread: whoever started it decides
            before.clear()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
