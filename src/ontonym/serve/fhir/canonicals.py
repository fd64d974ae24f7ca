"""Canonical urls and versions: the one place that knows them.

A canonical is ``url`` or ``url|version``. A version of a request may be exact (``1.0.0``), have wildcards (``1.0.x``,
``1.*``), or name a SNOMED CT edition, which stands for its newest version (``http://snomed.info/sct/900000000000207008``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

EXTENSIONS = "http://hl7.org/fhir/StructureDefinition/"
MESSAGE_ID = EXTENSIONS + "operationoutcome-message-id"
ISSUE_TYPES = "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type"
CONCEPT_PROPERTIES = "http://hl7.org/fhir/concept-properties#"
STANDARDS_STATUS = EXTENSIONS + "structuredefinition-standards-status"
EXPANSION_PARAMETER = (
    EXTENSIONS + "valueset-expansion-parameter",
    "http://hl7.org/fhir/tools/StructureDefinition/valueset-expansion-parameter",
)
SUPPLEMENT = EXTENSIONS + "valueset-supplement"
UNCLOSED = EXTENSIONS + "valueset-unclosed"
UNCLOSED_REASON = EXTENSIONS + "valueset-unclosed-reason"
PREFERRED_USE = {
    "system": "http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra",
    "code": "preferredForLanguage",
    "display": "Preferred For Language",
}
SNOMED = "http://snomed.info/sct"
LOINC = "http://loinc.org"
OWN = "urn:ontonym:"
CONFIDENCE = OWN + "confidence"
REASON = OWN + "reason"
MATCHED = OWN + "matched"
IMPLICIT_VALUE_SET = "?fhir_vs"
ECL = "=ecl/"


def split(canonical: str) -> tuple[str, str]:
    """The url and the version of a canonical; the version is empty where it has none.

    In an expression constraint (``?fhir_vs=ecl/``) bars stand around terms, so nothing there is a version.
    """
    if IMPLICIT_VALUE_SET + ECL in canonical:
        return canonical, ""
    url, _, version = canonical.partition("|")
    return url, version


def joined(url: str, version: str | None) -> str:
    """``url|version``, or the url alone where there is no version."""
    return f"{url}|{version}" if version else url


@lru_cache(maxsize=4096)
def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts versions: numbers as numbers, words as words, a release after its candidates (semver.org, section 11)."""
    release, _, candidate = version.partition("-")
    if re.fullmatch(r"\d{4}", release):  # a date, 2024-05-01
        release, candidate = version, ""
    parts = [_part(word) for word in re.findall(r"\d+|[A-Za-z]+", release)]
    return (*parts, (1, 0, "") if not candidate else (-1, 0, candidate))


def _part(word: str) -> tuple[int, int, str]:
    return (2, int(word[:18]), "") if word.isdigit() else (0, 0, word)


def has_wildcard(version: str) -> bool:
    """Whether the version stands for several: ``1.0.x``, ``1.*``, ``1.0.?``."""
    return re.search(r"(^|\.)[xX*?](\.|$)|\*$|\?$", version) is not None


def version_fits(wanted: str, version: str) -> bool:
    """Whether a version is one that is wanted: the same, one that its wildcards cover, or one of its edition."""
    if not wanted or wanted == version:
        return True
    if has_wildcard(wanted):
        given, parts = version.split("."), wanted.split(".")
        last = parts[-1] in ("*", "?") or wanted.endswith("*")
        if len(given) < len(parts) or (len(given) > len(parts) and not last):
            return False
        return all(part in ("x", "X", "*", "?") or part == have for part, have in zip(parts, given, strict=False))
    return wanted.startswith(SNOMED) and version.startswith(wanted + "/")


def newest(versions: Iterable[str]) -> str:
    """The newest of some versions."""
    return max(versions, key=version_key)


def canonical_text(resource: Mapping[str, Any]) -> str:
    """How a message names a value set: ``url|version``."""
    return joined(resource["url"], resource.get("version")) if resource.get("url") else "(unidentified)"
