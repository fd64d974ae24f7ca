"""What a value set is composed of: the one reading of ValueSet.compose, for expansion and validation alike.

A value set becomes clauses; a clause knows its code system, the concepts it selects there and the value sets it
imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import CLAUSE, COMPARED, LISTED, Budget
from ontonym.serve.fhir.canonicals import SUPPLEMENT, joined, split, version_key
from ontonym.serve.fhir.concepts import CodeSystemContent, SearchResult, code_row, code_test
from ontonym.serve.fhir.filters import admitted
from ontonym.serve.fhir.implicit import found_value_set
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, refused
from ontonym.serve.fhir.settings import Rule, Settings
from ontonym.serve.fhir.values import value_of

MOST_LEVELS = 30
IntRows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ValueSetMembers:
    """Concepts of one code system, in order. ``listed`` holds how the value set itself writes a concept, by row."""

    system: CodeSystemContent
    rows: IntRows
    listed: dict[int, FhirJson] = field(default_factory=dict)
    search: SearchResult | None = None
    whole: bool = False

    def only(self, kept: Mask) -> ValueSetMembers:
        """The members whose row is in the set."""
        rows = self.rows[kept[self.rows]]
        return self if len(rows) == len(self.rows) else ValueSetMembers(self.system, rows, self.listed, self.search)

    @cached_property
    def mask(self) -> Mask:
        """The members as a set of rows."""
        mask = np.zeros(len(self.system), bool)
        mask[self.rows] = True
        return mask


def shared(system: CodeSystemContent, group: Sequence[ValueSetMembers], *, by_version: bool) -> Mask:
    """The rows of a code system whose concepts are among these members.

    ``by_version`` says whether another version of the code system has other concepts.
    """
    found = np.zeros(len(system), bool)
    for members in group:
        other = members.system
        if other.url != system.url:
            continue
        if other.version == system.version and len(other) == len(system):
            found |= members.mask
        elif not by_version:
            rows = (system.row(other.label(int(row))[0]) for row in members.rows)
            found[[row for row in rows if row is not None]] = True
    return found


@dataclass
class Clause:
    """One include or exclude: its code system in the version that the request's rules give, and the imported value
    sets.

    ``system`` is None where the clause names none, or where the server does not have it (``missing``).
    """

    raw: FhirJson
    path: str
    value_set: FhirJson
    url: str = ""
    version: str = ""
    rule: Rule | None = None
    system: CodeSystemContent | None = None
    imports: list[Composed] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)

    @property
    def missing(self) -> bool:
        """Whether the server does not have the code system of this clause."""
        return bool(self.url) and self.system is None

    @cached_property
    def filtered(self) -> Mask | None:
        """The rows that the filters admit, or None where there are none."""
        filters = self.raw.get("filter")
        if not filters or self.system is None:
            return None
        rows = self.system.present().copy()
        for at, entry in enumerate(filters):
            where = f"ValueSet.compose.{self.path}.filter[{at}]"
            rows &= admitted(self.system, entry, where, self.value_set.get("url", ""), self.budget)
        return rows

    def check_filters(self) -> None:
        """Raises FhirError where a filter cannot be used."""
        _ = self.filtered

    def listed(self, system: CodeSystemContent, row: int) -> FhirJson | None:
        """How the clause itself writes a concept that it lists, by any code of it, or None."""
        fits = code_test(system, row)
        return next((entry for entry in self.raw.get("concept") or () if fits(entry.get("code", ""))), None)

    def members(self) -> list[ValueSetMembers]:
        """The concepts that the clause selects, in order. The code system must be there."""
        if self.system is None:
            if not self.imports:
                return []
            first, *others = self.imports
            return [self._imported(members, others) for members in first.members()]
        return [self._imported(self._own(self.system), self.imports)]

    def _own(self, system: CodeSystemContent) -> ValueSetMembers:
        rows: IntRows
        if self.raw.get("concept"):
            listed: dict[int, FhirJson] = {}
            for entry in self.raw["concept"]:
                row = code_row(system, entry.get("code", ""))
                if row is not None:
                    listed.setdefault(row, entry)
            rows = np.fromiter(listed, np.intp, len(listed))
            if self.filtered is not None:
                rows = rows[self.filtered[rows]]
            return ValueSetMembers(system, rows, listed)
        rows = np.flatnonzero(system.present() if self.filtered is None else self.filtered)
        self.budget.spend(len(rows) / 10)
        return ValueSetMembers(system, rows, whole=self.filtered is None)

    def _imported(self, members: ValueSetMembers, others: Iterable[Composed]) -> ValueSetMembers:
        self.budget.spend(COMPARED)
        for other in others:
            members = self.among(members, other.members(), by_version=False)
        return members

    def among(
        self, members: ValueSetMembers, others: Sequence[ValueSetMembers], *, by_version: bool, out: bool = False
    ) -> ValueSetMembers:
        """Those of the members that are among others as well, or with ``out`` those that are not."""
        system = members.system
        same = [one for one in others if one.system.url == system.url]
        apart = 0 if by_version else sum(len(one.rows) for one in same if one.system.version != system.version)
        self.budget.spend(COMPARED * (1 + len(others)) + (len(system) + len(members.rows)) / 300 + LISTED * apart)
        found = shared(system, others, by_version=by_version)
        return members.only(~found if out else found)


@dataclass
class Composed:
    """A value set, read: its clauses and the settings with what the value set asks for itself."""

    value_set: FhirJson
    settings: Settings
    include: list[Clause] = field(default_factory=list)
    exclude: list[Clause] = field(default_factory=list)
    contained: bool = False

    @property
    def canonical(self) -> str:
        """``url|version``, empty where the value set has no url."""
        return joined(self.value_set.get("url", ""), self.value_set.get("version"))

    @property
    def excludes_inactive(self) -> bool:
        """Whether the value set itself leaves inactive concepts out."""
        return (self.value_set.get("compose") or {}).get("inactive") is False

    def by_version(self, clause: Clause) -> bool:
        """Whether an exclude takes out its own version of a code system only.

        What ``versionsMatch`` says; where it is not said, when that version is among the included ones.
        """
        if "versionsMatch" in self.settings.named or clause.system is None:
            return not self.settings.versions_match
        included = self._versions.get(clause.url)
        return not included or clause.system.version in included

    @cached_property
    def _versions(self) -> dict[str, set[str]]:
        """The versions of each code system that is included."""
        found: dict[str, set[str]] = {}
        for clause in self.include:
            if clause.system is not None:
                found.setdefault(clause.url, set()).add(clause.system.version)
        return found

    def clauses(self) -> Iterator[Clause]:
        """Includes, then excludes."""
        yield from self.include
        yield from self.exclude

    def all(self) -> list[Composed]:
        """This value set and all that it includes at any depth, each once."""
        found = {id(self): self}
        waiting: list[Composed] = [self]
        while waiting:
            for clause in waiting.pop().clauses():
                for inner in clause.imports:
                    if id(inner) not in found:
                        found[id(inner)] = inner
                        waiting.append(inner)
        return list(found.values())

    @cached_property
    def _members(self) -> list[ValueSetMembers]:
        found = [members for clause in self.include for members in clause.members()]
        for clause in self.exclude:
            others, by_version = clause.members(), self.by_version(clause)
            found = [clause.among(members, others, by_version=by_version, out=True) for members in found]
        if self.excludes_inactive or self.settings.active_only:
            found = [m.only(~m.system.inactive()) for m in found]
        if self.settings.exclude_not_for_ui:
            found = [m.only(~m.system.abstract()) for m in found]
        return found

    def members(self) -> list[ValueSetMembers]:
        """The concepts of the value set, in order; a concept may be there twice."""
        return self._members


class Composer:
    """Reads value sets: finds what they include, in the versions that the request asks for."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.used_supplements: set[str] = set()
        self.used_rules: list[Rule] = []
        self._imported: dict[tuple[str, str], Composed] = {}

    def compose(self, value_set: FhirJson, settings: Settings, path: Sequence[str] = ()) -> Composed:
        """The value set, read.

        Raises FhirError where an import or a required supplement is missing, value sets include each other in a circle,
        or a filter cannot be used. A code system that is missing is left for the operation to report.
        """
        name = joined(value_set.get("url", ""), value_set.get("version"))
        if name and name in path:
            raise refused(
                400, "processing", "VALUESET_CIRCULAR_REFERENCE", detail="vs-invalid", vs=name, path=", ".join(path)
            )
        if len(path) > MOST_LEVELS:
            raise refused(400, "too-costly", "COMPOSE_TOO_DEEP", limit=MOST_LEVELS)
        for entry in value_set.get("modifierExtension") or ():
            raise refused(400, "business-rule", "MODIFIER_EXTENSION", url=entry.get("url", ""), where="ValueSet")
        settings = settings.with_value_set(value_set)
        composed = Composed(value_set, settings)
        required = required_supplements(value_set, settings)
        compose = value_set.get("compose") or _of_expansion(value_set)
        if compose is None:
            raise refused(422, "business-rule", "NO_COMPOSE", vs=name)
        if compose.get("lockedDate"):
            raise refused(422, "business-rule", "LOCKED_DATE", vs=name)
        for kind, clauses in (("include", composed.include), ("exclude", composed.exclude)):
            for at, raw in enumerate(compose.get(kind) or ()):
                if kind == "include" and settings.leaves_out(raw):
                    continue
                clause = self._clause(raw, f"{kind}[{at}]", value_set, settings, required)
                clause.imports = [
                    self._import(canonical, value_set, settings, (*path, name or f"#{len(path)}"))
                    for canonical in filter(None, raw.get("valueSet") or ())
                ]
                clause.check_filters()
                clauses.append(clause)
        composed.include = newest_first(composed.include)
        missing = [s for s in required if s not in self.used_supplements]
        if missing:
            raise refused(
                422, "not-found", "VALUESET_SUPPLEMENT_MISSING", detail="not-found", supplements=", ".join(missing)
            )
        return composed

    def _clause(
        self, raw: FhirJson, path: str, value_set: FhirJson, settings: Settings, required: Sequence[str]
    ) -> Clause:
        url = raw.get("system", "")
        if not url and not raw.get("valueSet"):
            raise refused(400, "invalid", "INCOMPLETE_COMPOSE", detail="vs-invalid", where=path)
        self.library.budget.spend(CLAUSE + LISTED * len(raw.get("concept") or ()))
        clause = Clause(raw, path, value_set, url, budget=self.library.budget)
        if url:
            clause.version, clause.rule = settings.version("system", url, raw.get("version", ""))
            clause.system = self.library.system(url, clause.version, required)
            if clause.system is not None:
                self.note(clause.system, required)
        return clause

    def note(self, system: CodeSystemContent, required: Iterable[str]) -> None:
        """Notes the required supplements that the code system has."""
        for name in required:
            url, version = split(name)
            if any(url == split(have)[0] and (not version or version == split(have)[1]) for have in system.supplements):
                self.used_supplements.add(name)

    def _import(self, canonical: str, source: FhirJson, settings: Settings, path: Sequence[str]) -> Composed:
        if canonical.startswith("#"):
            contained = next((r for r in source.get("contained") or () if r.get("id") == canonical[1:]), None)
            if contained is None or contained.get("resourceType") != "ValueSet":
                raise MissingImport(canonical, "")
            composed = self.compose(contained, settings, path)
            composed.contained = True
            return composed
        url, version = split(canonical)
        version, rule = settings.version("valueset", url, version)
        if rule is not None:
            self.used_rules.append(rule)
        found = found_value_set(self.library, url, version)
        if found is None:
            raise MissingImport(url, version)
        key = (url, found.get("version", version))
        if key not in self._imported:
            self._imported[key] = self.compose(found, settings, path)
        return self._imported[key]


