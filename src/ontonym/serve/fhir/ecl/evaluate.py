"""Expression constraints over the concepts of a terminology: each part of the expression is a set of concepts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, reduce
from importlib.resources import files
from typing import Any, Protocol

import numpy as np

from ontonym.arrays import Mask
from ontonym.errors import MissingExtraError
from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.outcomes import FhirError, refused
from ontonym.serve.fhir.regexes import matcher
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

    def begun(self, text: str, within: Mask | None) -> list[int]:
        """The rows with a name that has, for every word of the text, a word that begins with it."""
        ...


def evaluate(system: Constrained, text: str) -> Mask:
    """The concepts that an expression constraint selects, as a set of rows.

    Raises FhirError (422) where the text is no expression constraint, names an unknown concept, or uses what is not
    supported here: reference sets, several attributes in one group, history supplements and some filters.
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


def unsupported(what: str) -> FhirError:
    """The error of something that ECL has and this server does not support."""
    return refused(422, "not-supported", "ECL_NOT_SUPPORTED", detail="vs-invalid", what=what)


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
        if member is not None:
            raise unsupported("reference sets (^), which ontonym's terminologies do not keep")
        inner = focus.children[0]
        if getattr(inner, "data", "") == "code":
            found = self._related(_operator(operator), self._concept(inner))
        elif hasattr(inner, "data"):
            found = self._related(_operator(operator), self.of(inner))
        else:
            found = self._related(_operator(operator), self.all)
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
            raise unsupported("concrete values")
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
            raise unsupported("history supplements {{ + HISTORY }}")
        kind, *filters = tree.children
        if kind is not None and str(kind).upper() == "M":
            raise unsupported("member filters {{ M … }}")
        wanted = {filter_.data: filter_ for filter_ in filters}
        terms = [filter_ for filter_ in filters if filter_.data == "term_filter"]
        for name in ("type_filter", "other_filter"):
            if name in wanted:
                raise unsupported(f"the filter {wanted[name].children[0]}")
        language = wanted.get("language_filter")
        languages = (
            frozenset(str(word).lower() for word in language.children[2:]) if language is not None else frozenset()
        )
        for one in filters:
            if one.data == "active_filter":
                rows = self._active(rows, one)
            elif one.data == "tag_filter":
                rows = self._tagged(rows, one)
        for one in terms:
            rows = self._named(rows, one, languages)
        return rows

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

    def _named(self, rows: Mask, tree: Any, languages: frozenset[str]) -> Mask:
        _, comparison, *typed = tree.children
        found = np.zeros(len(self.system), bool)
        for one in typed:
            how, text = one.children
            found |= self._matching(rows, str(how or "match").lower(), _unquoted(str(text)), languages)
        return rows & (~found if comparison == "!=" else found)

    def _matching(self, rows: Mask, how: str, text: str, languages: frozenset[str]) -> Mask:
        found = np.zeros(len(self.system), bool)
        if how == "meaning":
            found[[entry.row for entry in self.system.search(text, rows).found]] = True
            return found
        pattern = "(?i)" + "".join(".*" if c == "*" else re.escape(c) for c in text) if how == "wild" else ""
        if how == "match" and not languages:
            found[self.system.begun(text, rows)] = True
            return found
        fits = matcher(pattern) if pattern else None
        for row in np.flatnonzero(rows):
            found[row] = self._fits(int(row), text, fits, languages)
        return found

    def _fits(self, row: int, text: str, fits: Callable[[str], bool] | None, languages: frozenset[str]) -> bool:
        for name in self.system.concept(row).names:
            if languages and name.language.lower() not in languages:
                continue
            if fits(name.value) if fits is not None else begins(words(text), [name.value]):
                return True
        return False


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
