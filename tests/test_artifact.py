from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import orjson
import pytest

from ontonym import replacing
from ontonym.artifact import open_artifact, read_manifest, verify, write_artifact
from ontonym.errors import ArtifactError, LockedError, UnknownNameError
from ontonym.manifest import ArtifactKind, Manifest


def make(path: Path, text: str = "one", kind: ArtifactKind = "index", **content: object) -> Manifest:
    with write_artifact(path, kind) as writer:
        (writer.folder / "sub").mkdir()
        (writer.folder / "sub" / "data.txt").write_text(text)
        writer.content.update(content)
    return writer.manifest


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_manifest_says_what_was_written(tmp_path: Path) -> None:
    made = make(tmp_path / "a", "one", options={"k": 3})
    assert read_manifest(tmp_path / "a", "index") == verify(tmp_path / "a") == made
    assert made.content == {"options": {"k": 3}}
    assert made.bytes == 3
    assert list(made.files) == ["sub/data.txt"]
    assert made.files["sub/data.txt"].sha256 == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert names(tmp_path) == ["a"]


def test_there_is_no_manifest_before_the_artifact_is_in_its_place(tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="has no manifest before it is in its place"),
        write_artifact(tmp_path / "a", "index") as writer,
    ):
        _ = writer.manifest
    assert names(tmp_path) == []


def test_fingerprint_is_of_files_and_identity_only(tmp_path: Path) -> None:
    first = make(tmp_path / "a", "one", identity={"name": "x"}, note=1).fingerprint
    assert make(tmp_path / "b", "one", identity={"name": "x"}, note=2).fingerprint == first
    assert make(tmp_path / "c", "two", identity={"name": "x"}).fingerprint != first
    assert make(tmp_path / "d", "one", identity={"name": "y"}).fingerprint != first


