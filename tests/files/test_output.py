"""Files that are written whole or not at all, and what is no file but may be written to."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from ontonym.errors import InputError
from ontonym.files.output import written_file


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among its files")
@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_what_is_written_to_a_pipe_goes_through_it(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / name).read_bytes()), daemon=True)
    reader.start()
    with written_file(tmp_path / name) as stream:
        stream.write(b"fever\n")
    reader.join(timeout=10)
    assert [gzip.decompress(data) if name.endswith(".gz") else data for data in read] == [b"fever\n"]
    assert stat.S_ISFIFO((tmp_path / name).stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path, there: bool) -> None:
    (tmp_path / "far").mkdir()
    if there:
        (tmp_path / "far" / "real.tsv").write_text("old")
    (tmp_path / "link.tsv").symlink_to(Path("far", "real.tsv"))
    with written_file(tmp_path / "link.tsv") as stream:
        stream.write(b"new")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "far" / "real.tsv").read_text() == "new"
    assert len(list((tmp_path / "far").iterdir())) == 1


def test_a_file_stays_as_it_was_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("old")
    with pytest.raises(RuntimeError), written_file(tmp_path / "a.tsv") as stream:
        stream.write(b"new")
        raise RuntimeError
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.tsv", "old")]


@pytest.mark.parametrize("refused", [errno.EFBIG, errno.ENOSPC, errno.EDQUOT])
def test_a_file_that_may_not_grow_is_named_and_the_old_one_stays(tmp_path: Path, refused: int) -> None:
    place = tmp_path / "found.tsv"
    place.write_text("old")
    with pytest.raises(InputError, match=r"found\.tsv: cannot be written: "), written_file(place) as out:
        out.write(b"new")
        raise OSError(refused, os.strerror(refused))
    assert place.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["found.tsv"]
