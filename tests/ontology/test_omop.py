"""OMOP downloads of a few invented concepts, and source-to-concept maps."""

from __future__ import annotations

import csv
import random
import zipfile
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Mapping, Property, Relation, Term

CONCEPT = (
    "concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|valid_start_date|"
    "valid_end_date|invalid_reason"
)
ALWAYS = "19700101|20991231|"
RELATIONSHIP = "concept_id_1|concept_id_2|relationship_id|valid_start_date|valid_end_date|invalid_reason"
STRENGTH = (
    "drug_concept_id|ingredient_concept_id|amount_value|amount_unit_concept_id|numerator_value|"
    "numerator_unit_concept_id|denominator_value|denominator_unit_concept_id|box_size|valid_start_date|"
    "valid_end_date|invalid_reason"
)
SOURCE_MAP = (
    "source_code,source_concept_id,source_vocabulary_id,source_code_description,target_concept_id,"
    "target_vocabulary_id,valid_start_date,valid_end_date,invalid_reason"
)

TABLES = {
    "VOCABULARY": [
        "vocabulary_id|vocabulary_name|vocabulary_reference|vocabulary_version|vocabulary_concept_id",
        "None|OMOP Standardized Vocabularies|OMOP generated|v5.0 30-JAN-30|44819096",
        "SNOMED|Systematic Nomenclature|http://x|2030-01-31|44819097",
        "ICD10CM|ICD-10-CM|http://x|2030|44819098",
    ],
    "DOMAIN": ["domain_id|domain_name|domain_concept_id", "Condition|Condition|19"],
    "CONCEPT": [
        CONCEPT,
        f"0|No matching concept|Metadata|None|Undefined||No matching concept|{ALWAYS}",
        f'30|Snout "swelling"|Condition|SNOMED|Clinical Finding|S|1001|{ALWAYS}',
        f"10|Disorder of snout|Condition|SNOMED|Clinical Finding|S|1002|{ALWAYS}",
        "20|Snout puffed|Condition|SNOMED|Clinical Finding||1003|19700101|20200131|U",
        "21|Snout odd|Condition|SNOMED|Clinical Finding||1004|19700101|20200131|D",
        f"40|Swelling of snout, left|Condition|ICD10CM|4-char billing code||S01.1|{ALWAYS}",
        f"41|Allergy to snoutol|Observation|ICD10CM|4-char billing code||Z01.1|{ALWAYS}",
        f"50|snoutol|Drug|RxNorm|Ingredient|S|501|{ALWAYS}",
        f"51|snoutol 500 MG Oral Tablet|Drug|RxNorm|Clinical Drug|S|502|{ALWAYS}",
        f"60|Snout remedies|Drug|ATC|ATC 5th|C|X01|{ALWAYS}",
        f"2000000001|Local snout|Condition|HPO|Phenotype||HP:0000001|{ALWAYS}",
        f"8576|milligram|Unit|UCUM|Unit|S|mg|{ALWAYS}",
        f"8587|milliliter|Unit|UCUM|Unit|S|mL|{ALWAYS}",
        f"4182510|Polish language|Language|SNOMED|Qualifier Value|S|1005|{ALWAYS}",
        f"70|Clinical Finding|Metadata|Concept Class|Concept Class||OMOP generated|{ALWAYS}",
    ],
    "CONCEPT_SYNONYM": [
        "concept_id|concept_synonym_name|language_concept_id",
        '30|Snout "swelling"|4180186',
        "30|Puffy snout|4180186",
        "10|Trastorno del hocico|4182511",
        "30|Schnauze geschwollen|4182504",
        "30|Museau enflé|4180190",
        "30|Spuchnięty pysk|4182510",
        "30|Snoet|9999",
        "99|Nobody|4180186",
    ],
    "CONCEPT_RELATIONSHIP": [
        RELATIONSHIP,
        f"30|10|Is a|{ALWAYS}",
        f"10|30|Subsumes|{ALWAYS}",
        "30|21|Is a|19700101|20200131|D",
        f"20|30|Concept replaced by|{ALWAYS}",
        f"30|20|Concept replaces|{ALWAYS}",
        f"21|30|Concept poss_eq to|{ALWAYS}",
        f"21|10|Concept was_a to|{ALWAYS}",
        f"30|30|Maps to|{ALWAYS}",
        f"40|30|Maps to|{ALWAYS}",
        f"30|40|Mapped from|{ALWAYS}",
        f"41|10|Maps to|{ALWAYS}",
        f"41|50|Maps to value|{ALWAYS}",
        f"51|50|RxNorm has ing|{ALWAYS}",
        f"2000000001|10|Maps to|{ALWAYS}",
        f"2000000001|30|Maps to|{ALWAYS}",
        f"98|30|Is a|{ALWAYS}",
    ],
    "CONCEPT_ANCESTOR": [
        "ancestor_concept_id|descendant_concept_id|min_levels_of_separation|max_levels_of_separation",
        "30|30|0|0",
        "10|30|1|1",
        "60|50|1|1",
        "60|51|2|2",
        "50|51|1|1",
    ],
    "DRUG_STRENGTH": [
        STRENGTH,
        f"51|50|500|8576||||||{ALWAYS}",
        f"50|50|||2.5|8576|5|8587||{ALWAYS}",
        f"60|50|||1|8576||8587||{ALWAYS}",
        f"50|50||||||||{ALWAYS}",
        "51|50|400|8576||||||19700101|20200131|D",
    ],
}


