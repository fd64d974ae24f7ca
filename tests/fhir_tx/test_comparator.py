"""The comparator of HL7's terminology tests, before anything is judged by it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fhir_tx.comparator import DIRECTIVES, Comparator
from fhir_tx.runner import cases, fixture, folder
from fhir_tx.scrubbing import scrubbed

PLACE = folder()
needs_tests = pytest.mark.skipif(PLACE is None, reason="HL7's tests are not there: set ONTONYM_DATA")
EXAMPLES = {
    "$$": "anything",
    "$id$": "an-id",
    "$uuid$": "urn:uuid:0b3a5f4c-5a8b-4d0e-9a57-0c6d4b9f2f10",
    "$url$": "https://example.org/x",
    "$token$": "token",
    "$string$": "A string",
    "$date$": "2026-01-02",
    "$instant$": "2026-01-02T03:04:05Z",
    "$semver$": "1.2.3",
    "$version$": "5.0.0",
}


def _instance(value: Any, *, with_optional: bool) -> Any:
    """What a server would answer that the template fits: without directives, with a value for every placeholder."""
    if isinstance(value, list):
        kept = [e for e in value if with_optional or not (isinstance(e, dict) and e.get("$optional$") is True)]
        return [_instance(entry, with_optional=with_optional) for entry in kept]
    if isinstance(value, dict):
        left_out = () if with_optional else value.get("$optional-properties$", ())
        return {
            name: _instance(part, with_optional=with_optional)
            for name, part in value.items()
            if name not in DIRECTIVES and name not in left_out
        }
    return _example(value) if isinstance(value, str) and re.fullmatch(r"\$.*\$", value, re.DOTALL) else value


def _example(value: str) -> str:
    if value in EXAMPLES:
        return EXAMPLES[value]
    word, _, rest = value[1:-1].partition(":")
    if word == "choice":
        return rest.split("|")[-1]
    if word == "external":
        return f"text with {rest.partition(':')[2]}"
    return " and ".join(rest.split("|"))


def _fixtures() -> Iterator[tuple[str, Any]]:
    assert PLACE is not None
    for case in cases(PLACE):
        name = case.file("response", frozenset({"general"}))
        assert name is not None
        yield name, fixture(PLACE / name)


@needs_tests
def test_every_fixture_passes_against_what_it_describes() -> None:
    for name, expected in _fixtures():
        for with_optional in (True, False):
            found = Comparator().difference(expected, _instance(expected, with_optional=with_optional))
            assert found is None, (name, with_optional, found)


def _mutations(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, dict):
        yield path, "add"
        for name, part in value.items():
            yield from _mutations(part, (*path, name))
    elif isinstance(value, list):
        yield path, "append"
        for row, entry in enumerate(value):
            yield from _mutations(entry, (*path, row))
    else:
        yield path, "change"


def _mutated(value: Any, path: tuple[Any, ...], how: str) -> Any:
    copied = copy.deepcopy(value)
    holder, last = copied, None
    for step in path:
        holder, last = (holder if last is None else holder[last]), step
    target = copied if last is None else holder[last]
    if how == "add":
        target["unexpected"] = 1
    elif how == "append":
        target.append({"unexpected": 1})
    else:
        holder[last] = (
            not target if isinstance(target, bool) else "changed\n$" if isinstance(target, str) else target + 1
        )
    return copied


def _free(template: Any, path: tuple[Any, ...]) -> bool:
    """Whether the template leaves open what stands there."""
    counted = False
    for step in path:
        if counted and isinstance(step, int):
            return True
        counted = isinstance(template, dict) and step in template.get("$count-arrays$", ())
        template = template[step]
    return isinstance(template, str) and re.match(r"\$(\$|string|fragments|external)", template) is not None


@needs_tests
def test_every_mutated_fixture_fails() -> None:
    """Each seventh of all places where something can be changed, added or appended, in every fixture."""
    tried = 0
    for name, expected in _fixtures():
        answer = _instance(expected, with_optional=True)
        for number, (path, how) in enumerate(_mutations(answer)):
            if number % 7:
                continue
            if _free(expected, path):
                continue
            tried += 1
            found = Comparator().difference(expected, _mutated(answer, path, how))
            assert found is not None, (name, path, how)
    assert tried > 2000


@needs_tests
def test_fixtures_with_a_byte_order_mark_are_read() -> None:
    assert PLACE is not None
    marked = [path for path in PLACE.rglob("*.json") if path.read_bytes().startswith(b"\xef\xbb\xbf")]
    assert len(marked) == 26
    assert all(isinstance(fixture(Path(path)), dict) for path in marked)


def _same(expected: Any, actual: Any, **options: Any) -> bool:
    return Comparator(**options).difference(expected, actual) is None


def test_optional_entries_are_skipped_in_order() -> None:
    expected = [{"a": 1}, {"$optional$": True, "a": 2}, {"a": 3}]
    assert _same(expected, [{"a": 1}, {"a": 3}])
    assert _same(expected, [{"a": 1}, {"a": 2}, {"a": 3}])
    assert not _same(expected, [{"a": 3}, {"a": 1}])
    assert not _same(expected, [{"a": 1}, {"a": 2}])
    assert not _same(expected, [{"a": 1}, {"a": 3}, {"a": 2}])


@pytest.mark.parametrize(
    ("word", "options", "optional"),
    [
        ("tx.fhir.org", {}, False),
        ("tx.fhir.org", {"modes": {"tx.fhir.org"}}, True),
        ("!tx.fhir.org", {}, True),
        ("!tx.fhir.org", {"modes": {"tx.fhir.org"}}, False),
        ("version:5", {"version": "5.0.0"}, True),
        ("version:4", {"version": "5.0.0"}, False),
        ("warning:anything", {}, True),
        ("true", {}, False),
    ],
)
def test_filters_of_optional(word: str, options: dict[str, Any], optional: bool) -> None:
    assert _same([{"$optional$": word, "a": 1}], [], **options) is optional
    assert _same([{"$optional$": word, "a": 1}], [{"a": 1}], **options)


def test_only_is_required_in_its_version_and_prohibited_elsewhere() -> None:
    expected = {"x": [{"$only$": "version:4", "a": 1}, {"b": 2}]}
    assert _same(expected, {"x": [{"a": 1}, {"b": 2}]}, version="4.0.1")
    assert not _same(expected, {"x": [{"b": 2}]}, version="4.0.1")
    assert _same(expected, {"x": [{"b": 2}]}, version="5.0.0")
    assert not _same(expected, {"x": [{"a": 1}, {"b": 2}]}, version="5.0.0")


def test_an_array_of_optional_entries_may_be_absent() -> None:
    assert _same({"x": [{"$optional$": True, "a": 1}]}, {})
    assert not _same({"x": [{"a": 1}]}, {})
    assert not _same({"x": []}, {})


def test_counted_arrays_compare_their_length() -> None:
    expected = {"$count-arrays$": ["x"], "x": [{"a": 1}, {"a": 2}]}
    assert _same(expected, {"x": [{"b": 1}, {"c": 2}]})
    assert not _same(expected, {"x": [{"a": 1}]})


def test_texts_of_the_server_are_compared_exactly_and_fragments_without_them() -> None:
    expected = {"text": "$external:2:CodeSystem/simple|code1$"}
    assert _same(expected, {"text": "My words"}, externals={"2": "My words"})
    assert not _same(expected, {"text": "Other words on codesystem/simple and code1"}, externals={"2": "My words"})
    assert _same(expected, {"text": "Other words on codesystem/simple and CODE1"})
    assert not _same(expected, {"text": "Other words on codesystem/simple"})
    assert not _same(expected, {"text": "My words"}, externals={"1": "My words"})


def test_types_are_told_apart() -> None:
    assert not _same({"a": 1}, {"a": True})
    assert not _same({"a": 1}, {"a": 1.0})
    assert not _same({"a": "1"}, {"a": 1})
    assert not _same({"a": {}}, {"a": []})


def test_pattern_mode_takes_more_than_is_expected() -> None:
    expected = {"rest": [{"mode": "server", "resource": [{"type": "ValueSet"}]}]}
    answer = {"x": 1, "rest": [{"mode": "server", "resource": [{"type": "CodeSystem"}, {"type": "ValueSet", "y": 2}]}]}
    assert _same(expected, answer, pattern=True)
    assert not _same(expected, {"rest": [{"mode": "server", "resource": [{"type": "CodeSystem"}]}]}, pattern=True)


def test_scrubbing_removes_detail_and_sorts() -> None:
    answer = {
        "resourceType": "ValueSet",
        "text": {"div": "x"},
        "meta": {},
        "extension": [{"url": "http://example.org/x"}, {"url": "http://hl7.org/fhir/StructureDefinition/itemWeight"}],
        "expansion": {
            "parameter": [{"name": "b", "valueString": "2"}, {"name": "a", "valueString": "1"}],
            "contains": [{"code": "b"}, {"code": "a", "contains": [{"code": "d"}, {"code": "c"}]}],
        },
    }
    assert scrubbed(answer) == {
        "resourceType": "ValueSet",
        "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/itemWeight"}],
        "expansion": {
            "parameter": [{"name": "a", "valueString": "1"}, {"name": "b", "valueString": "2"}],
            "contains": [{"code": "a", "contains": [{"code": "c"}, {"code": "d"}]}, {"code": "b"}],
        },
    }
