"""Parameters resources: reading what a request says, and writing answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ontonym.serve.fhir.canonicals import split
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, refused
from ontonym.store.export.fhirproperties import CODE

# Parameters of operations that are not strings, as a query string writes them.
_BOOLEANS = frozenset(
    """activeOnly includeDesignations includeDefinition excludeNested excludeNotForUI excludePostCoordinated inferSystem
    abstract lenient-display-validation valueset-membership-only default-to-latest-version versionsMatch diagnostics
    reverse search""".split()
)
MOST = 2**31
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""The characters that no string of FHIR has."""
_INTEGERS = frozenset({"count", "offset", "limit"})


class Arguments:
    """The parameters of one request, by name.

    ``list`` holds them as FHIR writes them: ``{"name": …, "valueX": …}`` or with ``resource``. One with an empty value
    is as if it was not given. ``others`` come after ``entries``, and give what those do not.
    """

    def __init__(self, entries: Iterable[FhirJson], others: Iterable[FhirJson] = ()) -> None:
        self.list: list[FhirJson] = []
        self._first: dict[str, FhirJson] = {}
        self._repeated: set[str] = set()
        for group in (entries, others):
            before = set(self._first)
            for entry in group:
                value = value_of(entry)
                if isinstance(value, str) and not value.strip():
                    continue
                name = str(entry.get("name", ""))
                if name in self._first and name not in before:
                    self._repeated.add(name)
                self._first.setdefault(name, entry)
                self.list.append(entry)

    @staticmethod
    def of_query(query: Iterable[tuple[str, str]]) -> Arguments:
        """The parameters of a query string. Raises FhirError where a boolean or number is none."""
        return Arguments([_typed(name, value) for name, value in query if not name.startswith("_")])

    def with_first(self, entries: Sequence[FhirJson]) -> Arguments:
        """These parameters with some others before them."""
        return Arguments(entries, self.list)

    def __contains__(self, name: str) -> bool:
        return name in self._first

    def _one(self, name: str) -> FhirJson | None:
        """The parameter of that name, or None. Raises FhirError where it is given more than once."""
        if name in self._repeated:
            raise refused(400, "invalid", "REPEATED_PARAMETER", name=name)
        return self._first.get(name)

    def value(self, name: str) -> Any:
        """The value of a parameter that does not repeat, of whatever type, or None."""
        entry = self._one(name)
        return None if entry is None else value_of(entry)

    def values(self, name: str) -> list[Any]:
        """The values of all parameters of that name."""
        return [value_of(entry) for entry in self.list if entry.get("name") == name]

    def string(self, name: str) -> str:
        """A string parameter, empty where it is absent. Raises FhirError where it is of another type."""
        value = self.value(name)
        if value is None:
            return ""
        return _string(name, value)

    def system(self, name: str, version: str) -> tuple[str, str]:
        """The url and version of a code system; the version may also stand behind the url, as in a canonical."""
        url, behind = split(self.string(name))
        return url, self.string(version) or behind

    def code(self, name: str) -> str:
        """A code, empty where it is absent. Raises FhirError where FHIR takes it for none."""
        return _code(name, self.string(name))

    def strings(self, name: str) -> list[str]:
        """All values of a repeating string parameter."""
        return [_string(name, value) for value in self.values(name)]

    def boolean(self, name: str) -> bool:
        """A boolean parameter, which may also be the string ``true`` or ``false``; False where it is absent."""
        value = self.value(name)
        if value not in (None, True, False, "true", "false"):
            raise bad(name, "true or false", value)
        return value in (True, "true")

    def integer(self, name: str) -> int | None:
        """A number that is not negative, or None where it is absent."""
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
            raise bad(name, f"a number from 0 to {MOST}", value)
        return value

    def coding(self, name: str) -> FhirJson | None:
        """A Coding; in a query string ``system|code``."""
        value = self.value(name)
        if isinstance(value, str):
            system, bar, code = value.rpartition("|")
            value = {"system": system, "code": code} if bar and system else {"code": code}
        if value is not None and not isinstance(value, dict):
            raise bad(name, "a Coding", value)
        if value is not None:
            _code(name, value.get("code", ""))
        return value

    def concept(self, name: str) -> FhirJson | None:
        """A CodeableConcept."""
        value = self.value(name)
        if value is not None and not isinstance(value, dict):
            raise bad(name, "a CodeableConcept", value)
        for coding in (value or {}).get("coding") or ():
            _code(name, coding.get("code", ""))
        return value

    def resource(self, name: str, kind: str) -> FhirJson | None:
        """A resource of that type."""
        entry = self._one(name)
        found = None if entry is None else entry.get("resource")
        if found is not None and found.get("resourceType") != kind:
            raise refused(400, "invalid", "WRONG_RESOURCE", wanted=kind, given=str(found.get("resourceType")))
        return found

    def resources(self, name: str) -> list[FhirJson]:
        """All resources under that name."""
        return [entry["resource"] for entry in self.list if entry.get("name") == name and "resource" in entry]


def _string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise bad(name, "a string", value)
    if _CONTROL.search(value):
        raise bad(name, "a string without control characters", value)
    return value


def _code(name: str, value: str) -> str:
    if value and not CODE.fullmatch(value):
        raise bad(name, "a code without spaces around it, and single ones within", value)
    return value


def bad(name: str, wanted: str, given: object) -> FhirError:
    """The error of a parameter that has the wrong type or range."""
    return refused(400, "invalid", "BAD_PARAMETER", name=name, wanted=wanted, given=repr(given)[:100])


def value_of(entry: Mapping[str, Any]) -> Any:
    """The value of a parameter, property or extension, of whatever type, or None."""
    return typed(entry)[1]


def typed(entry: Mapping[str, Any]) -> tuple[str, Any]:
    """The name of the typed value (``valueCode``) and the value, which is None where there is none."""
    return next(((n, v) for n, v in entry.items() if n.startswith("value") and n != "value"), ("valueString", None))


def _typed(name: str, value: str) -> FhirJson:
    if name in _BOOLEANS:
        if value not in ("true", "false"):
            raise bad(name, "true or false", value)
        return {"name": name, "valueBoolean": value == "true"}
    if name in _INTEGERS:
        if not (value.isascii() and value.isdigit() and len(value) < 12):
            raise bad(name, "a whole number from 0", value)
        return {"name": name, "valueInteger": int(value)}
    return {"name": name, "valueString": value}


def parameter(name: str, kind: str, value: Any) -> FhirJson:
    """One parameter of an answer: ``parameter("code", "Code", "x")``."""
    return {"name": name, f"value{kind}": value}


def stated(name: str, kind: str, value: Any) -> FhirJson | None:
    """One parameter of an answer, or None where its value is empty."""
    return parameter(name, kind, value) if value else None


def part(name: str, *parts: FhirJson | None) -> FhirJson:
    """One parameter of an answer with parts; parts that are None are left out."""
    return {"name": name, "part": [entry for entry in parts if entry is not None]}


def parameters(*entries: FhirJson | None) -> FhirJson:
    """The Parameters resource of these entries; entries that are None are left out."""
    return {"resourceType": "Parameters", "parameter": [entry for entry in entries if entry is not None]}


def extension(entry: Mapping[str, Any], url: str) -> Any:
    """The value of the first extension with that url, or None."""
    for found in entry.get("extension") or ():
        if found.get("url") == url:
            return value_of(found)
    return None


def has_extension(entry: Mapping[str, Any], url: str) -> bool:
    """Whether there is an extension with that url."""
    return any(found.get("url") == url for found in entry.get("extension") or ())
