"""RRF releases of a few invented concepts in the layouts of UMLS and RxNorm."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.types import Concept, Property, Relation, Term


def atom(
    cui: str, text: str, *, sab: str = "MSH", tty: str = "PT", code: str = "D1", lat: str = "ENG", ts: str = "S",
    stt: str = "VO", pref: str = "N", suppress: str = "N",
) -> str:  # fmt: skip
    return f"{cui}|{lat}|{ts}|L1|{stt}|S1|{pref}|A1|||{code}|{sab}|{tty}|{code}|{text}|0|{suppress}||"


def relation(first: str, rel: str, second: str, rela: str = "", suppress: str = "N") -> str:
    return f"{first}|A1|AUI|{rel}|{second}|A2|AUI|{rela}|R1||MSH|MSH|||{suppress}||"


TABLES = {
    "MRCONSO": [
        atom("C0000001", "Swollen snout", tty="ET", ts="P", stt="PF", pref="Y"),
        atom("C0000001", "Snout edema", tty="MH"),
        atom("C0000001", "snout edema", sab="SNOMEDCT_US", tty="PT", code="1001", pref="Y"),
        atom("C0000001", "Snout edema", sab="ICD10CM", tty="PT", code="S01"),
        atom("C0000001", "puffy snout", sab="CHV", tty="SY", code="NOCODE"),
        atom("C0000001", "SE", sab="HPO", tty="AB", code="HP:0000001"),
        atom("C0000001", "Schnauzenödem", sab="MSHGER", tty="MH", lat="GER"),
        atom("C0000001", "snout thing", suppress="O"),
        atom("C0000002", "Disease", code="D2"),
        atom("C0000003", "Snout", code="D3"),
    ],
    "MRSTY": ["C0000001|T047|B2|Disease or Syndrome|AT1||", "C0000003|T023|A1|Body Part|AT2||"],
    "MRRANK": ["400|MSH|MH|N|", "300|SNOMEDCT_US|PT|N|", "200|MSH|ET|N|", "100|ICD10CM|PT|N|"],
    "MRREL": [
        relation("C0000001", "PAR", "C0000002"),
        relation("C0000002", "CHD", "C0000001", "isa"),
        relation("C0000003", "RO", "C0000001", "location_of"),
        relation("C0000003", "RB", "C0000002", "inverse_isa"),
        relation("C0000003", "PAR", "C0000003"),
        relation("C0000002", "PAR", "C0000003", suppress="Y"),
    ],
    "MRDEF": ["C0000001|A1|AT1||MSH|A snout larger than usual.|N||", "C0000001|A1|AT2||MSH|Old.|O||"],
    "MRCUI": [
        "C0000008|2001AA|SY|||C0000001|Y|",
        "C0000009|2002AA|DEL||||N|",
        "C0000007|2003AA|RB|||C0000002|Y|",
        "C0000002|1999AA|SY|||C0000001|Y|",
    ],
    "MRSAB": ["||MTH2024AA|MTH|UMLS||2024AA|||||||||||||||||||"],
}


def write(folder: Path, tables: dict[str, list[str]]) -> Path:
    folder.mkdir(parents=True)
    for name, rows in tables.items():
        (folder / f"{name}.RRF").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    return write(tmp_path / "2024AA" / "META", TABLES).parent


def read(*paths: Path, **options: object) -> dict[str, Concept]:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: concept for concept in release.concepts()}


def test_a_concept_has_everything_the_tables_say(meta: Path) -> None:
    concept = read(meta)["UMLS:C0000001"]
    assert concept.terms == (
        Term("Snout edema", "preferred", source="MSH"),
        Term("snout edema", source="SNOMEDCT_US"),
        Term("Swollen snout", "entry", source="MSH"),
        Term("puffy snout", "lay", source="CHV"),
        Term("SE", "abbreviation", source="HPO"),
        Term("Schnauzenödem", "preferred", language="de", source="MSHGER"),
    )
    assert concept.parents == ("UMLS:C0000002",)
    assert concept.tags == ("Disease or Syndrome",)
    assert concept.definitions == ("A snout larger than usual.",)
    assert concept.xrefs == ("MESH:D1", "SCTID:1001", "ICD10CM:S01", "HP:0000001")


def test_both_directions_and_isa_make_parents_once(meta: Path) -> None:
    release = read_release([meta])
    found = {concept.id: concept.parents for concept in release.concepts()}
    assert found["UMLS:C0000003"] == ("UMLS:C0000002",)
    assert found["UMLS:C0000002"] == ()
    assert dict(release.counts.skipped) == {
        "suppressible name": 1,
        "relation that is not of the hierarchy": 1,
        "relation of a concept with itself": 1,
        "suppressible row": 2,
    }
    assert release.counts.rows == sum(map(len, TABLES.values()))
    assert release.counts.terms_skipped == {"repeated name": 1}
    assert release.metadata.version == "2024AA"


def test_retired_ids_say_what_they_became(meta: Path) -> None:
    found = read(meta)
    assert found["UMLS:C0000008"] == Concept(
        "UMLS:C0000008", (), status="retired", replaced_by=("UMLS:C0000001",),
        properties=(Property("last version", "2001AA"),),
    )  # fmt: skip
    assert found["UMLS:C0000009"].replaced_by == found["UMLS:C0000009"].consider == ()
    assert found["UMLS:C0000007"].consider == ("UMLS:C0000002",)
    assert found["UMLS:C0000002"].status == "active"


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"sources": ("SNOMEDCT_US", "icd10cm")}, ["snout edema", "Snout edema"]),
        ({"languages": ("de",)}, ["Schnauzenödem"]),
        ({"languages": ("de", "en"), "sources": ("MSH", "MSHGER")}, ["Schnauzenödem", "Snout edema", "Swollen snout"]),
        ({"term_types": ("ET", "AB")}, ["Swollen snout", "SE"]),
        ({"tags": ("T047",), "sources": ("HPO",)}, ["SE"]),
        ({"tags": ("disease or syndrome",), "sources": ("HPO",)}, ["SE"]),
    ],
)
def test_names_are_chosen(meta: Path, options: dict[str, tuple[str, ...]], names: list[str]) -> None:
    assert [term.text for term in read(meta, **options)["UMLS:C0000001"].terms] == names


def test_concepts_are_chosen_by_semantic_type(meta: Path) -> None:
    active = [concept.id for concept in read(meta, tags=("T047",)).values() if concept.status == "active"]
    assert active == ["UMLS:C0000001"]


def test_suppressible_names_are_taken_as_retired_when_asked_for(meta: Path) -> None:
    assert read(meta, suppressible=True)["UMLS:C0000001"].terms[-2] == Term(
        "snout thing", status="retired", source="MSH"
    )


def test_split_and_packed_files_read_alike(meta: Path, tmp_path: Path) -> None:
    place = write(tmp_path / "packed" / "META", {k: v for k, v in TABLES.items() if k != "MRCONSO"})
    whole = (meta / "META" / "MRCONSO.RRF").read_bytes()
    cut = len(whole) // 2 + 7  # in the middle of a row
    for part, data in (("aa", whole[:cut]), ("ab", whole[cut:])):
        (place / f"MRCONSO.RRF.{part}.gz").write_bytes(gzip.compress(data))
    assert read(place.parent) == read(meta)


def test_rows_of_a_concept_that_lie_apart_are_merged_when_stored(meta: Path, tmp_path: Path) -> None:
    from ontonym.store import build_terminology, open_terminology

    rows = TABLES["MRCONSO"]
    place = write(tmp_path / "apart" / "META", {**TABLES, "MRCONSO": [*rows[2:], *rows[:2]]})
    build_terminology(read_release([place]), tmp_path / "u.terminology")
    with open_terminology(tmp_path / "u.terminology") as terminology:
        concept = terminology.concept(terminology.row("UMLS:C0000001"))
        texts = {term.text for term in concept.terms}
        assert texts == {"Snout edema", "snout edema", "Swollen snout", "puffy snout", "SE", "Schnauzenödem"}
        assert concept.parents == ("UMLS:C0000002",)


def test_malformed_rows_are_counted_or_stop_a_strict_reading(tmp_path: Path) -> None:
    place = write(
        tmp_path / "META",
        {
            **TABLES,
            "MRCONSO": [*TABLES["MRCONSO"], "C0000004|ENG|short|", atom("Cx", "what"), atom("C0000005", "a\0b")],
        },
    )
    release = read_release([place])
    assert "UMLS:C0000005" not in {concept.id for concept in release.concepts()}
    assert sorted((row.line or 0, row.problem) for row in release.counts.examples) == [
        (11, "3 fields where 18 are needed"),
        (12, "the first field is not a concept id"),
        (13, "a NUL byte in the row"),
    ]
    with pytest.raises(FormatError, match=r"MRCONSO\.RRF:11"):
        read(place, strict=True)


def test_the_names_table_is_needed(tmp_path: Path) -> None:
    place = write(tmp_path / "META", {"MRSTY": TABLES["MRSTY"]})
    with pytest.raises(FormatError, match=r"no names table \(MRCONSO\.RRF or RXNCONSO\.RRF\)"):
        read(place)


def test_rxnorm_keeps_its_relations(tmp_path: Path) -> None:
    place = write(
        tmp_path / "rrf",
        {
            "RXNCONSO": [
                atom("161", "snoutcillin", sab="RXNORM", tty="IN", code="161"),
                atom("209387", "snoutcillin 500 MG Oral Tablet", sab="RXNORM", tty="SCD", code="209387"),
            ],
            "RXNREL": [
                "209387||CUI|RO|161||CUI|ingredient_of|||RXNORM|RXNORM|||||",
                "|1|AUI|RO||2|AUI|has_form|||RXNORM|RXNORM|||||",
                "161||CUI|RN|209387||CUI|isa|||RXNORM|RXNORM|||||",
            ],
            "RXNCUI": ["99|1|2|1|161|", "98|1|2|2|161|", "98|1|2|2|209387|"],
            "RXNSAB": ["|||RXNORM|||24AA|||||||||||||||||||"],
        },
    )
    found = read(place)
    assert found["RXNORM:161"].relations == (Relation("ingredient_of", "RXNORM:209387"),)
    assert found["RXNORM:209387"].parents == ("RXNORM:161",)
    assert found["RXNORM:99"].replaced_by == ("RXNORM:161",)
    assert (found["RXNORM:98"].replaced_by, found["RXNORM:98"].consider) == ((), ("RXNORM:161", "RXNORM:209387"))
    assert read_release([place]).peek().name == "rxnorm"


def test_of_several_versions_of_a_source_the_current_one_is_named(tmp_path: Path) -> None:
    rows = [f"{'|' * 3}{source}|||{version}{'|' * 15}{current}||||" for source, version, current in (
        ("MTH", "2023AB", "N"), ("MTH", "2024AA", "Y"), ("MSH", "2022", "N"), ("MSH", "2021", "N"),
    )]  # fmt: skip
    assert {len(row.split("|")) for row in rows} == {26}
    place = write(tmp_path / "META", {"MRCONSO": [atom("C0000001", "snout")], "MRSAB": rows})
    metadata = read_release([place]).peek()
    assert metadata.version == "2024AA"
    assert metadata.details["source_versions"] == {"MTH": "2024AA", "MSH": "2022"}


def test_codes_of_icd_go_by_its_own_prefix_whoever_translates_it(tmp_path: Path) -> None:
    sources = ("ICD10", "ICD10DUT", "DMDICD10", "ICD10AMAE", "MTHICD9", "MSHGER")
    rows = [atom("C0000001", f"name {sab}", sab=sab, code=f"S0{i // 3}") for i, sab in enumerate(sources)]
    (concept,) = read(write(tmp_path / "META", {"MRCONSO": rows})).values()
    assert concept.xrefs == ("ICD10:S00", "ICD10AM:S01", "ICD9CM:S01", "MESH:S01")


def test_a_code_has_its_prefix_whatever_codes_come_after_it(tmp_path: Path) -> None:
    rows = [
        atom("C0000001", "first", sab="HPO", code="HP:0000001"),
        atom("C0000001", "second", code="D1"),
        atom("C0000001", "third", sab="HPO", code="HP:0000001"),
    ]
    (concept,) = read(write(tmp_path / "META", {"MRCONSO": rows})).values()
    assert concept.xrefs == ("HP:0000001", "MESH:D1")
