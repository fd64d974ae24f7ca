"""What the operations need of a code system, whatever it is made from: one protocol and the records it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ontonym.arrays import Ints, Mask
from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.canonicals import PREFERRED_USE, STANDARDS_STATUS, joined
from ontonym.serve.fhir.languages import Languages
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.values import extension

SYNONYM_USES = frozenset({"display", "preferredForLanguage", "900000000000003001", "900000000000013009"})
OneStep = Literal["parent", "child"]
"""What stands one step up or down in the hierarchy, as FHIR calls the properties."""


@dataclass(frozen=True)
class Designation:
    """A name of a concept: its language (empty: unknown), use, and the supplement or value set that gives it.

    ``base`` marks the display of the code system itself.
    """

    value: str
    language: str = ""
    use: FhirJson | None = None
    source: str = ""
    base: bool = False
    extensions: tuple[FhirJson, ...] = ()

    @property
    def status(self) -> str:
        """The standards status of the name, ``active`` where it has none."""
        return str(extension({"extension": self.extensions}, STANDARDS_STATUS) or "active")

    @property
    def current(self) -> bool:
        """Whether the name is neither deprecated nor withdrawn."""
        return self.status not in ("withdrawn", "deprecated")

    def resource(self) -> FhirJson:
        """The designation as FHIR writes it."""
        result: FhirJson = {"extension": list(self.extensions)} if self.extensions else {}
        if self.language:
            result["language"] = self.language
        if self.use is not None or self.base:
            result["use"] = self.use or PREFERRED_USE
        return {**result, "value": self.value}


@dataclass(frozen=True)
class ConceptProperty:
    """A property of a concept: its code, the type as in ``valueCode``, the value, and a display where it is a code."""

    code: str
    type: str
    value: Any
    display: str = ""
    source: str = ""


@dataclass(frozen=True)
class CodedConcept:
    """A concept of a code system. ``status`` is empty where nothing is said; ``names`` begins with the display."""

    code: str
    names: tuple[Designation, ...] = ()
    definition: str = ""
    properties: tuple[ConceptProperty, ...] = ()
    abstract: bool = False
    inactive: bool = False
    status: str = ""
    extensions: tuple[FhirJson, ...] = ()
    supplements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A concept that a search found: its row, and where the search ranks by meaning, how sure it is and why."""

    row: int
    confidence: float | None = None
    matched: str = ""
    reason: str = ""


@dataclass(frozen=True)
class SearchResult:
    """The rows of all concepts that a search found, in its order; ``said`` of some, ``reason`` of the rest."""

    rows: Ints
    said: Mapping[int, Found] = field(default_factory=dict)
    reason: str = ""

    def found(self, row: int) -> Found:
        """What the search says of one of its rows."""
        return self.said.get(row) or Found(row, reason=self.reason)


