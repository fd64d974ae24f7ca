"""Words that OMOP itself uses: languages, vocabularies and relationships, and what they mean here."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from ontonym.ontology.languages import UNKNOWN, language_names
from ontonym.ontology.xrefs import canonical_prefix

PREFIX = "OMOP:"
NO_CONCEPT = 0
"""The concept that stands for none ("No matching concept")."""
ENGLISH = 4180186

LANGUAGES = MappingProxyType(
    {
        ENGLISH: "en", 4180047: "he", 4180183: "da", 4180190: "fr", 4181374: "ar", 4181524: "ja", 4181536: "pt",
        4181730: "fi", 4175771: "ko", 4175777: "sv", 4182503: "nl", 4182504: "de", 4182507: "it", 4182511: "es",
        4182948: "zh",
    }
)  # fmt: skip
"""Concepts of languages to BCP 47; others are recognized by their names, see `named_language`."""

VOCABULARY_PREFIXES = MappingProxyType(
    {"ICDO3": "ICDO", "SNOMED Veterinary": "SCTID", "Nebraska Lexicon": "SCTID", "dm+d": "dmd"}
)
"""Vocabularies whose codes have a prefix that `canonical_prefix` does not give for their name."""

IS_A = "Is a"
MAPS_TO = "Maps to"
MAPS_TO_VALUE = "Maps to value"
REPLACING = ("Concept replaced by", "Concept same_as to")
SUGGESTING = ("Concept poss_eq to", "Concept alt_to to")
INVERSES = MappingProxyType(
    {
        "Subsumes": IS_A, "Mapped from": MAPS_TO, "Value mapped from": MAPS_TO_VALUE,
        "Concept replaces": REPLACING[0], "Concept same_as from": REPLACING[1], "Concept poss_eq from": SUGGESTING[0],
        "Concept alt_to from": SUGGESTING[1],
    }
)  # fmt: skip
"""Relationships that are the inverse of one that is read."""

VOCABULARIES = MappingProxyType(
    {
        "ATC": "ATC", "CPT": "CPT4", "CVX": "CVX", "HP": "HPO", "ICDO": "ICDO3", "LOINC": "LOINC", "MESH": "MeSH",
        "MedDRA": "MedDRA", "NCIT": "NCIt", "NDC": "NDC", "OMIM": "OMIM", "RXNORM": "RxNorm", "SCTID": "SNOMED",
        "UCUM": "UCUM",
    }
)  # fmt: skip
"""Prefixes to the ids that OMOP has for their vocabularies, where these are spelled otherwise or are not obvious."""

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@lru_cache(maxsize=4096)
def code_prefix(vocabulary: str) -> str:
    """The prefix of a vocabulary's codes; what a prefix may not hold becomes an underscore."""
    known = VOCABULARY_PREFIXES.get(vocabulary)
    return known or _ODD.sub("_", canonical_prefix(vocabulary.strip()))


def named_language(name: str) -> str:
    """The BCP 47 tag of a language by the name of its concept: ``Polish language`` gives ``pl``."""
    return language_names().get(name.casefold().removesuffix("language").strip(), UNKNOWN)


def vocabulary_of(prefix: str) -> str:
    """The id that OMOP has for the vocabulary of a prefix; of one it does not know, the prefix."""
    return VOCABULARIES.get(prefix, prefix)