def write(folder: Path, tables: dict[str, list[str]] = TABLES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        text = "".join(row.replace("|", "\t") + "\n" for row in rows)
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def athena(tmp_path: Path) -> Path:
    return write(tmp_path / "vocabulary_download_v5")


def read(*paths: Path, **options: object) -> tuple[dict[str, Concept], Release]:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: concept for concept in release.concepts()}, release


def mapping(subject: str, predicate: str, target: str, source: str = "Maps to") -> Mapping:
    return Mapping(subject, predicate, target, "semapv:UnspecifiedMatching", source=source)


def test_a_concept_has_everything_the_tables_say(athena: Path) -> None:
    concepts, release = read(athena)
    assert concepts["OMOP:30"] == Concept(
        "OMOP:30",
        (
            Term('Snout "swelling"', "preferred", source="SNOMED"),
            Term("Puffy snout", source="SNOMED"),
            Term("Schnauze geschwollen", language="de", source="SNOMED"),
            Term("Museau enflé", language="fr", source="SNOMED"),
            Term("Spuchnięty pysk", language="pl", source="SNOMED"),
            Term("Snoet", language="und", source="SNOMED"),
        ),
        parents=("OMOP:10",),
        tags=("Condition", "Clinical Finding"),
        xrefs=("SCTID:1001",),
        properties=(Property("standard concept", "S"),),
    )
    assert concepts["OMOP:10"].terms[1] == Term("Trastorno del hocico", language="es", source="SNOMED")
    assert concepts["OMOP:2000000001"].xrefs == ("HP:0000001",)
    assert concepts["OMOP:8576"].tags == ("Unit",)
    assert concepts["OMOP:70"].xrefs == ()
    assert list(concepts) == sorted(concepts, key=lambda name: int(name[5:]))
    assert release.metadata.format == release.metadata.name == "omop"
    assert release.metadata.version == "v5.0 30-JAN-30"
    assert release.metadata.details["source_versions"] == {"SNOMED": "2030-01-31", "ICD10CM": "2030"}
    assert release.metadata.details["concepts_by_vocabulary"]["SNOMED"] == 5
    assert [name.rpartition("/")[2] for name in release.metadata.details["files_not_read"]] == ["DOMAIN.csv"]


def test_retired_concepts_say_why_and_what_replaces_them(athena: Path) -> None:
    concepts, _ = read(athena)
    assert concepts["OMOP:20"].status == concepts["OMOP:21"].status == "retired"
    assert concepts["OMOP:20"].replaced_by == ("OMOP:30",)
    assert concepts["OMOP:20"].properties == (Property("invalid reason", "U"), Property("valid end date", "20200131"))
    assert concepts["OMOP:21"].consider == ("OMOP:30",)
    assert concepts["OMOP:21"].relations == (Relation("Concept was_a to", "OMOP:10"),)
    assert [c.id for c in concepts.values() if c.status == "retired"] == ["OMOP:20", "OMOP:21"]


def test_maps_to_is_close_alone_broad_with_others_and_related_for_values(athena: Path) -> None:
    concepts, _ = read(athena)
    assert concepts["OMOP:40"].mappings == (mapping("OMOP:40", "skos:closeMatch", "OMOP:30"),)
    assert concepts["OMOP:41"].mappings == (
        mapping("OMOP:41", "skos:broadMatch", "OMOP:10"),
        mapping("OMOP:41", "skos:relatedMatch", "OMOP:50", "Maps to value"),
    )
    local = "OMOP:2000000001"
    assert concepts[local].mappings == (
        mapping(local, "skos:broadMatch", "OMOP:10"),
        mapping(local, "skos:broadMatch", "OMOP:30"),
    )
    assert concepts["OMOP:30"].mappings == ()


def test_ancestors_are_parents_where_no_is_a_tells_them(athena: Path) -> None:
    concepts, _ = read(athena)
    assert concepts["OMOP:50"].parents == ("OMOP:60",)
    assert concepts["OMOP:51"].parents == ("OMOP:50",)
    assert concepts["OMOP:51"].relations == (Relation("RxNorm has ing", "OMOP:50"),)
    assert concepts["OMOP:40"].parents == ()