class CodeSystemContent(Protocol):
    """The concepts of one version of a code system, as rows from 0, with their hierarchy.

    Sets of concepts are arrays of booleans, one for each row.
    """

    url: str
    version: str
    name: str
    title: str
    language: str
    content: str
    case_sensitive: bool
    nested: bool
    supplements: tuple[str, ...]
    facts: FhirJson

    def __len__(self) -> int: ...

    def present(self) -> Mask:
        """The rows that are concepts of this code system."""

    def row(self, code: str) -> int | None:
        """The row of a code, or None."""

    def concept(self, row: int) -> CodedConcept:
        """All that is known of a concept."""

    def label(self, row: int) -> tuple[str, str]:
        """The code of a concept and its display, empty where it has none."""

    def parents(self, row: int) -> Sequence[int]:
        """The rows one step up."""

    def children(self, row: int) -> Sequence[int]:
        """The rows one step down."""

    def having(self, near: OneStep) -> Mask:
        """The concepts with at least one parent, or child, of this code system."""

    def below(self, row: int) -> Mask:
        """The concept and everything below it."""

    def above(self, row: int) -> Mask:
        """The concept and everything above it."""

    def inactive(self) -> Mask:
        """The concepts that are not active."""

    def abstract(self) -> Mask:
        """The concepts that may not be selected: they only group others."""

    def select(self, property_code: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts that a filter of a value set admits; None where the filter is not understood here.

        What takes much work takes it from the ``budget``.
        """

    def search(self, text: str, within: Mask | None) -> SearchResult:
        """The concepts that a text finds, the best first, among those of ``within`` (None: all)."""

    def property_uri(self, code: str) -> str:
        """The uri of a property, empty where it has none."""


def caution(resource: FhirJson, source: FhirJson) -> str:
    """Why a code system or value set is not meant to be used (any longer), such as ``retired``; empty where it is.

    A ``source``, the value set that uses it, which is experimental or a draft itself, may use others that are too.
    """
    standards = extension(resource, STANDARDS_STATUS)
    if standards in ("deprecated", "withdrawn"):
        return str(standards)
    if resource.get("status") == "retired":
        return "retired"
    if resource.get("experimental") and not source.get("experimental"):
        return "experimental"
    return "draft" if _is_draft(resource) and not _is_draft(source) else ""


def _is_draft(resource: FhirJson) -> bool:
    return "draft" in (resource.get("status"), extension(resource, STANDARDS_STATUS))


def canonical(system: CodeSystemContent) -> str:
    """``url|version`` of a code system."""
    return joined(system.url, system.version)


def code_row(system: CodeSystemContent, code: str) -> int | None:
    """The row of what is a code of the system: a concept's own, in any case where that is all the same, or an
    alternative one. An id with its prefix, or a code without its dot, is none.
    """
    row = system.row(code)
    return row if row is not None and same_case(system, code) in _codes_of(system, row, code) else None


def code_test(system: CodeSystemContent, row: int) -> Callable[[str], bool]:
    """Says of a code whether it is one of a concept's codes in the code system, as of `code_row`."""
    codes = _codes_of(system, row)
    return lambda code: same_case(system, code) in codes


def _codes_of(system: CodeSystemContent, row: int, wanted: str = "") -> set[str]:
    """The codes of a concept as they are compared; only its own where that is the one that is wanted."""
    own, _ = system.label(row)
    codes = {same_case(system, own)}
    if wanted and same_case(system, wanted) in codes:
        return codes
    others = (entry.value for entry in system.concept(row).properties if entry.code == "alternateCode")
    return codes | {
        same_case(system, other) for other in others if system.row(other) == row and _letters(other) != _letters(own)
    }


def same_case(system: CodeSystemContent, code: str) -> str:
    """A code as it is compared with others of its code system."""
    return code if system.case_sensitive else code.casefold()


def _letters(code: str) -> str:
    return "".join(filter(str.isalnum, code))


def all_properties(system: CodeSystemContent, row: int, concept: CodedConcept) -> Iterator[ConceptProperty]:
    """The properties of a concept with those of FHIR that follow from its place and status."""
    yield ConceptProperty("inactive", "valueBoolean", concept.inactive)
    for name, rows in (("parent", system.parents(row)), ("child", system.children(row))):
        for other in rows:
            yield ConceptProperty(name, "valueCode", *system.label(other))
    for entry in concept.properties:
        if entry.code not in ("parent", "child", "inactive"):
            yield entry


def preferred(names: Iterable[Designation], languages: Languages | None, language: str) -> Designation | None:
    """The name to show to a reader of these languages; ``language`` is that of names which say none.

    Without languages it is the display of the code system. A name whose language is wanted most wins, then the display
    of the code system, then names in the order given; no name where the reader takes no other language.
    """
    listed = list(names)
    base = next((name for name in listed if name.base), None)
    if languages is None or not languages.tags:
        return base
    best: tuple[int, int, int, int] | None = None
    chosen = None
    for at, name in enumerate(listed):
        rank = languages.rank(name.language, language if name.base else "")
        if rank is None or not _shows(name):
            continue
        key = (rank, not name.current, not name.base, at)
        if best is None or key < best:
            best, chosen = key, name
    if chosen is None and not languages.closed:
        return base
    return chosen


def display_of(names: Sequence[Designation], languages: Languages | None, language: str) -> str:
    """The display for a reader of these languages, else that of the code system; empty where there is none."""
    chosen = preferred(names, languages, language) or preferred(names, None, "")
    return chosen.value if chosen else ""


def _shows(name: Designation) -> bool:
    return name.base or name.use is None or name.use.get("code") in SYNONYM_USES
