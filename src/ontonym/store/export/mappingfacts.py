"""What is known of a set of mappings beside its rows: its own metadata, and what its prefixes are in each standard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ontonym.store.open import Terminology

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MappingFacts:
    """Facts of a set of mappings; a format takes those that it has room for.

    ``slots`` are the metadata of the set by the slots of SSSOM (``mapping_set_title``, ``license``, ``mapping_date``,
    ``subject_source_version``…). By prefix of ids, each before what we know: ``iris`` are what it stands for (SSSOM,
    OAEI), ``systems`` the URL of the code system, ``URL|VERSION`` where a version is to be named (FHIR), and
    ``vocabularies`` the vocabulary_id (OMOP). ``url`` is the set's own (SSSOM mapping_set_id, canonical URL of the
    ConceptMap), ``source_scope`` and ``target_scope`` are the value sets that it maps between (FHIR).
    ``omop`` is a terminology imported from OMOP vocabularies, by which codes become OMOP's concept ids.
    """

    slots: Mapping[str, str] = field(default_factory=lambda: _NONE)
    iris: Mapping[str, str] = field(default_factory=lambda: _NONE)
    systems: Mapping[str, str] = field(default_factory=lambda: _NONE)
    vocabularies: Mapping[str, str] = field(default_factory=lambda: _NONE)
    url: str = ""
    source_scope: str = ""
    target_scope: str = ""
    omop: Terminology | None = None


@dataclass(frozen=True, slots=True)
class MappingExport:
    """How many mappings a format took, and how many of what it could not take, or not whole, in words."""

    mappings: int
    left_out: Counter[str]
