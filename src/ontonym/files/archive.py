"""The single files of a release: folders are walked, archives opened and split files joined.

Nothing is written to disk, so the name of a member cannot lead out of a folder; one that tries to is refused anyway.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TypeVar, cast

from ontonym.errors import FormatError
from ontonym.files.packing import (
    AGAIN,
    Compression,
    JoinedParts,
    OnDisk,
    Place,
    Spooled,
    StoredMember,
    Unpacked,
    ZipMember,
    naming_faults,
    too_large,
)
from ontonym.files.workbooks import SHEET, TableAsCsv, binary_format, opened, other_sheets, workbook_and_sheet

_T = TypeVar("_T")

MAX_EXPANSION = 100
"""A packed file may grow to this many times its size, or to ``FREE_EXPANSION`` bytes if that is more. This holds for
every file in an archive, and for all of them together."""
FREE_EXPANSION = 64 << 20
MAX_FILES = 100_000
"""Most files in a folder or an archive."""
LONGEST_NAME = 4_096
"""Characters of the name of a file in an archive: more are in no path that a system opens."""

_START = 512
_UNPACK = "If you trust it, unpack it yourself and name the folder"
_PART = re.compile(r"[a-z]{2}")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_MAGIC = slice(257, 262)
_STREAMS: tuple[tuple[bytes, Compression, tuple[str, ...]], ...] = (
    (b"\x1f\x8b", "gzip", (".gz", ".tgz")),
    (b"BZh", "bzip2", (".bz2", ".tbz2")),
    (b"\xfd7zXZ\x00", "xz", (".xz", ".txz")),
)
_OTHERS: tuple[tuple[bytes, str, str], ...] = (
    # how it begins, what it is, what to do
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (xls) or office document", "Save its sheet as xlsx or CSV UTF-8"),
    (b"SQLite format 3\0", "an SQLite database", "Export its table: sqlite3 -header -csv FILE 'select …' > OUT.csv"),
)
"""Files of other programs that people take for tables."""
_OFFICE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@dataclass(frozen=True, eq=False)
class DiskFile:
    """A file on disk: ``name`` is its path inside the folder that was given, or its base name."""

    path: Path
    name: str
    size: int

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes on disk, in hex; computed when first asked for."""
        with naming_faults(self.path), self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(eq=False)
class Allowance:
    """How many bytes the contents of one file on disk may unpack to, and how many they did; each member counts once."""

    limit: int
    _grown: dict[str, int] = field(default_factory=dict)
    _total: int = 0

    def grow(self, label: str, size: int) -> bool:
        """Notes that ``label`` unpacks to at least ``size`` bytes; False where that is too much in all."""
        before = self._grown.get(label, 0)
        if size > before:
            self._grown[label] = size
            self._total += size - before
        return self._total <= self.limit


@dataclass(frozen=True, eq=False)
class Packed:
    """One file of a release, found through folders, archives and compression.

    ``files`` are those on disk that it comes from; ``label`` says where it is, for people; ``packed_size`` is what it
    takes on disk, in bytes. ``named`` is True for a file that the user named, False for one that was found in a folder
    or archive.
    """

    files: tuple[DiskFile, ...]
    place: Place
    name: str
    label: str
    compression: Compression
    packed_size: int
    named: bool
    allowance: Allowance


@dataclass(frozen=True)
class Gathered:
    """All files of a release, by name within each given path, and the names of those that cannot be part of it."""

    packed: tuple[Packed, ...]
    left_out: tuple[str, ...]


def growth(size: int) -> int:
    """The most bytes that ``size`` packed bytes may unpack to."""
    return max(FREE_EXPANSION, MAX_EXPANSION * size)