def test_strengths_are_properties_in_words(athena: Path) -> None:
    concepts, _ = read(athena)
    found = {key: [p.value for p in concepts[key].properties if p.name == "strength"] for key in concepts}
    assert found["OMOP:51"] == ["snoutol 500 mg"]
    assert found["OMOP:50"] == ["snoutol 2.5 mg/5 mL"]
    assert found["OMOP:60"] == ["snoutol 1 mg/mL"]


def test_every_row_is_accounted_for(athena: Path) -> None:
    _, release = read(athena)
    rows = sum(len(lines) - 1 for name, lines in TABLES.items() if name != "DOMAIN")
    assert release.counts.rows == rows
    assert release.counts.kept == rows - release.counts.skipped.total()
    assert dict(release.counts.skipped) == {
        "concept 0, which stands for no concept": 1,
        "row of a concept that is not taken": 2,
        "row that is no longer valid": 2,
        "inverse of a relationship that is read": 3,
        "relationship of a concept with itself": 1,
        "ancestor that is not a parent": 2,
        "ancestor of a concept whose parents the relationships tell": 1,
        "strength without an amount": 1,
    }
    assert release.counts.terms_skipped == {"repeated name": 1}
    assert release.counts.malformed == 0


def test_columns_in_any_order_and_letter_case_and_a_zip(tmp_path: Path) -> None:
    expected, _ = read(write(tmp_path / "plain"))
    shuffled = {}
    draw = random.Random(7)  # noqa: S311 - an order of columns
    for name, rows in TABLES.items():
        cells = [row.split("|") for row in rows]
        order = draw.sample(range(len(cells[0])), len(cells[0]))
        cells[0] = [cell.upper() for cell in cells[0]]
        shuffled[name.lower()] = ["|".join(row[place] for place in order) for row in cells]
    folder = write(tmp_path / "shuffled", shuffled)
    assert read(folder)[0] == expected
    archive = tmp_path / "vocabulary.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in folder.iterdir():
            packed.write(path, f"download/{path.name}")
    assert read(archive)[0] == expected


def test_vocabularies_languages_and_tags_choose(athena: Path) -> None:
    concepts, release = read(athena, sources=("icd10cm",))
    assert list(concepts) == ["OMOP:40", "OMOP:41"]
    assert concepts["OMOP:40"].mappings[0].object_id == "OMOP:30"
    assert release.counts.skipped["source not asked for"] == 13 - 1
    concepts, _ = read(athena, tags=("clinical drug", "ATC"))
    assert list(concepts) == ["OMOP:51", "OMOP:60"]
    assert [p.value for p in concepts["OMOP:51"].properties] == ["S", "OMOP:50 500 mg"]
    concepts, release = read(athena, languages=("es",))
    assert concepts["OMOP:10"].terms == (Term("Trastorno del hocico", language="es", source="SNOMED"),)
    assert concepts["OMOP:30"].terms == ()
    assert release.counts.skipped["language not asked for"] == 6


def test_concepts_twice_are_malformed_but_not_when_cpt_names_came_later(tmp_path: Path) -> None:
    nameless = f"80||Procedure|CPT4|CPT4|S|90001|{ALWAYS}"
    named = nameless.replace("80||", "80|Snout lift|")
    folder = write(tmp_path / "a", {"CONCEPT_CPT4": [CONCEPT, nameless], "CONCEPT": [CONCEPT, named, named]})
    concepts, release = read(folder)
    assert concepts["OMOP:80"].terms == (Term("Snout lift", "preferred", source="CPT4"),)
    assert concepts["OMOP:80"].xrefs == ("CPT4:90001",)
    assert release.counts.to_dict()["rows"] == {
        "read": 3, "kept": 1, "skipped": {"concept that another file has too": 1}, "malformed": 1,
    }  # fmt: skip
    assert release.counts.examples[0].problem == "duplicate concept_id 80"
    assert release.counts.examples[0].line == 3
    alone, _ = read(write(tmp_path / "b", {"CONCEPT_CPT4": [CONCEPT, nameless]}))
    assert alone["OMOP:80"].terms == ()


def test_malformed_rows_are_counted_and_stop_a_strict_import(tmp_path: Path) -> None:
    broken = {
        "CONCEPT": [*TABLES["CONCEPT"], f"x1|Snout|Condition|SNOMED|Clinical Finding|S|1|{ALWAYS}", "too|few"],
        "CONCEPT_RELATIONSHIP": [RELATIONSHIP, f"30|x|Is a|{ALWAYS}", f"30|99999999999|Is a|{ALWAYS}"],
        "CONCEPT_SYNONYM": [TABLES["CONCEPT_SYNONYM"][0], "y|Snout|4180186"],
    }
    folder = write(tmp_path / "broken", broken)
    concepts, release = read(folder)
    assert len(concepts) == len(TABLES["CONCEPT"]) - 2
    assert concepts["OMOP:30"].parents == ()
    assert release.counts.malformed == 5
    with pytest.raises(FormatError, match=r"2 fields where 10 are needed|concept_id is not a number"):
        read(folder, strict=True)


