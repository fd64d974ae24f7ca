"""The codes of a CodeSystem for filters of value sets: by hierarchy, by property, by regular expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, objects_of, text_of
from ontonym.ontology.fhir.codesystem import RETIRED_WORDS, CodeSystem
from ontonym.ontology.fhir.fields import code_in, value_of
from ontonym.ontology.fhir.patterns import BadPattern, Pattern
from ontonym.text.numbers import whole_number

HIERARCHY = frozenset({"concept", "code"})
"""Properties under which a filter asks for the hierarchy; FHIR R4 says ``concept``, many publish ``code``."""


class NotListable(Exception):
    """A value set whose codes cannot be listed from the files: the problem, and a hint."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


class CodeSystemIndex:
    """An index of one CodeSystem: its entries by code, and the hierarchy among them, whatever it means."""

    def __init__(self, system: CodeSystem) -> None:
        self.system = system
        self.entries: dict[str, JsonObject] = {}
        self._parents: dict[str, list[str]] = {}
        for item, nested_in in system.walk():
            try:
                code = text_of(item, "code") if isinstance(item, dict) else ""
                if code and code not in self.entries:
                    self.entries[code] = item
                    self._parents[code] = self._above(item, code, nested_in)
            except BadRow:
                continue  # counted where the concepts are read
        self._folded = {} if system.case_sensitive else {code.casefold(): code for code in self.entries}

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def spelled(self, code: str) -> str | None:
        """The code as the system spells it, or None; letter case matters unless the system says otherwise."""
        return code if code in self.entries else self._folded.get(code.casefold())

    def retired(self, code: str) -> bool:
        """Whether the code is inactive."""
        return any(
            (role == "inactive" and value == "true") or (role == "status" and value in RETIRED_WORDS)
            for role, value in ((self.system.role(name), value) for name, value in self._properties(code))
        )

    def filtered(self, name: str, op: str, value: str) -> set[str]:
        """The codes that a filter selects (FHIR R5, value set "filter-operator").

        Raises ``NotListable`` for an unknown operator, or a wrong code or pattern.
        """
        if op in _WALKS and name in HIERARCHY:
            return _WALKS[op](self, self._known(value))
        if op == "regex":
            return self._where(name, self._pattern(value).matches)
        if op in {"in", "not-in"}:
            listed = {part.strip() for part in value.split(",")}
            found = self._where(name, listed.__contains__)
            return found if op == "in" else set(self.entries) - found
        if op == "exists":
            having = self._where(name, lambda _: True)
            return having if value == "true" else set(self.entries) - having
        if op == "=":
            return self._where(name, value.__eq__)
        known = ", ".join(sorted({*_WALKS, "regex", "in", "not-in", "exists", "="}))
        raise NotListable(f"the filter {name} {op} {value} is not understood", f"Operators known: {known}")

    def _above(self, item: JsonObject, code: str, nested_in: str) -> list[str]:
        parents = [nested_in] if nested_in else []
        parents += (
            code_in(value_of(prop)[1])
            for prop in objects_of(item, "property")
            if self.system.role(text_of(prop, "code")) == "parent"
        )
        return parents + self.system.parents_by_child.get(code, [])

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        below: dict[str, list[str]] = {}
        for code, parents in self._parents.items():
            for parent in parents:
                below.setdefault(parent, []).append(code)
        return below

    def _known(self, code: str) -> str:
        spelled = self.spelled(code)
        if spelled is None:
            problem = f"a filter names the code {code!r}, which {self.system.resource.label} does not have"
            raise NotListable(problem, "Fix the value set, or add the version of the code system that it is for")
        return spelled

    @staticmethod
    def _pattern(text: str) -> Pattern:
        try:
            return Pattern(text)
        except BadPattern as bad:
            raise NotListable(f"the filter's regular expression {text!r} cannot be read: {bad}", "Fix it") from None

    def _where(self, name: str, holds: Callable[[str], bool]) -> set[str]:
        return {code for code in self.entries if any(holds(value) for value in self._values(code, name))}

    def _values(self, code: str, name: str) -> Iterable[str]:
        """The values of a property, including those that every code system has."""
        if name in HIERARCHY:
            return (code,)
        if name in {"display", "definition"}:
            value = self.entries[code].get(name)
            return (value,) if isinstance(value, str) else ()
        role = self.system.role(name)
        if role == "parent":
            return self._parents[code]
        if role == "child":
            return self._children.get(code, ())
        if role == "inactive":
            return ("true" if self.retired(code) else "false",)
        return [value for given, value in self._properties(code) if given == name]

    def _properties(self, code: str) -> Iterator[tuple[str, str]]:
        for prop in objects_of(self.entries[code], "property"):
            value = value_of(prop)[1]
            if value is not None:
                yield text_of(prop, "code"), code_in(value)

    def _reach(self, code: str, steps: dict[str, list[str]]) -> set[str]:
        """All codes that the steps reach from a code, without the code itself."""
        found: set[str] = set()
        waiting = [code]
        while waiting:
            for other in steps.get(waiting.pop(), ()):
                if other not in found and other in self.entries:
                    found.add(other)
                    waiting.append(other)
        return found - {code}

    def _below(self, code: str) -> set[str]:
        return self._reach(code, self._children)

    def _leaves(self, code: str) -> set[str]:
        return {below for below in self._below(code) if not self._children.get(below)}


_WALKS: dict[str, Callable[[CodeSystemIndex, str], set[str]]] = {
    "is-a": lambda codes, code: codes._below(code) | {code},
    "descendent-of": lambda codes, code: codes._below(code),
    "is-not-a": lambda codes, code: set(codes.entries) - codes._below(code) - {code},
    "generalizes": lambda codes, code: codes._reach(code, codes._parents) | {code},
    "child-of": lambda codes, code: set(codes._children.get(code, ())),
    "descendent-leaf": lambda codes, code: codes._leaves(code),
}
"""Operators that walk the hierarchy."""


def matching_version(wanted: str, available: Iterable[str]) -> str | None:
    """The newest available version that matches the version in a value set, or None.

    Empty means any; an ``x`` or ``*`` part stands for anything (FHIR R5's wildcards in semantic versions).
    """
    if not wanted:
        fitting = list(available)
    else:
        parts = ("[^.]*" if part in {"x", "X", "*"} else re.escape(part) for part in wanted.split("."))
        pattern = re.compile(r"\.".join(parts))
        fitting = [version for version in available if version == wanted or pattern.fullmatch(version)]
    return max(fitting, key=version_order, default=None)


def version_order(version: str) -> tuple[tuple[int, int, str], ...]:
    """A key that orders versions: their numbers as numbers, and words before nothing (``1.0-beta``)."""
    parts = [part for part in re.split(r"[.\-_/ ]", version) if part]
    numbers = map(whole_number, parts)
    return (
        *((0, 0, part) if number is None else (2, number, "") for part, number in zip(parts, numbers, strict=True)),
        (1, 0, ""),
    )
