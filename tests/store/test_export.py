"""The files of an export: by their endings, compressed, whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import InputError, UnknownNameError
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology
from ontonym.store.export import WRITERS, export_terminology
from ontonym.store.export.formats import chosen_format
from ontonym.types import Concept, Term

FEVER = Concept("T:1", (Term("Fever", "preferred"),))


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.jsonl", "jsonl"), ("A.CSV", "csv"), ("a.tsv.gz", "tsv"), ("a.fhir.json", "fhir"),
     ("a.obographs.json.gz", "obographs")],
)  # fmt: skip
def test_formats_by_ending(name: str, format: str) -> None:
    assert chosen_format(WRITERS, name).name == format


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.json", "JSON could be obographs or fhir"), ("a.xlsx", "the ending of the name does not tell")],
)
def test_endings_that_do_not_tell(name: str, message: str) -> None:
    with pytest.raises(InputError, match=f"{message}.*`format=NAME`"):
        chosen_format(WRITERS, name)


def test_unknown_format(store: Any, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown format 'xml'\..*jsonl"):
        export_terminology(store(FEVER), tmp_path / "a", format="xml")


@pytest.mark.parametrize("format", WRITERS)
def test_gzip_is_read_back_and_always_the_same(store: Any, tmp_path: Path, format: str) -> None:
    terminology = store(FEVER)
    for name in ("a", "b"):
        export_terminology(terminology, tmp_path / f"{name}.gz", format=format)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    plain = io.BytesIO()
    export_terminology(terminology, plain, format=format)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == plain.getvalue()
    assert [concept.terms for concept in read_release([tmp_path / "a.gz"]).concepts()] == [FEVER.terms]


def test_a_failed_export_leaves_the_old_file(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminology, path = store(FEVER, replace(FEVER, id="T:2")), tmp_path / "t.jsonl"
    path.write_text("old")
    real = Terminology.concept

    def broken(self: Terminology, row: int) -> Concept:
        if row == 1:
            raise KeyboardInterrupt
        return real(self, row)

    monkeypatch.setattr(Terminology, "concept", broken)
    with pytest.raises(KeyboardInterrupt):
        export_terminology(terminology, path)
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "0.terminology") == ["t.jsonl"]


def test_what_killed_processes_left_is_swept(store: Any, tmp_path: Path) -> None:
    dead, alive = tmp_path / ".t.csv.999999999.writing", tmp_path / f".t.csv.{os.getppid()}.writing"
    dead.write_text("x")
    alive.write_text("x")
    export_terminology(store(FEVER), tmp_path / "t.csv")
    assert (dead.exists(), alive.exists()) == (False, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is a folder"),
        ("no/such/a.csv", "cannot be written: there is no folder"),
        ("x" * 300 + ".csv", "too long"),
    ],
)
def test_files_that_cannot_be_written(store: Any, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        export_terminology(store(FEVER), tmp_path / name, format="csv")


def test_a_stream_needs_a_format(store: Any) -> None:
    with pytest.raises(InputError, match="no name that tells the format"):
        export_terminology(store(FEVER), io.BytesIO())
