"""In OMOP a source concept and the standard concept that it maps to are one answer; the standard one is proposed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from made import concept, opened
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.tasks import search
from ontonym.tasks.match import MatchOptions, match

ALWAYS = "valid_start_date|valid_end_date|invalid_reason"
DAYS = "19700101|20991231|"
CONCEPTS = f"""\
concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|{ALWAYS}
30|Generalized swelling|Condition|SNOMED|Clinical Finding|S|1001|{DAYS}
31|Snout pain|Condition|SNOMED|Clinical Finding|S|1002|{DAYS}
40|Generalized swelling|Condition|ICD10CM|4-char billing code||R60.1|{DAYS}
41|Snout pain|Condition|ICD10CM|4-char billing code||S01.9|{DAYS}
42|Snout pain|Condition|ICD10CM|4-char billing code||S01.8|{DAYS}
"""
MAPS = f"concept_id_1|concept_id_2|relationship_id|{ALWAYS}\n40|30|Maps to|{DAYS}\n42|30|Maps to|{DAYS}\n"


@pytest.fixture
def index(tmp_path: Path) -> Any:
    folder = tmp_path / "athena"
    folder.mkdir()
    (folder / "CONCEPT.csv").write_text(CONCEPTS.replace("|", "\t"))
    (folder / "CONCEPT_RELATIONSHIP.csv").write_text(MAPS.replace("|", "\t"))
    build_terminology(read_release([folder]), tmp_path / "omop.terminology")
    with open_terminology(tmp_path / "omop.terminology") as omop:
        build_index([omop], tmp_path / "omop.index", options=IndexOptions(everyday=False))
    with open_index(tmp_path / "omop.index") as made:
        yield made


def test_the_standard_concept_is_proposed(tmp_path: Path, index: Any) -> None:
    local = [concept("L:1", "generalized swelling"), concept("L:2", "snout pain")]
    with opened(tmp_path, local, [concept("X:1", "x")]) as (source, _):
        made = {one.id: one.proposed for one in match(source, index, MatchOptions(mode="best"))}
    assert made["L:1"] is not None
    assert (made["L:1"].id, made["L:1"].score > 0.8) == ("OMOP:30", True)
    assert made["L:2"] is None or made["L:2"].score < 0.5, "three concepts that nothing says are the same"


def test_a_search_gives_them_no_half_each(index: Any) -> None:
    hits = search(index, "generalized swelling")
    assert {hit.id for hit in hits[:2]} == {"OMOP:30", "OMOP:40"}
    assert min(hit.confidence for hit in hits[:2]) > 0.8
    assert search(index, "snout pain")[0].confidence < 0.5
