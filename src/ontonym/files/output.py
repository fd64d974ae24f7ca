"""Files written whole or not at all: beside their place, then moved there in one rename; ``.gz`` is compressed.

What is written to a pipe or a device goes through it; nothing takes its place.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from ontonym.errors import FormatError, InputError
from ontonym.files.cells import guarded
from ontonym.replacing import announce
from ontonym.resuming import Draft

STDOUT = "-"
"""In place of a file's name: standard output."""

_BUFFER = 1 << 20
_DRAFTS = count()  # threads of one process may write to one place
_REFUSALS = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENOENT,
    errno.ENAMETOOLONG,
)  # fmt: skip
_BREAK = re.compile(r"[\t\r\n]")
_TO_MEND = re.compile(r"(?:\A|\t)['=+\-@]|[\r\n]")
"""Where cells joined by tabs may need `guarded`, or a line break of theirs a space."""


@contextmanager
def written_file(path: Path | str, *, packing: bool = True, draft: Draft | None = None) -> Iterator[BinaryIO]:
    """A stream for a block: if the block succeeds, what it wrote replaces the file at ``path``, else that stays as it
    was.

    Of a link the file that it leads to is replaced. ``.gz`` compresses, unless what is written is packed already
    (``packing`` False); the same content gives the same bytes at any time. A ``draft`` is gone on with, and left
    where the block was stopped after something was noted of it, unless what it reads is faulty. Raises ``InputError``
    where the file cannot be written: a folder, no right, no room.
    """
    path = Path(path)
    packing = packing and path.name.lower().endswith(".gz")
    check_folder(path)
    with _naming(path):
        if path.is_dir():
            raise InputError(f"{path}: is a folder; give the name of a file")
        if path.exists() and not path.is_file():
            with path.open("wb") as device, _packed(device, packing=packing) as stream:
                yield stream
            return
        path = path.resolve() if path.is_symlink() else path
        name = f".{path.name}.{os.getpid()}.{_here()}{next(_DRAFTS)}.writing"
        beside = draft.file if draft else path.with_name(name)
        sweep_drafts(path.absolute().parent, path.name)
        try:
            with draft.opened(_BUFFER) if draft else beside.open("wb", buffering=_BUFFER) as written:
                with _packed(written, packing=packing) as stream:
                    yield stream
                written.flush()
                os.fsync(written.fileno())
            announce(beside, path)
            beside.replace(path)
            if draft:
                draft.forget()
        except FormatError:
            if draft:
                draft.forget()  # the same file would end so again
            raise
        finally:
            if draft is None or not draft.is_noted:
                beside.unlink(missing_ok=True)


@contextmanager
def _packed(raw: BinaryIO, *, packing: bool) -> Iterator[BinaryIO]:
    """The stream itself, or for ``packing`` one that compresses into it."""
    if not packing:
        yield raw
        return
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def check_folder(path: Path | str) -> None:
    """Raises ``InputError`` where there is no folder in which a file could be written to ``path``."""
    folder = Path(path).absolute().parent
    if not folder.exists():
        raise InputError(f"{path}: cannot be written: there is no folder {Path(path).parent}")
    if not folder.is_dir():
        raise InputError(f"{path}: cannot be written: {Path(path).parent} is a file, not a folder")


def check_writable(path: Path | str) -> None:
    """Raises ``InputError`` where `written_file` would not be able to begin a file at ``path``; it is left alone."""
    check_folder(path)
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give the name of a file")
    if path.is_file() or not path.exists():
        with _naming(path), TemporaryFile(dir=path.resolve().parent):
            pass


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turns an error of the operating system that the user can fix into an ``InputError``."""
    try:
        yield
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


@cache
def _here() -> str:
    """Six hexadecimal digits for this machine: of a process of another one, nobody here knows whether it lives."""
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:6]


def sweep_drafts(folder: Path, name: str | None = None) -> None:
    """Removes what killed processes of this machine left of the file ``name`` in a folder, or of all its files."""
    of = ".+" if name is None else re.escape(name)
    left = re.compile(rf"\.{of}\.(\d+)(\.{_here()}\d+)?\.writing")
    for file in folder.iterdir():
        match = left.fullmatch(file.name)
        if match and not _alive(int(match[1])):
            file.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # a process cannot be asked there without ending it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def write_lines(path: Path | str, lines: Iterable[str]) -> None:
    """Writes lines of text in UTF-8, each with a line break, as `written_file` does."""
    with written_file(path) as out:
        for line in lines:
            out.write(line.encode(errors="replace") + b"\n")


def tsv_line(cells: Iterable[str], *, raw: bool = False) -> str:
    """Cells joined by tabs; a tab or line break inside a cell becomes a space.

    Cells are `guarded` from spreadsheets, unless ``raw``.
    """
    cells = list(cells)
    line = "\t".join(cells)
    if line.count("\t") == len(cells) - 1 and not _TO_MEND.search(line):
        return line
    flat = [" ".join(cell.split()) if _BREAK.search(cell) else cell for cell in cells]
    return "\t".join(flat if raw else map(guarded, flat))
