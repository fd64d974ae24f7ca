"""Wikidata's properties that a terminology needs: ids in other vocabularies, relations, and names as statements."""

from __future__ import annotations

from types import MappingProxyType

from ontonym.types import Kind

RAHIMI_LANGUAGES = (
    "en", "es", "it", "nl", "fr", "pt", "de", "cs", "ru", "zh", "ja", "hu",
    "tr", "ko", "no", "et", "sv", "pl", "fi", "el", "lv", "da", "eu", "he",
)  # fmt: skip
"""The 24 languages of the UMLS whose labels and aliases Rahimi takes from Wikidata (section 3.3, footnote 4)."""

MEDICAL_IDS = MappingProxyType(
    {
        "P2892": "UMLS",
        "P486": "MESH",
        "P6694": "MESH",
        "P9340": "MESH",
        "P9341": "MESH",
        "P699": "DOID",
        "P492": "OMIM",
        "P494": "ICD10",
        "P4229": "ICD10CM",
        "P1690": "ICD10PCS",
        "P7329": "ICD11",
        "P7807": "ICD11",
        "P493": "ICD9",
        "P1692": "ICD9CM",
        "P563": "ICDO",
        "P667": "ICPC2",
        "P1550": "ORPHA",
        "P3841": "HP",
        "P5270": "MONDO",
        "P5806": "SCTID",
        "P1748": "NCIT",
        "P3201": "MedDRA",
        "P4317": "GARD",
        "P4338": "LOINC",
        "P3345": "RXNORM",
        "P267": "ATC",
        "P715": "DrugBank",
        "P652": "UNII",
        "P604": "MedlinePlus",
        "P557": "DiseasesDB",
        "P673": "eMedicine",
        "P668": "GeneReviews",
        "P8656": "SYMP",
        "P1402": "FMA",
        "P1554": "UBERON",
        "P1323": "TA98",
        "P1693": "TE",
        "P1694": "TH",
        "P1928": "VO",
    }
)
"""Properties whose value is an id in a vocabulary of medicine, and its prefix. An item with one of them is medical."""

OTHER_IDS = MappingProxyType(
    {
        "P592": "ChEMBL",
        "P683": "CHEBI",
        "P231": "CAS",
        "P662": "PubChem",
        "P235": "InChIKey",
        "P665": "KEGG",
        "P595": "GTOPDB",
        "P686": "GO",
        "P7963": "CL",
        "P5501": "BTO",
        "P2158": "CLO",
        "P685": "NCBITaxon",
        "P351": "NCBIGene",
        "P354": "HGNC",
        "P352": "UniProt",
    }
)
"""Properties whose value is an id in a vocabulary that is not of medicine alone, and its prefix."""

EXTERNAL_IDS = MappingProxyType({**MEDICAL_IDS, **OTHER_IDS})

TREE_NUMBER = "P672"
"""MeSH tree code: a place in a tree, not an id."""
EXACT_MATCH = "P2888"
"""An IRI of the same thing elsewhere."""
INSTANCE_OF = "P31"
SUBCLASS_OF = "P279"

RELATIONS = MappingProxyType(
    {
        INSTANCE_OF: "instance of",
        "P361": "part of",
        "P527": "has part",
        "P780": "symptoms and signs",
        "P828": "has cause",
        "P927": "anatomical location",
        "P1995": "health specialty",
        "P2176": "drug or therapy used for treatment",
        "P2175": "medical condition treated",
        "P2293": "genetic association",
        "P769": "significant drug interaction",
        "P1889": "different from",
    }
)
"""Properties whose value is an item, and the predicate of the relation. All values of the best rank are taken."""

NAMES = MappingProxyType[str, Kind]({"P1813": "abbreviation", "P1843": "lay"})
"""Properties whose value is a name with its language: short name, taxon common name."""
