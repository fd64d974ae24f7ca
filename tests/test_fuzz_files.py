"""Random bytes for what people and disks give: openers, documents, mapping files, lists of terms, normalization."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ontonym.artifact import read_manifest, write_artifact
from ontonym.documents import read_documents
from ontonym.documents.formats import MENTION_FORMATS
from ontonym.errors import ArtifactError, InputError
from ontonym.files.jsontext import JsonScan
from ontonym.files.source import open_source
from ontonym.index.termfile import read_terms
from ontonym.store.columns import load_numbers, save_numbers
from ontonym.store.mappings import read_mappings
from ontonym.text.normalization import canonical, key, tokens
from ontonym.text.visible import visible

fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

PIECES = (
    "id", "text", "\t", ",", "\n", "\r\n", '"', "'", "S:1", "{", "}", "[", "]", ":", '{"text":"a"}', "|t|", "|a|", "1",
    "9" * 30, "9" * 5_000, "-1", "1e999", "null", "<", "</", ">", "<a>", "&x;", "#", "# a: b", "subject_id",
    "object_id", "predicate_id", "skos:exactMatch", "\ufeff", "\0", "\x1b[31m", "\u202e", "é", "=1+1", "\\", "\\ud800",
    " ", '{"documents":[', '"passages":[', '"offset":', '"annotations":[', "curie_map:", "!", "  - ",
)  # fmt: skip
broken = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map("".join).map(str.encode))


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@fuzz
@given(data=broken, format=st.sampled_from(MENTION_FORMATS))
def test_documents_are_read_or_refused(tmp_path: Path, data: bytes, format: str) -> None:
    documents = read_documents(written(tmp_path, "d", data), format=format)
    try:
        marks = [mark for document in documents for mark in document.marks]
    except InputError:
        return
    counts = documents.counts
    assert counts.rows == counts.kept + counts.skipped.total() + counts.malformed
    assert len(marks) == counts.kept


@fuzz
@given(data=broken, name=st.sampled_from(["m.sssom.tsv", "m.csv", "m.tsv", "m.rdf", "m.json", "m.fhir.json"]))
def test_mapping_files_are_read_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    try:
        rows = list(read_mappings(written(tmp_path, name, data)).rows)
    except InputError:
        return
    assert all(isinstance(value, str) for row in rows for value in row.values())


@fuzz
@given(data=broken, name=st.sampled_from(["t.tsv", "t.csv", "t.jsonl"]))
def test_lists_of_terms_are_read_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    try:
        found = read_terms(str(written(tmp_path, name, data)))
    except InputError:
        return
    assert all(term.id and 1 <= term.count < 1 << 31 for term in found.terms)


@fuzz
@given(data=broken)
def test_json_is_scanned_or_refused(tmp_path: Path, data: bytes) -> None:
    with suppress(InputError), JsonScan.of(open_source(written(tmp_path, "a.json", data)), 1_000) as scan:
        scan.value()


@fuzz
@given(data=broken, place=st.integers(0, 2_000), bits=st.integers(1, 255))
def test_manifests_are_read_or_refused(tmp_path: Path, data: bytes, place: int, bits: int) -> None:
    folder = tmp_path / "a"
    shutil.rmtree(folder, ignore_errors=True)  # what the example before left
    with write_artifact(folder, "index") as writer:
        (writer.folder / "x").write_bytes(b"1")
        writer.content["identity"] = {"a": [1, 2.5, "é"]}
    whole = bytearray((folder / "manifest.json").read_bytes())
    made = read_manifest(folder)
    written(folder, "manifest.json", data)
    with pytest.raises(ArtifactError):
        read_manifest(folder)
    whole[place % len(whole)] ^= bits
    written(folder, "manifest.json", bytes(whole))
    with suppress(ArtifactError):
        assert read_manifest(folder) == made  # white space


@fuzz
@given(place=st.integers(0, 147), byte=st.integers(0, 255), cut=st.integers(0, 148))
def test_arrays_are_opened_or_refused(tmp_path: Path, place: int, byte: int, cut: int) -> None:
    save_numbers(tmp_path, "a", np.arange(5, dtype=np.uint32))
    data = bytearray((tmp_path / "a.npy").read_bytes())
    data[place] = byte
    for changed in (bytes(data), bytes(data[:cut])):
        written(tmp_path, "a.npy", changed)
        try:
            found = load_numbers(tmp_path, "a", np.uint32, count=5)
        except (ValueError, TypeError):
            continue
        assert found.shape == (5,)
        assert found.dtype == np.uint32


@fuzz
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_normalized_once_and_for_all(text: str) -> None:
    assert key(key(text)) == key(text)
    assert all(word and " " not in word for word in tokens(text))
    assert isinstance(canonical(text), str)
    assert json.loads(json.dumps(visible(text))) == visible(text)
