"""Runs HL7's terminology tests against a server: what their own runner does, one test after the other."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fhir_tx.comparator import Comparator
from fhir_tx.scrubbing import scrubbed

Answer = tuple[int, dict[str, Any]]
Send = Callable[[str, str, dict[str, Any] | None, dict[str, str]], Answer]

PATHS = {
    "expand": "ValueSet/$expand",
    "validate-code": "ValueSet/$validate-code",
    "cs-validate-code": "CodeSystem/$validate-code",
    "lookup": "CodeSystem/$lookup",
    "subsumes": "CodeSystem/$subsumes",
    "translate": "ConceptMap/$translate",
    "batch-validate": "ValueSet/$batch-validate-code",
    "closure": "$closure",
    "batch": "",
    "metadata": "metadata",
    "term-caps": "metadata?mode=terminology",
}


def folder() -> Path | None:
    """The folder of the tests, or None where ONTONYM_DATA names no folder that has it."""
    place = Path(os.environ.get("ONTONYM_DATA", "")) / "fhir_tx_tests"
    return place if (place / "test-cases.json").is_file() else None


@cache
def fixture(path: Path) -> Any:
    """The JSON of a file, whether it begins with a byte order mark or not."""
    return json.loads(path.read_bytes().decode("utf-8-sig"))


@dataclass(frozen=True)
class Case:
    """One test: its suite, name, operation, files and headers."""

    suite: str
    setup: tuple[str, ...]
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.suite}/{self.facts['name']}"

    def file(self, kind: str, modes: Set[str]) -> str | None:
        """The file of the request or response; a mode's own file stands before the general one."""
        for mode in sorted(modes):
            if f"{kind}:{mode}" in self.facts:
                return str(self.facts[f"{kind}:{mode}"])
        found = self.facts.get(kind)
        return None if found is None else str(found)


def cases(place: Path, modes: Set[str] = frozenset({"general"})) -> Iterator[Case]:
    """All tests of the folder that run in these modes."""
    for suite in fixture(place / "test-cases.json")["suites"]:
        for facts in suite["tests"]:
            wanted = [m for m in (suite.get("mode"), facts.get("mode")) if m]
            if all(mode in modes for mode in wanted) and not facts.get("disabled"):
                yield Case(suite["name"], tuple(suite.get("setup") or ()), facts)


def _same(resource: Any) -> Any:
    return resource


@dataclass(frozen=True)
class Runner:
    """A server and how it is asked.

    ``externals`` are the server's own texts, by response file and number; without them fragments are compared.
    ``convert`` turns an R5 request into the server's version, ``restore`` its answers into R5.
    """

    place: Path
    send: Send
    externals: Mapping[str, Mapping[str, str]] | None = None
    version: str = "5.0.0"
    modes: Set[str] = frozenset({"general"})
    convert: Callable[[Any], Any] = _same
    restore: Callable[[Any], Any] = _same

    def problem(self, case: Case) -> str | None:
        """What is wrong with the answer, or None where the test passes."""
        status, answer = self.ask(case)
        wanted = str(case.facts.get("http-code", "2xx"))
        if not _status(wanted, status):
            return f"HTTP {wanted} is expected, not {status}: {json.dumps(answer)[:400]}"
        names = [name for name in (case.file(kind, self.modes) for kind in ("response", "response2")) if name]
        found = [self.difference(case, name, answer) for name in names]
        return None if None in found else found[0]

    def difference(self, case: Case, name: str, answer: Any) -> str | None:
        """The first difference between an answer and the response file of that name."""
        own = None if self.externals is None else self.externals.get(name, {})
        pattern = case.facts["operation"] in ("metadata", "term-caps")
        judge = Comparator(self.modes, self.version, own, pattern)
        return judge.difference(fixture(self.place / name), scrubbed(self.restore(answer)))

    def ask(self, case: Case) -> Answer:
        """The HTTP status and the resource of the answer."""
        operation = case.facts["operation"]
        headers = {"Accept": "application/fhir+json"}
        if "Accept-Language" in case.facts:
            headers["Accept-Language"] = case.facts["Accept-Language"]
        if "header" in case.facts:
            headers[case.facts["header"]["name"]] = case.facts["header"]["value"]
        if operation in ("metadata", "term-caps"):
            return self.send("GET", PATHS[operation], None, headers)
        name = case.file("request", self.modes)
        assert name is not None
        request = copy.deepcopy(fixture(self.place / name))
        if request["resourceType"] == "Parameters":
            profile = fixture(self.place / case.facts.get("profile", "parameters-default.json"))
            resources = [{"name": "tx-resource", "resource": fixture(self.place / path)} for path in case.setup]
            request["parameter"] = [*request.get("parameter", []), *resources, *profile["parameter"]]
        return self.send("POST", PATHS[operation], self.convert(request), headers)


def _status(wanted: str, status: int) -> bool:
    return str(status)[0] == wanted[0] if wanted.endswith("xx") else str(status) == wanted
