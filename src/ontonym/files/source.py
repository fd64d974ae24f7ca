"""The files of a release as guarded bytes or as UTF-8 lines, wherever they lie: plain, compressed, in archives.

Everything that can be wrong with a file before its format matters (missing, empty, truncated, a decompression bomb,
binary, another encoding) becomes a ``FormatError`` here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from weakref import WeakKeyDictionary

from ontonym.errors import FormatError
from ontonym.files.archive import DiskFile, Packed, gather, growth
from ontonym.files.packing import AGAIN, Compression, Readable, naming_faults, too_large
from ontonym.text.counting import count

MAX_LINE = 16 << 20
"""Longest line read, in bytes."""
SHORT_LINES = 250_000
"""Most lines of a file whose lines have hardly a character each: more cost time without end and hold nothing."""
HEAD = 1 << 16
"""Bytes at the beginning of a file by which its format is recognized."""

_CHUNK = 1 << 20
_SHORT = 6  # bytes, with the line end
_KEPT_HEADS = 256
_UTF8_BOM = b"\xef\xbb\xbf"
_MARKS = (b"\n", b'"', b"<")
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_UTF16_XML = (b"\xff\xfe<\0", b"\xfe\xff\0<")
OTHER_ENCODINGS = "(SHIFT_JIS if it is Japanese, GB18030 Chinese, WINDOWS-1250 Czech, WINDOWS-1254 Turkish)"
"""What a hint that names the encoding of Western Europe adds."""
_REENCODE = (
    "Save a table as CSV UTF-8 or xlsx, or re-encode it, for example: iconv -f WINDOWS-1252 -t UTF-8 {name} > "
    f"{{name}}.utf8 {OTHER_ENCODINGS}"
)
_MIXED = (
    "Other lines are UTF-8, so two encodings are mixed: correct this line, or leave such bytes out: "
    "iconv -c -f UTF-8 -t UTF-8 {name} > {name}.utf8"
)


@dataclass(frozen=True, eq=False)
class Source:
    """One file of a release: where it is, how it is packed, and the fingerprint of its bytes on disk."""

    packed: Packed

    @property
    def path(self) -> Path:
        """The file on disk; of a split file the first part."""
        return self.packed.files[0].path

    @property
    def files(self) -> tuple[DiskFile, ...]:
        """The files on disk: more than one where the file was split."""
        return self.packed.files

    @property
    def name(self) -> str:
        """The path within the folder or archive, in posix form, or the base name; without ``.gz`` and the like."""
        return self.packed.name

    @property
    def label(self) -> str:
        """Where it is, for people: the path on disk, and within an archive the member."""
        return self.packed.label

    @property
    def compression(self) -> Compression:
        """How the file on disk is packed."""
        return self.packed.compression

    @property
    def size(self) -> int:
        """Bytes on disk, of the whole archive where it is in one."""
        return sum(file.size for file in self.files)

    @property
    def sha256(self) -> str:
        """SHA-256 of the file on disk in hex, or where it was split, of that of its parts."""
        if len(self.files) == 1:
            return self.files[0].sha256
        return hashlib.sha256("".join(file.sha256 for file in self.files).encode()).hexdigest()

    def fail(self, line: int | None, problem: str, hint: str = "") -> NoReturn:
        """Raises a ``FormatError`` about this file."""
        raise FormatError(self.label, problem, line=line, hint=hint)

    @contextmanager
    def open(self, *, nuls: bool = False, binary: bool = False) -> Iterator[GuardedStream]:
        """The unpacked bytes as a stream whose ``read`` raises ``FormatError`` for anything wrong with the file.

        It also raises for what text does not have: NUL bytes (``nuls`` allows them, for readers that count such rows),
        ``MAX_LINE`` bytes without a line break, quote or tag, and UTF-16, except in XML, which states its encoding.
        ``binary`` allows anything. A byte order mark is part of the stream.
        """
        with ExitStack() as stack:
            with naming_faults(self.label):
                stream = self.packed.place.open(stack)
            yield GuardedStream(self, stream, nuls=nuls, binary=binary)

    def read(self) -> bytes:
        """All unpacked bytes, without a byte order mark; raises ``FormatError`` as ``open`` does."""
        with self.open() as stream:
            parts = list(iter(lambda: stream.read(_CHUNK), b""))
        return b"".join(parts).removeprefix(_UTF8_BOM)

    def head(self, size: int = HEAD) -> str:
        """The beginning, at most ``size`` and ``HEAD`` bytes, for sniffing: bytes that are not UTF-8 are replaced."""
        start = _beginning(self)[:size]
        encoding = "utf-16" if start.startswith(_UTF16_BOMS) else "utf-8-sig"
        return start.decode(encoding, errors="replace")

    def refuse_old_line_ends(self) -> None:
        """Raises where the first lines end with a carriage return alone: all of them would be read as one."""
        start = _beginning(self)
        if b"\r" in start[:-1] and b"\n" not in start and not start.startswith(_UTF16_BOMS):
            hint = "Write them anew: tr '\\r' '\\n' < {name} > {name}.text".format(name=_base(self))
            self.fail(1, "lines end with a carriage return alone, as on Macs of old", hint)

    def lines(self) -> Iterator[str]:
        """The lines of the file without their endings (``\\n`` or ``\\r\\n``).

        Raises:
            FormatError: not UTF-8 or a NUL byte (names line and byte offset), or a line longer than ``MAX_LINE``.
        """
        line_number, offset, rest = 1, 0, bytearray()
        with self.open() as stream:
            while chunk := stream.read(_CHUNK):
                if offset == 0 and not rest:
                    offset = len(_UTF8_BOM) if chunk.startswith(_UTF8_BOM) else 0
                    chunk = chunk[offset:]
                whole, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    if line_number == 1 and b"\r" in chunk[:-1]:
                        self.refuse_old_line_ends()
                    rest += chunk
                    if len(rest) > MAX_LINE:
                        raise endless(self, line_number)
                    continue
                block = bytes(rest) + whole if rest else whole
                rest = bytearray(tail)
                lines = self._decode(block, line_number, offset).split("\n")
                line_number += len(lines)
                offset += len(block) + 1
                refuse_short_lines(self, line_number, offset)
                for line in lines:
                    yield line[:-1] if line.endswith("\r") else line
            if rest:
                yield self._decode(bytes(rest), line_number, offset).removesuffix("\r")

    def _decode(self, block: bytes, line_number: int, offset: int) -> str:
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            line = line_number + block.count(b"\n", 0, error.start)
            problem = f"not UTF-8: byte 0x{block[error.start]:02x} at offset {offset + error.start:,}"
            hint = _REENCODE if block[: error.start].isascii() else _MIXED
            raise FormatError(self.label, problem, line=line, hint=hint.format(name=_base(self))) from None


class GuardedStream:
    """A stream of bytes that counts what it unpacked, and stops a decompression bomb before it fills the memory.

    Unless it is ``binary``, it refuses what no text has, as `Source.open` says.
    """

    def __init__(self, source: Source, raw: Readable, *, nuls: bool = False, binary: bool = False) -> None:
        self._source = source
        self._raw = raw
        self._got = 0
        self._nuls = nuls
        self._binary = binary
        self._unbroken = 0
        packed = source.packed
        self._limit = growth(packed.packed_size) if packed.compression != "plain" else None

    def read(self, size: int = _CHUNK, /) -> bytes:
        """The next ``size`` bytes, fewer only where the file ends."""
        data = self._read_some(size)
        if 0 < len(data) < size:
            parts, missing = [data], size - len(data)
            while missing and (data := self._read_some(missing)):
                parts.append(data)
                missing -= len(data)
            data = b"".join(parts)
        if not self._binary:
            self._check_text(data, self._got - len(data))
        return data

    def _check_text(self, data: bytes, offset: int) -> None:
        if offset == 0 and data.startswith(_UTF16_BOMS):
            if data.startswith(_UTF16_XML):
                self._nuls = True
                return
            name = _base(self._source)
            hint = f"Re-encode it: iconv -f UTF-16 -t UTF-8 {name} > {name}.utf8"
            raise FormatError(self._source.label, "UTF-16 text where UTF-8 is needed", line=1, hint=hint)
        if not self._nuls and b"\0" in data:
            raise self._nul(offset + data.index(b"\0"))
        self._unbroken = 0 if any(mark in data for mark in _MARKS) else self._unbroken + len(data)
        if self._unbroken > MAX_LINE:
            raise endless(self._source, self._line_at(offset))

    def _read_some(self, size: int) -> bytes:
        """The next bytes; FormatError for a truncated file and for one that unpacks to too much."""
        label = self._source.label
        try:
            with naming_faults(label):
                data = self._raw.read(size)
        except EOFError:
            problem = f"truncated {self._source.compression}, got {count(self._got, 'byte')}"
            raise FormatError(label, problem, hint=AGAIN) from None
        self._got += len(data)
        if self._limit is not None:
            if self._got > self._limit:
                raise too_large(label, self._limit)
            allowance = self._source.packed.allowance
            if not allowance.grow(label, self._got):
                raise too_large(str(self._source.path), allowance.limit)
        return data

    def _nul(self, offset: int) -> FormatError:
        source, line = self._source, self._line_at(offset)
        name = _base(source)
        hint = f"Take such bytes out: tr -d '\\000' < {name} > {name}.text; or re-encode it if it is UTF-16"
        return FormatError(source.label, f"a NUL byte at offset {offset:,}: not UTF-8 text", line=line, hint=hint)

    def _line_at(self, offset: int) -> int:
        """The line that a byte is in, counted from the beginning of the file."""
        line, left = 1, offset
        with self._source.open(binary=True) as stream:
            while left and (data := stream.read(min(left, _CHUNK))):
                line += data.count(b"\n")
                left -= len(data)
        return line


def endless(source: Source, line: int) -> FormatError:
    """The error for a line of more than ``MAX_LINE`` bytes."""
    hint = "Is it really a text file of the format named?"
    return FormatError(source.label, f"line longer than {MAX_LINE:,} bytes", line=line, hint=hint)


def refuse_short_lines(source: Source, line: int, offset: int) -> None:
    """Raises where the lines before ``line``, which begins at ``offset``, are too many for their bytes."""
    if line > SHORT_LINES and offset < _SHORT * line:
        source.fail(line, f"{line - 1:,} lines of hardly a character each", "Take its blank lines out")


def _base(source: Source) -> str:
    return source.name.rpartition("/")[2]


_beginnings: WeakKeyDictionary[Source, bytes] = WeakKeyDictionary()


def _beginning(source: Source) -> bytes:
    """The first ``HEAD`` bytes, cached for the latest sources: there may be tens of thousands."""
    start = _beginnings.get(source)
    if start is None:
        with source.open(binary=True) as stream:
            start = stream.read(HEAD)
        while len(_beginnings) >= _KEPT_HEADS:
            _beginnings.popitem()
        _beginnings[source] = start
    return start


def open_source(path: Path | str) -> Source:
    """The file, which must exist and not be empty; for an archive the only file in it.

    Raises:
        FormatError: missing, a directory, unreadable, empty, or an archive of several files.
    """
    path = Path(path)
    with naming_faults(path):
        if path.is_dir():
            raise FormatError(path, "is a directory, not a file", hint="Name the file inside it")
    sources = open_sources([path])
    if len(sources) != 1:
        names = ", ".join(source.name for source in sources[:5]) or "nothing"
        problem = f"an archive of {len(sources)} files ({names}), expected exactly one"
        raise FormatError(path, problem, hint="Unpack it and name the file")
    return sources[0]


def open_sources(paths: Sequence[Path | str]) -> list[Source]:
    """The files of a release, by name within each path: files, folders, and what is in archives and split files.

    Raises:
        FormatError: missing, empty or unreadable; an archive that is damaged, encrypted or not a normal release.
    """
    return [Source(packed) for packed in gather(paths).packed]
