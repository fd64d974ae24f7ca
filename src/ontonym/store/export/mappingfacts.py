"""Facts about a set of mappings beside its rows: its metadata, and its prefixes in each standard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ontonym.errors import InputError
from ontonym.store.mappings.iris import BARE_PREFIX
from ontonym.store.open import Terminology

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MappingFacts:
    """Facts about a set of mappings; a format uses those that it has fields for.

    ``slots`` are the metadata of the set by the slots of SSSOM (``mapping_set_title``, ``license``, ``mapping_date``,
    ``subject_source_version``…). By prefix of ids, overriding the known ones: ``iris`` are the IRIs of prefixes (SSSOM,
    OAEI), ``systems`` the URLs of code systems, ``URL|VERSION`` to name a version (FHIR), and ``vocabularies`` the
    vocabulary_id (OMOP). ``url`` is the set's own (SSSOM mapping_set_id, canonical URL of the ConceptMap).
    ``source_scope`` and ``target_scope`` are the value sets that it maps between (FHIR). ``omop`` is a terminology
    imported from OMOP vocabularies, which turns codes into OMOP's concept ids. ``asked`` are the prefixes that the user
    gave a meaning.
    """

    slots: Mapping[str, str] = field(default_factory=lambda: _NONE)
    iris: Mapping[str, str] = field(default_factory=lambda: _NONE)
    systems: Mapping[str, str] = field(default_factory=lambda: _NONE)
    vocabularies: Mapping[str, str] = field(default_factory=lambda: _NONE)
    url: str = ""
    source_scope: str = ""
    target_scope: str = ""
    omop: Terminology | None = None
    asked: frozenset[str] = frozenset()

    def unused(self, rows: Iterable[Mapping[str, str]]) -> Counter[str]:
        """The prefixes that were given a meaning and that no mapping has, as what is left out."""
        ids = (row.get(end, "") for row in rows for end in ("subject_id", "object_id"))
        there = {one.partition(":")[0] if ":" in one else BARE_PREFIX for one in ids if one}
        return Counter({f"option for the prefix {prefix}, which no mapping has": 1 for prefix in self.asked - there})


@dataclass(frozen=True, slots=True)
class MappingExport:
    """How many mappings a format wrote, and how many of what it left out or shortened, by a description."""

    mappings: int
    left_out: Counter[str]


@dataclass(frozen=True, slots=True)
class MappingOptions:
    """How mappings are written, as a user gives it; see `MappingFacts`.

    ``iris``, ``systems`` and ``vocabularies`` are texts of the form PREFIX=VALUE; ``omop`` is the path of a
    terminology. ``format`` None takes the one of the file's ending.
    """

    format: str | None = None
    iris: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    vocabularies: tuple[str, ...] = ()
    omop: str | None = None
    url: str = ""
    source_scope: str = ""
    target_scope: str = ""

    def facts(self, slots: Mapping[str, str], *, iris: Mapping[str, str], omop: Terminology | None) -> MappingFacts:
        """The given facts, with ``iris`` after these; raises InputError for a text that is not PREFIX=VALUE."""
        return MappingFacts(
            slots=slots,
            iris={**iris, **_by_prefix("iris", self.iris)},
            systems=_by_prefix("systems", self.systems),
            vocabularies=_by_prefix("vocabularies", self.vocabularies),
            url=self.url,
            source_scope=self.source_scope,
            target_scope=self.target_scope,
            omop=omop,
            asked=frozenset(text.partition("=")[0] for text in (*self.iris, *self.systems, *self.vocabularies)),
        )


AS_IT_IS = MappingOptions()
"""The defaults: the format of the file's ending, and the facts of the mappings themselves."""

PREFIX_EXAMPLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "iris": ("IRI", "MA=http://mouse.owl#MA_"),
        "systems": ("URL", "LAB=http://hospital.example/lab|2026"),
        "vocabularies": ("ID", "LAB=HOSPITAL_LAB"),
    }
)
"""The options about prefixes: what each gives, and an example."""


def _by_prefix(option: str, texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        prefix, _, value = text.partition("=")
        if not prefix or not value:
            what, example = PREFIX_EXAMPLES[option]
            raise InputError(f"`{option}={text}`: expected PREFIX={what}, such as {example}")
        found[prefix] = value
    return found
