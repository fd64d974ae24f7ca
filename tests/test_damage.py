"""Damaged and hostile artifacts: told as damage when they are opened, or found by ``info --verify``; never a crash."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from built import indexed
from ontonym.artifact import open_artifact, read_manifest, verify
from ontonym.cli import _run
from ontonym.cli import main as group
from ontonym.encoder.static import LONGEST_NGRAM, StaticShape, check_shape
from ontonym.errors import ArtifactError
from ontonym.index import open_index
from ontonym.index.inverted import summed
from ontonym.index.sources import check_whole
from ontonym.ragged import spread
from ontonym.store import open_terminology
from ontonym.store.columns import StringColumn, StringWriter, load_bounds, load_numbers, save_numbers
from sealed import resealed

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

OBO = "format-version: 1.2\nontology: signs\n\n" + "\n".join(
    f'[Term]\nid: S:{i}\nname: sign {i} of the body\nsynonym: "mark {i}" EXACT []\n' for i in range(30)
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    indexed(folder, {"signs.obo": OBO})
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "a")
    return tmp_path / "a"


def flip(file: Path, place: int, bits: int = 1) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= bits
    file.write_bytes(data)


# Arrays ------------------------------------------------------------------------------------------------------------


def test_what_numpy_writes_is_read(tmp_path: Path) -> None:
    for name, array in {
        "ints": np.arange(5, dtype=np.int64),
        "table": np.arange(12, dtype=np.float32).reshape(3, 4),
        "none": np.empty((0, 7), dtype=np.int8),
        "truth": np.array([True, False]),
    }.items():
        save_numbers(tmp_path, name, array)
        found = load_numbers(tmp_path, name, array.dtype, *array.shape[1:], count=len(array))
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)
        assert not found.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.replace(b"NUMPY", b"NUMPX"), "does not begin as an array"),
        (lambda d: d.replace(b"<i8", b"|O8"), "5 bytes|holds|not understood|array"),
        (lambda d: d.replace(b"(5,)", b"(9,)"), "not those of an array of shape"),
        (lambda d: d.replace(b"<i8", b"<u8"), "holds uint64"),
        (lambda d: d.replace(b"(5,)", b"(5, 1, )").replace(b" \n", b"\n", 1), "does not begin|holds|bytes"),
        (lambda d: d[:-1], "bytes"),
        (lambda d: b"", "does not begin"),
    ],
)
def test_an_array_of_another_type_or_shape_is_refused(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    save_numbers(tmp_path, "a", np.arange(5, dtype=np.int64))
    file = tmp_path / "a.npy"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises((ValueError, TypeError), match=message):
        load_numbers(tmp_path, "a", np.int64, count=5)


def test_a_column_of_texts_shows_itself(tmp_path: Path) -> None:
    for name, texts in (("few", ["a", "b"]), ("many", [*map(str, range(1200))])):
        writer = StringWriter(tmp_path, name)
        writer.append(texts)
        writer.close()
    assert repr(StringColumn.open(tmp_path, "few")) == "<2 texts: 'a', 'b'>"
    assert repr(StringColumn.open(tmp_path, "many")) == "<1,200 texts: '0', '1', '2', …>"


def test_boundaries_begin_at_0_and_end_where_their_values_do(tmp_path: Path) -> None:
    save_numbers(tmp_path, "a", np.array([0, 2, 5]))
    assert load_bounds(tmp_path, "a", 5, 2).tolist() == [0, 2, 5]
    for end, count in ((4, 2), (5, 3), (5, 1)):
        with pytest.raises(ValueError, match=r"a\.npy"):
            load_bounds(tmp_path, "a", end, count)


def test_strings_of_another_length_are_refused(tmp_path: Path) -> None:
    writer = StringWriter(tmp_path, "a")
    writer.append(["one", "two"])
    writer.close()
    assert list(StringColumn.open(tmp_path, "a", 2)) == ["one", "two"]
    (tmp_path / "a.utf8").write_bytes(b"onetw")
    with pytest.raises(ValueError, match=r"a\.offsets"):
        StringColumn.open(tmp_path, "a", 2)


def test_a_range_out_of_its_column_takes_no_memory() -> None:
    assert spread(np.array([5, 9]), np.array([2, 3]), 12).tolist() == [5, 6, 9, 10, 11]
    for starts, lengths in (([5, 9], [2, 4]), ([0], [1 << 40]), ([-1], [1]), ([3], [-1]), ([1 << 62], [1 << 62])):
        with pytest.raises(ValueError, match="leads out"):
            spread(np.array(starts), np.array(lengths), 12)


def test_a_row_beyond_all_names_takes_no_memory() -> None:
    with pytest.raises(ValueError, match="row 4294967295 of 10"):
        summed(np.array([1, 0xFFFFFFFF], dtype=np.uint32), np.ones(2), 10)


@pytest.mark.parametrize("longest", [2**63, LONGEST_NGRAM + 1, 0, -1, True, 4.0])
def test_n_grams_of_an_encoder_are_bounded(longest: Any) -> None:
    check_shape(StaticShape())
    with pytest.raises(ValueError):
        check_shape(StaticShape(longest=longest))


# Manifests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/passwd", "a/../../b", "a//b", "./a", "", "C:/x", "a\\b", "..", "a/..", "nul\0"],
)
def test_a_file_outside_of_the_folder_is_refused(folder: Path, name: str) -> None:
    (folder / "secret").write_text("x")
    entry = {"bytes": 1, "sha256": "0" * 64}
    resealed(folder / "a.index", lambda facts: facts["files"].update({name: entry}))
    with pytest.raises(ArtifactError, match=r"damaged: manifest\.json names a file outside of the folder"):
        open_index(folder / "a.index")


def test_content_outside_of_the_identity_is_checked_too(folder: Path) -> None:
    file = folder / "signs.terminology" / "manifest.json"
    file.write_bytes(file.read_bytes().replace(b'"format": "obo"', b'"format": "owl"'))
    for opened in (open_terminology, read_manifest, verify):
        with pytest.raises(ArtifactError, match=r"damaged: manifest\.json was changed; rebuild with"):
            opened(folder / "signs.terminology")


def test_a_manifest_without_its_checksum_is_damaged(folder: Path) -> None:
    import orjson

    file = folder / "signs.terminology" / "manifest.json"
    facts = orjson.loads(file.read_bytes())
    del facts["checksum"]
    file.write_bytes(orjson.dumps(facts))
    with pytest.raises(ArtifactError, match="damaged"):
        read_manifest(folder / "signs.terminology")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", 3), ("format_version", True), ("format_version", "2"), ("created", None), ("content", []),
        ("fingerprint", "abc"), ("checksum", "abc"), ("checksum", None),
        ("files", {"a": {"bytes": -1, "sha256": "0" * 64}}),
        ("files", {"a": {"bytes": 1, "sha256": "z" * 64}}), ("files", {"a": 1}), ("files", []), ("files", None),
    ],
)  # fmt: skip
def test_fields_of_other_types_are_damage(folder: Path, field: str, value: object) -> None:
    import orjson

    file = folder / "a.index" / "manifest.json"
    file.write_bytes(orjson.dumps({**orjson.loads(file.read_bytes()), field: value}))
    with pytest.raises(ArtifactError, match="damaged"):
        read_manifest(folder / "a.index")


@pytest.mark.parametrize("data", [b"", b"\xff{", b"[]", b"null", b"{" * 100_000, b"[" * 100_000, b"1e999"])
def test_garbage_instead_of_a_manifest_is_damage(folder: Path, data: bytes) -> None:
    (folder / "a.index" / "manifest.json").write_bytes(data)
    with pytest.raises(ArtifactError, match="damaged"):
        open_index(folder / "a.index")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in a folder")
def test_a_pipe_in_place_of_a_file_does_not_hang(folder: Path) -> None:
    for name in ("name_kind.npy", "manifest.json"):
        (folder / "a.index" / name).unlink()
        os.mkfifo(folder / "a.index" / name)
        found: list[BaseException] = []

        def ask() -> None:
            try:
                open_index(folder / "a.index")
            except ArtifactError as error:
                found.append(error)  # noqa: B023

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(10)
        assert found, f"opening hangs on {name}"


def test_content_that_a_kind_cannot_be_opened_from_is_damage(folder: Path) -> None:
    resealed(folder / "a.index", lambda facts: facts["content"].pop("encoder"))
    with pytest.raises(ArtifactError, match=r"damaged: KeyError\('encoder'\); rebuild with `build_index"):
        open_index(folder / "a.index")


# Files -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_bit_of_the_headers_is_noticed_or_does_no_harm(folder: Path) -> None:
    kept_for_updates = ("name_hash", "repeat_hash", "repeat_words", "repeat_words.rows", "shorter_name", "shorter_form",
                        "shorter_term")  # fmt: skip
    for file in sorted((folder / "a.index").glob("*.npy")):
        if file.stem in kept_for_updates:
            continue
        before = file.read_bytes()
        for place in range(0, 80, 3):
            flip(file, place, 1 << place % 8)
            with pytest.raises(ArtifactError, match="damaged"):
                open_index(folder / "a.index")
            file.write_bytes(before)


def test_arrays_that_do_not_fit_each_other_are_damage(folder: Path) -> None:
    shorter = load_numbers(folder / "a.index", "name_kind")[:-1].copy()
    save_numbers(folder / "a.index", "name_kind", shorter)
    size = (folder / "a.index" / "name_kind.npy").stat().st_size
    resealed(folder / "a.index", lambda facts: facts["files"]["name_kind.npy"].update(bytes=size))
    with pytest.raises(ArtifactError, match=r"damaged: name_kind\.npy holds uint8 of shape \(59,\), not .* \(60\)"):
        open_index(folder / "a.index")


def test_check_whole_checks_what_an_index_was_made_from(folder: Path) -> None:
    check_whole(folder / "a.index")
    flip(folder / "signs.terminology" / "term_text.utf8", 5)
    with pytest.raises(ArtifactError, match=r"signs\.terminology: damaged: the checksum of file term_text\.utf8"):
        check_whole(folder / "a.index")


def test_an_error_that_nobody_foresaw_is_told_as_the_damage_behind_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = folder / "signs.terminology" / "term_text.utf8"
    data.write_bytes(b"\xff" * data.stat().st_size)  # no text can be read, and the sizes are right
    assert _run(group, ["search", str(folder / "a.index"), "sign 3", "--json"], "ontonym") == 2
    said = capsys.readouterr().err
    assert "damaged: the checksum of file term_text.utf8 does not match; rebuild with `ontonym import`" in said


def test_loading_raises_what_the_system_refuses(folder: Path) -> None:
    def load(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with pytest.raises(ArtifactError, match="cannot be read: Permission denied"):
        open_artifact(folder / "a.index", "index", load)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory by fork")
def test_a_sample_of_damages_is_told(tmp_path: Path) -> None:
    """A sample of benchmarks/damage.py."""
    import damage

    cases = damage.run_cases(damage.made(tmp_path), 60, seed=int(os.environ.get("ONTONYM_TEST_SEED", "1")))
    broken = [case for case in cases if case.outcome in damage.BROKEN or case.seen_by_verify is False]
    assert not broken
    assert sum(case.outcome == "told" for case in cases) > 20
