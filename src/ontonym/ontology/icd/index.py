"""Reader of ICD-10-CM's alphabetic indexes: diseases, external causes, and the tables of neoplasms and drugs.

Each path of titles becomes a name of the code that it leads to. An index term is a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml import etree

from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of, plain_text, spaced_text, whole_text
from ontonym.ontology.icd.notes import Codebook
from ontonym.ontology.icd.titles import concatenated
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Relation

HEADING = "index term without a code"
REFERS = "index term that refers to another without one code of its own"
UNKNOWN_CODE = "index term of a code that the tabular XML and the lists do not have"
SOURCES = (("neoplasm", "neoplasm"), ("drug", "drug"), ("external cause", "eindex"))
"""Words of an index's own title, and the source of its names; the index of diseases has the source ``index``."""

_SPLIT = re.compile(r"[\s,;]+")
_LINKS = ("see", "seecat", "subcat", "seeAlso")


@dataclass(frozen=True, slots=True)
class _Title:
    """One title on the path to an entry: without its nonessential modifiers, and with them."""

    bare: str
    whole: str


@dataclass(slots=True)
class AlphabeticIndex:
    """The facts about a concept in the indexes, by concept id: names with their source, and related codes."""

    names: dict[str, dict[str, str]] = field(default_factory=dict)
    relations: dict[str, dict[Relation, None]] = field(default_factory=dict)
    see_also: dict[str, dict[str, None]] = field(default_factory=dict)


def is_index(head: str) -> bool:
    """Whether the beginning of a file is that of an alphabetic index."""
    return "<ICD10CM.index" in head


def read_index(sources: Sequence[Source], log: ReleaseLog, codes: Codebook) -> AlphabeticIndex:
    """The entries of all the indexes whose codes are in ``codes``.

    An entry is named by its titles from the main term down, joined by ", "; where ``full_titles`` is asked for, in
    the order of Kong's title concatenation (section 4.1, whose example of a node, Chest under Pain, is such a path).
    Nonessential modifiers, which change no code, make a second name. "see" makes the entry a name of the code that the
    other term has, where that is one; "see also" and a manifestation code become relations of the entry's own code.
    """
    index = AlphabeticIndex()
    walk = _Walk(log, codes, index)
    for source in sources:
        walk.read(source)
    walk.resolve()
    return index


class _Walk:
    """One pass over the indexes; references are resolved once every path is known."""

    def __init__(self, log: ReleaseLog, codes: Codebook, index: AlphabeticIndex) -> None:
        self._log = log
        self._codes = codes
        self._index = index
        self._paths: dict[str, str] = {}
        self._see: list[tuple[tuple[str, ...], str, str]] = []
        self._also: list[tuple[str, str]] = []
        self._source = ""
        self._columns: dict[str, str] = {}

    def read(self, source: Source) -> None:
        self._source, self._columns = "index", {}
        for element in iter_elements(source, ("title", "indexHeading", "mainTerm")):
            if element.tag == "mainTerm":
                self._term(source, element, ())
            elif element.tag == "indexHeading":
                self._columns = {head.get("col", ""): plain_text(head) for head in element.iterchildren("head")}
            elif (parent := element.getparent()) is not None and parent.tag == "ICD10CM.index":
                title = plain_text(element).lower()
                self._source = next((name for words, name in SOURCES if words in title), self._source)

    def _term(self, source: Source, element: etree._Element, above: tuple[_Title, ...]) -> None:
        title = _title(element.find("title"))
        if not title.whole:
            self._log.malformed(source, line_of(element), f"a {element.tag} without a title", whole_text(element))
            return
        path = (*above, title)
        self._entry(element, path)
        for child in element.iterchildren("term"):
            self._term(source, child, path)

    def _entry(self, element: etree._Element, path: tuple[_Title, ...]) -> None:
        """Names the codes of an index term by its path, and notes what it refers to."""
        counts, names = self._log.counts, self._named(path)
        cited = [(part, "") for code in element.iterchildren("code") for part in _SPLIT.split(plain_text(code)) if part]
        for cell in element.iterchildren("cell"):
            text = plain_text(cell)
            if text.strip("-–. "):
                cited.append((text, self._columns.get(cell.get("col", ""), "")))
        found = [(concept_id, column) for code, column in cited if (concept_id := self._codes.find(code)) is not None]
        for concept_id, column in found:
            self._name(concept_id, tuple(f"{name}, {column}" if column else name for name in names))
        links = [(str(link.tag), plain_text(link)) for link in element.iterchildren(*_LINKS)]
        if found:
            counts.keep()
            self._remember(path, found)
            self._relate(element, found[0][0], links)
        elif cited:
            counts.skip(UNKNOWN_CODE)
        elif see := next((words for kind, words in links if kind != "seeAlso"), ""):
            self._see.append((names, see, self._source))
        else:
            counts.skip(REFERS if links else HEADING)

    def _named(self, path: tuple[_Title, ...]) -> tuple[str, ...]:
        """The names of a path: without nonessential modifiers, and with them where there are any."""
        bare = [title.bare or title.whole for title in path]
        whole = [title.whole for title in path]
        if self._log.options.full_titles:
            return tuple(dict.fromkeys((concatenated(bare[::-1]), concatenated(whole[::-1]))))
        return tuple(dict.fromkeys((", ".join(bare), ", ".join(whole))))

    def _name(self, concept_id: str, names: tuple[str, ...]) -> None:
        kept = self._index.names.setdefault(concept_id, {})
        for name in names:
            kept.setdefault(name, self._source)

    def _relate(self, element: etree._Element, concept_id: str, links: list[tuple[str, str]]) -> None:
        relations = self._index.relations.setdefault(concept_id, {})
        for manifestation in element.iterchildren("manif"):
            for target in self._codes.cited(plain_text(manifestation)):
                relations[Relation("manif", target)] = None
        for kind, words in links:
            if kind == "seeAlso":
                self._index.see_also.setdefault(concept_id, {})[words] = None
                self._also.append((concept_id, words))

    def _remember(self, path: tuple[_Title, ...], found: list[tuple[str, str]]) -> None:
        """Notes where a path leads, as "see" spells it: a main term by its first word form. No path of many codes."""
        titles = [title.bare or title.whole for title in path]
        target = found[0][0] if len({concept_id for concept_id, _ in found}) == 1 else ""
        for main in dict.fromkeys((titles[0], titles[0].partition(",")[0])):
            key = _key([main, *titles[1:]])
            self._paths[key] = target if self._paths.get(key, target) == target else ""

    def _target(self, words: str) -> str:
        """The one concept that a reference leads to, or nothing: a code cited in it, or the term of that path."""
        cited = list(self._codes.cited(words))
        if cited:
            return cited[0] if len(cited) == 1 else ""
        return self._paths.get(_key(words.split(",")), "")

    def resolve(self) -> None:
        """Follows the references, now that every path is known."""
        for names, words, source in self._see:
            target = self._target(words)
            if target:
                self._source = source
                self._name(target, names)
                self._log.counts.keep()
            else:
                self._log.counts.skip(REFERS)
        for concept_id, words in self._also:
            target = self._target(words)
            if target and target != concept_id:
                self._index.relations[concept_id][Relation("seeAlso", target)] = None


def _title(element: etree._Element | None) -> _Title:
    """A title without the ``nemod`` in it, and with."""
    if element is None:
        return _Title("", "")
    parts = [element.text or ""]
    parts.extend(child.tail or "" for child in element)
    return _Title(" ".join("".join(parts).split()), spaced_text(element))


def _key(titles: Sequence[str]) -> str:
    return ", ".join(" ".join(title.split()) for title in titles).casefold()
