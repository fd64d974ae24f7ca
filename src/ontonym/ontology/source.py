"""Opening release files: plain, gzip or a zip of one member, as guarded bytes or as UTF-8 lines.

Everything that can be wrong with a file before its format matters (missing, a directory, empty, truncated, a
decompression bomb, another encoding) becomes a ``FormatError`` here.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from ontonym.errors import FormatError

Compression = Literal["plain", "gzip", "zip"]

MAX_EXPANSION = 100
"""A compressed file may grow to this many times its size, or to ``FREE_EXPANSION`` bytes where that is more."""
FREE_EXPANSION = 1 << 30
MAX_LINE = 64 << 20
"""Longest line read, in bytes."""

_CHUNK = 1 << 20
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_BROKEN = (zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile, NotImplementedError, RuntimeError)
_REENCODE = "Re-encode it, for example: iconv -f LATIN1 -t UTF-8 {name} > {name}.utf8"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a release: where it is, how it is packed, and the fingerprint of its bytes on disk."""

    path: Path
    compression: Compression
    size: int
    sha256: str
    name: str

    @contextmanager
    def open(self) -> Iterator[GuardedStream]:
        """The unpacked bytes as a stream whose ``read`` raises ``FormatError`` for anything wrong with the file."""
        with ExitStack() as stack:
            with _naming_faults(self.path):
                raw = stack.enter_context(self.path.open("rb"))
                stream: _Readable = raw
                if self.compression == "gzip":
                    stream = stack.enter_context(gzip.GzipFile(fileobj=raw))
                elif self.compression == "zip":
                    archive = stack.enter_context(zipfile.ZipFile(raw))
                    stream = stack.enter_context(archive.open(_only_member(self.path, archive)))
            yield GuardedStream(self, stream)

    def read(self) -> bytes:
        """All unpacked bytes, without a byte order mark."""
        with self.open() as stream:
            parts = list(iter(lambda: stream.read(_CHUNK), b""))
        return b"".join(parts).removeprefix(_UTF8_BOM)

    def head(self, size: int = 1 << 16) -> str:
        """The beginning, at most ``size`` bytes, for sniffing: single bytes that are not UTF-8 are replaced."""
        with self.open() as stream:
            start = stream.read(size)
        return start[self._check_mark(start) :].decode("utf-8", errors="replace")

    def lines(self) -> Iterator[str]:
        """The lines of the file without their endings (``\\n`` or ``\\r\\n``).

        Raises:
            FormatError: not UTF-8 (names line and byte offset), or a line longer than ``MAX_LINE``.
        """
        line_number, offset, rest = 1, 0, b""
        with self.open() as stream:
            while chunk := stream.read(_CHUNK):
                if offset == 0 and not rest:
                    offset = self._check_mark(chunk)
                    chunk = chunk[offset:]
                whole, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    rest += chunk
                    if len(rest) > MAX_LINE:
                        mend = "Is it really a text file of the format named?"
                        raise FormatError(
                            self.path, f"line longer than {MAX_LINE:,} bytes", line=line_number, mend=mend
                        )
                    continue
                block = rest + whole
                rest = tail
                lines = self._decode(block, line_number, offset).split("\n")
                line_number += len(lines)
                offset += len(block) + 1
                for line in lines:
                    yield line[:-1] if line.endswith("\r") else line
            if rest:
                yield self._decode(rest, line_number, offset).removesuffix("\r")

    def _check_mark(self, chunk: bytes) -> int:
        """Bytes of the UTF-8 byte order mark to leave out: 0 or 3."""
        if chunk.startswith(_UTF16_BOMS):
            mend = f"Re-encode it: iconv -f UTF-16 -t UTF-8 {self.path.name} > {self.path.name}.utf8"
            raise FormatError(self.path, "UTF-16 text where UTF-8 is needed", line=1, mend=mend)
        return len(_UTF8_BOM) if chunk.startswith(_UTF8_BOM) else 0

    def _decode(self, block: bytes, line_number: int, offset: int) -> str:
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            line = line_number + block.count(b"\n", 0, error.start)
            problem = f"not UTF-8: byte 0x{block[error.start]:02x} at offset {offset + error.start:,}"
            raise FormatError(self.path, problem, line=line, mend=_REENCODE.format(name=self.path.name)) from None


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class GuardedStream:
    """A byte stream that counts what it unpacked, and stops a decompression bomb before it fills the memory."""

    def __init__(self, source: Source, raw: _Readable) -> None:
        self._source = source
        self._raw = raw
        self._got = 0
        self._limit = max(FREE_EXPANSION, MAX_EXPANSION * source.size) if source.compression != "plain" else None

    def read(self, size: int = _CHUNK) -> bytes:
        """Up to ``size`` bytes; empty at the end."""
        path = self._source.path
        try:
            with _naming_faults(path):
                data = self._raw.read(size)
        except EOFError:
            problem = f"truncated {self._source.compression}, got {self._got:,} bytes"
            raise FormatError(path, problem, mend="Download or copy the file again") from None
        self._got += len(data)
        if self._limit is not None and self._got > self._limit:
            problem = (
                f"unpacks to more than {self._limit:,} bytes from {self._source.size:,}: not a normal release file"
            )
            raise FormatError(path, problem, mend="If you trust it, unpack it yourself and give the plain file")
        return data


def open_source(path: Path | str) -> Source:
    """The file, checked to be there and not empty, with its fingerprint.

    Raises:
        FormatError: missing, a directory, unreadable, or empty.
    """
    path = Path(path)
    with _naming_faults(path):
        if path.is_dir():
            raise FormatError(path, "is a directory, not a file", mend="Name the release file inside it")
        if not path.exists():
            raise FormatError(path, "no such file", mend="Check the path")
        with path.open("rb") as stream:
            start = stream.read(4)
            if not start:
                raise FormatError(path, "the file is empty", mend="Download or copy the file again")
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
    return Source(path, _compression(start), size, digest, path.name)


def _compression(start: bytes) -> Compression:
    if start.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zip" if start == b"PK\x03\x04" else "plain"


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [i for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")]
    if len(members) != 1:
        names = ", ".join(i.filename for i in members[:5]) or "nothing"
        mend = "Unpack it and name the file of the release"
        raise FormatError(path, f"a zip of {len(members)} files ({names}), expected exactly one", mend=mend)
    return members[0]


@contextmanager
def _naming_faults(path: Path) -> Iterator[None]:
    """Turns what the operating system and the unpackers raise into a FormatError that names the file."""
    try:
        yield
    except _BROKEN as error:
        mend = "Download or copy the file again"
        raise FormatError(path, f"damaged archive ({error})", mend=mend) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise FormatError(path, f"cannot be read ({reason})", mend="Check the path and its permissions") from None
