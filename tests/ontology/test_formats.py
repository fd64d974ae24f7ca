from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError, InputError, OntonymError, UnknownNameError
from ontonym.ontology.counts import Counts
from ontonym.ontology.formats import FORMATS, read_release, sniff
from ontonym.ontology.release import ReadOptions

Write = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("format-version: 1.2\n", "obo"),
        ("! a comment\n\n[Term]\nid: X:1\n", "obo"),
        ('{"graphs": []}', "obographs"),
        ('{\n  "meta": {},\n  "graphs" : [ ]\n}', "obographs"),
        ('<?xml version="1.0"?>\n<ICD10CM.tabular/>', "icd10cm"),
        ("00001 A00     0 Cholera                                                      Cholera\n", "icd10cm"),
        ("1\nA00-A09\nA00\nA000\n", "icd10cm"),
        ("# Fields:\n# DiseaseName\tDiseaseID\tAltDiseaseIDs\n", "ctd"),
        ("C565588||Hernia\nC567755|613097||Tooth, 6|STHAG6\n", "medic"),
        ("id,name\nA,b\n", "table"),
        ('{"id": "A", "name": "b"}\n{"id": "B", "name": "c"}\n', "table"),
    ],
)
def test_formats_are_recognized_by_content(write: Write, content: str, name: str) -> None:
    assert sniff([write("release.dat", content)]) is FORMATS[name]
    assert sniff([write("release.dat.gz", gzip.compress(content.encode()))]).name == name


@pytest.mark.parametrize(
    "content", ["Dear all, hello.\nSee you\n", '[1, 2, 3]', "\x00\x01"]
)
def test_an_unrecognized_file_lists_the_formats(write: Write, content: str) -> None:
    with pytest.raises(FormatError, match=r"not recognized.*obo .*medic .*--format NAME"):
        sniff([write("f", content)])


def test_files_of_different_formats(write: Write) -> None:
    with pytest.raises(FormatError, match=r"different formats \(a is obo; b is table\)"):
        sniff([write("a", "[Term]\nid: X:1\n"), write("b", "id,name\nA,b\n")])


def test_unknown_format_and_no_file(write: Write) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown format 'obo2'.*Did you mean 'obo'"):
        read_release([write("a", "x")], format="obo2")
    with pytest.raises(InputError, match="no release file"):
        read_release([])


def test_a_release_without_a_concept_is_an_error(write: Write) -> None:
    release = read_release([write("a.obo", "[Term]\nname: x\n")])
    with pytest.raises(
        FormatError, match=r"no concept in it \(read as obo, 1 rows, 1 of them malformed; .*without an id"
    ):
        list(release.concepts())


def test_metadata_before_and_after_reading(write: Write) -> None:
    path = write("local.codes.csv", "id,name\nL:1,b\n")
    release = read_release([path], options=ReadOptions(name="ours"))
    assert (release.metadata.name, release.metadata.prefix) == ("ours", "")
    assert [c.id for c in release.concepts()] == ["L:1"]
    assert (release.metadata.prefix, release.metadata.sources[0].name) == ("L", "local.codes.csv")
    assert release.metadata.to_dict()["sources"][0]["bytes"] == 14


def test_counts_that_do_not_add_up_are_our_fault() -> None:
    counts = Counts(rows=2, kept=1)
    with pytest.raises(OntonymError, match="do not add up") as caught:
        counts.verify()
    assert caught.value.exit_code == 3
