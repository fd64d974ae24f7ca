"""Reader of ICD-10-CM as CMS and CDC publish it: the tabular XML, with the order file or a plain list of codes.

The XML has chapters, blocks and base codes with their inclusion terms. Codes with a 7th character stand only in the
lists; their titles come from the order file, or from the base code's title and the meaning of the character.
An element or a list line is a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from ontonym.ontology.release import Reading
from ontonym.ontology.source import Source
from ontonym.ontology.xml import iter_elements, plain_text
from ontonym.types import Concept, Scope, Term

PREFIX = "ICD10CM"
IN_XML = "list line of a code in the tabular XML"
NOT_A_NAME = "note that is not a name"
SHORT_TITLE = "shortened title where the long one is taken"

_ORDER_LINE = re.compile(r"\d{5} ([A-Z][0-9A-Z]{2,6}) +([01]) (.{1,60})(?: (.*))?$")
_LIST_LINE = re.compile(r"(?:\d{1,2}|[A-Z][0-9A-Z]{2}(?:-[A-Z][0-9A-Z]{2})?|[A-Z][0-9A-Z]{2}\.?[0-9A-Z]{1,4})$")
_HAS_DIGIT = re.compile(r"[A-Z]\d|\d{1,2}$")
_RANGE = re.compile(r"\s*\([A-Z][0-9A-Z]{2}(?:-[A-Z][0-9A-Z]{2})?\)$")
_CODE = re.compile(r"\b[A-Z]\d[0-9A-Z](?:\.[0-9A-Z-]+|\b)")
_NOT_NAMES = ("any ", "the following", "conditions ", "condition ", "codes ", "one of the following")


@dataclass(frozen=True, slots=True)
class _Listed:
    """What a list says of a code; the titles are empty where it has none."""

    billable: bool | None = None
    short: str = ""
    long: str = ""


@dataclass(frozen=True, slots=True)
class _Base:
    """A code of the XML, as its extended codes need it: title, and 7th character to meaning."""

    title: str
    extensions: Mapping[str, str]


def is_icd10cm(head: str) -> bool:
    """Whether the beginning of a file is the tabular XML, an order file, or a list of codes."""
    return _is_tabular(head) or _is_list(head)


def _is_tabular(head: str) -> bool:
    return "<ICD10CM.tabular" in head


def _is_list(head: str) -> bool:
    lines = [line.strip() for line in head.split("\n")[:20]]
    whole = [line for line in lines[:-1] or lines if line]
    return bool(whole) and all(_ORDER_LINE.match(t) or (_LIST_LINE.match(t) and _HAS_DIGIT.match(t)) for t in whole)


def read_icd10cm(sources: Sequence[Source], reading: Reading) -> Iterator[Concept]:
    """The concepts of a tabular XML, then those of the codes that only the list has.

    Raises:
        FormatError: no tabular XML among the files, or one that is not well-formed.
    """
    tabular = [source for source in sources if _is_tabular(source.head())]
    lists = [source for source in sources if source not in tabular]
    if not tabular:
        mend = "Give the tabular XML too (icd10cm_tabular_YEAR.xml): the list alone has no hierarchy"
        reading.fail(sources[0], None, "a list of ICD-10-CM codes without the tabular XML", mend)
    reading.describe(name="icd10cm", title="ICD-10-CM", licence="public domain (CDC/NCHS)")
    listed: dict[str, _Listed] = {}
    lines: list[tuple[Source, int, str]] = []
    for source in lists:
        _read_list(source, reading, listed, lines)
    bases: dict[str, _Base] = {}
    for source in tabular:
        for concept in _Tabular(source, reading, listed, bases).concepts():
            reading.counts.keep()
            yield concept
    yield from _extended(lines, reading, listed, bases)


def _read_list(
    source: Source, reading: Reading, listed: dict[str, _Listed], lines: list[tuple[Source, int, str]]
) -> None:
    """Fills ``listed`` by undotted code, and ``lines`` with every code in the order of the file."""
    for number, text in enumerate(source.lines(), start=1):
        line = text.rstrip()
        if not line:
            continue
        order = _ORDER_LINE.match(line)
        if order:
            code, short, long = order[1], order[3].strip(), (order[4] or "").strip()
            listed[code] = _Listed(order[2] == "1", short, long or short)
        elif _LIST_LINE.match(line):
            code = line.replace(".", "")
            listed.setdefault(code, _Listed())
        else:
            reading.malformed(source, number, "neither a line of the order file nor a code", line)
            continue
        lines.append((source, number, code))


class _Tabular:
    """One pass over a tabular XML, a chapter in memory at a time."""

    def __init__(self, source: Source, reading: Reading, listed: dict[str, _Listed], bases: dict[str, _Base]) -> None:
        self._source = source
        self._reading = reading
        self._listed = listed
        self._bases = bases
        self._seen: set[str] = set()

    def concepts(self) -> Iterator[Concept]:
        """Chapters, blocks and codes in the order of the file, parents first."""
        for element in iter_elements(self._source, self._reading, ("version", "chapter")):
            if element.tag == "version":
                self._reading.describe(version=plain_text(element))
            else:
                yield from self._subtree(element, None, {})

    def _subtree(self, element: etree._Element, parent: str | None, extensions: Mapping[str, str]) -> Iterator[Concept]:
        """The concept of a chapter, section or diag, and those below it; ``extensions`` are inherited."""
        code = element.get("id", "") if element.tag == "section" else plain_text(element.find("name"))
        title = plain_text(element.find("desc"))
        if element.tag == "section" and "-" not in code and code:
            code = f"{code}-{code}"
        line = getattr(element, "sourceline", None)
        if not code or not title:
            self._reading.malformed(self._source, line, f"a {element.tag} without a code or a title", code or title)
        elif code in self._seen:
            self._reading.malformed(self._source, line, f"duplicate code {code}", title)
        else:
            self._seen.add(code)
            own = element.find("sevenChrDef")
            extensions = extensions if own is None else _extensions(own)
            concept = self._concept(element, code, title, parent)
            self._bases[code.replace(".", "")] = _Base(title, extensions)
            yield concept
            parent = concept.id
        for child in element.iterchildren("section", "diag"):
            yield from self._subtree(child, parent, extensions)

    def _concept(self, element: etree._Element, code: str, title: str, parent: str | None) -> Concept:
        bare = code.replace(".", "")
        listed = self._listed.get(bare, _Listed()) if element.tag == "diag" else _Listed()
        if element.tag != "diag":
            title = _RANGE.sub("", title)
        terms = [Term(listed.long or title, "preferred")]
        if title != terms[0].text:
            terms.append(Term(title, source="desc"))
        if listed.short not in ("", listed.long):
            self._reading.counts.skip_term(SHORT_TITLE)
        residual = title.lower().startswith("other ")
        terms.extend(self._notes(element, "inclusionTerm", "narrow" if residual else "exact"))
        terms.extend(self._notes(element, "includes", "narrow"))
        level = {"chapter": "chapter", "section": "block"}.get(str(element.tag))
        return Concept(
            id=f"{PREFIX}:{code}",
            terms=tuple(terms),
            parents=(parent,) if parent else (),
            tags=_tags(level or ("category" if len(bare) == 3 else "subcategory"), listed.billable),
            alternative_ids=(f"{PREFIX}:{bare}",) if bare != code else (),
        )

    def _notes(self, element: etree._Element, tag: str, scope: Scope) -> Iterator[Term]:
        """The notes under ``tag`` that are names; those that send the coder elsewhere are counted and left out.

        Inclusion terms mean the code's own condition, but under an "other" code they list conditions it gathers; so do
        ``includes`` notes everywhere (ICD-10-CM Official Guidelines, sections I.A.10 and I.A.11).
        """
        for group in element.iterchildren(tag):
            for note in group.iterchildren("note"):
                text = plain_text(note)
                if not text:
                    continue
                if _CODE.search(text) or text.endswith(":") or text.lower().startswith(_NOT_NAMES):
                    self._reading.counts.skip_term(NOT_A_NAME)
                else:
                    yield Term(text, "entry", scope, source=tag)


def _extended(
    lines: Sequence[tuple[Source, int, str]],
    reading: Reading,
    listed: Mapping[str, _Listed],
    bases: Mapping[str, _Base],
) -> Iterator[Concept]:
    """The concepts of the codes that the lists have and the XML has not, each under its longest base code."""
    seen: set[str] = set()
    for source, number, code in lines:
        if code in bases or f"{code}-{code}" in bases:
            reading.counts.skip(IN_XML)
            continue
        stem = next((code[:n] for n in range(len(code) - 1, 2, -1) if code[:n] in bases), "")
        meaning = bases[stem].extensions.get(code[-1], "") if stem and len(code) == 7 else ""
        computed = f"{bases[stem].title}, {meaning}" if meaning else ""
        entry = listed[code]
        title = entry.long or computed
        if code in seen:
            reading.malformed(source, number, f"duplicate code {code}", code)
        elif not stem or not title:
            reading.malformed(source, number, "a code that the tabular XML does not explain", code)
        else:
            seen.add(code)
            reading.counts.keep()
            if entry.short not in ("", title):
                reading.counts.skip_term(SHORT_TITLE)
            yield Concept(
                id=f"{PREFIX}:{dotted(code)}",
                terms=(Term(title, "preferred"),),
                parents=(f"{PREFIX}:{dotted(stem)}",),
                tags=_tags("extended", entry.billable),
                alternative_ids=(f"{PREFIX}:{code}",),
            )


def dotted(code: str) -> str:
    """The code with its dot: ``S0003XA`` gives ``S00.03XA``."""
    return f"{code[:3]}.{code[3:]}" if len(code) > 3 and "." not in code else code


def _tags(level: str, billable: bool | None) -> tuple[str, ...]:
    return (level, "billable") if billable else (level,)


def _extensions(definition: etree._Element) -> dict[str, str]:
    """7th character to its meaning; a ``note`` continues the extension before it."""
    meanings: dict[str, str] = {}
    last = ""
    for child in definition.iterchildren("extension", "note"):
        if child.tag == "extension":
            last = child.get("char", "")
            meanings[last] = plain_text(child)
        elif last:
            meanings[last] = f"{meanings[last]} {plain_text(child)}".strip()
    return meanings