def test_replaces_its_own_kind(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    make(tmp_path / "a", "two")
    assert (tmp_path / "a" / "sub" / "data.txt").read_text() == "two"
    assert names(tmp_path) == ["a"]


def test_replaces_a_damaged_one_and_an_empty_folder(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    (tmp_path / "a" / "sub" / "data.txt").unlink()
    (tmp_path / "b").mkdir()
    for name in "ab":
        make(tmp_path / name, "two")
        verify(tmp_path / name)


def test_replaces_through_a_symbolic_link(tmp_path: Path) -> None:
    make(tmp_path / "real", "one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    make(tmp_path / "link", "two")
    assert (tmp_path / "real" / "sub" / "data.txt").read_text() == "two"
    assert (tmp_path / "link").is_symlink()


def test_refuses_what_it_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("x")
    make(tmp_path / "encoder", kind="encoder")
    make(tmp_path / "there")
    for name, message in (
        ("mine", "did not make"),
        ("file", "is a file"),
        ("encoder", "is an encoder, which an index may not replace"),
    ):
        with pytest.raises(ArtifactError, match=message):
            make(tmp_path / name)
    with (
        pytest.raises(ArtifactError, match="is there already"),
        write_artifact(tmp_path / "there", "index", overwrite=False),
    ):
        pass
    assert names(tmp_path) == ["encoder", "file", "mine", "there"]
    assert names(tmp_path / "mine") == ["thesis.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_an_error_leaves_the_old_one_whole(tmp_path: Path, error: type[BaseException]) -> None:
    before = make(tmp_path / "a", "one")
    with pytest.raises(error), write_artifact(tmp_path / "a", "index") as writer:
        (writer.folder / "half").write_text("x")
        raise error
    assert verify(tmp_path / "a") == before
    assert names(tmp_path) == ["a"]


def test_without_memory_for_threads_checksums_are_taken_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with write_artifact(tmp_path / "a.pairs", "pairs") as writer:
        (writer.folder / "some.txt").write_text("some")
        writer.complete("some.txt")
        (writer.folder / "more.txt").write_text("more")
        writer.content["identity"] = {}
    assert sorted(verify(tmp_path / "a.pairs").files) == ["more.txt", "some.txt"]


def test_a_checksum_without_memory_is_an_error_in_the_thread_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: Path) -> str:
        raise MemoryError

    monkeypatch.setattr("ontonym.checksums.sha256", refused)
    with pytest.raises(MemoryError):
        make(tmp_path / "a")
    assert names(tmp_path) == []


def test_a_full_disk_is_an_error_for_the_user(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be written: No space"), write_artifact(tmp_path / "a", "index"):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_an_error_of_the_caller_stays_its_own(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), write_artifact(tmp_path / "a", "index"):
        raise PermissionError(13, "Permission denied", "release.obo")


def test_a_place_below_a_file_is_an_error_for_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArtifactError, match="cannot be written"):
        make(tmp_path / "file" / "a")


def test_unknown_kind_lists_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Valid: benchmark, encoder, index, page index, pairs, reranker"):
        make(tmp_path / "a", kind="indx")  # type: ignore[arg-type]


def test_reading_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    make(tmp_path / "index")
    for name, message in (
        ("none", r"no such terminology; make one with `build_terminology\(\)`"),
        ("file", r"is a file, but a terminology is a folder"),
        ("folder", r"is not a terminology \(it has no manifest\.json\)"),
        ("index", r"is an index, but a terminology was expected"),
    ):
        with pytest.raises(ArtifactError, match=message):
            read_manifest(tmp_path / name, "terminology")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format_version", 99, r"newer ontonym .*format 99; this one reads 5.*upgrade ontonym"),
        ("format_version", 0, r"old format 0 .*rebuild with `build_index\(\)`"),
        ("kind", "dream", r"unknown kind 'dream'"),
        ("extra", 1, r"manifest\.json is not one of ontonym's or is damaged"),
    ],
)
def test_manifests_of_others(tmp_path: Path, field: str, value: object, message: str) -> None:
    make(tmp_path / "a")
    file = tmp_path / "a" / "manifest.json"
    file.write_bytes(orjson.dumps({**orjson.loads(file.read_bytes()), field: value}))
    with pytest.raises(ArtifactError, match=message):
        read_manifest(tmp_path / "a", "index")


def test_damage_is_found(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    data = tmp_path / "a" / "sub" / "data.txt"
    data.write_text("two")
    read_manifest(tmp_path / "a")
    with pytest.raises(
        ArtifactError, match=r"the checksum of file sub/data\.txt does not match; rebuild with `build_ind"
    ):
        verify(tmp_path / "a")
    data.write_text("longer")
    with pytest.raises(ArtifactError, match=r"sub/data\.txt has 6 bytes instead of 3"):
        read_manifest(tmp_path / "a")
    data.unlink()
    with pytest.raises(ArtifactError, match=r"sub/data\.txt is missing"):
        read_manifest(tmp_path / "a")
    (tmp_path / "a" / "manifest.json").write_bytes(b"\xff{")
    with pytest.raises(ArtifactError, match="damaged"):
        read_manifest(tmp_path / "a")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    make(tmp_path / "a")
    with write_artifact(tmp_path / "a", "index"):
        with pytest.raises(LockedError, match=f"process {os.getpid()} is writing it"):
            make(tmp_path / "a")
        make(tmp_path / "a.b")
    assert names(tmp_path) == ["a", "a.b"]


def test_only_leftovers_of_this_artifact_are_swept(tmp_path: Path) -> None:
    for left in (".a.123.writing", ".a.b.123.writing", ".aXb.5.writing"):
        (tmp_path / left).mkdir()
    make(tmp_path / "a")
    assert names(tmp_path) == [".a.b.123.writing", ".aXb.5.writing", "a"]


def test_without_exchange_two_renames_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "_exchange", lambda a, b: False)
    make(tmp_path / "a", "one")
    make(tmp_path / "a", "two")
    assert (tmp_path / "a" / "sub" / "data.txt").read_text() == "two"
    assert names(tmp_path) == ["a"]


def test_exchange_is_refused_quietly_where_the_system_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> object:
        return object()

    monkeypatch.setattr(ctypes, "CDLL", none)
    assert replacing._exchange(tmp_path / "x", tmp_path / "y") is False


def test_killed_between_two_renames_the_old_one_comes_back(tmp_path: Path) -> None:
    before = make(tmp_path / "a", "one")
    (tmp_path / "a").rename(tmp_path / ".a.old")
    assert read_manifest(tmp_path / "a") == before
    (tmp_path / "a").rename(tmp_path / ".a.old")
    with pytest.raises(ValueError, match="stop"), write_artifact(tmp_path / "a", "index"):
        raise ValueError("stop")
    assert verify(tmp_path / "a") == before
    assert names(tmp_path) == ["a"]


def test_opening_during_a_change_loads_the_new_one_whole(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    loads: list[str] = []

    def load(folder: Path, manifest: Manifest) -> str:
        text = (folder / "sub" / "data.txt").read_text()
        if not loads:
            make(tmp_path / "a", "two")
        loads.append(text)
        return text

    assert open_artifact(tmp_path / "a", "index", load) == "two"
    assert loads == ["one", "two"]


REWRITE = """
import itertools, sys
from ontonym import replacing
from ontonym.artifact import write_artifact
if sys.argv[2] == "without exchange":
    replacing._exchange = lambda a, b: False
for turn in itertools.count():
    with write_artifact(sys.argv[1], "index") as writer:
        for part in range(4):
            (writer.folder / f"{part}.bin").write_bytes(bytes([turn % 256]) * 20_000)
        writer.content["identity"] = turn
    print(turn, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("exchange", ["with exchange", "without exchange"])
def test_killed_at_any_moment_it_stays_whole(tmp_path: Path, exchange: str) -> None:
    path = tmp_path / "a"
    chance = random.Random(20)  # noqa: S311 (no secret)
    swept = 0
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-c", REWRITE, str(path), exchange], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        swept += any(name.endswith(".writing") for name in names(tmp_path))
        manifest = verify(path, "index")
        turn = manifest.content["identity"] % 256
        assert {(path / name).read_bytes()[0] for name in manifest.files} == {turn}
    make(path)
    assert names(tmp_path) == ["a"]
    assert swept > 5  # most moments are in the middle of writing
