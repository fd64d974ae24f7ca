from __future__ import annotations

import os
from pathlib import Path

import pytest

from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology

DATA = Path(os.environ.get("ONTONYM_DATA", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = pytest.mark.live


def imported(folder: Path, name: str, *files: str) -> Terminology:
    paths = [DATA / name / file for file in files]
    if not all(path.exists() for path in paths):
        pytest.skip(f"set ONTONYM_DATA to the folder that holds {name}/{files[0]}")
    release = read_release(paths)
    build_terminology(release, folder / name)
    terminology = open_terminology(folder / name)
    # every concept comes back as the reader gave it
    for row, concept in enumerate(read_release(paths).concepts()):
        assert terminology.id(row) == concept.id
        if row % 97 == 0:
            stored = terminology.concept(row)
            assert (stored.parents, stored.xrefs, stored.status) == (concept.parents, concept.xrefs, concept.status)
            assert set(stored.terms) <= set(concept.terms)
    return terminology


def test_hpo(tmp_path: Path) -> None:
    with imported(tmp_path, "hpo", "hp.obo.gz") as hpo:
        seizure = hpo.row("HP:0001250")
        above = {hpo.preferred(row) for row in hpo.hierarchy.ancestors(seizure).tolist()}
        assert hpo.preferred(hpo.term_concepts()[hpo.rows_named("seizures")[0]]) in ("Seizures", "Seizure")
        assert "Phenotypic abnormality" in above
        assert hpo.hierarchy.is_a(seizure, hpo.row("HP:0000118"))
        assert hpo.manifest.content["cycles"]["count"] == 0


def test_medic(tmp_path: Path) -> None:
    with imported(tmp_path, "medic", "medic_06Jul2012.txt") as medic:
        assert len(medic) == 11_915
        assert medic.term_count == 76_237 - medic.manifest.content["merged_terms"] - sum(
            medic.manifest.content["reader"].get("terms_skipped", {}).values()
        )


def test_icd10cm(tmp_path: Path) -> None:
    with imported(tmp_path, "icd10cm", "icd10cm_tabular_2021.xml") as icd:
        assert icd.hierarchy.roots().size == 22
        assert icd.manifest.content["unknown_parents"]["count"] == 0
