from __future__ import annotations

import errno
import json
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, cast

import pytest

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.files import spool as spool_module
from ontonym.files.source import open_source
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables import read as table_module
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.ontology.tables.headers import guess_columns
from ontonym.ontology.tables.read import read_table
from ontonym.types import Concept, Relation, Term

Read = Callable[..., Any]


def test_obvious_headers_are_guessed_and_noted(read: Read) -> None:
    concepts, release = read(
        "t.csv", 'code,label,synonyms,parents\nA1,"Fever, high",Pyrexia|Heat,A0\nA2,Cough,,A0\n', prefix="L"
    )
    assert concepts == [
        Concept("L:A1", (Term("Fever, high", "preferred"), Term("Pyrexia"), Term("Heat")), parents=("L:A0",)),
        Concept("L:A2", (Term("Cough", "preferred"),), parents=("L:A0",)),
    ]
    assert release.metadata.columns == {
        "id": "code", "preferred": "label", "synonyms": "synonyms", "parents": "parents",
    }  # fmt: skip


def test_headerless_file_by_column_numbers(read: Read) -> None:
    columns = ColumnMapping.parse(["id=1", "preferred=2", "synonyms=3"])
    concepts, _ = read("t.tsv", "D1\tOne\t\nD2\tTwo\tzwei|deux\n", columns=columns, prefix="MESH")
    assert [(c.id, [t.text for t in c.terms]) for c in concepts] == [
        ("MESH:D1", ["One"]),
        ("MESH:D2", ["Two", "zwei", "deux"]),
    ]


NAMES = """id,name,kind,language
A,Fieber,synonym,de
B,Cough,preferred,en
A,Fever,preferred,en
A,Pyrexia,PT,en
A,Hot,odd,en
"""


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]])
def test_a_row_per_name_is_merged_whether_adjacent_or_not(read: Read, order: list[int]) -> None:
    header, *rows = NAMES.splitlines()
    concepts, release = read("t.csv", "\n".join([header, *(rows[i] for i in order)]) + "\n")
    assert [c.id for c in concepts] == (["A", "B"] if order[0] == 0 else ["B", "A"])
    terms = next(c for c in concepts if c.id == "A").terms
    assert terms == (
        Term("Fever", "preferred"),
        Term("Fieber", language="de"),
        Term("Pyrexia"),
        Term("Hot", source="odd"),
    )
    assert (release.counts.rows, release.counts.kept) == (5, 5)


def test_scattered_rows_come_by_the_first_row_of_their_id_then_as_they_stood(read: Read) -> None:
    ids = ["Z:9", "A:1", "M:5", "A:1", "Z:9", "B:2", "M:5", "A:1", "B:2", "Z:9"]
    concepts, release = read("t.tsv", "id\tname\n" + "".join(f"{id_}\tname {i}\n" for i, id_ in enumerate(ids)))
    assert [(c.id, [t.text for t in c.terms]) for c in concepts] == [
        ("Z:9", ["name 0", "name 4", "name 9"]),
        ("A:1", ["name 1", "name 3", "name 7"]),
        ("M:5", ["name 2", "name 6"]),
        ("B:2", ["name 5", "name 8"]),
    ]
    assert (release.counts.rows, release.counts.kept) == (10, 10)


@pytest.mark.slow
def test_scattered_rows_longer_and_more_than_any_buffer(read: Read) -> None:
    names = [f"name {i}" + "x" * (i % 7 * 1500) for i in range(2000)]
    concepts, _ = read("t.tsv", "id\tname\n" + "\n".join(f"X:{i * 37 % 100}\t{n}" for i, n in enumerate(names)))
    assert [c.id for c in concepts] == [f"X:{i * 37 % 100}" for i in range(100)]
    assert [[t.text for t in c.terms] for c in concepts] == [names[i::100] for i in range(100)]


def test_scattered_rows_keep_every_character_and_their_line(read: Read) -> None:
    odd = 'two\nlines, "quoted" \x1f\u2028\\é🦠'
    quoted = odd.replace('"', '""')
    rows = f'id,name,status\nA,one,\nB,"{quoted}",\nA,three,perhaps\nA,four,\n'
    concepts, release = read("t.csv", rows)
    assert [(c.id, [t.text for t in c.terms]) for c in concepts] == [("A", ["one", "four"]), ("B", [odd])]
    assert [(r.line, r.problem[:24]) for r in release.counts.examples] == [(5, "unknown status 'perhaps'")]


