"""One rename puts a finished folder in its place; locks, and what a killed writer left.

The folder is filled beside its place, so that a reader sees the old one or the new one and never something between.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ontonym.checksums import sync
from ontonym.errors import ArtifactError, LockedError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")
"""What numpy says, without an error number, where the disk has no room for an array."""
_AGAIN = 0.02
"""Seconds after which a lock is asked for again."""
_REFUSALS = (*DISK_FULL, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG)


@contextmanager
def writable(path: Path, only: tuple[int, ...] = _REFUSALS) -> Iterator[None]:
    """Turns what the operating system refuses (no right, disk full, read-only) into an error for the user."""
    try:
        yield
    except OSError as error:
        code = errno.ENOSPC if _SHORT_WRITE.fullmatch(str(error)) else error.errno
        if code not in only:
            raise
        raise ArtifactError(f"{path}: cannot be written: {os.strerror(code)}") from error


def _old(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


_TOLD: list[Callable[[Path, Path], None]] = []


@contextmanager
def told_before(tell: Callable[[Path, Path], None]) -> Iterator[None]:
    """Has ``tell`` called with what is whole and with its place, each time before something is moved to its place."""
    _TOLD.append(tell)
    try:
        yield
    finally:
        _TOLD.remove(tell)


def announce(whole: Path, path: Path) -> None:
    """Says that a file or folder that is ``whole`` is moved to ``path`` next."""
    for tell in _TOLD:
        tell(whole, path)


def put_in_place(staging: Path, path: Path) -> None:
    """Moves a finished folder to ``path``, where it replaces the one that is there."""
    announce(staging, path)
    if not path.exists():
        staging.rename(path)
    elif not _exchange(staging, path):
        path.rename(_old(path))
        staging.rename(path)
        shutil.rmtree(_old(path), ignore_errors=True)
    sync(path.parent)


def _exchange(a: Path, b: Path) -> bool:
    """Swaps two folders in one step; False where the system has no such call."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            result = libc.renamex_np(os.fsencode(a), os.fsencode(b), ctypes.c_uint(2))  # RENAME_SWAP
        else:
            here = -100  # AT_FDCWD
            result = libc.renameat2(here, os.fsencode(a), here, os.fsencode(b), ctypes.c_uint(2))  # RENAME_EXCHANGE
    except (AttributeError, OSError, TypeError):
        return False
    if result == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(b))


def restore(path: Path) -> None:
    """Brings back the old artifact after a process was killed between two renames. Needs the lock."""
    if _old(path).exists() and not path.exists():
        _old(path).rename(path)


def recover(path: Path) -> None:
    """`restore` for readers: a living writer gets a second to finish its two renames."""
    path = path.resolve()
    for _ in range(20):
        if path.exists() or not _old(path).exists():
            return
        with suppress(LockedError), lock(path):
            restore(path)
            return
        time.sleep(0.05)


def sweep(path: Path, kept: Path | None = None) -> None:
    """Removes what killed writers left, but for the folder ``kept``. Needs the lock: whoever holds it knows that every
    other writer is dead.
    """
    left = re.compile(rf"\.{re.escape(path.name)}\.(\d+\.writing|old)")
    for folder in path.parent.iterdir():
        if left.fullmatch(folder.name) and folder != kept:
            shutil.rmtree(folder)


@contextmanager
def lock(path: Path, *, patience: float = 0.0) -> Iterator[None]:
    """Holds the lock file beside ``path``; the operating system lets go of it when the process dies.

    Raises `LockedError` while another process holds it, after ``patience`` seconds; InputError where nothing can be
    written.
    """
    file = path.with_name(f".{path.name}.lock")
    until = time.monotonic() + patience
    with writable(path):
        while True:
            try:
                descriptor = _acquire(file, path)
                break
            except LockedError:
                if time.monotonic() >= until:
                    raise
            time.sleep(_AGAIN)
    try:
        yield
    finally:
        if sys.platform != "win32":
            file.unlink(missing_ok=True)  # while the lock is held: a waiting process then sees that the file is gone
        os.close(descriptor)


def _acquire(file: Path, path: Path) -> int:
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if sys.platform == "win32":
                os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # beyond the text, which others may then read
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                os.lseek(descriptor, 0, os.SEEK_SET)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            pid = os.pread(descriptor, 32, 0).decode(errors="replace") if sys.platform != "win32" else ""
            os.close(descriptor)
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK):
                raise
            who = f"process {pid}" if pid else "another process"
            raise LockedError(f"{path}: {who} is writing it now: wait for it, or stop it") from None
        try:
            same = file.stat().st_ino == os.fstat(descriptor).st_ino
        except FileNotFoundError:
            same = False
        if same:
            try:
                os.ftruncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
            except OSError:
                file.unlink(missing_ok=True)
                os.close(descriptor)
                raise
            return descriptor
        os.close(descriptor)
