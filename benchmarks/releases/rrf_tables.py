"""What a generated UMLS release is made of: sources, the names a concept may have, its relations, and file layouts.

Names of sources, term types and relations are UMLS's own labels (UMLS Reference Manual, chapter 3 and appendix B).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A source: its label (SAB), language, title, restriction level (SRL), what precedes its codes, and whether its
    codes are concept ids (SCUI) and descriptor ids (SDUI).
    """

    sab: str
    title: str
    language: str = "ENG"
    restriction: int = 0
    code: str = ""
    scui: bool = True
    sdui: bool = False


VOCABULARIES: tuple[Vocabulary, ...] = (
    Vocabulary("MTH", "Names of the generated metathesaurus itself", code="U", scui=False),
    Vocabulary("SNOMEDCT_US", "Generated names in the manner of SNOMED CT", restriction=9),
    Vocabulary("MSH", "Generated names in the manner of MeSH", code="D", sdui=True),
    Vocabulary("NCBI", "Generated names in the manner of the NCBI Taxonomy"),
    Vocabulary("FMA", "Generated names in the manner of FMA"),
    Vocabulary("RXNORM", "Generated names in the manner of RxNorm"),
    Vocabulary("LNC", "Generated names in the manner of LOINC", code="LP"),
    Vocabulary("ICD10CM", "Generated names in the manner of ICD-10-CM", restriction=4, code="Z", scui=False, sdui=True),
    Vocabulary("ICD10PCS", "Generated names in the manner of ICD-10-PCS", restriction=4, code="0", scui=False),
    Vocabulary("UMD", "Generated names in the manner of a device nomenclature", restriction=1),
    Vocabulary("NCI", "Generated names in the manner of NCIt", code="C"),
    Vocabulary("MEDCIN", "Generated names in the manner of MEDCIN", restriction=3),
    Vocabulary("CHV", "Generated names in the manner of a consumer vocabulary"),
    Vocabulary("HPO", "Generated names in the manner of HPO", code="HP:"),
    Vocabulary("MDR", "Generated names in the manner of MedDRA", restriction=3),
    Vocabulary("MSHGER", "Generated German names in the manner of MeSH", "GER", 3, "D", sdui=True),
    Vocabulary("MDRGER", "Generated German names in the manner of MedDRA", "GER", 3),
    Vocabulary("SCTSPA", "Generated Spanish names in the manner of SNOMED CT", "SPA", 9),
    Vocabulary("MSHFRE", "Generated French names in the manner of MeSH", "FRE", 3, "D", sdui=True),
    Vocabulary("MDRJPN", "Generated Japanese names in the manner of MedDRA", "JPN", 3),
)

PRIMARY: dict[str, tuple[tuple[str, str], ...]] = {
    "disorder": (("SNOMEDCT_US", "PT"), ("ICD10CM", "PT"), ("MSH", "MH"), ("SNOMEDCT_US", "PT")),
    "procedure": (("SNOMEDCT_US", "PT"), ("ICD10PCS", "PT")),
    "body structure": (("FMA", "PT"), ("SNOMEDCT_US", "PT")),
    "organism": (("NCBI", "SCN"), ("NCBI", "SCN"), ("SNOMEDCT_US", "PT")),
    "substance": (("MSH", "NM"), ("RXNORM", "IN")),
    "clinical drug": (("RXNORM", "SCD"), ("SNOMEDCT_US", "PT")),
    "observable entity": (("LNC", "LC"), ("SNOMEDCT_US", "PT")),
    "physical object": (("UMD", "PT"), ("SNOMEDCT_US", "PT")),
}
"""The source that every concept of a kind is named in: one of these by chance, SNOMEDCT_US for other kinds."""

FULL_NAME, SPANISH, FRENCH, JAPANESE = 7, 8, 9, 10
"""Wordings besides those of ``kinds``: the preferred name with its semantic tag, and made-up words."""

STRINGS = 11


@dataclass(frozen=True, slots=True)
class Atom:
    """A name that a concept may have: with which chance, from which source, of which term type and wording.

    Atoms stand in the order of MRRANK within a language: the first that a concept has is its preferred name.
    """

    share: float
    sab: str
    tty: str
    wording: int
    suppress: str = "N"


ATOMS: tuple[Atom, ...] = (
    Atom(0.25, "MTH", "PN", 0),
    Atom(1.0, "", "", 0),
    Atom(0.3, "SNOMEDCT_US", "FN", FULL_NAME),
    Atom(0.15, "NCI", "PT", 0),
    Atom(0.2, "MEDCIN", "PT", 1),
    Atom(0.3, "SNOMEDCT_US", "SY", 1),
    Atom(0.35, "MSH", "ET", 2),
    Atom(0.2, "NCI", "SY", 3),
    Atom(0.1, "CHV", "PT", 2),
    Atom(0.1, "HPO", "SY", 3),
    Atom(0.07, "NCI", "AB", 4),
    Atom(0.08, "SNOMEDCT_US", "OAP", 3, "O"),
    Atom(0.03, "MDR", "LLT", 2, "Y"),
    Atom(0.01, "NCI", "OP", 1, "E"),
    Atom(0.1, "MSHGER", "MH", 5),
    Atom(0.06, "MDRGER", "LLT", 6),
    Atom(0.22, "SCTSPA", "PT", SPANISH),
    Atom(0.08, "MSHFRE", "MH", FRENCH),
    Atom(0.06, "MDRJPN", "PT", JAPANESE),
)
PRIMARY_ATOM = 1


