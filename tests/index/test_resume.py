"""A build that was killed goes on where it was, and what it makes is what one makes that was not."""

from __future__ import annotations

import multiprocessing
import signal
from pathlib import Path

import pytest

from ontonym.encoder.protocol import Encoder
from ontonym.errors import InputError
from ontonym.index import build, build_index, char, dense, inverted, newnames
from ontonym.index.memory import FOR_A_TERM, LEAST, bytes_of, for_sorting, machine_memory
from ontonym.resuming import NOTES
from ontonym.store import open_terminology, scratch
from resumed import built, killed
from workshop import Workshop

CONCEPTS = 120


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 3])
def test_a_killed_build_goes_on(
    workshop: Workshop, tmp_path: Path, shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_CHUNK", "_WORDED", "_BLOCK", "_NOTED"):
        monkeypatch.setattr(dense, name, 8)
    terminology = workshop.terminology(
        "t", *(f"id: T:{i}\nname: sign {i} of the {i % 7} kind" for i in range(CONCEPTS))
    )
    workshop.encoder()
    context = multiprocessing.get_context("spawn")
    for most in (40, 30):  # killed twice
        child = context.Process(target=killed, args=(tmp_path, shards, most))
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        (left,) = tmp_path.glob(".a.index.*.writing")
        assert (left / NOTES).is_file()
    assert built(terminology, tmp_path, shards).count <= CONCEPTS - 40
    assert not list(tmp_path.glob(".a.index*"))
    resumed = {
        file.relative_to(tmp_path / "a.index"): file.read_bytes() for file in (tmp_path / "a.index").rglob("*.npy")
    }
    assert built(terminology, tmp_path, shards).count == CONCEPTS
    for name, data in resumed.items():
        assert (tmp_path / "a.index" / name).read_bytes() == data, name
    assert not (tmp_path / "a.index" / NOTES).exists()


@pytest.mark.slow
def test_what_was_made_from_something_else_is_swept(workshop: Workshop, tmp_path: Path) -> None:
    stanzas = [f"id: T:{i}\nname: sign {i} of the {i % 7} kind" for i in range(CONCEPTS)]
    workshop.terminology("t", *stanzas)
    workshop.encoder()
    child = multiprocessing.get_context("spawn").Process(target=killed, args=(tmp_path, 1, 40))
    child.start()
    child.join()
    assert len(list(tmp_path.glob(".a.index.*.writing"))) == 1
    with open_terminology(tmp_path / "t.terminology") as terminology:
        assert built(terminology, tmp_path, 2).count == CONCEPTS
    assert not list(tmp_path.glob(".a.index*"))


def test_an_error_leaves_nothing(workshop: Workshop, tmp_path: Path) -> None:
    terminology = workshop.terminology("t", "id: T:1\nname: heart failure\n")
    workshop.encoder()

    def wrap(encoder: Encoder) -> Encoder:
        raise InputError("no")

    with pytest.raises(InputError):
        build_index([terminology], tmp_path / "a.index", encoder=tmp_path / "a.encoder", wrap=wrap)
    assert not list(tmp_path.glob(".a.index*"))


def test_memory_is_refused_where_it_is_too_little(workshop: Workshop, tmp_path: Path) -> None:
    terminology = workshop.terminology("t", "id: T:1\nname: heart failure\n")
    with pytest.raises(InputError, match=r"indexing 1 term needs about 256 MiB of memory, and the limit is 100 MiB"):
        build_index([terminology], tmp_path / "a.index", encoder=workshop.encoder(), memory=100 << 20)
    with pytest.raises(InputError, match=r"and the limit is 3 bytes: allow `memory=257M`, or index fewer"):
        build_index([terminology], tmp_path / "a.index", encoder=workshop.encoder(), memory=3)
    assert not (tmp_path / "a.index").exists()
    assert for_sorting(1_000_000, LEAST + FOR_A_TERM * 1_000_000) == LEAST // 2
    assert 0 < for_sorting(1, None) < machine_memory()


def test_sizes_of_memory_are_read() -> None:
    assert [bytes_of(text) for text in ("4G", "512M", "1.5 GiB", "100kb", "7")] == [
        4 << 30, 512 << 20, 3 << 29, 100 << 10, 7
    ]  # fmt: skip
    for text in ("", "much", "4X", "-1G", "0"):
        with pytest.raises(InputError, match="write a number with M or G"):
            bytes_of(text)


def test_less_memory_makes_the_same_files(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminology = workshop.terminology(
        "t", *(f"id: T:{i}\nname: sign {i} of the {i % 7}th kind" for i in range(CONCEPTS))
    )
    whole = workshop.index(terminology, name="whole").path
    monkeypatch.setattr(char, "_LEAST_PAIRS", 50)  # n-grams are sorted in parts of about so many
    monkeypatch.setattr(inverted, "_CHUNK", 50)
    monkeypatch.setattr(newnames, "_BLOCK", 7)
    monkeypatch.setattr(newnames, "_WORDS", 11)
    monkeypatch.setattr(scratch, "_SMALL", 100)
    monkeypatch.setattr(build, "for_sorting", lambda terms, memory: 1)
    parted = workshop.index(terminology, name="parted").path
    files = [file.relative_to(whole) for file in whole.rglob("*") if file.suffix in (".npy", ".utf8")]
    assert len(files) > 20
    for file in files:
        assert (whole / file).read_bytes() == (parted / file).read_bytes(), file