@pytest.mark.parametrize(
    ("status", "yes", "no"),
    [("aktiv", "ja", "nej"), ("attivo", "attivo", "inattivo"), ("ativo", "Ativo", "Inativo"), ("actief", "ja", "nee"),
     ("aktywny", "tak", "nie"), ("gueltig", "gueltig", "ungueltig"), ("有効", "有効", "無効"), ("有效", "是", "否")],
)  # fmt: skip
def test_a_status_reads_as_its_header_does_in_the_same_language(read: Read, status: str, yes: str, no: str) -> None:
    concepts, release = read("t.csv", f"id,name,{status}\nA,one,{yes}\nB,two,{no}\nC,three,vielleicht\n")
    assert [(c.id, c.status) for c in concepts] == [("A", "active"), ("B", "retired")]
    problem = release.counts.examples[0].problem
    assert problem.startswith("unknown status 'vielleicht' (known: active, 1") and problem.endswith("deleted, …)")


SCATTERED = "id\tname\nA\tone\nB\ttwo\nA\tthree\n"


@pytest.mark.parametrize("end", [KeyboardInterrupt, FormatError("t.tsv", "strict"), GeneratorExit])
def test_the_rows_put_aside_are_gone_however_reading_ends(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    opened, make = [], tempfile.TemporaryFile

    def temporary(**options: Any) -> Any:
        opened.append(make(**options))
        return opened[-1]

    (tmp_path / "aside").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "aside"))
    monkeypatch.setattr(spool_module, "TemporaryFile", temporary)
    source = open_source(write("t.tsv", SCATTERED))
    concepts = cast("Generator[Concept]", read_table([source], ReleaseLog(ReadOptions())))
    assert next(concepts).id == "A"
    assert not opened[0].closed
    with pytest.raises(end if isinstance(end, type) else type(end)):
        concepts.throw(end)
    assert opened[0].closed
    assert list((tmp_path / "aside").iterdir()) == []