@dataclass(frozen=True, slots=True)
class Link:
    """A relation as MRREL has it, read from the second concept to the first, and the row the other way round."""

    sab: str
    rel: str
    rela: str
    back: str
    back_rela: str


LINKS: tuple[Link, ...] = (
    Link("SNOMEDCT_US", "PAR", "inverse_isa", "CHD", "isa"),
    Link("NCI", "PAR", "inverse_isa", "CHD", "isa"),
    Link("MSH", "PAR", "", "CHD", ""),
    Link("ICD10CM", "PAR", "", "CHD", ""),
    Link("SNOMEDCT_US", "RO", "finding_site_of", "RO", "has_finding_site"),
    Link("FMA", "RO", "has_part", "RO", "part_of"),
    Link("SNOMEDCT_US", "RO", "causative_agent_of", "RO", "has_causative_agent"),
    Link("RXNORM", "RO", "ingredient_of", "RO", "has_ingredient"),
    Link("NCI", "RO", "is_associated_disease_of", "RO", "has_associated_disease"),
    Link("MTH", "RB", "", "RN", ""),
    Link("MTH", "RQ", "", "RQ", ""),
    Link("MSH", "SIB", "", "SIB", ""),
)
SIBLING_LINK = 11


@dataclass(frozen=True, slots=True)
class Relating:
    """A relation that a concept may have to an older one: with which chance, as which of ``LINKS``, to which kind.

    An empty kind is the concept's own. ``parent`` numbers a parent slot, or is -1.
    """

    share: float
    links: tuple[int, ...]
    kind: str = ""
    parent: int = -1


RELATIONS: tuple[Relating, ...] = (
    Relating(1.0, (0, 0, 1, 2, 3), parent=0),
    Relating(0.5, (0, 1), parent=1),
    Relating(0.2, (0,), parent=2),
    Relating(0.6, (4, 4, 5), "body structure"),
    Relating(0.4, (6,), "organism"),
    Relating(0.5, (7, 6), "substance"),
    Relating(0.4, (8,), "disorder"),
    Relating(0.2, (9,)),
    Relating(0.15, (10,)),
    Relating(0.15, (5,)),
)
SIBLING_SHARE = 0.8

RANKED: tuple[tuple[str, str], ...] = (
    ("MTH", "PN"),
    *dict.fromkeys([("SNOMEDCT_US", "PT"), *(pair for pairs in PRIMARY.values() for pair in pairs)]),
    *((atom.sab, atom.tty) for atom in ATOMS[2:]),
)
"""Source and term type by rank, best first (MRRANK)."""

COLUMNS: dict[str, str] = {
    "MRCONSO.RRF": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF",
    "MRSTY.RRF": "CUI TUI STN STY ATUI CVF",
    "MRDEF.RRF": "CUI AUI ATUI SATUI SAB DEF SUPPRESS CVF",
    "MRREL.RRF": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
    "MRCUI.RRF": "CUI1 VER REL RELA MAPREASON CUI2 MAPIN",
    "MRRANK.RRF": "MRRANK_RANK SAB TTY SUPPRESS",
    "MRSAB.RRF": (
        "VCUI RCUI VSAB RSAB SON SF SVER VSTART VEND IMETA RMETA SLC SCC SRL TFR CFR CXTY TTYL ATNL LAT CENC CURVER "
        "SABIN SSN SCIT"
    ),
    "MRFILES.RRF": "FIL DES FMT CLS RWS BTS",
    "MRCOLS.RRF": "COL DES REF MIN AV MAX FIL DTY",
    "MRDOC.RRF": "DOCKEY VALUE TYPE EXPL",
}
"""The columns of each file (UMLS Reference Manual, section 3.3)."""

TITLES: dict[str, str] = {
    "MRCONSO.RRF": "Concept names and sources", "MRSTY.RRF": "Semantic types", "MRDEF.RRF": "Definitions",
    "MRREL.RRF": "Related concepts", "MRCUI.RRF": "Retired CUIs", "MRRANK.RRF": "Ranking of names",
    "MRSAB.RRF": "Sources", "MRFILES.RRF": "Files", "MRCOLS.RRF": "Columns", "MRDOC.RRF": "Abbreviations",
}  # fmt: skip

DOCUMENTED: tuple[tuple[str, str, str, str], ...] = (
    ("REL", "PAR", "expanded_form", "has parent"), ("REL", "CHD", "expanded_form", "has child"),
    ("REL", "RB", "expanded_form", "has broader"), ("REL", "RN", "expanded_form", "has narrower"),
    ("REL", "RO", "expanded_form", "has another relation"), ("REL", "SIB", "expanded_form", "has sibling"),
    ("REL", "RQ", "expanded_form", "related, perhaps synonymous"),
    ("SUPPRESS", "N", "expanded_form", "Not suppressible"),
    ("SUPPRESS", "O", "expanded_form", "Obsolete"), ("SUPPRESS", "E", "expanded_form", "Suppressed by an editor"),
    ("SUPPRESS", "Y", "expanded_form", "Suppressible by source and term type"),
    ("LAT", "ENG", "expanded_form", "English"), ("LAT", "GER", "expanded_form", "German"),
    ("LAT", "SPA", "expanded_form", "Spanish"), ("LAT", "FRE", "expanded_form", "French"),
    ("LAT", "JPN", "expanded_form", "Japanese"),
)  # fmt: skip
