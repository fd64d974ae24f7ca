"""LOINC on an invented release in the real layout: codes and names are ours, column names those of the format."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.ontology.formats import read_release
from ontonym.ontology.loinc.files import SHARED_BY, role_of
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Mapping, Property, Relation, Term

Write = Callable[[str, str | bytes], Path]

HEADER = (
    "LOINC_NUM COMPONENT PROPERTY TIME_ASPCT SYSTEM SCALE_TYP METHOD_TYP CLASS VersionLastChanged CHNG_TYPE "
    "DefinitionDescription STATUS CONSUMER_NAME CLASSTYPE FORMULA EXMPL_ANSWERS SURVEY_QUEST_TEXT SURVEY_QUEST_SRC "
    "UNITSREQUIRED RELATEDNAMES2 SHORTNAME ORDER_OBS HL7_FIELD_SUBFIELD_ID EXTERNAL_COPYRIGHT_NOTICE EXAMPLE_UNITS "
    "LONG_COMMON_NAME EXAMPLE_UCUM_UNITS STATUS_REASON STATUS_TEXT CHANGE_REASON_PUBLIC COMMON_TEST_RANK "
    "COMMON_ORDER_RANK HL7_ATTACHMENT_STRUCTURE EXTERNAL_COPYRIGHT_LINK PanelType AskAtOrderEntry "
    "AssociatedObservations VersionFirstReleased ValidHL7AttachmentRequest DisplayName"
).split()
ROWS = [
    {
        "LOINC_NUM": "90001-1", "COMPONENT": "Inventose", "PROPERTY": "MCnc", "TIME_ASPCT": "Pt", "SYSTEM": "Bld",
        "SCALE_TYP": "Qn", "METHOD_TYP": "", "CLASS": "CHEM", "VersionLastChanged": "2.73", "STATUS": "ACTIVE",
        "DefinitionDescription": 'A sugar, "invented"\nfor tests.', "CLASSTYPE": "1", "CONSUMER_NAME": "",
        "RELATEDNAMES2": "Invt; Blood; inventose; ", "SHORTNAME": "Invt Bld-mCnc", "ORDER_OBS": "Both",
        "LONG_COMMON_NAME": "Inventose [Mass/volume] in Blood", "EXAMPLE_UCUM_UNITS": "mg/dL",
        "COMMON_TEST_RANK": "7", "DisplayName": "Inventose (Bld) [Mass/Vol]",
    },
    {
        "LOINC_NUM": "90002-9", "COMPONENT": "Inventose", "PROPERTY": "SCnc", "TIME_ASPCT": "Pt", "SYSTEM": "Bld",
        "SCALE_TYP": "Qn", "METHOD_TYP": "Test strip", "CLASS": "CHEM", "VersionLastChanged": "2.9",
        "STATUS": "DEPRECATED", "CLASSTYPE": "1", "SHORTNAME": "Invt Bld Strip-sCnc", "COMMON_TEST_RANK": "0",
        "LONG_COMMON_NAME": "Inventose [Moles/volume] in Blood by Test strip",
    },
    {
        "LOINC_NUM": "90003-7", "COMPONENT": "Inventing", "PROPERTY": "Find", "TIME_ASPCT": "Pt", "SYSTEM": "^Patient",
        "SCALE_TYP": "Ord", "METHOD_TYP": "", "CLASS": "SURVEY.INV", "VersionLastChanged": "2.70",
        "STATUS": "DISCOURAGED", "CLASSTYPE": "4", "SURVEY_QUEST_TEXT": "Do you invent things at night?",
        "LONG_COMMON_NAME": "Do you invent [INV]", "EXTERNAL_COPYRIGHT_NOTICE": "Copyright of its inventor",
    },
]  # fmt: skip
VARIANT = (*HEADER[:8], "SHORTNAME", "LONG_COMMON_NAME", "RELATEDNAMES2", "LinguisticVariantDisplayName")
GERMAN = ["90001-1", "Inventose", "Massenkonzentration", "Zeitpunkt", "Blut", "quantitativ", "", "CHEM", "",
          "Inventose [Masse/Volumen] in Blut", "Erfindungszucker", "Inventose i.B."]  # fmt: skip
ARABIC = ["90001-1", "Inventose", "MCnc", "Pt", "Bld", "Qn", "", "CHEM", "", "Inventose [Mass/volume] in Blood", "",
          "اختراع"]  # fmt: skip
HIERARCHY = ("PATH_TO_ROOT", "SEQUENCE", "IMMEDIATE_PARENT", "CODE", "CODE_TEXT")
PARTS = ("PartNumber", "PartTypeName", "PartName", "PartDisplayName", "Status")
ANSWERS = ("AnswerListId", "AnswerListName", "AnswerStringId", "LocalAnswerCode", "SequenceNumber", "DisplayText",
           "ExtCodeId", "ExtCodeDisplayName", "ExtCodeSystem", "Description")  # fmt: skip


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows([header, *rows])
    return out.getvalue()


def loinc_csv(*rows: dict[str, str], header: Sequence[str] = HEADER) -> str:
    return as_csv(header, [[row.get(name, "") for name in header] for row in rows])


FILES = {
    "LoincTable/Loinc.csv": loinc_csv(*ROWS),
    "LoincTable/MapTo.csv": as_csv(
        ("LOINC", "MAP_TO", "COMMENT"),
        [["90002-9", "90001-1", ""], ["90003-7", "90001-1", "in blood"], ["90003-7", "90002-9", "else"]],
    ),
    "LoincTableCore/LoincTableCore.csv": loinc_csv(
        *ROWS, header=(*HEADER[:8], "CLASSTYPE", "LONG_COMMON_NAME", "SHORTNAME", "STATUS", "VersionLastChanged")
    ),
    "LoincTableCore/MapTo.csv": as_csv(("LOINC", "MAP_TO", "COMMENT"), [["90002-9", "90001-1", ""]]),
    "AccessoryFiles/ConsumerName/ConsumerName.csv": as_csv(
        ("LoincNumber", "ConsumerName"), [["90001-1", "Inventose, Blood"], ["99999-9", "Nothing"]]
    ),
    "AccessoryFiles/LinguisticVariants/LinguisticVariants.csv": as_csv(
        ("ID", "ISO_LANGUAGE", "ISO_COUNTRY", "LANGUAGE_NAME", "PRODUCER"),
        [["15", "de", "DE", "German (GERMANY)", "x"], ["32", "ar", "JO", "Arabic", "y"]],
    ),
    "AccessoryFiles/LinguisticVariants/deDE15LinguisticVariant.csv": as_csv(VARIANT, [GERMAN]),
    "AccessoryFiles/LinguisticVariants/arJO32LinguisticVariant.csv": as_csv(VARIANT, [ARABIC]),
    "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv": as_csv(
        HIERARCHY,
        [
            ["", "1", "", "LP90000-1", "{component}"],
            ["LP90000-1", "1", "LP90000-1", "LP90001-9", "Inventose | Blood"],
            ["LP90000-1.LP90001-9", "1", "LP90001-9", "90001-1", "Invt Bld-mCnc"],
            ["LP90000-1.LP90001-9", "2", "LP90001-9", "90002-9", "Invt Bld Strip-sCnc"],
            ["LP90000-1.LP90009-2.LP90001-9", "2", "LP90001-9", "90002-9", "Invt Bld Strip-sCnc"],
        ],
    ),
    "AccessoryFiles/PartFile/Part.csv": as_csv(
        PARTS,
        [
            ["LP90001-9", "COMPONENT", "Inventose.blood", "Inventose in blood", "ACTIVE"],
            ["LP90002-7", "COMPONENT", "Other", "Other", "ACTIVE"],
        ],
    ),
    "AccessoryFiles/AnswerFile/AnswerList.csv": as_csv(
        ANSWERS,
        [
            ["LL9001-1", "Never/Always", "LA90001-3", "0", "1", "Never", "9000001", "Never (qualifier)",
             "http://snomed.info/sct", ""],
            ["LL9001-1", "Never/Always", "LA90002-1", "1", "2", "Always", "", "", "", "At all times"],
            ["LL9002-9", "Outside", "", "", "", "", "", "", "", ""],
        ],
    ),
    "AccessoryFiles/AnswerFile/LoincAnswerListLink.csv": as_csv(
        ("LoincNumber", "LongCommonName", "AnswerListId", "AnswerListName", "AnswerListLinkType", "ApplicableContext"),
        [["90003-7", "Do you invent [INV]", "LL9001-1", "Never/Always", "NORMATIVE", ""]],
    ),
    "AccessoryFiles/GroupFile/Group.csv": as_csv(("ParentGroupId", "GroupId", "Group"), [["LG1-1", "LG2-2", "x"]]),
    "LoincLicense.txt": "All rights reserved.",
}  # fmt: skip


@pytest.fixture
def release_zip(write: Write) -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return write("Loinc_2.78.zip", buffer.getvalue())


def load(*paths: Path, **options: object) -> tuple[dict[str, Concept], Release]:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: concept for concept in release.concepts()}, release


INVENTOSE = Concept(
    "LOINC:90001-1",
    (
        Term("Inventose [Mass/volume] in Blood", "preferred"),
        Term("Inventose:MCnc:Pt:Bld:Qn", "fsn"),
        Term("Inventose (Bld) [Mass/Vol]", source="DisplayName"),
        Term("Invt Bld-mCnc", "abbreviation", source="SHORTNAME"),
        Term("Invt", scope="related", source="RELATEDNAMES2"),
        Term("Blood", scope="related", source="RELATEDNAMES2"),
        Term("inventose", scope="related", source="RELATEDNAMES2"),
    ),
    definitions=('A sugar, "invented"\nfor tests.',),
    tags=("laboratory", "CHEM"),
    properties=(
        Property("COMPONENT", "Inventose"),
        Property("PROPERTY", "MCnc"),
        Property("TIME_ASPCT", "Pt"),
        Property("SYSTEM", "Bld"),
        Property("SCALE_TYP", "Qn"),
        Property("CLASS", "CHEM"),
        Property("STATUS", "ACTIVE"),
        Property("ORDER_OBS", "Both"),
        Property("EXAMPLE_UCUM_UNITS", "mg/dL"),
        Property("COMMON_TEST_RANK", "7"),
    ),
)


def test_the_table_alone(write: Write) -> None:
    concepts, release = load(write("Loinc.csv", FILES["LoincTable/Loinc.csv"]))
    assert concepts["LOINC:90001-1"] == INVENTOSE
    assert [(c.id, c.status) for c in concepts.values()] == [
        ("LOINC:90001-1", "active"), ("LOINC:90002-9", "retired"), ("LOINC:90003-7", "active"),
    ]  # fmt: skip
    assert concepts["LOINC:90002-9"].terms[1] == Term("Inventose:SCnc:Pt:Bld:Qn:Test strip", "fsn")
    question = concepts["LOINC:90003-7"]
    assert question.terms[2] == Term("Do you invent things at night?", source="SURVEY_QUEST_TEXT")
    assert question.tags == ("survey", "SURVEY.INV")
    assert question.properties[-2:] == (
        Property("STATUS", "DISCOURAGED"), Property("EXTERNAL_COPYRIGHT_NOTICE", "Copyright of its inventor"),
    )  # fmt: skip
    assert (release.metadata.name, release.metadata.version) == ("loinc", "2.73")
    assert release.counts.to_dict()["rows"] == {"read": 3, "kept": 3, "skipped": {}, "malformed": 0}


def test_the_whole_release(release_zip: Path) -> None:
    concepts, release = load(release_zip)
    assert list(concepts) == ["LOINC:90001-1", "LOINC:90002-9", "LOINC:90003-7", "LOINC:LP90000-1", "LOINC:LP90001-9"]
    found = concepts["LOINC:90001-1"]
    assert found.terms == (
        *INVENTOSE.terms,
        Term("Inventose, Blood", "lay", "broad", source="ConsumerName"),
        Term("اختراع", "preferred", language="ar-JO"),
        Term("Inventose [Masse/Volumen] in Blut", "preferred", language="de-DE"),
        Term("Inventose i.B.", language="de-DE", source="LinguisticVariantDisplayName"),
        Term("Inventose:Massenkonzentration:Zeitpunkt:Blut:quantitativ", "fsn", language="de-DE"),
        Term("Erfindungszucker", scope="related", language="de-DE", source="RELATEDNAMES2"),
    )
    assert found.parents == ("LOINC:LP90001-9",)
    assert release.metadata.version == "2.78"
    assert release.metadata.details["files_left_out"]["first"] == [
        "AccessoryFiles/GroupFile/Group.csv", "LoincLicense.txt",
    ]  # fmt: skip
    assert release.metadata.details["tables left out beside the fullest"] == ["LoincTableCore/LoincTableCore.csv"]
    counts = release.counts.to_dict()
    assert counts["rows"] == {
        "read": 3 + 4 + 2 + 2 + 2 + 5 + 2 + 3 + 1,
        "kept": 3 + 3 + 1 + 2 + 2 + 4 + 1 + 1,
        "skipped": {
            "answer, read where the tag answer is asked for": 3,
            "part outside the hierarchy": 1,
            "repeated row": 2,
            "row of a code that the LOINC table has not": 1,
        },
        "malformed": 0,
    }
    assert counts["terms"]["skipped"] == {"English name among those of another language": 2}


def test_parts_of_the_hierarchy(release_zip: Path) -> None:
    concepts, _ = load(release_zip)
    assert concepts["LOINC:LP90000-1"] == Concept(
        "LOINC:LP90000-1", (Term("{component}", "preferred"),), tags=("part",)
    )
    assert concepts["LOINC:LP90001-9"] == Concept(
        "LOINC:LP90001-9",
        (
            Term("Inventose | Blood", "preferred"),
            Term("Inventose in blood", source="PartDisplayName"),
            Term("Inventose.blood", source="PartName"),
        ),
        parents=("LOINC:LP90000-1",),
        tags=("part", "COMPONENT"),
    )


def test_successors(release_zip: Path) -> None:
    concepts, _ = load(release_zip)
    assert concepts["LOINC:90002-9"].replaced_by == ("LOINC:90001-1",)
    assert concepts["LOINC:90002-9"].consider == ()
    question = concepts["LOINC:90003-7"]
    assert (question.replaced_by, question.consider) == ((), ("LOINC:90001-1", "LOINC:90002-9"))
    assert question.mappings[0] == Mapping(
        "LOINC:90003-7",
        "IAO:0100001",
        "LOINC:90001-1",
        "semapv:ManualMappingCuration",
        subject_label="Do you invent [INV]",
        source="MapTo.csv",
        comment="in blood",
    )
    assert question.properties[-1] == Property("answer list", "LL9001-1")


def test_languages_asked_for(release_zip: Path) -> None:
    concepts, release = load(release_zip, languages=("en",))
    assert {term.language for term in concepts["LOINC:90001-1"].terms} == {"en"}
    assert release.counts.to_dict()["rows"]["skipped"]["language not asked for"] == 2
    concepts, _ = load(release_zip, languages=("en", "de"))
    assert {term.language for term in concepts["LOINC:90001-1"].terms} == {"en", "de-DE"}


def test_tags_asked_for(release_zip: Path) -> None:
    concepts, release = load(release_zip, tags=("Laboratory",))
    assert list(concepts) == ["LOINC:90001-1", "LOINC:90002-9"]
    assert concepts["LOINC:90001-1"].parents == ()
    assert release.counts.to_dict()["rows"]["skipped"]["tag not asked for"] == 1 + 2 + 1 + 2 + 1
    concepts, _ = load(release_zip, tags=("survey", "answer"))
    assert concepts["LOINC:LA90001-3"] == Concept(
        "LOINC:LA90001-3",
        (Term("Never", "preferred"), Term("Never (qualifier)", source="ExtCodeDisplayName")),
        relations=(Relation("answer list", "LOINC:LL9001-1"),),
        tags=("answer",),
        xrefs=("SCTID:9000001",),
    )
    assert concepts["LOINC:LA90002-1"].definitions == ("At all times",)
    assert list(concepts) == ["LOINC:90003-7", "LOINC:LA90001-3", "LOINC:LA90002-1"]
    concepts, _ = load(release_zip, tags=("answer list",))
    assert [c.preferred for c in concepts.values()] == ["Never/Always", "Outside"]


def test_related_names_of_very_many_codes_are_left_out(write: Write) -> None:
    rows = [
        {"LOINC_NUM": f"{i}-1", "COMPONENT": f"c{i}", "PROPERTY": "Prid", "TIME_ASPCT": "Pt", "SYSTEM": "Ser",
         "SCALE_TYP": "Nom", "METHOD_TYP": "", "CLASS": "CHEM", "STATUS": "ACTIVE", "LONG_COMMON_NAME": f"Test {i}",
         "CLASSTYPE": "1", "RELATEDNAMES2": "Nominal; Pnt" if i <= SHARED_BY else "Nominal; rare"}
        for i in range(1, SHARED_BY + 3)
    ]  # fmt: skip
    concepts, release = load(write("Loinc.csv", loinc_csv(*rows)))
    assert [t.text for t in concepts["LOINC:1-1"].terms[2:]] == ["Pnt"]
    assert [t.text for t in concepts[f"LOINC:{SHARED_BY + 1}-1"].terms[2:]] == ["rare"]
    assert release.counts.to_dict()["terms"]["skipped"] == {"related name that many codes share": SHARED_BY + 2}


def test_columns_in_another_order_and_case(write: Write) -> None:
    header = [name.upper() for name in reversed(HEADER)]
    rows = [[row.get(name, "") for name in reversed(HEADER)] for row in ROWS]
    concepts, _ = load(write("Loinc.csv", as_csv(header, rows)))
    assert concepts["LOINC:90001-1"] == INVENTOSE


def test_missing_columns_are_named(write: Write) -> None:
    header = [name for name in HEADER if name not in ("LONG_COMMON_NAME", "STATUS")]
    path = write("Loinc.csv", loinc_csv(*ROWS, header=header))
    with pytest.raises(
        FormatError, match=r"Loinc\.csv:1: no column STATUS, LONG_COMMON_NAME\. The columns there are: L"
    ):
        load(path)
    consumer = write("ConsumerName.csv", as_csv(("LoincNumber", "ConsumerName"), []))
    with pytest.raises(FormatError, match="without its table"):
        load(consumer)
    variant = write("variant.csv", as_csv(VARIANT, [GERMAN]))
    with pytest.raises(
        FormatError, match=r"variant\.csv: a linguistic variant of a language that its name does not say"
    ):
        load(write("Loinc2.csv", loinc_csv(*ROWS)), variant)


def test_rows_that_cannot_be_read_are_counted(write: Write) -> None:
    nameless = {"LOINC_NUM": "90009-4", "STATUS": "TRIAL", "CLASSTYPE": "1"}
    bad = {**ROWS[0], "LOINC_NUM": "glucose"}
    text = loinc_csv(*ROWS, ROWS[0], nameless, bad) + '"90010-2","too few"\r\n'
    concepts, release = load(write("Loinc.csv", text))
    assert len(concepts) == 3
    counts = release.counts.to_dict()
    assert counts["rows"] == {"read": 7, "kept": 3, "skipped": {}, "malformed": 4}
    assert [(row["line"], row["problem"]) for row in counts["malformed_examples"]] == [
        (7, "duplicate code 90001-1"),
        (8, "a code without a name"),
        (10, "not a LOINC code: 'glucose'"),
        (11, f"expected {len(HEADER)} fields, found 2"),
    ]
    with pytest.raises(FormatError, match=r"Loinc\.csv:7: duplicate code"):
        load(write("Loinc.csv", text), strict=True)


def test_no_room_for_the_variants_says_what_to_do(release_zip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(release_zip / "nowhere"))
    with pytest.raises(InputError, match=r"variants cannot be put aside in .*nowhere: Not a directory\. Let TMPDIR"):
        load(release_zip)


def test_files_are_told_by_their_columns() -> None:
    assert {name: role_of(text) for name, text in FILES.items() if role_of(text)} == {
        "LoincTable/Loinc.csv": "table",
        "LoincTable/MapTo.csv": "map",
        "LoincTableCore/LoincTableCore.csv": "table",
        "LoincTableCore/MapTo.csv": "map",
        "AccessoryFiles/ConsumerName/ConsumerName.csv": "consumer names",
        "AccessoryFiles/LinguisticVariants/LinguisticVariants.csv": "languages",
        "AccessoryFiles/LinguisticVariants/deDE15LinguisticVariant.csv": "variant",
        "AccessoryFiles/LinguisticVariants/arJO32LinguisticVariant.csv": "variant",
        "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv": "hierarchy",
        "AccessoryFiles/PartFile/Part.csv": "parts",
        "AccessoryFiles/AnswerFile/AnswerList.csv": "answers",
        "AccessoryFiles/AnswerFile/LoincAnswerListLink.csv": "answer links",
    }
    assert role_of("LOINC_NUM,local name\n90001-1,x\n") == ""
    assert role_of('a\rb,"c\n') == ""