def test_no_room_for_scattered_rows_says_what_to_do(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_options: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", "/small")
    monkeypatch.setattr(spool_module, "TemporaryFile", full)
    with pytest.raises(InputError, match=r"t\.tsv: .* in /small: No space left on device\. Sort .* let TMPDIR"):
        read("t.tsv", SCATTERED)


def test_a_table_that_changes_between_its_two_readings_is_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, survey = open_source(write("t.tsv", SCATTERED)), table_module._survey

    def survey_then_cut(*given: Any) -> Any:
        surveyed = survey(*given)
        write("t.tsv", SCATTERED[:-8])
        return surveyed

    monkeypatch.setattr(table_module, "_survey", survey_then_cut)
    with pytest.raises(FormatError, match=r"t\.tsv: changed while it was read\. Import it again"):
        list(read_table([source], ReleaseLog(ReadOptions())))


def test_languages_option(read: Read) -> None:
    concepts, release = read("t.csv", NAMES, languages=("de",))
    assert [(c.id, [t.text for t in c.terms]) for c in concepts] == [("A", ["Fieber"]), ("B", [])]
    assert release.counts.terms_skipped == {"language not asked for": 4}


def test_status_replacement_and_xrefs(read: Read) -> None:
    text = "id;name;status;replaced_by;xrefs\nX:1;Old;retired;X:2;MSH:D1|UMLS_CUI:C1\nX:2;New;1;;\nX:3;Odd;perhaps;;\n"
    concepts, release = read("t.csv", text)
    assert concepts[0] == Concept(
        "X:1", (Term("Old", "preferred"),), status="retired", replaced_by=("X:2",), xrefs=("MESH:D1", "UMLS:C1")
    )
    assert [c.id for c in concepts] == ["X:1", "X:2"]
    assert release.counts.examples[0].problem.startswith("unknown status 'perhaps'")


def test_what_an_obo_label_calls_obsolete_is_retired_unless_a_status_says_otherwise(read: Read) -> None:
    rows = "id,name\nX:1,obsolete gout\nX:2,gout\nX:3,OBSOLETE ague\nX:4,Obsolete device left in place\n"
    concepts, _ = read("t.csv", rows)
    assert [c.id for c in concepts if c.status == "retired"] == ["X:1", "X:3"]
    concepts, _ = read("t.csv", "id,name,status\nX:1,obsolete gout,active\n")
    assert [c.status for c in concepts] == ["active"]


def test_separators_at_the_end_of_a_row_are_no_fields(read: Read) -> None:
    concepts, release = read("t.csv", "id,name\nA,one,\nB,two,,\nC,three,x\n")
    assert ([c.id for c in concepts], release.counts.malformed) == (["A", "B"], 1)


@pytest.mark.parametrize("row", [",,", ",, ", " ,,\t"])
def test_a_row_of_empty_cells_is_no_row(read: Read, row: str) -> None:
    concepts, release = read("t.csv", f"id,name,note\nA,one,\n{row}\nB,two,\n,no id,\n{row}\n")
    assert [c.id for c in concepts] == ["A", "B"]
    assert [(bad.line, bad.problem) for bad in release.counts.examples] == [(5, "an empty id")]
    assert release.counts.malformed == 1


def test_a_status_of_one_letter(read: Read) -> None:
    concepts, _ = read("t.csv", "id,name,status\nA,one,A\nB,two,I\n")
    assert [c.status for c in concepts] == ["active", "retired"]


def test_malformed_rows_are_counted(read: Read) -> None:
    _, release = read("t.tsv", "id\tname\nA\tone\nB\n\tno id\nC\ttwo\tthree\nD\t\nE\tfive\n" + "Z\tzz\n" * 40)
    assert [(row.line, row.problem) for row in release.counts.examples] == [
        (3, "expected 2 fields, found 1"),
        (4, "an empty id"),
        (5, "expected 2 fields, found 3"),
    ]
    assert release.counts.skipped == {"row of a concept without any name": 1}


def test_lists_that_were_not_split_are_counted(read: Read) -> None:
    text = "id,name,synonyms\nA,one;1,a; b\nB,two,c|d;e\nC,three,f|g\n"
    concepts, release = read("t.csv", text)
    assert [term.text for term in concepts[0].terms] == ["one;1", "a; b"]
    assert release.metadata.details["lists_not_split"] == {"count": 1, "first": ["t.csv:2: a; b"]}


def test_stray_quotes_in_tsv_do_not_swallow_lines(read: Read) -> None:
    concepts, _ = read("t.tsv", 'id\tname\nA\t"open\nB\t"quoted ""x"""\n')
    assert [c.preferred for c in concepts] == ['"open', 'quoted "x"']


def test_csv_field_over_two_lines_and_broken_quote(read: Read) -> None:
    concepts, release = read("t.csv", 'id,name\nA,"two\nlines"\nB,"broken" x\nC,fine\n')
    assert [c.preferred for c in concepts] == ["two\nlines", "fine"]
    assert (release.counts.malformed, release.counts.examples[0].line) == (1, 4)


def test_unknown_column_lists_the_columns(read: Read) -> None:
    with pytest.raises(
        FormatError, match=r"t\.csv:1: unknown column 'lable'.*Did you mean 'label'.*Valid: code, label"
    ):
        read("t.csv", "code,label\nA,b\n", columns=ColumnMapping.parse(["id=code", "preferred=lable"]))


def test_columns_that_are_not_obvious_are_an_error_that_shows_them(read: Read) -> None:
    with pytest.raises(FormatError, match=r"t\.csv:1: cannot tell which columns.*1='x', 2='y'"):
        read("t.csv", "x,y\n1,2\n")


TITLES = ("Codes of ward 3,,", "Codes of ward 3", '"Codes, of ward 3",version 2,', '"Codes" of ward 3,,')


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("columns", [None, ColumnMapping.parse(["id=code", "preferred=name"])])
def test_titles_above_a_header_are_left_out(read: Read, title: str, columns: ColumnMapping | None) -> None:
    found, _ = read("t.csv", f"{title}\n\ncode,name,count\nA1,Fever,3\nA2,Fits,4\n", columns=columns)
    assert [(one.id, one.preferred) for one in found] == [("A1", "Fever"), ("A2", "Fits")]


def test_mapping_words() -> None:
    mapping = ColumnMapping.parse(
        ["id=code", "preferred=a=b", "synonyms=x", "synonyms=y", "separator=;", "delimiter=tab"]
    )
    assert mapping == ColumnMapping(
        id=("code",), preferred=("a=b",), synonyms=("x", "y"), separator=";", delimiter="\t"
    )
    assert mapping.to_dict() == {
        "id": "code", "preferred": "a=b", "synonyms": "x,y", "delimiter": "\t", "separator": ";",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["id"], "not of the form role=column"),
        (["id=x", "nmae=y"], "unknown column role 'nmae'"),
        (["id=x", "delimiter=long"], "not one character"),
        (["id=x", "header=perhaps"], "unknown header setting"),
    ],
)
def test_bad_mappings(settings: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ColumnMapping.parse(settings)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (["cls", "cls_label", "n"], ("cls", "cls_label")),
        (["COMPOUND_ID", "NAME"], ("COMPOUND_ID", "NAME")),
        (["?term", "?term_label", "?layperson"], ("?term", "?term_label")),
        (["mesh_id", "mesh_name"], ("mesh_id", "mesh_name")),
        (["Concept ID", "Preferred Term"], ("Concept ID", "Preferred Term")),
        (["sourceCode", "sourceName", "conceptId"], ("sourceCode", "sourceName")),  # as Usagi saves its work
    ],
)
def test_guessing(header: list[str], found: tuple[str, str]) -> None:
    mapping = guess_columns(header)
    assert mapping is not None
    assert (mapping.id, mapping.preferred) == ((found[0],), (found[1],))


