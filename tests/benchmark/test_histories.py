"""Similar names from the history of whole releases: UMLS and OMOP, beside plain loops over their files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import releases
from ontonym.benchmark.similar import SimilarityRelation, similar_pairs
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import Terminology, build_terminology, open_terminology


def imported(source: Path, place: Path) -> Path:
    build_terminology(read_release([source], options=ReadOptions(name=place.stem)), place)
    return place


def told(
    terminology: Terminology, older: list[Terminology], relation: SimilarityRelation
) -> set[tuple[str, str, str, str]]:
    """The pairs of a relation: both ids, and both names in lower case."""
    names, found = similar_pairs(terminology, older)
    pairs = found[relation]
    return {
        (*ids, *(names.texts[name].lower() for name in two))
        for ids, two in zip(pairs.concepts, pairs.names.tolist(), strict=True)
    }


@pytest.fixture(scope="module")
def umls(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[Path]]:
    """Two generated releases of UMLS and their terminologies, the older first."""
    out = tmp_path_factory.mktemp("umls")
    places = [releases.write_rrf(out, releases.Options(2500, seed=3, changed=0.05, release=one)).path for one in (1, 2)]
    return places, [imported(place, out / f"{place.name}.terminology") for place in places]


def rows(release: Path, table: str) -> list[list[str]]:
    """The rows of a table, which may be in parts and packed."""
    import gzip

    found = []
    for path in sorted((release / "META").glob(f"{table}.RRF*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found += [line.split("|") for line in data.decode().split("\n") if line]
    return found


def preferred(release: Path) -> dict[str, str]:
    """The preferred English name of every concept, in lower case."""
    chosen = {}
    for row in rows(release, "MRCONSO"):
        if row[1] == "ENG" and row[2] == "P" and row[4] == "PF" and row[6] == "Y":
            chosen[row[0]] = row[14].lower()
    return chosen


@pytest.mark.parametrize(
    ("relation", "said"), [("same-as", {"SY"}), ("possibly-equivalent-to", {"RB", "RN", "RO"}), ("replaced-by", set())]
)
def test_mrcui_leads_from_names_of_the_older_release_to_those_of_now(umls, relation, said):
    (before, now), (old, new) = umls
    gone, current = preferred(before), preferred(now)
    expected = {
        (f"UMLS:{row[0]}", f"UMLS:{row[5]}", gone[row[0]], current[row[5]])
        for row in rows(now, "MRCUI")
        if row[2] in said and row[0] in gone and row[5] in current and gone[row[0]] != current[row[5]]
    }
    assert bool(expected) == bool(said)
    with open_terminology(old) as earlier, open_terminology(new) as later:
        assert told(later, [earlier], relation) == expected
        assert told(later, [], relation) == set()  # the names are gone with the ids


def test_omop_by_replaced_by_and_by_a_single_standard_concept(tmp_path):
    """Retired concepts in turn replaced, mapped to one standard concept, to two, and to one that is retired."""
    head = "19700101\t20991231\t"
    concepts = [
        "\t".join("concept_id concept_name domain_id vocabulary_id concept_class_id standard_concept concept_code "
                  "valid_start_date valid_end_date invalid_reason".split())
    ]  # fmt: skip
    links = ["concept_id_1\tconcept_id_2\trelationship_id\tvalid_start_date\tvalid_end_date\tinvalid_reason"]
    expected = set()
    for number in range(1, 81):
        new, old = 1000 + number, 2000 + number
        concepts.append(f"{new}\tswelling of part {number}\tCondition\tSNOMED\tDisorder\tS\t{new}\t{head}")
        concepts.append(f"{old}\tpart {number} swollen\tCondition\tSNOMED\tDisorder\t\t{old}\t19700101\t20200131\tU")
        way = number % 4
        targets = {0: [new], 1: [new], 2: [new, new - 1 if number > 1 else new], 3: [old]}[way]
        links += [f"{old}\t{to}\t{'Concept replaced by' if way == 0 else 'Maps to'}\t{head}" for to in targets]
        if way < 2:
            expected.add((f"OMOP:{old}", f"OMOP:{new}", f"part {number} swollen", f"swelling of part {number}"))
    (tmp_path / "athena").mkdir()
    for name, lines in (("CONCEPT", concepts), ("CONCEPT_RELATIONSHIP", links)):
        (tmp_path / "athena" / f"{name}.csv").write_text("\n".join(lines) + "\n")
    with open_terminology(imported(tmp_path / "athena", tmp_path / "omop.terminology")) as terminology:
        assert told(terminology, [], "replaced-by") == expected
        assert told(terminology, [], "same-as") == set()
