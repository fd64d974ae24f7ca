"""Expression constraints over the concepts of a terminology: each part of the expression is a set of concepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, reduce
from importlib.resources import files
from typing import Any, Protocol

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.errors import MissingExtraError
from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.ecl.values import (
    COMPARISONS,
    HISTORY,
    associations_of,
    fits_number,
    fits_text,
    members,
    unsupported,
    with_history,
)
from ontonym.serve.fhir.outcomes import refused
from ontonym.serve.fhir.regexes import matcher
from ontonym.serve.fhir.termproperties import TermProperties
from ontonym.serve.fhir.termrelations import TermRelations
from ontonym.serve.fhir.words import fits as begins
from ontonym.serve.fhir.words import words
from ontonym.store import Terminology
from ontonym.text.numbers import whole_number

LONGEST = 20_000
MOST_LEVELS = 60
LONG_OPERATORS = {
    "descendantof": "<",
    "descendantorselfof": "<<",
    "childof": "<!",
    "childorselfof": "<<!",
    "ancestorof": ">",
    "ancestororselfof": ">>",
    "parentof": ">!",
    "parentorselfof": ">>!",
}


class Constrained(CodeSystemContent, Protocol):
    """A code system with the relations that refinements need, and its names by the beginnings of their words."""

    terminology: Terminology
    relations: TermRelations
    properties: TermProperties

    def begun(self, text: str, within: Mask | None) -> Ints:
        """The rows with a name that has, for every word of the text, a word that begins with it."""
        ...


def evaluate(system: Constrained, text: str) -> Mask:
    """The concepts that an expression constraint selects, as a set of rows.

    Raises FhirError (422) where the text is no expression constraint, names an unknown concept, or uses what is not
    supported here: several attributes in one group, some filters, and reference sets of a terminology that keeps none.
    """
    return _Evaluation(system).of(parse(text))


def parse(text: str) -> Any:
    """The tree of an expression constraint. Raises FhirError (422) where it is none."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput

    depth = most = 0
    for letter in text:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(letter, 0)
        most = max(most, depth)
    if len(text) > LONGEST or most > MOST_LEVELS:
        raise unsupported(f"more than {LONGEST} characters or {MOST_LEVELS} levels")
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        at = len(text) if ended or error.pos_in_stream is None else max(error.pos_in_stream, 0)
        near = text[at : at + 20]
        what = "unexpected character" if isinstance(error, UnexpectedCharacters) else "unexpected"
        problem = f"{what} {near!r}" if near.strip() else "the expression ends too early"
        raise refused(422, "invalid", "ECL_SYNTAX", detail="vs-invalid", at=at + 1, problem=problem) from None


