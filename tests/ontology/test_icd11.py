from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Property, Term

Write = Callable[[str, str | bytes], Path]

E = "http://id.who.int/icd/entity/"
R = "http://id.who.int/icd/release/11/mms/"
COLUMNS = (
    "Foundation URI", "Linearization URI", "Code", "BlockId", "Title", "ClassKind", "DepthInKind", "IsResidual",
    "ChapterNo", "BrowserLink", "isLeaf", "Primary tabulation", "Grouping1", "Grouping2", "Grouping3", "Grouping4",
    "Grouping5", "CodingNote", "Parent",
)  # fmt: skip
STAMP = "Version:2030 Jan 17 - 05:30 UTC"
ROWS = (
    {"n": "10", "Title": "Glumps", "ClassKind": "chapter", "DepthInKind": "1", "ChapterNo": "01"},
    {"n": "20", "BlockId": "BlockL1-9A0", "Title": "- Wet glumps", "ClassKind": "block", "DepthInKind": "1"},
    {"n": "30", "Code": "9A00", "Title": '- - Glump, "soaked"', "ClassKind": "category", "DepthInKind": "1",
     "CodingNote": "Use another code\n\nif soaked through", "Primary tabulation": "True"},
    {"n": "31", "Code": "9A00.0", "Title": "- - - Glump of the toe", "ClassKind": "category", "DepthInKind": "2"},
    {"n": "30/other", "Code": "9A00.Y", "Title": "- - - Other specified", "ClassKind": "category",
     "DepthInKind": "2", "IsResidual": "True"},
    {"n": "40", "Code": "9B00", "Title": "- Dry glump", "ClassKind": "category", "DepthInKind": "1"},
)  # fmt: skip


def cell(text: str) -> str:
    """As WHO writes it: titles quoted with doubled quotes, notes with bare line breaks."""
    return '"' + text.replace('"', '""') + '"' if '"' in text or text.startswith("-") else text


def tabulation(*rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> str:
    lines = ["\ufeff" + "\t".join((*columns, STAMP))]
    for row in rows:
        residual = row.get("IsResidual", "False")
        links = {columns[0]: E + row["n"].partition("/")[0], columns[1]: R + row["n"], "IsResidual": residual}
        lines.append("\t".join(cell((links | row).get(column, "")) for column in columns))
    return "\r\n".join(lines) + "\r\n"


def load(paths: list[Path], **options: object) -> tuple[dict[str, Concept], Release]:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: concept for concept in release.concepts()}, release


def test_chapters_blocks_categories_and_residuals(write: Write) -> None:
    concepts, release = load([write("SimpleTabulation-ICD-11-MMS-en.txt", tabulation(*ROWS))])
    assert concepts == {
        "ICD11:10": Concept(
            "ICD11:10",
            (Term("Glumps", "preferred"),),
            tags=("chapter",),
            alternative_ids=(E + "10", R + "10"),
            properties=(Property("ChapterNo", "01"),),
        ),
        "ICD11:BlockL1-9A0": Concept(
            "ICD11:BlockL1-9A0",
            (Term("Wet glumps", "preferred"),),
            parents=("ICD11:10",),
            tags=("block",),
            alternative_ids=("ICD11:20", E + "20", R + "20"),
        ),
        "ICD11:9A00": Concept(
            "ICD11:9A00",
            (Term('Glump, "soaked"', "preferred"),),
            parents=("ICD11:BlockL1-9A0",),
            tags=("category",),
            alternative_ids=("ICD11:30", E + "30", R + "30"),
            properties=(
                Property("CodingNote", "Use another code if soaked through"), Property("Primary tabulation", "True"),
            ),
        ),
        "ICD11:9A00.0": Concept(
            "ICD11:9A00.0",
            (Term("Glump of the toe", "preferred"),),
            parents=("ICD11:9A00",),
            tags=("category",),
            alternative_ids=("ICD11:31", E + "31", R + "31"),
        ),
        "ICD11:9A00.Y": Concept(
            "ICD11:9A00.Y",
            (Term("Other specified", "preferred"),),
            parents=("ICD11:9A00",),
            tags=("category", "residual"),
            alternative_ids=(R + "30/other",),
        ),
        "ICD11:9B00": Concept(
            "ICD11:9B00",
            (Term("Dry glump", "preferred"),),
            parents=("ICD11:10",),
            tags=("category",),
            alternative_ids=("ICD11:40", E + "40", R + "40"),
        ),
    }  # fmt: skip
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.format) == ("icd11", "2030 Jan 17 - 05:30 UTC", "icd11")
    assert metadata.licence == "CC BY-ND 3.0 IGO (WHO)"
    assert release.counts.to_dict()["rows"] == {"read": 6, "kept": 6, "skipped": {}, "malformed": 0}


def test_files_of_several_languages_are_one_release(write: Write, tmp_path: Path) -> None:
    translated = (
        {**ROWS[0], "Title": "Glumpos"},
        {**ROWS[3], "Title": "- - - Glumpo del dedo"},
        {**ROWS[5], "n": "41", "Code": "9C00"},
    )
    english, spanish = tabulation(*ROWS), tabulation(*translated)
    with ZipFile(tmp_path / "tabulations.zip", "w") as archive:
        archive.writestr("a/SimpleTabulation-ICD-11-MMS-es.txt", spanish)
        archive.writestr("b/SimpleTabulation-ICD-11-MMS-en.txt", english)
    concepts, release = load([tmp_path / "tabulations.zip"])
    assert concepts["ICD11:9A00.0"].terms == (
        Term("Glump of the toe", "preferred"), Term("Glumpo del dedo", "preferred", language="es"),
    )  # fmt: skip
    assert release.counts.to_dict()["rows"] == {
        "read": 9, "kept": 8, "skipped": {"entity that the file of the first language does not have": 1},
        "malformed": 0,
    }  # fmt: skip
    alone, _ = load([write("SimpleTabulation-ICD-11-MMS-es.txt", spanish)], languages=("es",))
    assert alone["ICD11:10"].terms == (Term("Glumpos", "preferred", language="es"),)


