"""Value sets of FHIR: what they include and exclude, filters, versions, patterns."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fhirsamples import SNOMED, TREE, members, system, value_set
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import FormatError
from ontonym.ontology.fhir.codes import BadPattern, Pattern, matching_version
from ontonym.types import Concept, Property, Term


def test_a_value_set_alone(files: Any) -> None:
    concepts, release = files(
        value_set(
            {
                "system": SNOMED,
                "concept": [{"code": "1", "display": "One", "designation": [{"language": "de", "value": "Eins"}]},
                            {"code": "2"}, {"code": "3"}],
            },
            {"system": "http://loinc.org", "concept": [{"code": "2-2", "display": "Two"}]},
            exclude=[{"system": SNOMED, "concept": [{"code": "3"}]}],
            title="Numbers",
        )
    )  # fmt: skip
    tag = (Property("valueset", "http://x.org/v"),)
    assert list(concepts.values()) == [
        Concept("SCTID:1", (Term("One", "preferred"), Term("Eins", "preferred", language="de")), properties=tag),
        Concept("SCTID:2", (), properties=tag),
        Concept("LOINC:2-2", (Term("Two", "preferred"),), properties=tag),
    ]
    assert release.counts.to_dict()["rows"] == {
        "read": 5, "kept": 3, "skipped": {"code that its value set lists twice, or excludes": 2}, "malformed": 0,
    }  # fmt: skip
    assert release.metadata.details["value_sets"] == [
        {"url": "http://x.org/v", "id": "v", "title": "Numbers", "members": 3}
    ]


def test_an_expansion(files: Any) -> None:
    contains = [
        {"display": "Group", "abstract": True, "contains": [{"system": SNOMED, "code": "1", "display": "One"}]},
        {"system": SNOMED, "code": "2", "display": "Two", "inactive": True},
    ]
    expansion = {"resourceType": "ValueSet", "id": "v", "language": "fr",
                 "expansion": {"total": 9, "contains": contains}}  # fmt: skip
    concepts, release = files(expansion)
    assert concepts["SCTID:1"].terms == (Term("One", "preferred", language="fr"),)
    assert (concepts["SCTID:2"].status, concepts["SCTID:1"].parents) == ("retired", ())
    assert release.counts.to_dict()["rows"]["skipped"] == {"entry of an expansion without a code": 1}
    assert release.metadata.details["value_sets"] == [{"id": "v", "incomplete": "2 of 9 codes", "members": 2}]


@pytest.mark.parametrize(
    ("property_", "op", "value", "expected"),
    [
        ("concept", "is-a", "b", "bc"),
        ("concept", "descendent-of", "a", "bcdE"),
        ("code", "is-a", "d", "dE"),
        ("concept", "is-not-a", "b", "adE"),
        ("concept", "generalizes", "c", "abc"),
        ("concept", "child-of", "a", "bd"),
        ("concept", "descendent-leaf", "a", "cE"),
        ("colour", "=", "red", "a"),
        ("colour", "in", "red, blue", "ac"),
        ("colour", "not-in", "red,blue", "bdE"),
        ("colour", "exists", "true", "ac"),
        ("colour", "exists", "false", "bdE"),
        ("colour", "regex", "r.*|.l[a-z]+", "ac"),
        ("code", "regex", "[a-c]", "abc"),
        ("display", "=", "Bee", "b"),
        ("inactive", "=", "true", "d"),
        ("inactive", "=", "false", "abcE"),
        ("parent", "=", "d", "E"),
        ("child", "=", "c", "b"),
    ],
)
def test_filters(files: Any, property_: str, op: str, value: str, expected: str) -> None:
    rule = {"system": "http://x.org/s", "filter": [{"property": property_, "op": op, "value": value}]}
    concepts, _ = files(TREE, value_set(rule))
    assert members(concepts) == set(expected)


def test_filters_together_imports_exclusions_and_inactive(files: Any) -> None:
    def isa(code: str) -> dict[str, str]:
        return {"property": "concept", "op": "is-a", "value": code}

    below_a = value_set({"system": "http://x.org/s", "filter": [isa("a")]}, url="http://x.org/a", version="1")
    both = value_set({"system": "http://x.org/s", "filter": [isa("a"), isa("b")]})
    assert members(files(TREE, both)[0]) == set("bc")
    imported = value_set({"valueSet": ["http://x.org/a"]}, exclude=[{"valueSet": ["http://x.org/b"]}])
    only_b = value_set({"system": "http://x.org/s", "concept": [{"code": "b"}]}, url="http://x.org/b")
    assert members(files(imported, only_b, TREE, below_a)[0]) == set("acdE")
    crossed = value_set({"system": "http://x.org/s", "valueSet": ["http://x.org/a|1", "http://x.org/b"]})
    assert members(files(crossed, only_b, TREE, below_a)[0]) == set("b")
    active = value_set({"system": "http://x.org/s"})
    active["compose"]["inactive"] = False
    assert members(files(active, TREE)[0]) == set("abcE")
    inner = {"resourceType": "ValueSet", "id": "in", "compose": only_b["compose"]}
    assert members(files(value_set({"valueSet": ["#in"]}, contained=[inner]), TREE)[0]) == {"b"}


def test_versions_of_code_systems_in_value_sets(files: Any) -> None:
    old, new = system("a", "b", version="1.0.0"), system("a", "c", version="1.2.0")
    for version, expected in (("1.0.0", "ab"), ("1.2.0", "ac"), ("1.x.x", "ac"), ("", "ac")):
        concepts, _ = files(old, new, value_set({"system": "http://x.org/s", "version": version}))
        assert members(concepts) == set(expected), version


def test_versions_of_value_sets(files: Any) -> None:
    first = value_set({"system": "http://x.org/s", "concept": [{"code": "a"}]}, version="1")
    second = value_set({"system": "http://x.org/s", "concept": [{"code": "b"}]}, version="2")
    third = value_set({"valueSet": ["http://x.org/v"]}, url="http://x.org/w")
    concepts, _ = files(first, second, third, system("a", "b"))
    assert concepts["s:a"].properties == (Property("valueset", "http://x.org/v|1"),)
    assert concepts["s:b"].properties == tuple(Property("valueset", f"http://x.org/{v}") for v in ("v|2", "w"))


def test_codes_in_any_letter_case(files: Any) -> None:
    rule = value_set({"system": "http://x.org/s", "concept": [{"code": "A"}]})
    assert members(files(system("a", caseSensitive=False), rule)[0]) == {"a"}
    concepts, release = files(system("a"), rule)
    assert members(concepts) == set()
    assert release.counts.examples[0].problem == (
        "ValueSet http://x.org/v: the code 'A' is not in the code system http://x.org/s"
    )


def test_what_a_value_set_calls_a_code_of_a_system_at_hand_is_counted(files: Any) -> None:
    rule = value_set({"system": "http://x.org/s", "concept": [{"code": "a", "display": "Other"}]})
    concepts, release = files(system("a"), rule)
    assert concepts["s:a"].terms == (Term("A", "preferred"),)
    assert release.counts.to_dict()["terms"]["skipped"] == {
        "value set's or map's own name for a code of a code system that is there": 1
    }


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"system": SNOMED}, f"it takes codes of {SNOMED} by a rule, and that code system is not among the files"),
        ({"system": "http://x.org/s", "version": "3"}, "not among the files (there is 1)"),
        ({"valueSet": ["http://x.org/w"]}, "it imports the value set http://x.org/w, which is not among the files"),
        ({"valueSet": ["http://x.org/v"]}, "ValueSet http://x.org/v is made of itself"),
        ({"valueSet": ["#in"]}, "the contained value set in is made of itself"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "is-a", "value": "x"}]}, "the code 'x'"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "~", "value": "x"}]}, "not understood"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "regex", "value": "(a"}]}, "not closed"),
        (
            {"system": "http://x.org/s", "filter": [{"property": "code", "op": "regex", "value": "[a-z-[aeiou]]+"}]},
            "a set within a set",
        ),
    ],
)
def test_a_value_set_that_cannot_be_listed(files: Any, rule: Any, problem: str) -> None:
    inner = {"resourceType": "ValueSet", "id": "in", "compose": {"include": [{"valueSet": ["#in"]}]}}
    broken = value_set(rule, contained=[inner])
    concepts, release = files(system("a", version="1"), broken)
    assert list(concepts) == ["s:a"]
    (told,) = release.metadata.details["value_sets_not_listed"]
    assert problem in told["problem"]
    assert release.counts.to_dict()["rows"]["skipped"] == {"value set whose codes the files do not tell": 1}
    with pytest.raises(FormatError, match=re.escape(problem)):
        files(system("a", version="1"), broken, strict=True)
    if "filter" not in rule and "version" not in rule:
        with pytest.raises(FormatError, match=re.escape(problem)):
            files(broken)


def test_a_filter_without_a_value_is_malformed(files: Any) -> None:
    rule = {"system": "http://x.org/s", "filter": [{"property": "concept", "op": "is-a"}]}
    _, release = files(system("a"), value_set(rule))
    assert release.counts.examples[0].problem == (
        "ValueSet http://x.org/v: a filter without a property, an operator or a value"
    )


@pytest.mark.parametrize(
    ("wanted", "available", "found"),
    [
        ("", ["1.9", "1.10", "1.10-beta"], "1.10"),
        ("", ["20240101", "20230901"], "20240101"),
        ("1.x", ["1.2", "1.3", "2.0"], "1.3"),
        ("1", ["1.0.0"], None),
        ("", [], None),
        ("http://snomed.info/sct/1/version/2", ["http://snomed.info/sct/1/version/2"], "http://snomed.info/sct/1/version/2"),
    ],
)  # fmt: skip
def test_versions(wanted: str, available: list[str], found: str | None) -> None:
    assert matching_version(wanted, available) == found


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "\\.", "[a-c1]"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])).map(lambda p: f"({p[0]}){p[1]}"),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abc1.", max_size=8))
@examples(300)
def test_patterns_match_as_python_matches(pattern: str, text: str) -> None:
    assert Pattern(pattern).matches(text) == (re.fullmatch(pattern, text) is not None)


def test_a_pattern_that_would_hang_a_backtracking_engine() -> None:
    assert not Pattern("((a+)+)+").matches("a" * 2000 + "!")
    assert Pattern("^(a|aa)+$").matches("a" * 2000)


@pytest.mark.parametrize("pattern", ["(a", "a)", "*a", "a{2", "[z-a]", "(?=a)", r"\1", r"\p{L}", "a{3,2}", "(" * 9999])
def test_bad_patterns(pattern: str) -> None:
    with pytest.raises(BadPattern):
        Pattern(pattern)


def test_a_pattern_too_large() -> None:
    with pytest.raises(BadPattern, match="too large"):
        Pattern("((a{100}){100}){100}")
