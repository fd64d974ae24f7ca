"""Runs commands of ontonym in child processes that may take so much time and memory, and says how each ended."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

PATIENCE = 10
"""Seconds of processor time after which a command hangs; it also hangs where it has not ended in `DEADLOCK` seconds."""
DEADLOCK = 600.0

ANSWERED, TOLD = "answered", "told"
INTERNAL, HANG, MEMORY = "internal error", "hang", "memory"
BROKEN = (INTERNAL, HANG, MEMORY)
"""How a command must never end."""

_SLACK = 1 << 30
_STDERR = "stderr.txt"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended.

    ``outcome`` is ``answered`` for exit code 0, ``told`` for 1 and 2, or one of `BROKEN`. ``printed`` is its standard
    output, ``said`` its standard error; ``seconds`` of the processor, ``grown`` bytes of memory beside what it had.
    """

    outcome: str
    printed: str
    said: str
    seconds: float
    grown: int


def warm() -> None:
    """Loads what commands load, so that a child process need not."""
    import faiss  # noqa: F401

    from ontonym.cli import VERBS
    from ontonym.cli import main as group

    for verb in VERBS:
        with contextlib.suppress(ImportError):
            group.get_command(click.Context(group), verb)


def probe(folder: Path, arguments: Sequence[str], *, memory: int) -> Ending:
    """Runs a command in ``folder``, in a child process of this one (`warm` it first).

    ``memory`` bytes it may take beside what this process has; a GB more, and the system refuses.
    """
    out_read, out_write = os.pipe()
    began, base = time.monotonic(), _resident()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(out_read)
        _in_child(folder, arguments, out_write, memory)
    os.close(out_write)
    printed, hung = _printed(child, out_read, began + DEADLOCK)
    _, status, used = os.wait4(child, 0)
    grown = max(used.ru_maxrss * 1024 - base, 0)
    said = (
        (folder / _STDERR).read_text(encoding="utf-8", errors="replace")[:2000] if (folder / _STDERR).exists() else ""
    )
    if hung:
        outcome = HANG
    elif os.WIFSIGNALED(status):
        sent = os.WTERMSIG(status)
        outcome, said = (HANG if sent == signal.SIGXCPU else INTERNAL), f"signal {sent}: {said}"
    else:
        code = os.WEXITSTATUS(status)
        outcome = {0: ANSWERED, 1: TOLD, 2: TOLD}.get(code, INTERNAL)
        if grown > memory or "there is not enough memory" in said:
            outcome = MEMORY
    return Ending(outcome, printed, said.strip(), used.ru_utime + used.ru_stime, grown)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def _in_child(folder: Path, arguments: Sequence[str], out: int, memory: int) -> None:
    from ontonym.cli import _run, main

    code = 99
    try:
        os.chdir(folder)
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        most = used + memory + _SLACK
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))
        errors = os.open(_STDERR, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(errors, 2)
        code = _run(main, list(arguments), "ontonym")
        sys.stdout.flush()
        sys.stderr.flush()
    except MemoryError:
        os.write(2, b"there is not enough memory")
    except BaseException as error:
        os.write(2, repr(error)[:500].encode(errors="replace"))
    finally:
        os._exit(code)


def _printed(child: int, out: int, until: float) -> tuple[str, bool]:
    """What a child printed until it ended, and whether it had to be killed."""
    parts: list[bytes] = []
    hung = False
    while True:
        ready, _, _ = select.select([out], [], [], max(until - time.monotonic(), 0))
        if not ready:
            hung = True
            os.kill(child, signal.SIGKILL)
            break
        data = os.read(out, 1 << 16)
        if not data:
            break
        parts.append(data)
    os.close(out)
    return b"".join(parts).decode(errors="replace"), hung
