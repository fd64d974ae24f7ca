"""An artifact that is replaced while it is opened: each open gives one version, whole, or says why not."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from ontonym import artifact, replacing
from ontonym.artifact import open_artifact, read_manifest, write_artifact
from ontonym.errors import ArtifactError, LockedError, MissingExtraError
from ontonym.manifest import Manifest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))


def make(path: Path, text: str) -> Manifest:
    with write_artifact(path, "index") as writer:
        (writer.folder / "data.txt").write_text(text)
        writer.content["text"] = text
    return writer.manifest


def test_a_manifest_is_checked_against_the_files_of_its_own_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest was read of one version, and the sizes were those of the next: told as damage."""
    make(tmp_path / "a", "one")
    check, calls = artifact._check_files, []

    def replaced_before(path: Path, manifest: Manifest) -> None:
        calls.append(manifest.content["text"])
        if len(calls) == 1:
            make(tmp_path / "a", "three")
        check(path, manifest)

    monkeypatch.setattr(artifact, "_check_files", replaced_before)
    assert read_manifest(tmp_path / "a").content["text"] == "three"
    assert calls == ["one", "three"]


def test_a_version_that_differs_in_its_content_only_is_another_one(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    loads: list[object] = []

    def load(folder: Path, manifest: Manifest) -> object:
        loads.append(manifest.content.get("note"))
        if len(loads) == 1:
            with write_artifact(tmp_path / "a", "index") as writer:
                (writer.folder / "data.txt").write_text("one")
                writer.content["note"] = "new"
        return loads[-1]

    assert open_artifact(tmp_path / "a", "index", load) == "new"
    assert loads == [None, "new"]


def test_the_same_version_back_after_a_killed_writer_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(tmp_path / "a", "one")
    loads: list[str] = []

    def load(folder: Path, manifest: Manifest) -> str:
        if not loads:  # a writer without exchange is between its two renames, and is killed there
            (tmp_path / "a").rename(tmp_path / ".a.old")
        loads.append(manifest.fingerprint)
        return (folder / "data.txt").read_text()

    assert open_artifact(tmp_path / "a", "index", load) == "one"
    assert loads == [made.fingerprint, made.fingerprint]


def test_an_artifact_replaced_without_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "PATIENCE", 0.2)
    make(tmp_path / "a", "one")
    began = time.monotonic()
    with pytest.raises(LockedError, match="was replaced again and again"):
        open_artifact(tmp_path / "a", "index", lambda folder, _: make(folder, "again"))
    assert time.monotonic() - began < 5


def test_an_error_of_ours_is_raised_after_one_more_try(tmp_path: Path) -> None:
    make(tmp_path / "a", "one")
    loads: list[int] = []

    def load(folder: Path, manifest: Manifest) -> None:
        loads.append(1)
        raise MissingExtraError("onnxruntime", "onnx", "this")

    with pytest.raises(MissingExtraError):
        open_artifact(tmp_path / "a", "index", load)
    assert len(loads) == 1


@pytest.mark.parametrize(
    "error", [KeyError("x"), IndexError(1), RuntimeError("?"), ValueError("shape"), OverflowError()]
)
def test_whatever_a_loader_trips_over_is_damage(tmp_path: Path, error: Exception) -> None:
    make(tmp_path / "a", "one")

    def load(folder: Path, manifest: Manifest) -> None:
        raise error

    with pytest.raises(ArtifactError, match=r"a: damaged: .*; rebuild with `build_index\(\)`"):
        open_artifact(tmp_path / "a", "index", load)


@pytest.mark.slow
@pytest.mark.parametrize("exchange", [True, False])
def test_opens_during_swaps_all_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    """A sample of benchmarks/swaps.py, which opens 100,000 times during 1,000 swaps."""
    import swaps

    if not exchange:
        monkeypatch.setattr(swaps, "WITHOUT_EXCHANGE", True)
        monkeypatch.setattr(replacing, "_exchange", lambda a, b: False)
    found = swaps.swapped(tmp_path, opens=300, swaps=30, readers=2)
    assert found.failed == ()
    assert found.opens >= 300
    assert found.swaps == 30
    assert found.versions > 10
