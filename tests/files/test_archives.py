"""What a publisher sent, in every shape: folders, zips in zips, tars, split files; and archives that mean harm."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import pickle
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.files import archive as archive_module
from ontonym.files import packing as packing_module
from ontonym.files.archive import LONGEST_NAME
from ontonym.files.source import Source, open_source, open_sources

Write = Callable[[str, str | bytes], Path]
Members = dict[str, bytes]


def zipped(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members: Members, *others: tarfile.TarInfo, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in others:
            archive.addfile(info)
    return buffer.getvalue()


def folder(root: Path, members: Members) -> Path:
    for name, data in members.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def contents(sources: list[Source]) -> dict[str, bytes]:
    return {source.name: source.read() for source in sources}


RELEASE: Members = {
    "Docs/readme.txt": b"hello\n",
    "META/A.RRF": b"1|a\n",
    "META/B.RRF.gz": gzip.compress(b"2|b\n"),
    "META/.hidden": b"x",
    "__MACOSX/META/._A.RRF": b"x",
    ".DS_Store": b"x",
}
READ = {"Docs/readme.txt": b"hello\n", "META/A.RRF": b"1|a\n", "META/B.RRF": b"2|b\n"}


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("r.zip", zipped),
        ("stored.zip", lambda m: zipped(m, zipfile.ZIP_STORED)),
        ("bzip2.zip", lambda m: zipped(m, zipfile.ZIP_BZIP2)),
        ("lzma.zip", lambda m: zipped(m, zipfile.ZIP_LZMA)),
        ("r.tar", tarred),
        ("r.tgz", lambda m: tarred(m, mode="w:gz")),
        ("r.tar.gz", lambda m: tarred(m, mode="w:gz")),
        ("r.tar.bz2", lambda m: tarred(m, mode="w:bz2")),
        ("r.tar.xz", lambda m: tarred(m, mode="w:xz")),
        ("no-ending", zipped),
    ],
)
def test_an_archive_is_read_as_its_folder(write: Write, name: str, pack: Callable[[Members], bytes]) -> None:
    sources = open_sources([write(name, pack(RELEASE))])
    assert contents(sources) == READ
    assert [source.name for source in sources] == sorted(READ)
    assert {source.head() for source in sources} == {data.decode() for data in READ.values()}


def test_a_folder_is_walked_by_name_with_the_archives_in_it(tmp_path: Path) -> None:
    inner = zipped({"deep/C.txt": b"3\n"})
    root = folder(tmp_path / "r", {**RELEASE, "Docs/c.zip": inner, "META/empty": b""})
    sources = open_sources([root])
    assert contents(sources) == {**READ, "deep/C.txt": b"3\n"}
    by_name = {source.name: source for source in sources}
    assert by_name["META/A.RRF"].path == root / "META/A.RRF"
    assert by_name["deep/C.txt"].path == root / "Docs/c.zip"
    assert by_name["deep/C.txt"].label == f"{root}/Docs/c.zip/deep/C.txt"
    assert [file.name for file in by_name["META/B.RRF"].files] == ["META/B.RRF.gz"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_in_a_zip_is_opened_but_not_a_third(write: Write, method: int) -> None:
    third = zipped({"x.txt": b"third"})
    second = zipped({"META/A.RRF": b"1|a\n", "META/third.zip": third}, method)
    sources = open_sources([write("full.zip", zipped({"2024AA/meta.nlm": second, "README": b"read me"}, method))])
    assert [source.name for source in sources] == ["META/A.RRF", "META/third.zip", "README"]
    assert sources[0].read() == b"1|a\n"
    with sources[1].open(binary=True) as stream:
        assert stream.read() == third


def test_the_parts_of_a_split_file_are_one_wherever_they_are(write: Write) -> None:
    whole = b"".join(b"C%07d|ENG|name %d\n" % (i, i) for i in range(3000))
    parts = {f"META/MRCONSO.RRF.a{letter}.gz": gzip.compress(whole[i * 20000 : (i + 1) * 20000]) for i, letter in
             enumerate("abcd")}  # fmt: skip
    assert whole[20000 - 1 : 20001].count(b"\n") == 0, "the cut is inside a row"
    first = {name: data for name, data in parts.items() if ".aa" in name or ".ac" in name}
    second = {name: data for name, data in parts.items() if name not in first}
    nested = zipped({"1.nlm": zipped(second), "2.nlm": zipped(first)}, zipfile.ZIP_STORED)
    for path in (write("meta.zip", zipped(parts)), write("full.zip", nested)):
        (source,) = open_sources([path])
        assert source.name == "META/MRCONSO.RRF"
        assert source.read() == whole
        assert list(source.lines())[2999] == "C0002999|ENG|name 2999"
        assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_split_files_named_one_by_one_are_one_source_of_several_files(write: Write) -> None:
    paths = [write(f"A.RRF.{part}.gz", gzip.compress(data)) for part, data in (("ab", b"|b\n2|c\n"), ("aa", b"1"))]
    (source,) = open_sources(paths)
    assert (source.name, source.read()) == ("A.RRF", b"1|b\n2|c\n")
    assert [file.name for file in source.files] == ["A.RRF.aa.gz", "A.RRF.ab.gz"]
    assert source.size == sum(path.stat().st_size for path in paths)
    digests = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in reversed(paths))
    assert source.sha256 == hashlib.sha256(digests.encode()).hexdigest()


def test_a_missing_or_doubled_part_is_an_error(tmp_path: Path) -> None:
    part = gzip.compress(b"1\n")
    for names, problem in (
        (("aa", "ac"), r"A\.RRF\.aa\.gz: a split file of which the part A\.RRF\.ab is missing"),
        (("ab", "ac"), r"A\.RRF\.ab\.gz: a split file of which the part A\.RRF\.aa is missing"),
    ):
        root = folder(tmp_path / "".join(names), {f"A.RRF.{name}.gz": part for name in names})
        with pytest.raises(FormatError, match=problem):
            open_sources([root])
    root = folder(tmp_path / "x", {f"{i}.zip": zipped({"META/A.RRF.aa.gz": part}) for i in (1, 2)})
    with pytest.raises(FormatError, match=r"2\.zip/META/A\.RRF\.aa\.gz: a part of A\.RRF that is there twice"):
        open_sources([root])


def test_files_whose_ending_is_a_language_are_no_parts(tmp_path: Path) -> None:
    names = ("labels.aa", "labels.ab", "x.tsv.de", "x.tsv.en")
    root = folder(tmp_path / "r", {f"{name}.gz": gzip.compress(name.encode()) for name in names})
    assert contents(open_sources([root])) == {name: name.encode() for name in names}


@pytest.mark.parametrize(("ending", "pack"), [("bz2", bz2.compress), ("xz", lzma.compress), ("gz", gzip.compress)])
def test_streams_one_after_the_other_are_one(write: Write, ending: str, pack: Callable[[bytes], bytes]) -> None:
    source = open_source(write(f"a.txt.{ending}", pack(b"one\nt") + pack(b"wo\n")))
    assert (source.name, list(source.lines())) == ("a.txt", ["one", "two"])


def test_a_file_on_disk_is_hashed_once_and_only_when_asked(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    digest = hashlib.file_digest

    def counted(stream: Any, name: str) -> object:
        calls.append(name)
        return digest(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    path = write("a.zip", zipped({f"{i}.txt": b"x" for i in range(20)}))
    sources = open_sources([path])
    assert not calls
    assert {source.sha256 for source in sources} == {hashlib.sha256(path.read_bytes()).hexdigest()}
    assert len(calls) == 1


def test_head_unpacks_no_more_than_it_gives(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.zip", zipped({"a.txt": os.urandom(4 << 20), "b.txt": b"short"}))
    sources = open_sources([path])
    read: list[int] = []
    original = packing_module._WindowStream.read

    def counted(self: packing_module._WindowStream, size: int = -1) -> bytes:
        read.append(size)
        return original(self, size)

    monkeypatch.setattr(packing_module._WindowStream, "read", counted)
    assert len(sources[0].head(1 << 10)) <= 1 << 10
    assert sum(read) < 1 << 18
    before = len(read)
    assert sources[0].head()
    assert len(read) == before


def test_read_gives_whole_blocks_up_to_the_end(write: Write) -> None:
    data = b"0123456789abcdef" * (1 << 17)
    packed = {"a.txt": data, "b.txt.gz": gzip.compress(data[: 1 << 20]) + gzip.compress(data[1 << 20 :])}
    for source in open_sources([write("a.zip", zipped(packed))]):
        with source.open() as stream:
            blocks = list(iter(lambda: stream.read(300_000), b""))
        assert [len(block) for block in blocks] == [300_000] * 6 + [len(data) - 1_800_000]
        assert b"".join(blocks) == data


def test_members_of_a_tar_are_read_in_any_order_and_after_pickling(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing_module, "_IN_MEMORY", 1000)
    members = {f"{i}.txt": os.urandom(400).hex().encode() for i in range(20)}
    sources = open_sources([write("a.tgz", tarred(members, mode="w:gz"))])
    assert {s.name: s.read() for s in reversed(sources)} == members
    with sources[3].open() as one, sources[9].open() as other:
        mixed = [one.read(300), other.read(300), one.read(), other.read()]
    assert (mixed[0] + mixed[2], mixed[1] + mixed[3]) == (members[sources[3].name], members[sources[9].name])
    copy: Source = pickle.loads(pickle.dumps(sources[3]))  # noqa: S301 - our own bytes
    assert copy.read() == members[sources[3].name]


def test_zip64_and_backslashes_are_fine(write: Write) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        with archive.open("big.txt", "w", force_zip64=True) as member:
            member.write(b"1\n")
        archive.writestr("x", b"2\n")
        archive.filelist[-1].filename = "Snapshot\\Terminology\\x.txt"
        archive.filelist[-1].orig_filename = "Snapshot\\Terminology\\x.txt"
    assert contents(open_sources([write("a.zip", buffer.getvalue())])) == {
        "Snapshot/Terminology/x.txt": b"2\n",
        "big.txt": b"1\n",
    }


def test_links_and_special_files_are_not_followed(tmp_path: Path) -> None:
    outside = folder(tmp_path / "outside", {"secret.txt": b"secret"})
    root = folder(tmp_path / "r", {"a.txt": b"a"})
    (root / "file").symlink_to(outside / "secret.txt")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe")
    assert contents(open_sources([root])) == {"a.txt": b"a"}
    link = tarfile.TarInfo("link.txt")
    link.type, link.linkname = tarfile.SYMTYPE, str(outside / "secret.txt")
    device = tarfile.TarInfo("device")
    device.type = tarfile.CHRTYPE
    (tmp_path / "a.tar").write_bytes(tarred({"a.txt": b"a"}, link, device))
    gathered = archive_module.gather([tmp_path / "a.tar", root])
    assert [packed.name for packed in gathered.packed] == ["a.txt", "a.txt"]
    assert sorted(gathered.left_out) == ["device", "file", "folder", "link.txt", "loop", "pipe"]
    with pytest.raises(FormatError, match=r"pipe: is not a file but a pipe or device"):
        open_sources([root / "pipe"])


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "a/../../b", "C:\\x.txt", "c:/x", "..\\x"])
def test_names_that_lead_out_are_refused(write: Write, name: str) -> None:
    for path in (write("a.zip", zipped({"ok": b"1", name: b"x"})), write("a.tar", tarred({"ok": b"1", name: b"x"}))):
        with pytest.raises(FormatError, match=r"leads out of the archive: not a normal release file"):
            open_sources([path])


def test_a_name_of_thousands_of_characters_is_refused_at_once(write: Write) -> None:
    name = "a" * (LONGEST_NAME + 1)
    for path in (write("a.zip", zipped({name: b"1"})), write("a.tar", tarred({name: b"1"}))):
        with pytest.raises(FormatError, match=r"a name of 4,097 characters; 4,096 are the most"):
            open_sources([path])
    began = time.process_time()
    (source,) = open_sources([write("b.zip", zipped({name[1:]: b"1"}))])
    assert len(source.name) == LONGEST_NAME
    assert time.process_time() - began < 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(write: Write) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", b"1")
        archive.writestr("a.txt", b"2")
    with pytest.raises(FormatError, match=r"'a\.txt' is in it twice"):
        open_sources([write("a.zip", buffer.getvalue())])


def _patched(data: bytes, at: int, value: int) -> bytes:
    """The zip with a two-byte field changed, in the central directory (``at`` counts from its signature)."""
    place = data.index(b"PK\x01\x02") + at
    return data[:place] + struct.pack("<H", value) + data[place + 2 :]


def test_encrypted_and_unknown_compression_say_what_to_do(write: Write) -> None:
    packed = zipped({"a.txt": b"1"})
    with pytest.raises(FormatError, match=r"'a\.txt' in it is encrypted\. Unpack it yourself with its password"):
        open_sources([write("a.zip", _patched(packed, 8, 1))])
    with pytest.raises(FormatError, match=r"compressed with Deflate64, which cannot be read here\. Unpack it yourself"):
        open_sources([write("b.zip", _patched(packed, 10, 9))])


@pytest.mark.parametrize(
    ("start", "said"),
    [(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"an old Excel workbook \(xls\).*Save its sheet as xlsx"),
     (b"SQLite format 3\0\x10\0", r"an SQLite database.*sqlite3 -header -csv")],
)  # fmt: skip
def test_files_of_other_programs_say_how_to_export(write: Write, tmp_path: Path, start: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        open_sources([write("codes.db", start + b"\0" * 100)])
    root = folder(tmp_path / "r", {"codes.db": start + b"\0" * 100, "a.txt": b"a"})
    assert {one.name for one in open_sources([root])} == {"a.txt", "codes.db"}, "found, it is passed over later"


def test_office_documents_are_not_unpacked(write: Write, tmp_path: Path) -> None:
    sheet = zipped({"[Content_Types].xml": b"<Types/>", "xl/sharedStrings.xml": b"<sst/>"})
    with pytest.raises(FormatError, match=r"an office document or a program, not a release\. Save its sheet as CSV"):
        open_sources([write("codes.docx", sheet)])
    with pytest.raises(FormatError, match=r"codes\.xlsx: cannot be read as an Excel workbook"):
        open_sources([write("codes.xlsx", sheet)])[0].read()
    root = folder(tmp_path / "r", {"codes.xlsx": sheet, "a.txt": b"a"})
    assert [source.name for source in open_sources([root])] == ["a.txt", "codes.xlsx"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_a_truncated_tar_is_named(write: Write, mode: str, cut: float) -> None:
    data = tarred({"a.txt": os.urandom(60_000), "b.txt": os.urandom(60_000)}, mode=mode)
    path = write("a.tar", data[: int(len(data) * cut)])
    with pytest.raises(FormatError, match=r"a\.tar.*(truncated|damaged).*Download or copy the file again"):
        open_sources([path])


@pytest.mark.parametrize("cut", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_zip_is_named(write: Write, cut: float) -> None:
    data = zipped({"a.txt": os.urandom(60_000), "b.txt": os.urandom(60_000)})
    path = write("a.zip", data[: int(len(data) * cut)])
    with pytest.raises(FormatError, match=r"a\.zip: damaged archive or truncated zip .*Download or copy"):
        open_sources([path])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_is_found_by_the_checksum(write: Write, method: int) -> None:
    data = bytearray(zipped({"a.txt": bytes(range(256)) * 400}, method))
    data[200] ^= 4
    (source,) = open_sources([write("a.zip", bytes(data))])
    with pytest.raises(FormatError, match=r"a\.zip/a\.txt: damaged archive"), source.open(binary=True) as stream:
        while stream.read():
            pass


BOMB = b"bomb\n" * (2 << 20)
BOMBS: dict[str, Callable[[], bytes]] = {
    "member.zip": lambda: zipped({"a.txt": BOMB}),
    "members.zip": lambda: zipped({f"{i}.txt": BOMB[: 1 << 19] for i in range(40)}),
    "gz-in.zip": lambda: zipped({"a.txt.gz": gzip.compress(BOMB)}, zipfile.ZIP_STORED),
    "gzs-in.zip": lambda: zipped({f"{i}.gz": gzip.compress(BOMB[: 1 << 19]) for i in range(40)}, zipfile.ZIP_STORED),
    "zip-in.zip": lambda: zipped({"in.zip": zipped({f"{i}.txt": BOMB for i in range(4)})}),
    "a.tgz": lambda: tarred({"a.txt": BOMB}, mode="w:gz"),
    "a.txt.gz": lambda: gzip.compress(BOMB),
    "a.txt.bz2": lambda: bz2.compress(BOMB[: 1 << 22]),
    "a.txt.xz": lambda: lzma.compress(BOMB),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BOMBS))
def test_bombs_are_stopped_whether_one_file_grows_or_all_together(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(archive_module, "FREE_EXPANSION", 1 << 20)
    path = write(name, BOMBS[name]())
    with pytest.raises(FormatError, match=r"unpacks to more than [\d,]+ bytes: not a normal release file"):
        for source in open_sources([path]):
            for _ in source.lines():
                pass


def test_reading_twice_does_not_count_twice(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "FREE_EXPANSION", 1 << 20)
    sources = open_sources([write("a.zip", zipped({f"{i}.gz": gzip.compress(b"x\n" * 200_000) for i in range(2)}))])
    for _ in range(5):
        assert [len(source.read()) for source in sources] == [400_000, 400_000]


def test_too_many_files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "MAX_FILES", 3)
    members = {f"{i}.txt": b"x" for i in range(4)}
    with pytest.raises(FormatError, match=r"r: more than 3 files in it\. Name the folder of one release"):
        open_sources([folder(tmp_path / "r", members)])
    with pytest.raises(FormatError, match=r"a\.zip: more than 3 files in it"):
        open_sources([write("a.zip", zipped(members))])
