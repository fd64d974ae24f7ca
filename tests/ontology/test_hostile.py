"""Releases that are broken, in every format: a clear error or a counted skip, never anything else."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from sampled import COLUMNS, every_format, having, plain, read, sample_in
from samples import CHILD, PARENT, SAMPLES, write

from ontonym.errors import FormatError, InputError
from ontonym.ontology.formats import FORMATS, read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.types import Concept


def test_there_is_a_sample_of_every_format() -> None:
    assert sorted(SAMPLES) == sorted(FORMATS)


@every_format
def test_the_sample_is_what_it_says(tmp_path: Path, name: str) -> None:
    concepts, release = read([sample_in(tmp_path / "r", SAMPLES[name])])
    names = {concept.id: concept.preferred for concept in concepts}
    child, parent = SAMPLES[name].ids
    assert names[child].startswith(CHILD)
    assert names[parent].startswith(PARENT)
    assert release.metadata.format == name
    assert release.counts.malformed == 0


@every_format
def test_it_reads_the_same_however_it_is_packed(tmp_path: Path, name: str) -> None:
    expected = plain(name, tmp_path)
    files = SAMPLES[name].encoded()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Docs/guide.pdf", b"%PDF-1.7\n\x00")
        for path, data in files.items():
            archive.writestr(path, gzip.compress(data))
    (tmp_path / "r.zip").write_bytes(buffer.getvalue())
    assert read([tmp_path / "r.zip"])[0] == expected
    assert (
        read(write(tmp_path / "gz", {f"{path}.gz": gzip.compress(data) for path, data in files.items()}))[0] == expected
    )


@every_format
@pytest.mark.parametrize("change", ["crlf", "mark", "no last line end"])
def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path, name: str, change: str) -> None:
    changed = {
        "crlf": lambda text: text.replace("\n", "\r\n").encode(),
        "mark": lambda text: text.encode("utf-8-sig"),
        "no last line end": lambda text: text.rstrip("\n").encode(),
    }[change]
    write(tmp_path / "r", SAMPLES[name].encoded(changed))
    assert read([tmp_path / "r"])[0] == plain(name, tmp_path)


def refused_or_counted(path: Path, name: str, clean: list[Concept]) -> str:
    """What is said of a release with one wrong name: the error's text, or that of the malformed row."""
    try:
        concepts, release = read([path])
    except FormatError as error:
        assert str(error.path).startswith(str(path))
        return str(error)
    assert [c for c in concepts if c.id != SAMPLES[name].ids[0]] == [c for c in clean if c.id != SAMPLES[name].ids[0]]
    assert release.counts.malformed == 1
    assert not any("\0" in term.text or "\ufffd" in term.text for c in concepts for term in c.terms)
    with pytest.raises(FormatError):
        read([path], strict=True)
    return release.counts.examples[0].problem


@every_format
def test_nul_bytes_are_refused_or_counted(tmp_path: Path, name: str) -> None:
    clean = plain(name, tmp_path)
    write(tmp_path / "r", SAMPLES[name].encoded(lambda text: text.replace(CHILD, CHILD + "\0").encode()))
    said = refused_or_counted(tmp_path / "r", name, clean)
    assert re.search(r"NUL byte|not well-formed|invalid", said)


@every_format
def test_latin1_among_utf8_is_refused_or_counted(tmp_path: Path, name: str) -> None:
    clean = plain(name, tmp_path)
    write(tmp_path / "r", SAMPLES[name].encoded(lambda text: text.encode("latin-1")))
    said = refused_or_counted(tmp_path / "r", name, clean)
    assert re.search(r"not UTF-8|not well-formed|[Ee]ncoding|UTF-8", said)


@every_format
def test_utf16_is_read_or_refused(tmp_path: Path, name: str) -> None:
    clean = plain(name, tmp_path)
    files = SAMPLES[name].encoded(lambda text: re.sub("(?i) encoding=.utf-8.", "", text).encode("utf-16"))
    paths = write(tmp_path / "r", files)
    try:
        assert read(paths)[0] == clean
    except FormatError as error:
        assert re.search(r"UTF-16|not recognized", str(error))


@every_format
@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / next(iter(SAMPLES[name].files)).rpartition("/")[2]
    path.write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(str(path))):
        read([path])
    with pytest.raises(FormatError, match=re.escape(str(path))):
        list(read_release([path], format=name).concepts())


