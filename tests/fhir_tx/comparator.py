"""Compares an answer of a terminology server with the expected answer of HL7's terminology tests.

The rules are those of the tests themselves (https://hl7.org/fhir/uv/tx-tests, "Test Templates"): an expected answer is
a template. Arrays are compared in order, an unmatched optional entry is skipped, a property that is not expected fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

DIRECTIVES = frozenset({"$optional$", "$only$", "$optional-properties$", "$count-arrays$"})
KINDS = {
    "$$": re.compile(r"[\s\S]*"),
    "$id$": re.compile(r"[A-Za-z0-9\-.]{1,64}"),
    "$uuid$": re.compile(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "$url$": re.compile(r"(https?://|urn:)\S+"),
    "$token$": re.compile(r"[0-9a-zA-Z_][0-9a-zA-Z_.\-]*"),
    "$string$": re.compile(r"\S([\s\S]*\S)?"),
    "$date$": re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?"),
    "$instant$": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
    "$semver$": re.compile(r"\d+\.\d+(\.\d+)?(-[\w.\-]+)?"),
}


@dataclass(frozen=True)
class Comparator:
    """How answers are compared: the modes of the run, the FHIR version, the server's own texts, pattern mode or not."""

    modes: Set[str] = frozenset()
    version: str = "5.0.0"
    externals: Mapping[str, str] | None = None
    pattern: bool = False
    files: Mapping[str, str] = field(default_factory=dict)

    def difference(self, expected: Any, actual: Any) -> str | None:
        """The first difference, with the path to it, or None where the answer is as expected."""
        return self._node("$", expected, actual)

    def _node(self, path: str, expected: Any, actual: Any, counted: bool = False) -> str | None:
        if isinstance(expected, dict):
            if not isinstance(actual, dict):
                return f"{path}: an object is expected, not {_short(actual)}"
            return self._object(path, expected, actual)
        if isinstance(expected, list):
            if not isinstance(actual, list):
                return f"{path}: an array is expected, not {_short(actual)}"
            if counted:
                same = len(expected) == len(actual)
                return None if same else f"{path}: {len(expected)} entries are expected, not {len(actual)}"
            return self._pattern_array(path, expected, actual) if self.pattern else self._array(path, expected, actual)
        if isinstance(expected, str) and isinstance(actual, str):
            same = self._string(expected, actual)
        else:
            same = type(expected) is type(actual) and expected == actual
        return None if same else f"{path}: {_short(expected)} is expected, not {_short(actual)}"

    def _object(self, path: str, expected: dict[str, Any], actual: dict[str, Any]) -> str | None:
        optional = expected.get("$optional-properties$", [])
        counted = expected.get("$count-arrays$", [])
        for name, value in actual.items():
            if name in expected and name not in DIRECTIVES:
                found = self._node(f"{path}.{name}", expected[name], value, name in counted)
                if found:
                    return found
            elif not self.pattern:
                return f"{path}: unexpected property {name}"
        for name, value in expected.items():
            if name in DIRECTIVES or name in actual or name in optional or "*" in optional:
                continue
            if not (isinstance(value, list) and value and all(self._optional(entry) for entry in value)):
                return f"{path}: missing property {name}"
        return None

    def _array(self, path: str, expected: list[Any], actual: list[Any]) -> str | None:
        at = 0
        for row, entry in enumerate(expected):
            if self._prohibited(entry):
                if at < len(actual) and self._node(path, entry, actual[at]) is None:
                    return f"{path}[{row}]: this entry may not be here"
                continue
            if at >= len(actual):
                if not self._optional(entry):
                    return f"{path}[{row}]: missing entry {_short(entry)}"
                continue
            found = self._node(f"{path}[{row}]", entry, actual[at])
            if found is None:
                at += 1
            elif not self._optional(entry):
                return found
        return f"{path}: unexpected entry {_short(actual[at])}" if at < len(actual) else None

    def _pattern_array(self, path: str, expected: list[Any], actual: list[Any]) -> str | None:
        at = 0
        for row, entry in enumerate(expected):
            tried: list[str] = []
            while at < len(actual):
                found = self._node(f"{path}[{row}]", entry, actual[at])
                at += 1
                if found is None:
                    break
                tried.append(found)
            else:
                return f"{path}[{row}]: no entry fits; {'; '.join(tried[-3:])}"
        return None

    def _filter(self, word: str) -> bool:
        if word.startswith("version:"):
            return self.version.startswith(word[8:])
        if word.startswith("warning:"):
            return True
        return word[1:] not in self.modes if word.startswith("!") else word in self.modes

    def _optional(self, entry: Any) -> bool:
        if not isinstance(entry, dict) or "$optional$" not in entry:
            return False
        word = entry["$optional$"]
        return word if isinstance(word, bool) else self._filter(word)

    def _prohibited(self, entry: Any) -> bool:
        return isinstance(entry, dict) and "$only$" in entry and not self._filter(str(entry["$only$"]))

    def _string(self, expected: str, actual: str) -> bool:
        if not (expected.startswith("$") and expected.endswith("$")):
            return expected.replace("$version$", self.version) == actual
        if expected == "$version$":
            return actual == self.version
        if expected in KINDS:
            return KINDS[expected].fullmatch(actual) is not None
        word, _, rest = expected[1:-1].partition(":")
        if word == "choice":
            return actual in rest.split("|")
        if word == "external":
            return self._external(rest, actual)
        return _holds(actual, rest) if word == "fragments" else expected == actual

    def _external(self, rest: str, actual: str) -> bool:
        number, _, fragments = rest.partition(":")
        if self.externals is not None and number in self.externals:
            return actual == self.externals[number]
        return self.externals is None and (not fragments or _holds(actual, fragments))


def _holds(actual: str, fragments: str) -> bool:
    parts = (
        [fragments]
        if fragments.startswith("http") and re.fullmatch(r"\S+\|[\d.]+", fragments)
        else fragments.split("|")
    )
    return all(part.lower() in actual.lower() for part in parts)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "…"
