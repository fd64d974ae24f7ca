"""Places that bytes are read from: on disk, in a zip or tar, behind gzip, in several parts."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any, Literal, Protocol, cast
from weakref import finalize

from ontonym.errors import FormatError, InputError

Compression = Literal["plain", "gzip", "zip", "tar", "bzip2", "xz"]

AGAIN = "Download or copy the file again"
AGAIN_OR_TELL = f"{AGAIN}; if it is whole, tell its publisher"

_BLOCK = 1 << 20
_IN_MEMORY = 32 << 20
_LOCAL_HEADER = struct.Struct("<4s22xHH")
BROKEN = (
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,
    RuntimeError,
)
"""What the unpackers raise for bytes that are damaged, encrypted, or packed in a way that they do not know."""


class Readable(Protocol):
    """The stream that a place opens as; it has ``seek`` if the place is seekable."""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; empty at the end."""


class Place(Protocol):
    """Somewhere bytes can be read from the beginning, again and again."""

    @property
    def seekable(self) -> bool:
        """Whether the opened stream has ``seek``, so that an archive in it can be read in any order."""

    def open(self, stack: ExitStack) -> Readable:
        """A stream at the first byte; ``stack`` closes it."""


@dataclass(frozen=True)
class OnDisk:
    """A file."""

    path: Path
    seekable: bool = field(default=True, init=False)

    def open(self, stack: ExitStack) -> Readable:
        """The file."""
        return stack.enter_context(self.path.open("rb"))


@dataclass(frozen=True)
class StoredMember:
    """``length`` bytes from ``offset`` on of a seekable place: a member that is stored uncompressed."""

    of: Place
    offset: int
    length: int
    seekable: bool = field(default=True, init=False)

    def open(self, stack: ExitStack) -> Readable:
        """The bytes of the window."""
        return _WindowStream(self.of.open(stack), self.offset, self.length)


@dataclass(frozen=True)
class ZipMember:
    """A member of the zip that is at ``of``."""

    of: Place
    info: zipfile.ZipInfo
    seekable: bool = field(default=False, init=False)

    def open(self, stack: ExitStack) -> Readable:
        """The unpacked bytes, checked against the checksum when the end is reached."""
        info = self.info
        packed = _WindowStream(self.of.open(stack), self.offset(), info.compress_size)
        return stack.enter_context(zipfile.ZipExtFile(cast(IO[bytes], packed), "r", info))

    def offset(self) -> int:
        """Where the member's packed bytes begin in the zip."""
        with ExitStack() as stack:
            header = _WindowStream(self.of.open(stack), self.info.header_offset, _LOCAL_HEADER.size).read()
        if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile(f"no local header of {self.info.filename}")
        _, name, extra = _LOCAL_HEADER.unpack(header)
        return int(self.info.header_offset + _LOCAL_HEADER.size + name + extra)


@dataclass(frozen=True)
class Unpacked:
    """The contents of gzip, bzip2 or xz at ``of``; several streams one after the other are one."""

    of: Place
    compression: Compression
    seekable: bool = field(default=False, init=False)

    def open(self, stack: ExitStack) -> Readable:
        """The unpacked bytes."""
        packed = cast(IO[bytes], self.of.open(stack))
        if self.compression == "gzip":
            return stack.enter_context(gzip.GzipFile(fileobj=packed))
        opener = bz2.BZ2File if self.compression == "bzip2" else lzma.LZMAFile
        return stack.enter_context(opener(packed))


@dataclass(frozen=True)
class JoinedParts:
    """Several places one after the other, as one."""

    parts: Sequence[Place]
    seekable: bool = field(default=False, init=False)

    def open(self, stack: ExitStack) -> Readable:
        """The bytes of all parts."""
        return _JoinedStream(self.parts, stack.enter_context(ExitStack()))


@dataclass
class Spooled:
    """A seekable copy of a place that can only be streamed, of at most ``limit`` bytes, made at first use: in memory up
    to 32 MiB, then in a temporary file that is always removed."""

    of: Place
    label: str
    limit: int
    seekable: bool = field(default=True, init=False)
    _copy: Any = field(default=None, init=False, repr=False)
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False)

    def open(self, stack: ExitStack) -> Readable:
        """The copy from its first byte, at a position of its own."""
        with self._lock:
            if self._copy is None:
                self._copy = self._spool()
        return _SharedStream(self._copy, self._lock)

    def __getstate__(self) -> dict[str, Any]:
        return {"of": self.of, "label": self.label, "limit": self.limit, "seekable": True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _copy=None, _lock=threading.Lock())

    def _spool(self) -> Any:
        """A copy that can be read anywhere, in memory or a temporary file; it is closed with this place."""
        copy = SpooledTemporaryFile(_IN_MEMORY, prefix="ontonym-")  # noqa: SIM115 - lives as long as this place
        finalize(self, copy.close)
        with ExitStack() as stack:
            stream, got = self.of.open(stack), 0
            while data := stream.read(_BLOCK):
                got += len(data)
                if got > self.limit:
                    raise too_large(self.label, self.limit)
                try:
                    copy.write(data)
                except OSError as error:
                    problem = f"cannot be unpacked into {gettempdir()} ({error.strerror})"
                    hint = "Unpack it yourself, or let TMPDIR name a folder with more room"
                    raise InputError(f"{self.label}: {problem}. {hint}") from None
        return copy


def too_large(label: str, limit: int) -> FormatError:
    """The error for what unpacks to more than a release would."""
    problem = f"unpacks to more than {limit:,} bytes: not a normal release file"
    return FormatError(label, problem, hint="If you trust it, unpack it yourself and name the folder or file")


@contextmanager
def naming_faults(label: Path | str) -> Iterator[None]:
    """Turns what the operating system and the unpackers raise into a FormatError that names the file."""
    try:
        yield
    except BROKEN as error:
        raise FormatError(label, f"damaged archive ({error})", hint=AGAIN) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise FormatError(label, f"cannot be read ({reason})", hint="Check the path and its permissions") from None


class _WindowStream:
    """A part of a stream that nothing else reads."""

    def __init__(self, stream: Readable, offset: int, length: int) -> None:
        self._stream: Any = stream
        self._offset = offset
        self._length = length
        self._at = 0
        self.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._length - self._at)
        data: bytes = self._stream.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = offset + (0, self._at if whence == 1 else 0, self._length)[whence]
        if self._at < 0:
            raise ValueError("negative seek position")
        self._stream.seek(self._offset + self._at)
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Does nothing: the stack on which the stream was opened closes it."""


class _SharedStream:
    """A stream with its own position in a file that others read too."""

    def __init__(self, file: Any, lock: Any) -> None:
        self._file = file
        self._lock = lock
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        with self._lock:
            self._file.seek(self._at)
            data: bytes = self._file.read(size)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        with self._lock:
            end = self._file.seek(0, 2)
        self._at = max(0, offset + (0, self._at, end)[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True


class _JoinedStream:
    """Parts one after the other, each opened when the one before it is at its end."""

    def __init__(self, parts: Sequence[Place], stack: ExitStack) -> None:
        self._rest = list(reversed(parts))
        self._stack = stack
        self._stream: Readable | None = None

    def read(self, size: int, /) -> bytes:
        while self._stream is not None or self._rest:
            if self._stream is None:
                self._stack.close()
                self._stream = self._rest.pop().open(self._stack)
            data = self._stream.read(size)
            if data:
                return data
            self._stream = None
        return b""