def test_jsonl_with_our_own_fields(read: Read) -> None:
    record = {
        "id": "X:1",
        "terms": [{"text": "Fever", "kind": "preferred"}, {"text": "Hot", "kind": "lay", "language": "en-GB"}, "Heat"],
        "parents": ["X:0"],
        "relations": [{"predicate": "part_of", "target": "Y:1"}],
        "definitions": ["warm"],
        "xrefs": ["MSH:D1"],
        "consider": ["X:8"],
    }
    concepts, release = read("t.jsonl", json.dumps(record) + "\nnot json\n[1]\n")
    assert concepts == [
        Concept(
            "X:1",
            (Term("Fever", "preferred"), Term("Hot", "lay", language="en-GB"), Term("Heat")),
            parents=("X:0",),
            relations=(Relation("part_of", "Y:1"),),
            definitions=("warm",),
            xrefs=("MESH:D1",),
            consider=("X:8",),
        )
    ]
    assert (release.counts.rows, release.counts.malformed) == (3, 2)


def test_jsonl_with_guessed_keys(read: Read) -> None:
    concepts, release = read("t.jsonl", '{"code": 7, "label": "Fever", "synonyms": ["Hot", null]}\n', prefix="L")
    assert concepts == [Concept("L:7", (Term("Fever", "preferred"), Term("Hot")))]
    assert release.metadata.columns == {"id": "code", "preferred": "label", "synonyms": "synonyms"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.jsonl", '{"id":1.0,"name":"fits","count":2.5}\n{"id":22.0,"name":"fever","count":null}\n'),
        ("t.json", '[{"id":1.0,"name":"fits","synonyms":NaN},{"id":22.0,"name":"fever","synonyms":null}]'),
    ],
)
def test_json_of_programs_that_make_fractions_of_codes(read: Read, name: str, text: str) -> None:
    concepts, release = read(name, text)
    assert [(concept.id, [term.text for term in concept.terms]) for concept in concepts] == [
        ("1", ["fits"]), ("22", ["fever"])
    ]  # fmt: skip
    assert release.counts.malformed == 0