def newest_first(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses in their order, but those that name versions of one code system from the newest to the oldest."""
    places: dict[str, list[int]] = {}
    for at, clause in enumerate(clauses):
        places.setdefault(clause.url, []).append(at)
    result = list(clauses)
    for url, rows in places.items():
        group = [clauses[at] for at in rows]
        if url and all(clause.raw.get("version") for clause in group):
            group.sort(key=lambda clause: version_key(clause.raw["version"]), reverse=True)
            for at, clause in zip(rows, group, strict=True):
                result[at] = clause
    return result


class MissingImport(FhirError):
    """A value set includes another one that is not here; expansion and validation say it in other words."""

    def __init__(self, url: str, version: str) -> None:
        self.url, self.version = url, version
        error = refused(
            422,
            "not-found",
            "VS_EXP_IMPORT_UNK_PINNED" if version else "VS_EXP_IMPORT_UNK",
            detail="not-found",
            vs=url,
            version=version,
        )
        super().__init__(error.status, *error.issues)


def _of_expansion(value_set: FhirJson) -> FhirJson | None:
    """A compose that lists what the expansion of a value set without compose contains."""
    if "expansion" not in value_set:
        return None
    groups: dict[tuple[str, str], list[FhirJson]] = {}
    waiting = list(reversed(value_set["expansion"].get("contains") or ()))
    while waiting:
        entry = waiting.pop()
        waiting.extend(reversed(entry.get("contains") or ()))
        if entry.get("system") and entry.get("code"):
            kept = {name: entry[name] for name in ("code", "display", "designation") if name in entry}
            groups.setdefault((entry["system"], entry.get("version", "")), []).append(kept)
    return {
        "include": [
            {"system": system, **({"version": version} if version else {}), "concept": listed}
            for (system, version), listed in groups.items()
        ]
    }


def required_supplements(value_set: FhirJson, settings: Settings) -> list[str]:
    """The supplements that the request or the value set asks for."""
    own = [str(value_of(entry)) for entry in value_set.get("extension") or () if entry.get("url") == SUPPLEMENT]
    return list(dict.fromkeys((*settings.supplements, *own)))
