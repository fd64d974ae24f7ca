"""The filters of expression constraints, between ``{{`` and ``}}``: by names, tags, status, definition and history."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import NAME, Budget
from ontonym.serve.fhir.ecl.parse import unquoted
from ontonym.serve.fhir.ecl.values import COMPARISONS, HISTORY, Constrained, associations_of, unsupported, with_history
from ontonym.serve.fhir.regexes import wildcard_matcher
from ontonym.serve.fhir.words import begins, words

_DEFINED: Mapping[str, str] = {
    "defined": "true", "primitive": "false", "900000000000073002": "true", "900000000000074008": "false",
}  # fmt: skip
"""What is said of the definition of a concept, by the word and the code that ECL has for it."""

_KINDS: Mapping[str, str] = {"900000000000003001": "fsn", "900000000000013009": "syn"}


class Filters:
    """The filters over the concepts of a code system."""

    def __init__(self, system: Constrained, selected: Callable[[Any], Mask], budget: Budget) -> None:
        """``selected`` gives the concepts of an expression in a filter."""
        self.system = system
        self._budget = budget
        self._selected = selected

    def passed(self, rows: Mask, tree: Any) -> Mask:
        """Those of the concepts that pass the filters between ``{{`` and ``}}``."""
        if tree.data == "history":
            return self._with_history(rows, *tree.children)
        kind, *filters = tree.children
        if kind is not None and str(kind).upper() == "M":
            raise unsupported("member filters {{ M … }}")
        wanted = {filter_.data: filter_ for filter_ in filters}
        languages = _words(wanted.get("language_filter"))
        if "dialect_filter" in wanted:  # a name in both dialects of a language has the language alone
            languages |= {part for dialect in _words(wanted["dialect_filter"]) for part in (dialect, dialect[:2])}
        kinds = _kinds(_words(wanted.get("type_filter")))
        for one in filters:
            if one.data == "active_filter":
                rows = self._active(rows, one)
            elif one.data == "tag_filter":
                rows = self._tagged(rows, one)
            elif one.data == "other_filter":
                rows = rows & self._stated(*one.children)
        terms = [filter_ for filter_ in filters if filter_.data == "term_filter"]
        for one in terms:
            rows = self._named(rows, one, languages, kinds)
        if not terms and (languages or kinds):
            rows = self._matching(rows, "wild", "*", languages, kinds)
        return rows

    def _with_history(self, rows: Mask, profile: Any, subset: Any) -> Mask:
        relations = self.system.relations
        associations = None
        if subset is not None:
            associations = associations_of(self.system.terminology, relations, self._selected(subset))
        name = re.split("[-_]", str(profile).lower())[-1]
        return with_history(self.system.terminology, relations, rows, name if name in HISTORY else "max", associations)

    def _stated(self, name: Any, comparison: Any, text: Any) -> Mask:
        """The concepts of which a release states something beside names and relations."""
        field, values = str(name).lower(), re.findall(r"[\w.-]+", re.sub(r"\|[^|]*\|", "", str(text)))
        properties = self.system.properties
        if field in ("definitionstatus", "definitionstatusid") and properties.has("sufficientlyDefined"):
            wanted = {_DEFINED.get(value.lower(), "") for value in values}
            return properties.fitting(["sufficientlyDefined"], _among(wanted, str(comparison)), self._budget)
        if field == "moduleid" and properties.has("moduleId"):
            return properties.fitting(["moduleId"], _among(set(values), str(comparison)), self._budget)
        if field == "effectivetime" and properties.has("effectiveTime") and values:
            compare = COMPARISONS[str(comparison)]

            def fits(value: str) -> bool:
                return any(compare(value, one) for one in values)

            return properties.fitting(["effectiveTime"], fits, self._budget)
        raise unsupported(f"the filter {name}")

    def _active(self, rows: Mask, tree: Any) -> Mask:
        _, comparison, truth = tree.children
        active = (str(truth).lower() in ("true", "1")) == (comparison == "=")
        return rows & (~self.system.inactive() if active else self.system.inactive())

    def _tagged(self, rows: Mask, tree: Any) -> Mask:
        _, comparison, *tags = tree.children
        found = np.zeros(len(self.system), bool)
        for tag in (unquoted(str(tag)) for tag in tags):
            if tag in self.system.terminology.tags:
                found |= self.system.terminology.tagged(tag)
        return rows & (~found if comparison == "!=" else found)

    def _named(self, rows: Mask, tree: Any, languages: frozenset[str], kinds: frozenset[str]) -> Mask:
        _, comparison, *typed = tree.children
        found = np.zeros(len(self.system), bool)
        for one in typed:
            how, text = one.children
            found |= self._matching(rows, str(how or "match").lower(), unquoted(str(text)), languages, kinds)
        return rows & (~found if comparison == "!=" else found)

    def _matching(self, rows: Mask, how: str, text: str, languages: frozenset[str], kinds: frozenset[str]) -> Mask:
        found = np.zeros(len(self.system), bool)
        if how == "meaning":
            found[self.system.search(text, rows).rows] = True
            return found
        if how == "match":
            found[self.system.begun(text, rows)] = True
            if not languages and not kinds:
                return found
            rows = found
        return self._having(rows, how, text, languages, kinds)

    def _having(self, rows: Mask, how: str, text: str, languages: frozenset[str], kinds: frozenset[str]) -> Mask:
        """Those of the concepts with an active name that fits, in one of the languages and of one of the kinds."""
        terminology = self.system.terminology
        concepts = terminology.term_concepts()
        terms = terminology.term_statuses().among({"active"}) & rows[concepts]
        if languages:
            spoken = terminology.term_languages()
            terms &= spoken.among({name for name in spoken.names if name.lower() in languages})
        if kinds:
            is_fsn = terminology.term_kinds().among({"fsn"})
            terms &= is_fsn if kinds == {"fsn"} else ~is_fsn if kinds == {"syn"} else True
        named = np.flatnonzero(terms)
        if text != "*":
            self._budget.spend(NAME * len(named))
            fits = wildcard_matcher(text) if how == "wild" else _word_matcher(text)
            named = named[np.fromiter(map(fits, terminology.term_texts().take(named)), bool, len(named))]
        found = np.zeros(len(rows), bool)
        found[concepts[named]] = True
        return found


def _word_matcher(text: str) -> Callable[[str], bool]:
    typed = words(text)
    return lambda name: begins(typed, [name])


def _kinds(words: frozenset[str]) -> frozenset[str]:
    """The kinds of names that a type filter means."""
    found = frozenset(_KINDS.get(word, word) for word in words)
    if not found <= {"fsn", "syn"}:
        raise unsupported("the filter type of definitions (def)" if "def" in found else "this type of names")
    return found


def _words(tree: Any) -> frozenset[str]:
    """The words of a filter in lower case; none where it is not there."""
    if tree is None:
        return frozenset()
    if str(tree.children[1]) != "=":
        raise unsupported(f"the comparison {tree.children[1]} in the filter {tree.children[0]}")
    return frozenset(str(word).lower() for word in tree.children[2:])


def _among(wanted: set[str], comparison: str) -> Callable[[str], bool]:
    if comparison not in ("=", "!="):
        raise unsupported(f"the comparison {comparison} of concepts")
    return lambda value: (value in wanted) == (comparison == "=")