def test_empty_values_of_databases_are_no_values(tmp_path: Path) -> None:
    rows = [row.replace(ALWAYS, ALWAYS + "\\N").replace("code||", "code|NULL|") for row in TABLES["CONCEPT"]]
    concepts, _ = read(write(tmp_path / "x", {"CONCEPT": rows}))
    assert concepts["OMOP:30"].status == "active"
    assert concepts["OMOP:40"].properties == ()
    assert concepts["OMOP:20"].status == "retired"


def test_what_cannot_be_read_says_how_to_mend_it(tmp_path: Path) -> None:
    missing = [row.split("|", 1)[0] + "|" + row.split("|", 1)[1].replace("concept_code", "code") for row in [CONCEPT]]
    with pytest.raises(FormatError, match="no column concept_code"):
        read(write(tmp_path / "a", {"CONCEPT": [*missing, *TABLES["CONCEPT"][1:]]}))
    with pytest.raises(FormatError, match=r"no table of concepts \(CONCEPT.csv\)"):
        read(write(tmp_path / "b", {"CONCEPT_SYNONYM": TABLES["CONCEPT_SYNONYM"]}))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "CONCEPT.csv").write_text("".join(row.replace("|", ",") + "\n" for row in TABLES["CONCEPT"]))
    with pytest.raises(FormatError, match="tab-separated and without quoting"):
        read(tmp_path / "c")
    with pytest.raises(FormatError, match="no concept in it"):
        read(write(tmp_path / "d", {"CONCEPT": TABLES["CONCEPT"][:2]}))


def source_map(folder: Path, *rows: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "source_to_concept_map.csv"
    path.write_text("".join(f"{row}\n" for row in (SOURCE_MAP, *rows)), encoding="utf-8")
    return path


def test_a_source_to_concept_map_is_concepts_with_mappings(tmp_path: Path) -> None:
    path = source_map(
        tmp_path,
        'K7,0,Ward codes,"Snout, swollen",30,SNOMED,19700101,20991231,',
        "K8,2000000009,Ward codes,Two things,30,SNOMED,19700101,20991231,",
        "K8,2000000009,Ward codes,Two things,10,SNOMED,19700101,20991231,",
        "K9,0,Ward codes,Unmapped,0,None,19700101,20991231,",
        "K7,0,Ward codes,Old,10,SNOMED,19700101,20200131,D",
        "K10,0,Ward codes,Bad,x,SNOMED,19700101,20991231,",
    )
    concepts, release = read(path)
    assert concepts["Ward_codes:K7"] == Concept(
        "Ward_codes:K7",
        (Term("Snout, swollen", "preferred", source="Ward codes"),),
        mappings=(mapping("Ward_codes:K7", "skos:closeMatch", "OMOP:30", "SOURCE_TO_CONCEPT_MAP"),),
    )
    assert concepts["Ward_codes:K8"].alternative_ids == ("OMOP:2000000009",)
    assert [(m.predicate_id, m.object_id) for m in concepts["Ward_codes:K8"].mappings] == [
        ("skos:relatedMatch", "OMOP:30"),
        ("skos:relatedMatch", "OMOP:10"),
    ]
    assert [(m.predicate_id, m.object_id) for m in concepts["Ward_codes:K9"].mappings] == [("skos:relatedMatch", "")]
    assert release.counts.to_dict()["rows"] == {
        "read": 6, "kept": 4, "skipped": {"row that is no longer valid": 1}, "malformed": 1,
    }  # fmt: skip
    assert release.counts.examples[0].line == 7


def test_a_cell_of_a_source_map_may_be_long_whatever_was_read_before(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)  # Python's own, which reading another table may have raised
    path = source_map(tmp_path, f"K7,0,Ward codes,Swollen,30,SNOMED,19700101,{'9' * 200_000},")
    assert read(path)[1].counts.kept == 1


def test_a_source_map_beside_a_download(athena: Path) -> None:
    source_map(athena, "K7,0,Ward codes,Swollen,30,SNOMED,19700101,20991231,")
    concepts, release = read(athena)
    assert concepts["Ward_codes:K7"].mappings[0].object_id == "OMOP:30"
    assert "OMOP:30" in concepts
    assert release.counts.concepts == {"active": 13, "retired": 2}
    only, _ = read(athena, sources=("Ward codes",))
    assert list(only) == ["Ward_codes:K7"]
