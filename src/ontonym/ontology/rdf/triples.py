"""RDF triples in little memory: collected in any order as numbers and one run of text, then looked up by subject."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyoxigraph as ox

from ontonym.arrays import AnyInts, Ints
from ontonym.ragged import owners_of

Facts = dict[str, list[tuple[int, str, str]]]
"""The texts of a node: role to (predicate, text, language)."""
Ends = dict[str, list[tuple[int, int]]]
"""The links of a node: role to (predicate, node)."""

TARGET = "target"
"""The role of ``owl:annotatedTarget``: of its texts only `text_key` is stored, as they repeat what the subject says."""
IGNORED = ""

_63_BITS = (1 << 63) - 1


def text_key(text: str) -> int:
    """A number from 0 that stands for the text within this process."""
    return hash(text) & _63_BITS


def view(column: Any) -> memoryview[int]:
    """A column of numbers that gives Python integers, and is much faster to index one by one."""
    return memoryview(column)


class Triples:
    """Triples being collected; ``role_of`` gives the role of a predicate's IRI for the reader, or ``IGNORED``.

    Nodes are numbers: an IRI counts from 0 in the order of first mention, a blank node is negative.
    ``ignored`` counts the triples left out, by the IRI of the predicate.
    """

    def __init__(self, role_of: Callable[[str], str]) -> None:
        self._role_of = role_of
        self._codes: dict[str, int] = {}
        self._predicates: list[str] = []
        self._roles: list[str] = []
        self._nodes: dict[str, int] = {}
        self._links, self._texts = _no_links(), _no_texts()
        self._blob = bytearray()
        self._languages: dict[str, int] = {"": 0}
        self._ignored: list[int] = []

    def iri(self, text: str) -> int:
        """The node of an IRI."""
        return self._nodes.setdefault(text, len(self._nodes))

    @staticmethod
    def blank(label: str, document: int = 0) -> int:
        """The node of a blank node's label, which means something within one document only."""
        return -((hash(label) ^ hash(f"document {document}")) & _63_BITS) - 1

    def link(self, subject: int, predicate: str, target: int) -> None:
        """Adds a triple whose object is a node."""
        code = self._code(predicate)
        if self._roles[code]:
            self._link(subject, code, target)
        else:
            self._ignored[code] += 1

    def text(self, subject: int, predicate: str, text: str, language: str = "") -> None:
        """Adds a triple whose object is a literal."""
        code = self._code(predicate)
        if self._roles[code]:
            self._add_text(subject, code, text, language)
        else:
            self._ignored[code] += 1

    def add(self, quads: Iterable[ox.Quad], document: int = 0) -> None:
        """Adds the triples of a parser; ``document`` separates the blank nodes of different files."""
        codes, roles, nodes, ignored = self._codes, self._roles, self._nodes, self._ignored
        add_subject, add_code, add_target = (column.append for column in self._links)
        last, subject = "", 0
        for quad in quads:
            name = quad.predicate.value
            code = codes.get(name)
            if code is None:
                code = self._code(name)
            if not roles[code]:
                ignored[code] += 1
                continue
            about = quad.subject.value  # type: ignore[union-attr]  # triples as subjects come from no format read here
            if about != last:
                last = about
                subject = nodes.setdefault(about, len(nodes)) if ":" in about else self.blank(about, document)
            target = quad.object
            if type(target) is ox.Literal:
                self._add_text(subject, code, target.value, target.language or "")
                continue
            about = target.value  # type: ignore[union-attr]
            add_subject(subject)
            add_code(code)
            # A blank node's label has no colon, an IRI always one.
            add_target(nodes.setdefault(about, len(nodes)) if ":" in about else self.blank(about, document))

    @property
    def ignored(self) -> dict[str, int]:
        """How many triples were left out, by predicate, the most first."""
        counts = ((name, count) for name, count in zip(self._predicates, self._ignored, strict=True) if count)
        return dict(sorted(counts, key=lambda item: (-item[1], item[0])))

    def _code(self, predicate: str) -> int:
        code = self._codes.get(predicate)
        if code is None:
            code = self._codes[predicate] = len(self._predicates)
            self._predicates.append(predicate)
            self._roles.append(self._role_of(predicate))
            self._ignored.append(0)
        return code

    def _link(self, subject: int, code: int, target: int) -> None:
        subjects, codes, targets = self._links
        subjects.append(subject)
        codes.append(code)
        targets.append(target)

    def _add_text(self, subject: int, code: int, text: str, language: str) -> None:
        if self._roles[code] == TARGET:
            self._link(subject, code, text_key(text))
            return
        subjects, predicates, languages, ends = self._texts
        number = self._languages.get(language)
        if number is None:
            number = self._languages[language] = min(len(self._languages), 0xFFFF)
        self._blob += text.encode(errors="replace")
        subjects.append(subject)
        predicates.append(code)
        languages.append(number)
        ends.append(len(self._blob))

    def graph(self) -> Graph:
        """The triples by subject. They are moved there: nothing can be added afterwards."""
        subjects, codes, targets = (np.array(column) for column in self._links)
        owners, text_codes, languages, ends = (np.array(column) for column in self._texts)
        self._links, self._texts = _no_links(), _no_texts()
        is_node = np.array([role != TARGET for role in self._roles], dtype=np.bool_)[codes]
        columns = ((subjects, subjects < 0), (owners, owners < 0), (targets, is_node & (targets < 0)))
        # Labels differ from one run to the next, so blank nodes are numbered in the order of appearance.
        blanks, places = np.unique(np.concatenate([column[blank] for column, blank in columns]), return_index=True)
        numbers = np.empty(len(blanks), dtype=np.int64)
        numbers[np.argsort(places)] = np.arange(len(blanks))
        for column, blank in columns:
            column[blank] = len(self._nodes) + numbers[np.searchsorted(blanks, column[blank])]
        size = len(self._nodes) + len(blanks)
        first = np.concatenate([_by_appearance(subjects, len(self._nodes)), _by_appearance(owners, len(self._nodes))])
        order = np.argsort(subjects, kind="stable")
        links = (_bounds(subjects[order], size), codes[order], targets[order])
        order = np.argsort(owners, kind="stable")
        texts = (_bounds(owners[order], size), text_codes[order], languages[order], order)
        vocabulary = GraphNames(list(self._nodes), self._predicates, self._roles, list(self._languages))
        return Graph(vocabulary, links, texts, ends, self._blob, list(dict.fromkeys(first.tolist())))