def test_lists_of_a_parquet_file_are_lists(read: Read, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    synonyms = [["seizure", "a | b"], [], None, ["one", None]]
    columns = {"id": [1.0, 2.0, 3.0, 4.0], "name": ["fits", "fever", "cough", "rash"], "synonyms": synonyms}
    parquet.write_table(pyarrow.table(columns), tmp_path / "made.parquet")
    concepts, _ = read("t.parquet", (tmp_path / "made.parquet").read_bytes())
    assert [[term.text for term in concept.terms] for concept in concepts] == [
        ["fits", "seizure", "a | b"], ["fever"], ["cough"], ["rash", "one"]
    ]  # fmt: skip
    assert concepts[0].id == "1"


def test_a_workbook_that_openpyxl_stumbles_over_is_an_error_of_one_line(read: Read, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["id", "name"])
    book.create_chartsheet("nothing", 0)
    book.save(tmp_path / "made.xlsx")
    with pytest.raises(FormatError, match="cannot be read as an Excel workbook"):
        read("t.xlsx", (tmp_path / "made.xlsx").read_bytes())


def test_jsonl_unknown_key(read: Read) -> None:
    with pytest.raises(UnknownNameError, match="unknown column 'x'"):
        read("t.jsonl", '{"code": "7"}\n', columns=ColumnMapping.parse(["id=x"]))


@pytest.mark.parametrize(
    ("header", "ids", "names", "language"),
    [
        (["Kode", "Titel"], "Kode", "Titel", "de"),
        (["Schlüssel", "Bezeichnung"], "Schlüssel", "Bezeichnung", "de"),
        (["code", "Libellé"], "code", "Libellé", "fr"),
        (["Código", "Descripción"], "Código", "Descripción", "es"),
        (["コード", "病名"], "コード", "病名", "ja"),
    ],
)
def test_headers_of_other_languages_name_the_language(header: list[str], ids: str, names: str, language: str) -> None:
    mapping = guess_columns(header)
    assert mapping is not None
    assert (mapping.id, mapping.preferred) == ((ids,), (names,))
    assert mapping.qualifier("preferred", names) == language


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["id=Nr", "preferred=Bezeichnung", "synonyms=Synonyme"], ["de", "de"]),
        (["id=Nr", "preferred@en=Bezeichnung", "synonyms=Synonyme"], ["en", "en"]),
        (["id=Nr", "preferred=2", "synonyms=3", "header=yes"], ["en", "en"]),
        (["id=Nr", "preferred=Bezeichnung", "synonyms=Synonyme", "language=Sprache"], ["fr", "fr"]),
        (["id=Nr", "synonyms=Bezeichnung"], ["en"]),
    ],
)
def test_a_header_tells_the_language_of_a_column_that_is_named_without_one(
    read: Read, given: list[str], told: list[str]
) -> None:
    table = "Nr,Bezeichnung,Synonyme,Sprache\n7,Husten,Reizhusten,fr\n"
    ((concept,), _) = read("t.csv", table, columns=ColumnMapping.parse(given))
    assert [term.language for term in concept.terms] == told


@pytest.mark.parametrize("header", [["Kode", "Titel", "Synonyme"], ["Código", "Descripción", "Sinónimos"]])
def test_synonyms_under_a_header_of_another_language_are_in_that_of_the_names(header: list[str]) -> None:
    mapping = guess_columns(header)
    assert mapping is not None
    assert mapping.synonyms == (header[2],)
    assert mapping.qualifier("synonyms", header[2]) == mapping.qualifier("preferred", header[1]) != ""


def test_an_english_header_comes_before_one_of_another_language() -> None:
    mapping = guess_columns(["code", "display", "Titel"])
    assert mapping is not None
    assert mapping.preferred == ("display",)
    assert mapping.qualifier("preferred", "display") == ""


def test_the_hint_for_another_encoding_names_those_of_other_regions(read: Read) -> None:
    with pytest.raises(FormatError, match="SHIFT_JIS if it is Japanese"):
        read("t.csv", "コード,病名\nA1,頭痛\n".encode("shift_jis"))


def test_a_group_that_no_terminology_can_hold_is_a_malformed_row(read: Read) -> None:
    def line(own: str, group: int) -> str:
        mapping = {"predicate_id": "skos:exactMatch", "object_id": "B:1", "justification": "j", "group": group}
        return json.dumps({"id": own, "terms": [{"text": own, "kind": "preferred"}], "mappings": [mapping]})

    own = '{"ontonym_terminology": 1, "name": "x"}'
    concepts, release = read("t.jsonl", "\n".join([own, line("A:1", 70_000), line("A:2", 65_535)]) + "\n")
    assert [(concept.id, concept.mappings[0].group) for concept in concepts] == [("A:2", 65_535)]
    assert release.counts.examples[0].problem == "'group' of a mapping is 70000, not a number from 0 to 65,535"