def gather(paths: Sequence[Path | str]) -> Gathered:
    """The files of the release at ``paths``: files, folders and archives, in the order given.

    Raises:
        FormatError: missing, empty or unreadable; an archive that is damaged, encrypted or not a normal release.
    """
    left_out: list[str] = []
    packed: list[Packed] = []
    for path in map(Path, paths):
        with naming_faults(path):
            is_folder = path.is_dir()
        if is_folder:
            for disk in _walk(path, left_out):
                packed.extend(_expand(_whole(disk, named=False), left_out))
        else:
            packed.extend(_expand(replace(_whole(_checked(path), named=True), label=str(path)), left_out))
    read = {one.name for one in packed}
    return Gathered(tuple(_join_parts(packed)), tuple(name for name in dict.fromkeys(left_out) if name not in read))


def _checked(given: Path) -> DiskFile:
    """The file at ``given``, or the workbook whose sheet it names, which must exist and not be empty."""
    path = workbook_and_sheet(given)[0]
    with naming_faults(path):
        if not path.exists():
            raise FormatError(path, "no such file", hint="Check the path")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            hint = "It is read more than once: write it to a file first"
            raise FormatError(path, "is not a file but a pipe or device", hint=hint)
        if not status.st_size:
            raise FormatError(path, "the file is empty", hint=AGAIN)
    return DiskFile(path, given.name, status.st_size)


def _walk(folder: Path, left_out: list[str]) -> Iterator[DiskFile]:
    """The files below a folder by name; links are not followed."""
    found: list[DiskFile] = []

    def refuse(error: OSError) -> None:
        raise error

    with naming_faults(folder):
        for place, folders, files in os.walk(folder, onerror=refuse):
            links = [name for name in folders if Path(place, name).is_symlink()]
            folders[:] = [name for name in folders if not _hidden(name)]
            for name in (*links, *files):
                path = Path(place, name)
                inner = path.relative_to(folder).as_posix()
                if _hidden(name):
                    continue
                status = path.lstat()
                if stat.S_ISREG(status.st_mode) and status.st_size:
                    found.append(DiskFile(path, inner, status.st_size))
                else:
                    left_out.append(inner)
            if len(found) > MAX_FILES:
                problem = f"more than {MAX_FILES:,} files in it"
                raise FormatError(folder, problem, hint="Name the folder of one release")
    return iter(sorted(found, key=lambda disk: disk.name))