@dataclass(frozen=True, slots=True)
class GraphNames:
    """The meanings of numbers: IRIs by node, predicates and their roles by code, languages."""

    iris: list[str]
    predicates: list[str]
    roles: list[str]
    languages: list[str]


class Graph:
    """Triples by subject. A node is a number from 0; the first ``len(iris)`` are IRIs, the others blank nodes.

    ``subjects`` are the IRIs that the files describe, in the order of their first description.
    """

    def __init__(
        self,
        vocabulary: GraphNames,
        links: tuple[Ints, AnyInts, Ints],
        texts: tuple[Ints, AnyInts, AnyInts, Ints],
        ends: Ints,
        blob: bytearray,
        subjects: list[int],
    ) -> None:
        self.iris = vocabulary.iris
        self.predicates = vocabulary.predicates
        self.roles = vocabulary.roles
        self.subjects = subjects
        self._languages = vocabulary.languages
        self._columns = links
        self._link_bounds, self._link_codes, self._targets = map(view, links)
        self._text_bounds, self._text_codes, self._text_languages, self._numbers = map(view, texts)
        self._ends = view(ends)
        self._blob = memoryview(blob)

    def __len__(self) -> int:
        return len(self._link_bounds) - 1

    def is_iri(self, node: int) -> bool:
        """Whether the node is an IRI, not a blank node."""
        return node < len(self.iris)

    def links(self, node: int) -> list[tuple[int, int]]:
        """Predicate (its place in ``predicates`` and ``roles``) and object of the node's links, as published."""
        a, b = self._link_bounds[node], self._link_bounds[node + 1]
        return list(zip(self._link_codes[a:b], self._targets[a:b], strict=True)) if a < b else []

    def texts(self, node: int) -> list[tuple[int, str, str]]:
        """Predicate, text and language (empty where there is none) of the node's literals, as published."""
        found = []
        for place in range(self._text_bounds[node], self._text_bounds[node + 1]):
            number = self._numbers[place]
            text = str(self._blob[self._ends[number] : self._ends[number + 1]], "utf-8")
            found.append((self._text_codes[place], text, self._languages[self._text_languages[place]]))
        return found

    def gathered(self, node: int) -> tuple[Ends, Facts]:
        """The node's links and texts by role."""
        ends: Ends = {}
        facts: Facts = {}
        for code, target in self.links(node):
            ends.setdefault(self.roles[code], []).append((code, target))
        for code, text, language in self.texts(node):
            facts.setdefault(self.roles[code], []).append((code, text, language))
        return ends, facts

    def descriptions(self, node: int) -> dict[str, list[str]]:
        """The IRIs and texts that describe a node, by role."""
        found: dict[str, list[str]] = {}
        for code, target in self.links(node):
            if self.is_iri(target):
                found.setdefault(self.roles[code], []).append(self.iris[target])
        for code, text, _ in self.texts(node):
            found.setdefault(self.roles[code], []).append(text.strip())
        return found

    def members(self, listed: int) -> list[int]:
        """The members of an RDF list (roles ``first``, ``rest``); one that runs in a circle ends where it closes."""
        members: list[int] = []
        seen: set[int] = set()
        here: int | None = listed
        while here is not None and here not in seen:
            seen.add(here)
            links = {self.roles[code]: target for code, target in self.links(here)}
            if "first" in links:
                members.append(links["first"])
            here = links.get("rest")
        return members

    def by_role(self, role: str) -> tuple[Ints, Ints]:
        """Subjects and objects of all links whose predicate has the role, ordered by subject."""
        bounds, codes, targets = self._columns
        wanted = np.array([r == role for r in self.roles], dtype=np.bool_)[codes]
        return owners_of(np.diff(bounds))[wanted], targets[wanted]

    def pairs(self, role: str) -> Iterator[tuple[int, int]]:
        """The same, as pairs of a subject and an object."""
        return zip(*(column.tolist() for column in self.by_role(role)), strict=True)


def _no_links() -> tuple[array[int], array[int], array[int]]:
    return array("q"), array("I"), array("q")


def _no_texts() -> tuple[array[int], array[int], array[int], array[int]]:
    return array("q"), array("I"), array("H"), array("q", (0,))


def _by_appearance(column: Ints, iris: int) -> Ints:
    """The IRIs of a column, each once, in the order of their first place."""
    nodes, places = np.unique(column, return_index=True)
    kept = nodes < iris
    return nodes[kept][np.argsort(places[kept])]


def _bounds(ordered: Ints, size: int) -> Ints:
    """Where each node's triples begin in a column ordered by subject, and where the last ends."""
    return np.searchsorted(ordered, np.arange(size + 1))
