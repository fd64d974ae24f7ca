"""RF2 releases of a few invented concepts in the format's own file names and headers."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Mapping, Property, Relation, Term

CORE, ROOT, IS_A = "900000000000207008", "138875005", "116680003"
FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
US, GB = "900000000000509007", "900000000000508004"
INFERRED = "900000000000011006"
FIELDS = {
    "sct2_Concept_{view}": "definitionStatusId",
    "sct2_Description_{view}-en": "conceptId languageCode typeId term caseSignificanceId",
    "sct2_TextDefinition_{view}-en": "conceptId languageCode typeId term caseSignificanceId",
    "sct2_Relationship_{view}": "sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId",
    "sct2_RelationshipConcreteValues_{view}":
        "sourceId value relationshipGroup typeId characteristicTypeId modifierId",
    "der2_cRefset_Language{view}-en": "refsetId referencedComponentId acceptabilityId",
    "der2_cRefset_Association{view}": "refsetId referencedComponentId targetComponentId",
    "der2_cRefset_AttributeValue{view}": "refsetId referencedComponentId valueId",
    "der2_sRefset_SimpleMap{view}": "refsetId referencedComponentId mapTarget",
    "der2_iisssccRefset_ExtendedMap{view}":
        "refsetId referencedComponentId mapGroup mapPriority mapRule mapAdvice mapTarget correlationId mapCategoryId",
    "der2_Refset_Simple{view}": "refsetId referencedComponentId",
}  # fmt: skip
CONCEPT, DESCRIPTION, TEXT, RELATIONSHIP, CONCRETE, LANGUAGE, ASSOCIATION, ATTRIBUTE, SIMPLE, EXTENDED, MEMBERS = FIELDS


def write(folder: Path, view: str, tables: dict[str, list[str]], *, namespace: str = "INT") -> Path:
    """A release folder; a row is ``id date active module`` and its further fields, parted by ``|``."""
    place = folder / view / "Terminology"
    place.mkdir(parents=True, exist_ok=True)
    for name, fields in FIELDS.items():
        rows = tables.get(name)
        if rows is not None:
            header = "\t".join(["id", "effectiveTime", "active", "moduleId", *fields.split()])
            lines = [header, *(row.replace("|", "\t") for row in rows)]
            file = place / f"{name.format(view=view)}_{namespace}_20240131.txt"
            file.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8", newline="")
    return folder


def described(number: int, concept: str, kind: str, text: str, active: int = 1, date: str = "20200131") -> str:
    return f"{number}|{date}|{active}|{CORE}|{concept}|en|{kind}|{text}|900000000000448009"


def accepted(number: int, refset: str, description: int, how: str = PREFERRED, date: str = "20200131") -> str:
    return f"uuid-{number}|{date}|1|{CORE}|{refset}|{description}|{how}"


SNAPSHOT = {
    CONCEPT: [
        f"{ROOT}|20020131|1|{CORE}|900000000000074008",
        f"1001|20200131|1|{CORE}|900000000000073002",
        f"1002|20230131|0|{CORE}|900000000000074008",
        f"2001|20200131|1|{CORE}|900000000000074008",
        f"2002|20200131|1|{CORE}|900000000000074008",
        f"3001|20200131|1|{CORE}|900000000000074008",
    ],
    DESCRIPTION: [
        described(11, ROOT, FSN, "SNOMED CT Concept (SNOMED RT+CTV3)"),
        described(12, "1001", FSN, "Swelling of snout (disorder)"),
        described(13, "1001", SYNONYM, "Snout edema"),
        described(14, "1001", SYNONYM, "Snout oedema"),
        described(15, "1001", SYNONYM, "Puffy snout"),
        described(16, "1001", SYNONYM, "Fat snout", active=0),
        described(17, "1002", FSN, "Swollen snout (finding)", date="20230131", active=0),
        described(18, "1002", FSN, "Snout, swollen (finding)", date="20200131", active=0),
        described(19, "2001", FSN, "Finding site (attribute)"),
        described(20, "2001", SYNONYM, "Finding site"),
        described(21, "2002", FSN, "Count of snouts (attribute)"),
        described(22, "3001", FSN, "Snout structure (body structure)"),
        described(23, "9999", SYNONYM, "Of no concept here"),
    ],
    TEXT: [described(31, "1001", DEFINITION, "A snout larger than is usual.")],
    RELATIONSHIP: [
        f"41|20200131|1|{CORE}|1001|{ROOT}|0|{IS_A}|{INFERRED}|0",
        f"42|20200131|1|{CORE}|1001|3001|1|2001|{INFERRED}|0",
        f"43|20200131|1|{CORE}|1001|3001|2|2001|{INFERRED}|0",
        f"44|20210131|0|{CORE}|1001|3001|0|{IS_A}|{INFERRED}|0",
        f"45|20200131|1|{CORE}|3001|{ROOT}|0|{IS_A}|{INFERRED}|0",
    ],
    CONCRETE: [f"51|20200131|1|{CORE}|1001|#2|0|2002|{INFERRED}|0"],
    LANGUAGE: [
        accepted(1, US, 13), accepted(2, GB, 14), accepted(3, US, 15, ACCEPTABLE), accepted(4, GB, 15, ACCEPTABLE),
        accepted(5, US, 12), accepted(6, GB, 12), accepted(7, US, 20), accepted(8, GB, 20),
    ],
    ASSOCIATION: [f"uuid-21|20230131|1|{CORE}|900000000000526001|1002|1001"],
    ATTRIBUTE: [
        f"uuid-31|20230131|1|{CORE}|900000000000489007|1002|3001",
        f"uuid-32|20230131|1|{CORE}|900000000000490003|16|3001",
    ],
    SIMPLE: [f"uuid-41|20200131|1|{CORE}|900000000000497000|1001|X55"],
    EXTENDED: [
        f"uuid-52|20200131|1|{CORE}|447562003|1001|1|2|OTHERWISE TRUE|ALWAYS R60.0|R60.0|447558009|447637006",
        f"uuid-51|20200131|1|{CORE}|447562003|1001|1|1|IFA 445518008|IF AGE CHOOSE P83.3|P83.3|447557004|447637006",
        f"uuid-53|20200131|1|{CORE}|447562003|1001|2|1|TRUE|NOT CLASSIFIABLE||447561005|447638001",
    ],
    MEMBERS: [
        f"uuid-61|20200131|1|{CORE}|723264001|1001", f"uuid-62|20200131|0|{CORE}|723264001|3001",
        f"uuid-63|20200131|1|{CORE}|816080008|1001", f"uuid-64|20200131|1|{CORE}|816080008|12",
    ],
}  # fmt: skip


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return write(tmp_path / "SnomedCT_Tiny", "Snapshot", SNAPSHOT)


def concepts(release: Release) -> dict[str, Concept]:
    return {concept.id: concept for concept in release.concepts()}


def read(*paths: Path, **options: object) -> dict[str, Concept]:
    return concepts(read_release(paths, options=ReadOptions(**options)))  # type: ignore[arg-type]


def test_a_concept_has_everything_the_release_says(snapshot: Path) -> None:
    concept = read(snapshot)["SCTID:1001"]
    assert concept.terms == (
        Term("Snout edema", "preferred", language="en-US"),
        Term("Swelling of snout (disorder)", "fsn"),
        Term("Snout oedema", language="en-GB"),
        Term("Puffy snout"),
        Term("Fat snout", status="retired"),
    )
    assert concept.parents == (f"SCTID:{ROOT}",)
    assert concept.relations == (Relation("Finding site", "SCTID:3001"),)
    assert concept.definitions == ("A snout larger than is usual.",)
    assert concept.tags == ("disorder",)
    assert concept.properties == (
        Property("Count of snouts", "2"),
        Property("memberOf", "723264001"),
        Property("memberOf", "816080008"),
        Property("sufficientlyDefined", "true"),
        Property("moduleId", CORE),
        Property("effectiveTime", "20200131"),
    )


def test_maps_keep_their_rules_and_order(snapshot: Path) -> None:
    concept = read(snapshot)["SCTID:1001"]
    curated = "semapv:ManualMappingCuration"
    assert concept.mappings == (
        Mapping("SCTID:1001", "skos:relatedMatch", "CTV3:X55", curated, source="900000000000497000"),
        Mapping("SCTID:1001", "skos:exactMatch", "ICD10:P83.3", curated, source="447562003", rule="IFA 445518008",
                comment="IF AGE CHOOSE P83.3", group=1, priority=1),
        Mapping("SCTID:1001", "skos:broadMatch", "ICD10:R60.0", curated, source="447562003", rule="OTHERWISE TRUE",
                comment="ALWAYS R60.0", group=1, priority=2),
        Mapping("SCTID:1001", "skos:relatedMatch", "", curated, source="447562003", rule="TRUE",
                comment="NOT CLASSIFIABLE", group=2, priority=1),
    )  # fmt: skip


def test_an_inactive_concept_keeps_its_last_fsn_and_says_what_replaced_it(snapshot: Path) -> None:
    concept = read(snapshot)["SCTID:1002"]
    assert concept.status == "retired"
    assert [term.text for term in concept.terms] == ["Swollen snout (finding)", "Snout, swollen (finding)"]
    assert concept.tags == ("finding",)
    assert concept.replaced_by == ("SCTID:1001",)
    assert concept.relations == (Relation("REPLACED BY", "SCTID:1001"),)
    assert Property("inactivation reason", "Snout structure") in concept.properties


@pytest.mark.parametrize(
    ("dialects", "preferred"),
    [((), "Snout edema"), (("en-GB",), "Snout oedema"), (("EN-gb", "en-US"), "Snout oedema"), ((GB,), "Snout oedema")],
)
def test_the_dialect_decides_the_preferred_term(snapshot: Path, dialects: tuple[str, ...], preferred: str) -> None:
    concept = read(snapshot, dialects=dialects)["SCTID:1001"]
    assert concept.preferred == preferred
    assert [term.text for term in concept.terms if term.kind == "preferred"] == [preferred]


def test_an_unknown_dialect_lists_those_of_the_release(snapshot: Path) -> None:
    listed = rf"en-GB \({GB}\), en-US \({US}\)"
    with pytest.raises(InputError, match=f"no language reference set for 'de-CH'; it has: {listed}"):
        read(snapshot, dialects=("de-CH",))


def test_counts_add_up_and_name_their_rules(snapshot: Path) -> None:
    release = read_release([snapshot])
    list(release.concepts())
    counts = release.counts
    assert counts.rows == sum(map(len, SNAPSHOT.values()))
    assert dict(counts.skipped) == {
        "description of a concept that is not in the release": 1,
        "row that is no longer active": 2,
        "row of a component that is not a concept of the release": 2,
    }
    assert dict(counts.concepts) == {"active": 5, "retired": 1}
    assert release.metadata.version == "20240131"
    assert release.metadata.details["modules"] == {CORE: "20230131"}


def test_a_zip_reads_as_its_folder_does(snapshot: Path, tmp_path: Path) -> None:
    packed = tmp_path / "SnomedCT_Tiny.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(snapshot.rglob("*.txt")):
            archive.write(file, f"SnomedCT_Tiny/{file.relative_to(snapshot)}")
    assert read(packed) == read(snapshot)


FULL = {
    CONCEPT: [
        f"{ROOT}|20020131|1|{CORE}|900000000000074008",
        f"1001|20100131|1|{CORE}|900000000000074008",
        f"1001|20200131|0|{CORE}|900000000000074008",
        f"1001|20220131|1|{CORE}|900000000000074008",
        f"1002|20220131|1|{CORE}|900000000000074008",
    ],
    DESCRIPTION: [
        described(11, ROOT, FSN, "Root (root)", date="20020131"),
        described(12, "1001", FSN, "First name (disorder)", date="20100131"),
        described(12, "1001", FSN, "Second name (disorder)", date="20200131"),
        described(13, "1002", FSN, "Late (disorder)", date="20220131"),
    ],
    RELATIONSHIP: [
        f"41|20100131|1|{CORE}|1001|{ROOT}|0|{IS_A}|{INFERRED}|0",
        f"41|20220131|0|{CORE}|1001|{ROOT}|0|{IS_A}|{INFERRED}|0",
    ],
    LANGUAGE: [accepted(1, US, 12, date="20100131")],
}


@pytest.mark.parametrize(
    ("at", "status", "name", "parents"),
    [
        ("20100131", "active", "First name (disorder)", (f"SCTID:{ROOT}",)),
        ("20191231", "active", "First name (disorder)", (f"SCTID:{ROOT}",)),
        ("20200131", "retired", "Second name (disorder)", (f"SCTID:{ROOT}",)),
        ("", "active", "Second name (disorder)", ()),
    ],
)
def test_full_is_read_as_it_was_on_a_day(
    tmp_path: Path, at: str, status: str, name: str, parents: tuple[str, ...]
) -> None:
    found = read(write(tmp_path / "r", "Full", FULL), at=at)
    concept = found["SCTID:1001"]
    assert (concept.status, concept.preferred, concept.parents) == (status, name, parents)
    assert ("SCTID:1002" in found) == (at == "")


@pytest.mark.parametrize("at", ["2020", "2020-01-31", "x"])
def test_a_day_that_is_none_is_refused(tmp_path: Path, at: str) -> None:
    with pytest.raises(InputError, match="YYYYMMDD"):
        read(write(tmp_path / "r", "Full", FULL), at=at)


def test_a_day_needs_full_files(snapshot: Path) -> None:
    with pytest.raises(FormatError, match="only a Snapshot"):
        read(snapshot, at="20200131")


def test_a_delta_changes_its_base(snapshot: Path, tmp_path: Path) -> None:
    delta = {
        CONCEPT: [f"3001|20240731|0|{CORE}|900000000000074008", f"4001|20240731|1|{CORE}|900000000000074008"],
        DESCRIPTION: [
            described(15, "1001", SYNONYM, "Puffy nose", date="20240731"),
            described(91, "4001", FSN, "Snout pain (finding)", date="20240731"),
        ],
        RELATIONSHIP: [f"46|20240731|1|{CORE}|4001|1001|0|{IS_A}|{INFERRED}|0"],
    }
    changed = read(snapshot, write(tmp_path / "later", "Delta", delta))
    assert [term.text for term in changed["SCTID:1001"].terms][3] == "Puffy nose"
    assert changed["SCTID:3001"].status == "retired"
    assert changed["SCTID:4001"].parents == ("SCTID:1001",)
    with pytest.raises(FormatError, match="a Delta, which has only what changed"):
        read(tmp_path / "later")


def test_an_extension_adds_names_in_its_language(snapshot: Path, tmp_path: Path) -> None:
    module, german = "11000999500106", "21000999500105"
    extension = {
        CONCEPT: [f"5001|20240131|1|{module}|900000000000074008"],
        DESCRIPTION: [
            f"71|20240131|1|{module}|1001|de|{SYNONYM}|Schnauzenödem|900000000000448009",
            f"72|20240131|1|{module}|5001|en|{FSN}|Local snout (disorder)|900000000000448009",
        ],
        LANGUAGE: [f"uuid-71|20240131|1|{module}|{german}|71|{PREFERRED}"],
        RELATIONSHIP: [f"73|20240131|1|{module}|5001|1001|0|{IS_A}|{INFERRED}|0"],
    }
    place = write(tmp_path / "ext", "Snapshot", extension, namespace="XX1000999")
    both = read(snapshot, place)
    assert Term("Schnauzenödem", "preferred", language="de") in both["SCTID:1001"].terms
    assert both["SCTID:1001"].preferred == "Snout edema"
    assert both["SCTID:5001"].parents == ("SCTID:1001",)
    only_german = read(snapshot, place, languages=("de",))
    assert [term.text for term in only_german["SCTID:1001"].terms] == ["Schnauzenödem"]
    for dialect in (german, "de"):
        assert read(snapshot, place, dialects=(dialect,))["SCTID:1001"].preferred == "Schnauzenödem"


def test_names_of_one_language_keep_tags_and_relations(snapshot: Path, tmp_path: Path) -> None:
    german = {
        CONCEPT: [],
        DESCRIPTION: [f"71|20240131|1|{CORE}|1001|de|{SYNONYM}|Schnauzenödem|900000000000448009"],
    }
    place = write(tmp_path / "ext", "Snapshot", german, namespace="XX1000999")
    every, some = read(snapshot, place), read(snapshot, place, languages=("de",))
    assert some["SCTID:1001"].terms == (Term("Schnauzenödem", language="de"),)
    assert some["SCTID:2001"].terms == ()
    for name in ("tags", "relations", "properties", "mappings"):
        assert getattr(some["SCTID:1001"], name) == getattr(every["SCTID:1001"], name)
    assert some["SCTID:1002"].properties == every["SCTID:1002"].properties
    assert list(read(snapshot, place, languages=("de",), tags=("disorder",))) == ["SCTID:1001"]


def test_only_some_semantic_tags(snapshot: Path) -> None:
    assert list(read(snapshot, tags=("Disorder", "finding"))) == ["SCTID:1001", "SCTID:1002"]


def test_malformed_rows_are_counted_or_stop_a_strict_reading(tmp_path: Path) -> None:
    tables = {
        **FULL,
        CONCEPT: [*FULL[CONCEPT], f"x7|20220131|1|{CORE}|9", f"8|20220131|1|{CORE}", f"9|soon|1|{CORE}|9"],
    }
    place = write(tmp_path / "r", "Snapshot", tables)
    release = read_release([place])
    list(release.concepts())
    assert [(row.line, row.problem) for row in release.counts.examples] == [
        (8, "4 fields where 5 are needed"),
        (7, "id is not a number"),
        (9, "effectiveTime is not a number"),
    ]
    with pytest.raises(FormatError, match=r"sct2_Concept_Snapshot_INT_20240131\.txt:8: 4 fields where 5"):
        read(place, strict=True)


def test_columns_may_come_in_another_order_but_not_be_missing(snapshot: Path) -> None:
    wanted = read(snapshot)
    file = next(snapshot.rglob("sct2_Relationship_*"))
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join("\t".join([*row[:6], row[7], row[6], *row[8:]]) + "\n" for row in rows), encoding="utf-8")
    assert read(snapshot) == wanted
    file.write_text("".join("\t".join([*row[:7], *row[8:]]) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(FormatError, match=r"Relationship.*txt:1: no column typeId\. The columns there are: id, eff"):
        read(snapshot)


def test_rows_without_a_date_are_not_published_yet_and_count_as_the_latest(tmp_path: Path) -> None:
    rows = {name: list(rows) for name, rows in SNAPSHOT.items()}
    rows[CONCEPT] += [f"1001||0|{CORE}|900000000000074008", f"4001||1|{CORE}|900000000000074008"]
    rows[DESCRIPTION].append(described(61, "4001", FSN, "Snout dance (finding)", date=""))
    found = {c.id: c for c in read_release([write(tmp_path / "r", "Full", rows)]).concepts()}
    new, changed = found["SCTID:4001"], found["SCTID:1001"]
    assert (new.preferred, new.status, changed.status) == ("Snout dance (finding)", "active", "retired")
    assert [p.name for p in new.properties] == ["sufficientlyDefined", "moduleId"]
    assert "effectiveTime" not in [p.name for p in changed.properties]
    before = read_release([tmp_path / "r"], options=ReadOptions(at="20991231"))
    assert {c.id: c.status for c in before.concepts()}.get("SCTID:4001") is None
    assert before.metadata.details["modules"] == {CORE: "20230131"}
    assert before.counts.skipped["version after the day asked for"] == 3