def _hidden(name: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def _whole(disk: DiskFile, *, named: bool) -> Packed:
    allowance = Allowance(growth(disk.size))
    place = OnDisk(disk.path)
    return Packed((disk,), place, disk.name, str(disk.path), "plain", disk.size, named, allowance)


def _expand(item: Packed, left_out: list[str], depth: int = 0) -> Iterator[Packed]:
    """The files in an archive or compressed file, else the file itself; archives are opened two levels deep.

    A workbook or Parquet file that is named is the table in it, as CSV; the other sheets of the workbook are left out.
    """
    own = isinstance(item.place, OnDisk)
    if item.named and (form := binary_format(item.files[0].path.name if own else item.name)):
        limit = growth(item.packed_size)
        packed = None if own else Spooled(item.place, item.label, limit)
        if form == SHEET:
            with ExitStack() as stack:
                left_out.extend(other_sheets(item.label, opened(packed, stack) if packed else None))
        yield replace(item, place=Spooled(TableAsCsv(Path(item.label), form, packed), item.label, limit))
        return
    start = _start(item)
    for magic, compression, endings in _STREAMS:
        if start.startswith(magic):
            yield from _expand_stream(item, compression, endings, left_out, depth)
            return
    for magic, called, hint in _OTHERS:
        if item.named and start.startswith(magic):
            raise FormatError(item.label, f"{called}, not a release or table", hint=hint)
    if start.startswith(_ZIP) and depth < 2:
        yield from _expand_zip(item, left_out, depth)
    elif _is_tar(start, item.name) and depth < 2:
        yield from _expand_tar(item, left_out, depth)
    else:
        yield item


def _start(item: Packed) -> bytes:
    with naming_faults(item.label), ExitStack() as stack:
        try:
            stream = item.place.open(stack)
            start = b""
            while len(start) < _START and (data := stream.read(_START - len(start))):
                start += data
        except EOFError:
            raise FormatError(item.label, f"truncated {item.compression}", hint=AGAIN) from None
    return start


def _is_tar(start: bytes, name: str) -> bool:
    return start[_TAR_MAGIC] == b"ustar" or name.lower().endswith((".tar", ".tgz"))


def _expand_stream(
    item: Packed, compression: Compression, endings: tuple[str, ...], left_out: list[str], depth: int
) -> Iterator[Packed]:
    name = next((item.name[: -len(end)] for end in endings if item.name.lower().endswith(end)), item.name)
    outer = compression if item.compression == "plain" else item.compression
    inner = replace(item, place=Unpacked(item.place, compression), name=name, compression=outer)
    if _is_tar(_start(inner), item.name) and depth < 2:
        yield from _expand_tar(inner, left_out, depth)
    else:
        yield from _expand(inner, left_out, 2) if binary_format(name) else (inner,)


def _expand_zip(item: Packed, left_out: list[str], depth: int) -> Iterator[Packed]:
    """The members of a zip, those that are archives expanded in turn; an office document stays whole."""
    place = _seekable(item)
    with naming_faults(item.label), ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(cast(IO[bytes], place.open(stack))))
        except zipfile.BadZipFile as error:
            raise FormatError(item.label, f"damaged archive or truncated zip ({error})", hint=AGAIN) from None
        members = [info for info in archive.infolist() if not info.is_dir()]
    if any(info.filename in _OFFICE for info in members):
        if item.named:
            hint = "Save its sheet as CSV or xlsx, and give that"
            raise FormatError(item.label, "an office document or a program, not a release", hint=hint)
        yield item
        return
    named = _by_safe_name(item, [(info.filename, info) for info in members])
    for name, info in named:
        _check_member(item, info)
        if not item.allowance.grow(f"{item.label}/{name}", info.file_size):
            raise too_large(item.label, item.allowance.limit)
    for name, info in named:
        member = ZipMember(place, info)
        if info.file_size:
            child = _child(item, name, member, "zip", info.compress_size)
            alone = item.named and len(named) == 1 and binary_format(name) is not None
            yield from _expand(replace(child, named=alone), left_out, depth + 1)
        else:
            left_out.append(name)


def _check_member(item: Packed, info: zipfile.ZipInfo) -> None:
    if info.flag_bits & 1:
        hint = "Unpack it yourself with its password, and name the folder"
        raise FormatError(item.label, f"{info.filename!r} in it is encrypted", hint=hint)
    if info.compress_type not in _METHODS:
        method = {9: "Deflate64"}.get(info.compress_type, f"method {info.compress_type}")
        problem = f"{info.filename!r} in it is compressed with {method}, which cannot be read here"
        raise FormatError(item.label, problem, hint="Unpack it yourself and name the folder")


def _expand_tar(item: Packed, left_out: list[str], depth: int) -> Iterator[Packed]:
    """The files in a tar archive and in the archives in it; links and empty files are left out."""
    place = _seekable(item)
    with naming_faults(item.label), ExitStack() as stack:
        try:
            archive = stack.enter_context(tarfile.open(fileobj=cast(IO[bytes], place.open(stack)), mode="r:"))
            members = [info for info in archive if not info.isdir()]
        except EOFError:
            raise FormatError(item.label, f"truncated {item.compression}", hint=AGAIN) from None
        except tarfile.ReadError as error:
            raise FormatError(item.label, f"damaged archive or truncated tar ({error})", hint=AGAIN) from None
    for name, info in _by_safe_name(item, [(info.name, info) for info in members]):
        if info.isreg() and not info.issparse() and info.size:
            member = StoredMember(place, info.offset_data, info.size)
            yield from _expand(_child(item, name, member, "tar", info.size), left_out, depth + 1)
        else:
            left_out.append(name)


