from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.files import archive as archive_module
from ontonym.files import source as source_module
from ontonym.files.source import open_source

Write = Callable[[str, str | bytes], Path]
TEXT = "first\r\nsecond é\n\nlast"


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), gzip.compress(TEXT.encode()), zipped(a=TEXT)],
    ids=["plain", "marked", "gzip", "zip"],
)
def test_plain_marked_gzip_and_zip_give_the_same_lines(write: Write, content: bytes) -> None:
    assert list(open_source(write("f", content)).lines()) == ["first", "second é", "", "last"]


def test_lines_that_cross_chunks_are_whole(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_CHUNK", 5)
    assert list(open_source(write("f", TEXT)).lines()) == ["first", "second é", "", "last"]


def test_fingerprint_is_of_the_bytes_on_disk(write: Write) -> None:
    packed = gzip.compress(b"abc\n")
    source = open_source(write("f.gz", packed))
    assert (source.sha256, source.size) == (hashlib.sha256(packed).hexdigest(), len(packed))


def test_truncated_gzip_names_what_was_got(write: Write) -> None:
    path = write("f.gz", gzip.compress(bytes(range(256)) * 40)[:-9])
    with pytest.raises(FormatError, match=r"f\.gz: truncated gzip, got [\d,]+ bytes.*again"):
        open_source(path).read()


def test_damaged_gzip(write: Write) -> None:
    packed = bytearray(gzip.compress(b"some text\n" * 100))
    packed[12] ^= 0xFF
    with pytest.raises(FormatError, match="damaged archive"):
        open_source(write("f.gz", bytes(packed))).read()


def test_latin1_names_line_offset_and_mend(write: Write) -> None:
    path = write("names.txt", "one\ntwo\nSjögren\n".encode("latin-1"))
    said = r"names\.txt:3: not UTF-8: byte 0xf6 at offset 10\. .*iconv -f WINDOWS-1252 "
    with pytest.raises(FormatError, match=said) as caught:
        list(open_source(path).lines())
    assert caught.value.line == 3


def test_a_line_of_another_encoding_among_utf8_is_no_whole_file_to_re_encode(write: Write) -> None:
    path = write("names.txt", "Sjögren\n".encode() + "Fièvre\n".encode("latin-1"))
    said = r"names\.txt:2: not UTF-8: byte 0xe8 at offset 11\. Other lines are UTF-8.* iconv -c -f UTF-8 -t UTF-8 names"
    with pytest.raises(FormatError, match=said):
        list(open_source(path).lines())


def test_wrong_byte_is_found_after_the_first_chunk(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_CHUNK", 4)
    with pytest.raises(FormatError, match=r":3: not UTF-8: byte 0xf6 at offset 10"):
        list(open_source(write("f", "one\ntwo\nSjögren\n".encode("latin-1"))).lines())


def test_utf16_is_named(write: Write) -> None:
    with pytest.raises(FormatError, match="UTF-16"):
        list(open_source(write("f", "text\n".encode("utf-16"))).lines())


def test_directory_missing_and_empty(write: Write, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a directory, not a file"):
        open_source(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        open_source(tmp_path / "nothing")
    with pytest.raises(FormatError, match="the file is empty"):
        open_source(write("empty", b""))


def test_zip_of_two_files_lists_them(write: Write) -> None:
    with pytest.raises(FormatError, match=r"an archive of 2 files \(a, b\), expected exactly one"):
        open_source(write("f.zip", zipped(a="1", b="2"))).read()


def test_decompression_bomb_is_stopped(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "FREE_EXPANSION", 1 << 20)
    bomb = write("bomb.gz", gzip.compress(b"x\n" * (32 << 20)))
    with pytest.raises(FormatError, match=r"unpacks to more than"):
        open_source(bomb).read()


def test_endless_line_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MAX_LINE", 1 << 10)
    monkeypatch.setattr(source_module, "_CHUNK", 1 << 9)
    with pytest.raises(FormatError, match=r":2: line longer than 1,024 bytes"):
        list(open_source(write("f", "short\n" + "x" * 5000)).lines())
