"""The few concepts whose ids RF2 itself needs (root, is-a, modules, types, reference sets), named plainly."""

from __future__ import annotations

import numpy as np

from .render import sctids

NAMESPACE, EXTENSION_NAMESPACE = 1999000, 1999500
"""Namespaces of our own, far above those that are given out. Each goes on in the next one when it is used up."""

_LAST_ITEM = 99_000_000

ROOT, METADATA, ATTRIBUTE, IS_A = 138875005, 900000000000441003, 410662002, 116680003
CORE, MODEL = 900000000000207008, 900000000000012004
PRIMITIVE, DEFINED = 900000000000074008, 900000000000073002
FSN, SYNONYM, TEXT_DEFINITION = 900000000000003001, 900000000000013009, 900000000000550004
CASE_INSENSITIVE = 900000000000448009
INFERRED, STATED, SOME = 900000000000011006, 900000000000010007, 900000000000451002
GREAT_BRITAIN, UNITED_STATES = 900000000000508004, 900000000000509007
PREFERRED, ACCEPTABLE = 900000000000548007, 900000000000549004
CONCEPT_REASON, DESCRIPTION_REASON, CONCEPT_RETIRED = 900000000000489007, 900000000000490003, 900000000000495008
OUTDATED = 900000000000483008
OWL_AXIOM, MODULE_DEPENDENCY = 733073007, 900000000000534007
EXTENDED_MAP, SIMPLE_MAP = 447562003, 446608001
CORRELATION = 447561005
CLASSIFIED, DEPENDS, NOT_CLASSIFIABLE = 447637006, 447639009, 447638001


def _own(namespace: int, count: int) -> list[int]:
    return [int(number) for number in sctids(_LAST_ITEM + np.arange(count), namespace, 10)]


(SIMPLE,) = _own(NAMESPACE, 1)
EXTENSION, GERMAN = _own(EXTENSION_NAMESPACE, 2)

Special = tuple[int, str, str, int]
"""Id, name, semantic tag and the parent's id."""

REASONS: tuple[tuple[str, int, int, int], ...] = (
    ("duplicate", 900000000000482003, 900000000000527005, 1),
    ("outdated", OUTDATED, 900000000000526001, 1),
    ("ambiguous", 900000000000484002, 900000000000523009, 2),
    ("erroneous", 900000000000485001, 900000000000526001, 1),
    ("limited use", 900000000000486000, 900000000000528000, 1),
    ("moved elsewhere", 900000000000487009, 900000000000524003, 1),
    ("against the editorial policy", 723277005, 900000000000530003, 1),
)
"""Why a concept was retired: in words, the reason's id, the association reference set, how many targets it names."""

_ASSOCIATIONS = {
    900000000000527005: "same as", 900000000000526001: "replaced by", 900000000000523009: "possibly equivalent to",
    900000000000524003: "moved to", 900000000000530003: "alternative", 900000000000528000: "was a",
}  # fmt: skip

_ATTRIBUTES = {
    IS_A: "Is a", 363698007: "Where the finding is", 116676008: "Change of form", 246075003: "Causing agent",
    42752001: "Is due to", 363714003: "Interprets", 260686004: "Done by method", 363704007: "Where it is done",
    424226004: "Uses device", 272741003: "Side of the body", 127489000: "Contains active ingredient",
    411116001: "Made as dose form", 246090004: "Finding it is about", 118169006: "Taken from",
    1142135004: "Strength as a number",
}  # fmt: skip

_VALUES = {
    CORE: "Core module", MODEL: "Module of the model itself", PRIMITIVE: "Primitive", DEFINED: "Fully defined",
    FSN: "Fully specified name", SYNONYM: "Synonym", TEXT_DEFINITION: "Text definition",
    CASE_INSENSITIVE: "Case does not matter", 900000000000017005: "Case matters",
    900000000000020002: "Case matters but for the first letter", INFERRED: "Inferred", STATED: "Stated",
    SOME: "Existential modifier", PREFERRED: "Preferred here", ACCEPTABLE: "Acceptable here",
    CONCEPT_RETIRED: "Concept is no longer current", CORRELATION: "Correlation not stated",
    CLASSIFIED: "Map source is classified", DEPENDS: "Map depends on context", NOT_CLASSIFIABLE: "Not classifiable",
}  # fmt: skip

_REFERENCE_SETS = {
    GREAT_BRITAIN: "English of Great Britain", UNITED_STATES: "English of the United States",
    CONCEPT_REASON: "Reasons of retired concepts", DESCRIPTION_REASON: "Reasons of retired descriptions",
    OWL_AXIOM: "Axioms in OWL", MODULE_DEPENDENCY: "Dependencies between modules",
    SIMPLE: "Common problems", EXTENDED_MAP: "Extended map to ICD-10", SIMPLE_MAP: "Simple map to morphology codes",
}  # fmt: skip


def _specials() -> list[Special]:
    reasons = {reason: f"Retired as {name}" for name, reason, _, _ in REASONS}
    sets = _REFERENCE_SETS | {number: f"Association: {name}" for number, name in _ASSOCIATIONS.items()}
    return [
        (ROOT, "Generated terminology", "root", 0),
        (METADATA, "Metadata of the generated terminology", "metadata", ROOT),
        (ATTRIBUTE, "Attribute of the concept model", "attribute", ROOT),
        *((number, name, "attribute", ATTRIBUTE) for number, name in _ATTRIBUTES.items()),
        *((number, name, "core metadata concept", METADATA) for number, name in (_VALUES | reasons).items()),
        *((number, f"{name} reference set", "foundation metadata concept", METADATA) for number, name in sets.items()),
    ]


SPECIALS: tuple[Special, ...] = tuple(_specials())
"""The metadata of the International edition; the root, whose parent is 0, comes first, parents before children."""

EXTENSION_SPECIALS: tuple[Special, ...] = (
    (EXTENSION, "German extension module", "core metadata concept", METADATA),
    (GERMAN, "German language reference set", "foundation metadata concept", METADATA),
)
