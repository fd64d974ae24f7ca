from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ontonym.errors import FormatError, InputError, OntonymError, UnknownNameError
from ontonym.ontology.counts import Counts
from ontonym.ontology.formats import FORMATS, read_release, sniff
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping

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


@pytest.mark.parametrize("content", ["Dear all, hello.\nSee you\n", "[1, 2, 3]", "\x00\x01"])
def test_an_unrecognized_file_lists_the_formats(write: Write, content: str) -> None:
    with pytest.raises(FormatError, match=r"not recognized.*obo,.*medic,.*`format=NAME`"):
        sniff([write("f", content)])


def test_files_of_different_formats(write: Write) -> None:
    with pytest.raises(FormatError, match=r"different formats \(a is obo; b is table\)"):
        sniff([write("a", "[Term]\nid: X:1\n"), write("b", "id,name\nA,b\n")])


def zipped(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


OBO = "[Term]\nid: X:1\nname: one\n"
PDF = b"%PDF-1.7\n%\xe2\xe3\x00"


def test_what_is_no_release_is_left_out_and_named(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {"rel/x.obo": OBO, "rel/c.csv": "id,name\nA,b\n", "guide.pdf": PDF, "e": ""}
    members["README"] = "Dear all\n"
    release = read_release([zipped(tmp_path / "x-2024.01.zip", members)])
    assert [c.id for c in release.concepts()] == ["X:1"]
    facts = release.metadata
    assert (facts.name, facts.format) == ("x-2024.01", "obo")
    assert facts.details["files_left_out"] == {"count": 4, "first": ["README", "e", "guide.pdf", "rel/c.csv"]}
    assert [(file.name, file.bytes) for file in facts.sources] == [
        ("x-2024.01.zip", (tmp_path / "x-2024.01.zip").stat().st_size)
    ]


def test_a_folder_of_tables_is_tables(tmp_path: Path) -> None:
    root = tmp_path / "codes.v2"
    root.mkdir()
    (root / "a.csv").write_text("id,name\nA:1,b\n")
    (root / "b.csv").write_text("id,name\nA:2,c\n")
    (root / "guide.pdf").write_bytes(PDF)
    release = read_release([root])
    assert [c.id for c in release.concepts()] == ["A:1", "A:2"]
    assert (release.metadata.name, release.metadata.format) == ("codes.v2", "table")
    assert [file.name for file in release.metadata.sources] == ["a.csv", "b.csv"]
    assert release.metadata.details["files_left_out"] == {"count": 1, "first": ["guide.pdf"]}


def test_many_left_out_files_are_counted_and_fifty_named(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {"x.obo": OBO, **{f"{i:03d}.pdf": PDF for i in range(120)}}
    left_out = read_release([zipped(tmp_path / "a.zip", members)]).metadata.details["files_left_out"]
    assert (left_out["count"], len(left_out["first"]), left_out["first"][49]) == (120, 50, "049.pdf")


def test_one_of_several_formats_is_chosen_by_name(tmp_path: Path) -> None:
    members = {"x.obo": OBO, "y.json": '{"graphs": []}', "z/c.csv": "id,name\nA:1,b\n", "z/d.csv": "id,name\nA:2,b\n"}
    path = zipped(tmp_path / "a.zip", members)
    told = r"a\.zip: files of different formats \(x\.obo is obo; y\.json is obographs\)\. Say which one: `format=NAME`"
    with pytest.raises(FormatError, match=told):
        read_release([path])
    assert [c.id for c in read_release([path], format="obo").concepts()] == ["X:1"]
    assert [c.id for c in read_release([path], format="table").concepts()] == ["A:1", "A:2"]
    columns = ColumnMapping.parse(["id=id", "preferred=name"])
    release = read_release([path], options=ReadOptions(columns=columns))
    assert [c.id for c in release.concepts()] == ["A:1", "A:2"]
    with pytest.raises(FormatError, match=r"no file of the format medic in it \(x\.obo, y\.json, z/c\.csv, z/d\.csv\)"):
        read_release([path], format="medic")


def test_nothing_known_in_a_folder_or_archive_lists_what_is_there(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {f"{i}.pdf": PDF for i in range(7)})
    shown = (
        r"no file of a known format in it \(0\.pdf, 1\.pdf, 2\.pdf, 3\.pdf, 4\.pdf and 2 more\).*obo,.*`format=NAME`"
    )
    with pytest.raises(FormatError, match=shown):
        sniff([path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"empty: no file in it"):
        sniff([tmp_path / "empty"])


def test_a_file_named_beside_a_folder_must_be_known(write: Write, tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.obo": OBO, "README": "Dear all\n"})
    with pytest.raises(FormatError, match=r"readme: the format is not recognized"):
        read_release([path, write("readme", "Dear all\n")])
    release = read_release([path, write("y.obo", OBO.replace("X:1", "X:2"))])
    assert [c.id for c in release.concepts()] == ["X:1", "X:2"]
    assert [file.name for file in release.metadata.sources] == ["a.zip", "y.obo"]


def test_the_word_of_the_user_counts_for_a_file_alone(write: Write, tmp_path: Path) -> None:
    odd = "remark: nothing that OBO is told by\n" + " " * 70_000 + "\n" + OBO
    for path in (write("odd.txt", odd), zipped(tmp_path / "odd.zip", {"odd.txt": odd})):
        assert [c.id for c in read_release([path], format="obo").concepts()] == ["X:1"]


def test_names_of_releases_that_do_not_name_themselves(write: Write, tmp_path: Path) -> None:
    two = {"x.obo": OBO, "y.obo": OBO.replace("X:1", "X:2")}
    assert read_release([zipped(tmp_path / "r.2024.01.zip", two)]).metadata.name == "r.2024.01"
    assert read_release([zipped(tmp_path / "hp.obo.zip", {"x.obo": OBO})]).metadata.name == "hp"
    assert read_release([write("hp.obo.gz", gzip.compress(OBO.encode()))]).metadata.name == "hp"


def test_malformed_rows_name_the_member(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"in/x.obo": OBO + "[Term]\nname: no id\n"})
    release = read_release([path])
    list(release.concepts())
    assert [(row.file, row.line) for row in release.counts.examples] == [("in/x.obo", 4)]
    with pytest.raises(FormatError, match=r"a\.zip/in/x\.obo:4: a stanza without an id"):
        list(read_release([path], options=ReadOptions(strict=True)).concepts())


def test_unknown_format_and_no_file(write: Write) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown format 'obo2'.*Did you mean 'obo'"):
        read_release([write("a", "x")], format="obo2")
    with pytest.raises(InputError, match="no release file"):
        read_release([])


def test_a_release_without_a_concept_is_an_error(write: Write) -> None:
    release = read_release([write("a.obo", "[Term]\nname: x\n")])
    with pytest.raises(
        FormatError, match=r"no concept in it \(read as obo, 1 row, 1 of them malformed; .*without an id"
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


def test_a_folder_of_links_alone_says_so(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("id,name\nT:1,Fever\n")
    (folder := tmp_path / "release").mkdir()
    (folder / "codes.csv").symlink_to(tmp_path / "codes.csv")
    with pytest.raises(FormatError, match=r"only links, pipes and empty files in it \(codes.csv\), which are not read"):
        read_release(folder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n<!DOCTYPE html>\n<html><title>404 Not Found</title></html>", "a web page, not a release"),
        ("<HTML lang='en'><body>Sign in</body></HTML>", "a web page, not a release"),
        ("# by hand\nPrefix(:=<http://x.org/a#>)\nOntology(<http://x.org/a>)\n", "functional syntax.*robot convert"),
        ("Prefix: : <http://x.org/a#>\nOntology: <http://x.org/a>\n", "Manchester syntax.*robot convert"),
        ('<?xml version="1.0"?>\n<!-- a --><CodeSystem xmlns="http://hl7.org/fhir"><id value="x"/></CodeSystem>',
         "FHIR as XML.*Give it as JSON"),
        (PDF.decode(errors="replace"), "a PDF document"),
    ],
)  # fmt: skip
def test_what_people_take_for_a_release_is_called_by_its_name(
    write: Write, tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(FormatError, match=rf"hp\.obo: .*{said}"):
        read_release([write("hp.obo", text)])
    beside = zipped(tmp_path / "a.zip", {"x.obo": OBO, "index.html": text})
    assert [concept.id for concept in read_release([beside]).concepts()] == ["X:1"]


def test_headers_that_only_look_like_another_syntax(write: Write) -> None:
    assert sniff([write("a.obo", "ontology: hp\n\n" + OBO)]).name == "obo"
    assert sniff([write("a.csv", "Prefix (code),Name\nA,Ache\nB,Bother\n")]).name == "table"