@cache
def _parser() -> Any:
    try:
        from lark import Lark
    except ImportError:
        raise MissingExtraError("lark", "serve", "an expression constraint (ECL)") from None
    return Lark(files(__package__).joinpath("grammar.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=True)


class _Evaluation:
    """One evaluation; trees go in, sets of concepts come out."""

    def __init__(self, system: Constrained) -> None:
        self.system = system
        self.hierarchy = system.terminology.hierarchy
        self.all = system.present() & ~system.inactive()

    def of(self, tree: Any) -> Mask:
        """The concepts of a whole expression, or of one in parentheses."""
        constraint = tree.children[0] if tree.data == "start" else tree
        parts = [part for part in constraint.children if hasattr(part, "data")]
        found = self.sub(parts[0])
        kind = constraint.data
        if kind == "refined":
            return found & self.refinement(parts[1])
        if kind == "every":
            return reduce(np.logical_and, (self.sub(part) for part in parts[1:]), found)
        if kind == "some":
            return reduce(np.logical_or, (self.sub(part) for part in parts[1:]), found)
        if kind == "minus":
            return found & ~self.sub(parts[1])
        for name in parts[1:] if kind == "dotted" else ():
            found = self.system.relations.targets(self.predicates(name), found)
        return found

    def sub(self, tree: Any) -> Mask:
        """The concepts of a focus with its operator and filters."""
        operator, member, focus, *filters = tree.children
        inner = focus.children[0]
        if getattr(inner, "data", "") == "code":
            found = self._concept(inner)
        elif hasattr(inner, "data"):
            found = self.of(inner)
        else:
            found = self.all
        if member is not None:
            sets = found if hasattr(inner, "data") else None
            system = self.system
            found = members(system.terminology, system.properties, system.relations, sets, system.row)
        found = self._related(_operator(operator), found)
        for one in filters:
            found = self.filtered(found, one)
        return found

    def _concept(self, tree: Any) -> Mask:
        code = str(tree.children[0])
        row = self.system.row(code)
        if row is None:
            raise refused(422, "not-found", "ECL_UNKNOWN", detail="vs-invalid", code=code, system=self.system.url)
        found = np.zeros(len(self.system), bool)
        found[row] = True
        return found

    def _related(self, operator: str, rows: Mask) -> Mask:
        """The concepts below or above some concepts, as an operator says."""
        if not operator:
            return rows
        if operator.startswith("!!"):
            inner = self._strictly("<" if operator == "!!>" else ">", rows)
            return rows & ~inner
        step = operator.strip("!")
        if operator.endswith("!"):
            edges = self.hierarchy.child_edges if step[0] == "<" else self.hierarchy.parent_edges
            found = np.zeros(len(self.system), bool)
            found[edges.of_all(np.flatnonzero(rows))] = True
            return found | rows if len(step) == 2 else found
        found = self._strictly(step[0], rows)
        return found | rows if len(step) == 2 else found

    def _strictly(self, direction: str, rows: Mask) -> Mask:
        """Everything strictly below (``<``) or above (``>``) at least one of the concepts."""
        edges = self.hierarchy.child_edges if direction == "<" else self.hierarchy.parent_edges
        found = np.zeros(len(self.system), bool)
        frontier = np.flatnonzero(rows).astype(np.uint32)
        while len(frontier):
            reached = np.unique(edges.of_all(frontier))
            frontier = reached[~found[reached]]
            found[frontier] = True
        return found & self.all

    # Refinements

    def refinement(self, tree: Any) -> Mask:
        """The concepts that fit a refinement."""
        if tree.data == "attribute":
            return self._attribute(tree)
        if tree.data == "group":
            return self._group(tree)
        join: Callable[..., Mask] = np.logical_or if tree.data == "some" else np.logical_and
        return reduce(join, (self.refinement(part) for part in tree.children if hasattr(part, "data")))

    def _group(self, tree: Any) -> Mask:
        cardinality, inner = tree.children
        if cardinality is not None:
            raise unsupported("a cardinality of attribute groups")
        if inner.data != "alone" or inner.children[0].data != "attribute":
            raise unsupported(
                "several attributes in one group { }, since ontonym's terminologies do not keep the groups"
            )
        return self.refinement(inner)

    def _attribute(self, tree: Any) -> Mask:
        cardinality, reverse, name, comparison, value = tree.children
        if value.data != "among":
            return self._valued(cardinality, reverse, name, str(comparison), value)
        if comparison not in ("=", "!="):
            raise unsupported(f"the comparison {comparison} of concepts")
        predicates = self.predicates(name)
        targets = self.sub(value.children[0])
        if comparison == "!=":
            targets = self.system.present() & ~targets
        relations = self.system.relations
        if reverse is not None:
            if cardinality is not None:
                raise unsupported("a cardinality of reversed attributes")
            return relations.targets(predicates, targets)
        if cardinality is None:
            return relations.sources(predicates, targets)
        least, most = _bounds(str(cardinality))
        counts = relations.counts(predicates, targets)
        return (counts >= least) & ((counts <= most) if most is not None else True) & self.system.present()

    def _valued(self, cardinality: Any, reverse: Any, name: Any, comparison: str, value: Any) -> Mask:
        """The concepts with a concrete value."""
        if cardinality is not None or reverse is not None:
            raise unsupported("a cardinality or reversal of concrete values")
        if value.data == "number":
            fits = fits_number(comparison, str(value.children[0]))
        elif value.data == "truth":
            fits = fits_text(comparison, [("", str(value.children[0]).lower())])
        else:
            fits = fits_text(
                comparison, [(str(how or "").lower(), _unquoted(str(text))) for how, text in _typed(value)]
            )
        return self.system.properties.fitting(self._names(name), fits) & self.system.present()

    def _names(self, name: Any) -> list[str]:
        """What the attributes are called that a name means."""
        operator, focus = name.children
        if not hasattr(focus, "data"):
            raise unsupported("concrete values of any attribute (*)")
        code = str(focus.children[0])
        if operator is None and self.system.properties.has(code):
            return [code]
        terminology = self.system.terminology
        rows = np.flatnonzero(self._related(_operator(operator), self._concept(focus)))
        return [text for row in rows.tolist() for text in (terminology.id(row), *terminology.names(row))]

    def predicates(self, name: Any) -> frozenset[int] | None:
        """The predicates that an attribute name means; None for any."""
        operator, focus = name.children
        if not hasattr(focus, "data"):
            return None
        code = str(focus.children[0])
        named = self.system.relations.predicates(code)
        if named is not None and operator is None:
            return named
        rows = self._related(_operator(operator), self._concept(focus))
        return self.system.relations.predicates_of(int(row) for row in np.flatnonzero(rows))

    # Filters

    def filtered(self, rows: Mask, tree: Any) -> Mask:
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
            associations = associations_of(self.system.terminology, relations, self.of(subset))
        name = re.split("[-_]", str(profile).lower())[-1]
        return with_history(self.system.terminology, relations, rows, name if name in HISTORY else "max", associations)

    def _stated(self, name: Any, comparison: Any, text: Any) -> Mask:
        """The concepts of which a release states something beside names and relations."""
        field, values = str(name).lower(), re.findall(r"[\w.-]+", re.sub(r"\|[^|]*\|", "", str(text)))
        properties = self.system.properties
        if field in ("definitionstatus", "definitionstatusid") and properties.has("sufficientlyDefined"):
            wanted = {DEFINED.get(value.lower(), "") for value in values}
            return properties.fitting(["sufficientlyDefined"], _among(wanted, str(comparison)))
        if field == "moduleid" and properties.has("moduleId"):
            return properties.fitting(["moduleId"], _among(set(values), str(comparison)))
        if field == "effectivetime" and properties.has("effectiveTime") and values:
            compare = COMPARISONS[str(comparison)]
            return properties.fitting(["effectiveTime"], lambda value: any(compare(value, one) for one in values))
        raise unsupported(f"the filter {name}")

    def _active(self, rows: Mask, tree: Any) -> Mask:
        _, comparison, truth = tree.children
        active = (str(truth).lower() in ("true", "1")) == (comparison == "=")
        return rows & (~self.system.inactive() if active else self.system.inactive())

    def _tagged(self, rows: Mask, tree: Any) -> Mask:
        _, comparison, *tags = tree.children
        found = np.zeros(len(self.system), bool)
        for tag in (_unquoted(str(tag)) for tag in tags):
            if tag in self.system.terminology.tags:
                found |= self.system.terminology.tagged(tag)
        return rows & (~found if comparison == "!=" else found)

    def _named(self, rows: Mask, tree: Any, languages: frozenset[str], kinds: frozenset[str]) -> Mask:
        _, comparison, *typed = tree.children
        found = np.zeros(len(self.system), bool)
        for one in typed:
            how, text = one.children
            found |= self._matching(rows, str(how or "match").lower(), _unquoted(str(text)), languages, kinds)
        return rows & (~found if comparison == "!=" else found)

    def _matching(self, rows: Mask, how: str, text: str, languages: frozenset[str], kinds: frozenset[str]) -> Mask:
        found = np.zeros(len(self.system), bool)
        if how == "meaning":
            found[self.system.search(text, rows).rows] = True
            return found
        if how == "match" and not languages and not kinds:
            found[self.system.begun(text, rows)] = True
            return found
        terminology = self.system.terminology
        pattern = "(?i)" + "".join(".*" if c == "*" else re.escape(c) for c in text) if how == "wild" else ""
        fits = matcher(pattern) if pattern else lambda name: begins(words(text), [name])
        for row in np.flatnonzero(rows).tolist():
            found[row] = any(
                (not languages or term.language.lower() in languages)
                and (not kinds or ("fsn" if term.kind == "fsn" else "syn") in kinds)
                and fits(term.text)
                for term in map(terminology.term, terminology.terms_of(row))
                if term.status == "active"
            )
        return found


DEFINED: Mapping[str, str] = {
    "defined": "true", "primitive": "false", "900000000000073002": "true", "900000000000074008": "false",
}  # fmt: skip
"""What is said of the definition of a concept, by the word and the code that ECL has for it."""

_KINDS: Mapping[str, str] = {"900000000000003001": "fsn", "900000000000013009": "syn"}


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


def _typed(tree: Any) -> list[tuple[Any, Any]]:
    return [tuple(one.children) for one in tree.children]


def _operator(token: Any) -> str:
    return "" if token is None else LONG_OPERATORS.get(str(token).lower(), str(token))


def _bounds(text: str) -> tuple[int, int | None]:
    low, high = re.findall(r"\d+|\*|many", text)[:2]
    return _count(low), None if high in ("*", "many") else _count(high)


def _count(text: str) -> int:
    number = whole_number(text)
    return 10**18 if number is None else number


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