@every_format
@pytest.mark.parametrize("cut", [0.2, 0.5, 0.8, 0.97])
def test_a_file_that_ends_too_early_gives_an_error_or_whole_concepts(tmp_path: Path, name: str, cut: float) -> None:
    """A table cut between two rows cannot be told from a whole one; what is read must be as in the whole one."""
    whole = {concept.id: concept.preferred for concept in plain(name, tmp_path)}
    files = SAMPLES[name].encoded()
    main_file = next(path for path, data in files.items() if CHILD.encode() in data)
    files[main_file] = files[main_file][: int(cut * len(files[main_file]))]
    paths = write(tmp_path / "r", files)
    try:
        concepts = list(read_release(paths, format=name).concepts())
    except FormatError as error:
        assert str(tmp_path / "r") in str(error)
    else:
        assert {concept.id for concept in concepts} <= set(whole)


@every_format
@pytest.mark.parametrize("packing", ["zip", "gz"])
def test_a_truncated_archive_is_refused(tmp_path: Path, name: str, packing: str) -> None:
    (path, data), *_ = SAMPLES[name].encoded().items()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(path, data)
    packed = buffer.getvalue() if packing == "zip" else gzip.compress(data)
    file = tmp_path / f"{path.rpartition('/')[2]}.{packing}"
    file.write_bytes(packed[: int(len(packed) * 0.7)])
    with pytest.raises(FormatError, match=r"truncated|damaged"):
        read([file])


def built(path: Path, folder: Path, **options: Any) -> tuple[Any, dict[str, Any]]:
    """The terminology of a release, and what its manifest says."""
    manifest = build_terminology(read_release([path]), folder / "x.terminology", **options)
    return open_terminology(folder / "x.terminology"), manifest.content


@every_format
def test_an_id_given_twice_is_one_concept(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    once, twice = tmp_path / "once", tmp_path / "twice"
    once.mkdir()
    twice.mkdir()
    terminology, content = built(sample_in(once / "r", sample), once)
    again, more = built(sample_in(twice / "r", sample.changed((sample.row, sample.row * 2))), twice)
    assert list(again.ids()) == list(terminology.ids())
    child = sample.ids[0]
    merged, concept = (t.concept(t.row(child)) for t in (again, terminology))
    assert set(merged.terms) == set(concept.terms)
    assert merged.parents == concept.parents
    assert more["statistics"]["terms"] == content["statistics"]["terms"]


@having("parent")
def test_a_parent_that_is_not_there_is_counted(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.parent is not None
    terminology, content = built(sample_in(tmp_path / "r", sample.changed(sample.parent)), tmp_path)
    assert content["unknown_parents"]["count"] == 1
    assert content["unknown_parents"]["first"][0].startswith(f"{sample.ids[0]} is_a ")
    assert list(terminology.hierarchy.ancestors(terminology.row(sample.ids[0]))) == []


@having("cycle")
def test_a_cycle_is_cut_and_counted_or_stops_a_strict_import(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.cycle is not None
    path = sample_in(tmp_path / "r", sample.changed(sample.cycle))
    with pytest.raises(InputError, match=r"the is-a hierarchy has a cycle: .* is_a .*"):
        built(path, tmp_path, strict=True)
    _, content = built(path, tmp_path)
    assert content["cycles"]["count"] == 1


@having("broken")
def test_a_malformed_row_is_counted_and_stops_a_strict_import(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.broken is not None
    path = sample_in(tmp_path / "r", sample.changed(sample.broken))
    concepts, release = read([path])
    assert release.counts.malformed == 1
    assert release.counts.rows == release.counts.kept + release.counts.skipped.total() + 1
    assert len(concepts) == len(plain(name, tmp_path)) - 1
    (row,) = release.counts.examples
    with pytest.raises(FormatError, match=re.escape(row.problem)) as caught:
        read([path], strict=True)
    assert caught.value.line == row.line
    assert str(caught.value.path) == str(path / row.file)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_in_another_order_are_the_same(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.columns is not None
    file, delimiter, _ = sample.columns
    rows = [line.split(delimiter) for line in sample.files[file].splitlines()]
    fixed = sample.fixed
    turned = "".join(delimiter.join([*row[:fixed], *row[fixed:][::-1]]) + "\n" for row in rows)
    write(tmp_path / "r", {**sample.encoded(), file: turned.encode()})
    assert read([tmp_path / "r"])[0] == plain(name, tmp_path)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_missing_column_is_named(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.columns is not None
    file, delimiter, needed = sample.columns
    rows = [line.split(delimiter) for line in sample.files[file].splitlines()]
    place = next(i for i, column in enumerate(rows[0]) if column.removeprefix("# ") == needed)
    cut = "".join(delimiter.join(row[:place] + row[place + 1 :]) + "\n" for row in rows)
    paths = write(tmp_path / "r", {**sample.encoded(), file: cut.encode()})
    with pytest.raises(FormatError) as caught:
        list(read_release(paths, format=name).concepts())
    assert str(tmp_path / "r" / file) in str(caught.value)
    assert re.search(rf"{needed}|cannot tell which columns|has not the columns", str(caught.value))