def _seekable(item: Packed) -> Place:
    """The place of an archive, copied if it cannot seek."""
    place = item.place
    if place.seekable:
        return place
    if isinstance(place, ZipMember) and place.info.compress_type == zipfile.ZIP_STORED:
        with naming_faults(item.label):
            return StoredMember(place.of, place.offset(), place.info.compress_size)
    return Spooled(place, item.label, growth(item.packed_size))


def _child(item: Packed, name: str, place: Place, compression: Compression, size: int) -> Packed:
    outer = compression if item.compression == "plain" else item.compression
    label = f"{item.label}/{name}"
    return Packed(item.files, place, name, label, outer, size, named=False, allowance=item.allowance)


def _by_safe_name(item: Packed, members: Sequence[tuple[str, _T]]) -> list[tuple[str, _T]]:
    """The members by name, without hidden ones; raises for names that no normal archive has."""
    if len(members) > MAX_FILES:
        raise FormatError(item.label, f"more than {MAX_FILES:,} files in it", hint=_UNPACK)
    named: dict[str, _T] = {}
    for published, member in members:
        if len(published) > LONGEST_NAME:
            problem = f"a file in it has a name of {len(published):,} characters; {LONGEST_NAME:,} are the most"
            raise FormatError(item.label, problem, hint=_UNPACK)
        parts = [part for part in published.replace("\\", "/").split("/") if part not in ("", ".")]
        if published.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", published):
            problem = f"the name {published!r} in it leads out of the archive: not a normal release file"
            raise FormatError(item.label, problem, hint=_UNPACK)
        name = "/".join(parts)
        if name in named:
            raise FormatError(item.label, f"{name!r} is in it twice", hint=_UNPACK)
        named[name] = member
    return [(name, named[name]) for name in sorted(named) if not _hidden(name)]


def _join_parts(packed: Sequence[Packed]) -> list[Packed]:
    """The files; the parts of a split file (``X.RRF.aa.gz``, ``X.RRF.ab.gz``) become one, named ``X.RRF``."""
    split: dict[str, dict[str, Packed]] = {}
    for item in packed:
        whole_name, part = _part_of(item.name) if isinstance(item.place, Unpacked) else ("", "")
        parts = split.setdefault(whole_name, {}) if part else {}
        if part in parts:
            problem = f"a part of {whole_name.rpartition('/')[2]} that is there twice, as {parts[part].label} too"
            raise FormatError(item.label, problem, hint="Import one release at a time")
        parts[part] = item
    whole: list[Packed] = []
    for item in packed:
        whole_name, part = _part_of(item.name)
        parts = split.get(whole_name, {}) if part else {}
        if item not in parts.values() or not parts.keys() & {"aa", "ab"}:
            whole.append(item)
        elif item is parts[min(parts)]:
            whole.append(_joined(whole_name, parts))
    return whole


def _part_of(name: str) -> tuple[str, str]:
    """The name of the file that this is a part of by its name, and which part, such as ``aa``; empty for none."""
    whole, _, part = name.rpartition(".")
    return (whole, part) if _PART.fullmatch(part) and "." in whole.rpartition("/")[2] else ("", "")


def _joined(name: str, parts: dict[str, Packed]) -> Packed:
    """One file of all parts of a split one, in order; FormatError if a part is missing."""
    ordered = [parts[key] for key in sorted(parts)]
    first = ordered[0]
    for number, key in enumerate(sorted(parts)):
        expected = chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
        if key != expected:
            missing = first.name.removesuffix(min(parts)) + expected
            hint = "Download or copy all parts into one place"
            raise FormatError(first.label, f"a split file of which the part {missing} is missing", hint=hint)
    return replace(
        first,
        files=tuple(dict.fromkeys(file for part in ordered for file in part.files)),
        place=JoinedParts(tuple(part.place for part in ordered)),
        name=name,
        packed_size=sum(part.packed_size for part in ordered),
        named=all(part.named for part in ordered),
    )
