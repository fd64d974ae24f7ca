"""The readers on whole releases: counts as verified independently in the data's own README."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.types import Concept

pytestmark = pytest.mark.live


def load(data: Path, *names: str, **options: Any) -> tuple[dict[str, Concept], dict[str, Any]]:
    release = read_release([data / name for name in names], options=ReadOptions(strict=True, **options))
    concepts = {concept.id: concept for concept in release.concepts()}
    return concepts, release.counts.to_dict()


def synonyms(concepts: dict[str, Concept]) -> int:
    return sum(len(c.terms) - 1 for c in concepts.values() if c.status == "active")


def test_medic(data: Path) -> None:
    concepts, counts = load(data, "medic/medic_06Jul2012.txt")
    assert counts["concepts"] == {"active": 11_915, "retired": 0}
    assert counts["terms"]["kept"] == {"preferred": 11_915, "synonym": 76_237 - 11_915}
    assert concepts["MESH:C567755"].alternative_ids == ("OMIM:613097",)


@pytest.mark.parametrize(
    ("name", "statuses", "live_synonyms", "parents"),
    [
        ("hpo/hp.obo.gz", (11_673, 112), 14_218, 15_459),
        ("hpo/hp_boqa_2017.obo.gz", (12_226, 132), 15_943, 16_044),
        ("doid/orphanet_import.obo", (5_742, 0), 7_605, 16_965),
    ],
)
def test_obo_releases(data: Path, name: str, statuses: tuple[int, int], live_synonyms: int, parents: int) -> None:
    concepts, counts = load(data, name)
    assert (counts["concepts"]["active"], counts["concepts"]["retired"]) == statuses
    assert synonyms(concepts) == live_synonyms
    assert sum(len(c.parents) for c in concepts.values() if c.status == "active") == parents


@pytest.mark.parametrize(
    ("name", "active", "retired", "live_synonyms"),
    [
        ("doid/doid_2016-09-19.obo", 6_971, 2_373, 12_020),
        ("doid/HumanDO_2015.obo", 6_574, 2_374, 12_769),
        ("gard/gard.obo", 6_110, 0, 27_365),
        ("uberon/craft_UBERON.obo.zip", 13_080, 994, 37_374),
    ],
)
def test_obo_releases_that_repeat_names(data: Path, name: str, active: int, retired: int, live_synonyms: int) -> None:
    concepts, counts = load(data, name)
    assert counts["concepts"] == {"active": active, "retired": retired}
    repeated = counts["terms"]["skipped"]["repeated name"]
    assert live_synonyms - repeated <= synonyms(concepts) <= live_synonyms


def test_hpo_obographs(data: Path) -> None:
    concepts, counts = load(data, "hpo/hp.json.gz")
    assert counts["concepts"] == {"active": 16_874, "retired": 371}  # HP:0034334 is a property, not a phenotype
    assert counts["rows"]["skipped"] == {"node without a type": 6, "property node": 26}
    assert sum(len(c.parents) for c in concepts.values()) == 21_138
    assert counts["terms"]["kept"]["lay"] == 8_137
    assert "UMLS:C3714581" in concepts["HP:0000003"].xrefs


def test_icd10cm_with_the_order_file(data: Path) -> None:
    concepts, counts = load(data, "icd10cm/icd10cm_tabular_2021.xml", "icd10cm/icd10cm-order-Jan-2021.txt")
    assert len(concepts) == 95_358 + 22 + 296
    assert counts["rows"]["skipped"] == {"list line of a code in the tabular XML": 45_017}
    assert concepts["ICD10CM:S00.03XA"].preferred == "Contusion of scalp, initial encounter"
    assert concepts["ICD10CM:S00.03XA"].parents == ("ICD10CM:S00.03",)
    assert concepts["ICD10CM:A00"].parents == ("ICD10CM:A00-A09",)


def test_mesh_table_without_a_header(data: Path) -> None:
    columns = ColumnMapping.parse(["id=1", "preferred=2", "synonyms=3"])
    concepts, counts = load(data, "mesh/mesh_id_label_mappings.tsv", columns=columns, prefix="MESH")
    assert len(concepts) == 29_351
    assert counts["terms"]["read"] == 29_351 + 123_902
    assert concepts["MESH:D000003"].preferred == "Abattoirs"


def test_chebi_names(data: Path) -> None:
    concepts, counts = load(data, "chebi/chebi_names.tsv", prefix="CHEBI")
    assert (counts["rows"]["kept"], len(concepts)) == (21_601, 21_219)
    assert concepts["CHEBI:5"].preferred == "(+)-(S)-Carvone"


def test_disease_ontology_table(data: Path) -> None:
    concepts, counts = load(data, "doid/HumanDO.tsv")
    assert counts["rows"]["kept"] == 12_296
    assert concepts["DOID:0040058"].preferred == "1,4-phenylenediamine allergic contact dermatitis"


def test_mondo_class_labels(data: Path) -> None:
    concepts, _ = load(data, "mondo/class-stats.tsv")
    assert concepts["GO:0006505"].preferred == "GPI anchor metabolic process"
    live = [i for i, c in concepts.items() if i.startswith("MONDO:") and not c.preferred.lower().startswith("obsolete")]
    assert len(live) == 32_102
