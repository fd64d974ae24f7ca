from __future__ import annotations

import numpy as np
import pytest

from ontonym.ontology.xrefs import PREFIX_ALIASES, canonical_prefix, curie, prefixed
from ontonym.text.strings import Coded, Strings


@pytest.mark.parametrize(
    ("published", "normalized"),
    [
        ("UMLS_CUI:C0018923", "UMLS:C0018923"),
        ("MSH:D006394", "MESH:D006394"),
        ("MeSH:D001260", "MESH:D001260"),
        ("SNOMEDCT_US_2016_03_01:33176006", "SCTID:33176006"),
        ("SNOMEDCT_2010_1_31:33176006", "SCTID:33176006"),
        ("SNOMEDCT:33176006", "SCTID:33176006"),
        ("ORDO:752", "ORPHA:752"),
        ("Orphanet:752", "ORPHA:752"),
        ("ICD-10:G11.3", "ICD10:G11.3"),
        ("ICD10CM:H11.0", "ICD10CM:H11.0"),
        ("MIM:264300", "OMIM:264300"),
        ("NCI:C3088", "NCIT:C3088"),
        ("MEDDRA:10003594", "MedDRA:10003594"),
        ("pmid:12559262", "PMID:12559262"),
        ("gard:10000", "GARD:10000"),
        ("DO:DOID:0110122", "DOID:0110122"),
        ("http://purl.obolibrary.org/obo/HP_0000001", "HP:0000001"),
        ("<http://purl.obolibrary.org/obo/HP_0000001>", "HP:0000001"),
        ("http://www.orpha.net/ORDO/Orphanet_100", "ORPHA:100"),
        ("http://www.ebi.ac.uk/efo/EFO_0000400", "EFO:0000400"),
        ("http://identifiers.org/hgnc/5724", "HGNC:5724"),
        ("https://identifiers.org/mesh:D000001", "MESH:D000001"),
        ("http://id.nlm.nih.gov/mesh/D000001", "MESH:D000001"),
        ("http://loinc.org/rdf/LP14635-4", "LOINC:LP14635-4"),
        ("https://loinc.org/2160-0/", "LOINC:2160-0"),
        ("http://snomed.info/id/22298006", "SCTID:22298006"),
        ("http://linkedlifedata.com/resource/umls/id/C0018670", "UMLS:C0018670"),
        ("http://en.wikipedia.org/wiki/Head", "Wikipedia:Head"),
    ],
)
def test_ids_get_one_spelling(published: str, normalized: str) -> None:
    assert curie(published) == normalized


@pytest.mark.parametrize(
    "text",
    ["EPCC:12.3.4", "galen:Head", "uncategorized", "http://ncicb.nci.nih.gov/xml/owl/EVS/Head", "prefix:", ":x", ""],
)
def test_what_is_unknown_stays_as_published(text: str) -> None:
    assert curie(text) == text


def test_every_alias_leads_to_a_prefix_that_stays() -> None:
    assert [alias for alias, prefix in PREFIX_ALIASES.items() if canonical_prefix(prefix) != prefix] == []


def test_codes_as_curies() -> None:
    codes = Strings.of(["1", "", "HP:2", "3"])
    made = prefixed(codes, Coded(np.array([0, 1, 2, 1]), ("MESH", "ICD10", "")))
    assert made.tolist() == ["MESH:1", "ICD10:", "HP:2", "ICD10:3"]
    assert prefixed(Strings.of([]), Coded(np.zeros(0, dtype=np.uint8), ())).tolist() == []