def test_translated_file_with_english_titles_beside(write: Write) -> None:
    columns = (*COLUMNS[:4], "TitleEN", *COLUMNS[4:])
    rows = [{**ROWS[0], "TitleEN": "Glumps", "Title": "Глампы"}, {**ROWS[5], "TitleEN": "- Dry glump", "Title": ""}]
    concepts, _ = load([write("SimpleTabulation-ICD-11-MMS-ru.txt", tabulation(*rows, columns=columns))])
    assert concepts["ICD11:10"].terms == (Term("Глампы", "preferred", language="ru"), Term("Glumps", "preferred"))
    assert concepts["ICD11:9B00"].terms == (Term("Dry glump", "preferred"),)
    assert concepts["ICD11:9B00"].parents == ("ICD11:10",)


def test_older_layout_with_further_places(write: Write) -> None:
    columns = (
        "Foundation URI", "Linearization (release) URI", "Code", "BlockId", "Title", "ClassKind", "DepthInKind",
        "IsResidual", "PrimaryLocation", "ChapterNo", "BrowserLink", "iCatLink", "isLeaf", "noOfNonResidualChildren",
    )  # fmt: skip
    rows = (
        ROWS[0], ROWS[1], {**ROWS[2], "CodingNote": "", "PrimaryLocation": "True"}, ROWS[5],
        {**ROWS[2], "Title": "- - Glump", "PrimaryLocation": "False"},
    )  # fmt: skip
    text = tabulation(*rows, columns=columns).replace("/11/mms/", "/11/2029-05/mms/")
    concepts, release = load([write("LinearizationMiniOutput-MMS-en.txt", text)])
    assert concepts["ICD11:9A00"].parents == ("ICD11:BlockL1-9A0", "ICD11:9B00")
    assert release.metadata.version == "2029-05"
    assert release.counts.to_dict()["rows"]["skipped"] == {
        "further place of an entity, taken as one more parent": 1,
    }  # fmt: skip


def test_parents_without_dashes_come_from_the_parent_column_or_the_depth_in_kind(write: Write) -> None:
    flat = [{**row, "Title": row["Title"].lstrip("- ")} for row in ROWS]
    flat[5] = {**flat[5], "Parent": E + "20"}
    concepts, _ = load([write("SimpleTabulation-ICD-11-MMS-en.txt", tabulation(*flat))])
    assert {i: c.parents for i, c in concepts.items()} == {
        "ICD11:10": (),
        "ICD11:BlockL1-9A0": ("ICD11:10",),
        "ICD11:9A00": ("ICD11:BlockL1-9A0",),
        "ICD11:9A00.0": ("ICD11:9A00",),
        "ICD11:9A00.Y": ("ICD11:9A00",),
        "ICD11:9B00": ("ICD11:BlockL1-9A0",),
    }


def test_functioning_has_its_own_prefix_and_full_titles_reach_up(write: Write) -> None:
    text = tabulation(*ROWS).replace("/11/mms/", "/11/icf/")
    concepts, release = load([write("SimpleTabulation-ICF-en.txt", text)], full_titles=True)
    assert concepts["ICF:9A00.Y"].terms == (
        Term('Other specified Glump, "soaked"', "preferred"),
        Term("Other specified", "synonym", "broad", source="title"),
    )  # fmt: skip
    assert (release.metadata.name, release.metadata.prefix) == ("icf", "ICF")
    mine, _ = load([write("SimpleTabulation-ICF-en.txt", text)], prefix="MINE")
    assert "MINE:9A00" in mine


def test_faults_are_counted_with_their_lines(write: Write) -> None:
    lines = tabulation(*ROWS[:2], {**ROWS[5], "Title": ""}, ROWS[1], ROWS[5]).split("\r\n")
    lines.insert(2, "what is this")
    concepts, release = load([write("x-en.txt", "\r\n".join(lines))])
    assert list(concepts) == ["ICD11:10", "ICD11:BlockL1-9A0", "ICD11:9B00"]
    counts = release.counts.to_dict()
    assert [(row["line"], row["problem"]) for row in counts["malformed_examples"]] == [
        (3, "a line that is no row of the tabulation"),
        (5, "a row without title, class kind or URI"),
        (6, "duplicate id ICD11:BlockL1-9A0"),
    ]
    assert (counts["rows"]["kept"], counts["rows"]["malformed"]) == (3, 3)
    with pytest.raises(FormatError, match=r"x-en.txt:3: a line that is no row"):
        load([write("x-en.txt", "\r\n".join(lines))], strict=True)


def test_named_format_needs_its_columns(write: Write) -> None:
    release = read_release([write("x.txt", "Code\tTitle\n1A\tx\n")], format="icd11")
    with pytest.raises(FormatError, match=r"not the columns.*SimpleTabulation"):
        list(release.concepts())
