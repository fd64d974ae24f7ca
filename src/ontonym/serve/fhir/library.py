"""Where code systems, value sets and concept maps are found: in the request, then the cache, then the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.canonicals import joined, split, version_fits, version_key
from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.resourcecodes import ResourceCodes
from ontonym.serve.fhir.supplements import SupplementedCodes

USABLE = frozenset({"complete", "fragment", "example"})


class Shelf:
    """Resources and code systems of one origin, found by their canonical urls."""

    def __init__(self, resources: Iterable[FhirJson] = (), systems: Iterable[CodeSystemContent] = ()) -> None:
        self.resources: list[FhirJson] = []
        self._systems: dict[str, list[CodeSystemContent]] = {}
        self.value_sets: dict[str, list[FhirJson]] = {}
        self.concept_maps: list[FhirJson] = []
        self.supplements: list[FhirJson] = []
        for resource in resources:
            self._put(resource)
        for system in systems:
            self._systems.setdefault(system.url, []).append(system)

    def copy(self) -> Shelf:
        """Another shelf with the same, so that what is added to it does not change this one."""
        made = Shelf()
        made.resources = [*self.resources]
        made._systems = {url: [*group] for url, group in self._systems.items()}
        made.value_sets = {url: [*group] for url, group in self.value_sets.items()}
        made.concept_maps, made.supplements = [*self.concept_maps], [*self.supplements]
        return made

    def add(self, resource: FhirJson) -> None:
        """Adds a resource in the place of those with the same type, url and version."""
        if resource.get("url"):
            key, url = resource_key(resource), resource["url"]
            for group in (self.resources, self.value_sets.get(url, []), self.concept_maps, self.supplements):
                group[:] = [one for one in group if resource_key(one) != key]
            self._systems[url] = [one for one in self._systems.get(url, ()) if resource_key(one.facts) != key]
        self._put(resource)

    def _put(self, resource: FhirJson) -> None:
        kind, url = resource.get("resourceType"), resource.get("url", "")
        self.resources.append(resource)
        if kind == "ValueSet":
            self.value_sets.setdefault(url, []).append(resource)
        elif kind == "ConceptMap":
            self.concept_maps.append(resource)
        elif kind == "CodeSystem" and resource.get("content") == "supplement":
            self.supplements.append(resource)
        elif kind == "CodeSystem":
            self._systems.setdefault(url, []).append(ResourceCodes(resource))

    def systems(self, url: str | None = None) -> Iterator[CodeSystemContent]:
        """The code systems with that url, or all."""
        for name, group in self._systems.items():
            if url is None or name == url:
                yield from group


def resource_key(resource: FhirJson) -> tuple[str, str, str]:
    """What no two resources of a shelf share: the type, the url and the version."""
    return resource.get("resourceType", ""), resource.get("url", ""), resource.get("version", "")


def _release(resource: FhirJson) -> tuple[tuple[int, int, str], ...]:
    """What resources are sorted by, the newest version last."""
    return version_key(resource.get("version", ""))


class Library:
    """Several shelves, the nearest first: what a request brings hides what the server has."""

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self.shelves = list(shelves)
        self.budget = Budget()

    def system(self, url: str, version: str = "", supplements: Iterable[str] = ()) -> CodeSystemContent | None:
        """The newest fitting version of a code system that has concepts here, with those supplements, or None."""
        for shelf in self.shelves:
            fitting = [s for s in shelf.systems(url) if s.content in USABLE and version_fits(version, s.version)]
            if fitting:
                found = max(fitting, key=lambda system: version_key(system.version))
                added = [r for name in supplements for r in self._supplement(name, found)]
                return SupplementedCodes(found, added) if added else found
        return None

    def any_system(self, url: str, version: str = "") -> CodeSystemContent | None:
        """The code system with that url, whether it has concepts here or not, or None."""
        for shelf in self.shelves:
            for system in shelf.systems(url):
                if version_fits(version, system.version):
                    return system
        return None

    def versions(self, url: str) -> list[str]:
        """The versions of a code system, the oldest first."""
        found = {s.version for shelf in self.shelves for s in shelf.systems(url) if s.version and s.content in USABLE}
        return sorted(found, key=version_key)

    def supplement(self, canonical: str) -> FhirJson | None:
        """The supplement with that url, in that version where it has one, or None."""
        url, version = split(canonical)
        fitting = [
            r
            for shelf in self.shelves
            for r in shelf.supplements
            if r.get("url") == url and version_fits(version, r.get("version", ""))
        ]
        return max(fitting, key=_release, default=None)

    def _supplement(self, canonical: str, system: CodeSystemContent) -> Iterator[FhirJson]:
        found = self.supplement(canonical)
        if found is not None:
            url, version = split(found.get("supplements", ""))
            if url == system.url and version_fits(version, system.version):
                yield found

    def value_set(self, url: str, version: str = "") -> FhirJson | None:
        """The newest fitting version of a value set, or None."""
        for shelf in self.shelves:
            group = [r for r in shelf.value_sets.get(url, ()) if version_fits(version, r.get("version", ""))]
            if group:
                return max(group, key=_release)
        return None

    def concept_maps(self) -> Iterator[FhirJson]:
        """All concept maps; of those with the same canonical the nearest."""
        seen: set[str] = set()
        for shelf in self.shelves:
            here = [(joined(r.get("url", ""), r.get("version")), r) for r in shelf.concept_maps]
            yield from (r for name, r in here if name not in seen)
            seen.update(name for name, _ in here if name)

    def systems(self, url: str | None = None) -> Iterator[CodeSystemContent]:
        """All code systems that the server itself has or the request brings, or those with that url."""
        for shelf in self.shelves:
            yield from shelf.systems(url)
