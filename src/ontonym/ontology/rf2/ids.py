"""SNOMED CT identifiers that the release format itself uses (RF2 specification): types, refsets, values."""

from __future__ import annotations

from types import MappingProxyType

IS_A = 116680003
FSN = 900000000000003001
SYNONYM = 900000000000013009
TEXT_DEFINITION = 900000000000550004
PREFERRED = 900000000000548007
FULLY_DEFINED = 900000000000073002
STATED = 900000000000010007
INACTIVATION_REASON = 900000000000489007

DIALECTS = MappingProxyType(
    {
        "en-US": 900000000000509007, "en-GB": 900000000000508004, "en-AU": 32570271000036106, "en-CA": 19491000087109,
        "en-IE": 21000220103, "en-NZ": 271000210107, "es": 448879004, "es-419": 450828004, "fr-CA": 20581000087109,
        "fr-BE": 21000172104, "nl": 31000146106, "nl-BE": 31000172101, "sv": 46011000052107, "da": 554461000005103,
        "nb": 61000202103, "nn": 91000202106, "et": 71000181105, "de": 722130004, "fr": 722131000, "ja": 722129009,
        "zh": 722128001,
    }
)  # fmt: skip
"""Language reference sets by the BCP 47 tag of their dialect, best first where a user asks for none."""

ASSOCIATIONS = MappingProxyType(
    {
        900000000000527005: "SAME AS", 900000000000526001: "REPLACED BY",
        900000000000523009: "POSSIBLY EQUIVALENT TO", 900000000000524003: "MOVED TO",
        900000000000525002: "MOVED FROM", 900000000000528000: "WAS A", 900000000000529008: "SIMILAR TO",
        900000000000530003: "ALTERNATIVE", 1186924009: "PARTIALLY EQUIVALENT TO", 1186921001: "POSSIBLY REPLACED BY",
    }
)  # fmt: skip
"""Historical association reference sets by id; other association sets go by the name of their concept."""

MEMBER_OF = "memberOf"
"""The property with the ids of the simple reference sets that a concept is a member of."""

REPLACING = ("SAME AS", "REPLACED BY")
SUGGESTING = (
    "POSSIBLY EQUIVALENT TO",
    "ALTERNATIVE",
    "PARTIALLY EQUIVALENT TO",
    "POSSIBLY REPLACED BY",
    "SIMILAR TO",
)

MAP_PREFIXES = MappingProxyType(
    {
        447562003: "ICD10", 6011000124106: "ICD10CM", 5991000124107: "ICD10CM", 447563008: "ICD9CM",
        446608001: "ICDO", 900000000000497000: "CTV3", 784008009: "ORPHA", 1193497006: "MedDRA", 1237618009: "ICD11",
        450993002: "ICPC2",
    }
)  # fmt: skip
"""The prefix of a map's targets, by map reference set; targets of other maps stay as published."""

CORRELATIONS = MappingProxyType(
    {
        447557004: "skos:exactMatch", 447558009: "skos:broadMatch", 447559001: "skos:narrowMatch",
        447560006: "skos:relatedMatch",
    }
)  # fmt: skip
"""The predicate of a map's correlation; a map without one relates source and target."""
