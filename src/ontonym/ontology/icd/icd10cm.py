"""Reader of ICD-10-CM as CMS and CDC publish it: the tabular XML, with the order file or a plain list of codes.

The XML has chapters, blocks and base codes with their inclusion terms and notes. Codes with a 7th character stand only
in the lists; their titles come from the order file, or from the base code's title and the meaning of the character.
The alphabetic indexes, where given, add names. An element, a list line or an index term is a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of, plain_text, spaced_text
from ontonym.ontology.icd.index import AlphabeticIndex, is_index, read_index
from ontonym.ontology.icd.notes import NOT_A_NAME, Codebook, note_properties, note_relations
from ontonym.ontology.icd.titles import with_full_titles
from ontonym.ontology.options import REPEATED
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Concept, Property, Relation, Scope, Term

PREFIX = "ICD10CM"
IN_XML = "list line of a code in the tabular XML"
SHORT_TITLE = "shortened title where the long one is taken"
IN_OTHER_LIST = "list line of a code in another list"
SEVENTH = "seventh character"
NOTES = (
    "notes", "includes", "inclusionTerm", "excludes1", "excludes2", "codeFirst", "useAdditionalCode", "codeAlso",
    "sevenChrNote", "visualImpairment",
)  # fmt: skip
"""Elements of notes; those of ``includes`` and ``inclusionTerm`` that are names become terms, all others properties."""

_ORDER_LINE = re.compile(r"\d{5} ([A-Z][0-9A-Z]{2,6}) +([01]) (.{1,60})(?: (.*))?$")
_CODES_LINE = re.compile(r"(?=.{8}\S)([A-Z]\d[0-9A-Z]{1,5}) +(\S.*)$")
_LIST_LINE = re.compile(r"(?:\d{1,2}|[A-Z][0-9A-Z]{2}(?:-[A-Z][0-9A-Z]{2})?|[A-Z][0-9A-Z]{2}\.?[0-9A-Z]{1,4})$")
_HAS_DIGIT = re.compile(r"[A-Z]\d|\d{1,2}$")
_RANGE = re.compile(r"\s*\(([A-Z][0-9A-Z]{2}(?:-[A-Z][0-9A-Z]{2})?)\)$")
_CODE = re.compile(r"\b[A-Z]\d[0-9A-Z](?:\.[0-9A-Z-]+|\b)")
_OTHER = re.compile(r"\bother\b", re.IGNORECASE)
_NOT_NAMES = ("any ", "the following", "conditions ", "condition ", "codes ", "one of the following")


@dataclass(frozen=True, slots=True)
class _Listed:
    """The facts about a code in a list; missing titles are empty."""

    billable: bool | None = None
    short: str = ""
    long: str = ""


@dataclass(frozen=True, slots=True)
class _Base:
    """The facts about an XML code for its extended codes: title, and the meaning of each 7th character."""

    title: str
    extensions: Mapping[str, str]


@dataclass(slots=True)
class _Release:
    """The facts that one file of the release needs from the others."""

    log: ReleaseLog
    listed: dict[str, _Listed] = field(default_factory=dict)
    lines: list[tuple[Source, int, str]] = field(default_factory=list)
    codes: Codebook = field(default_factory=Codebook)
    index: AlphabeticIndex = field(default_factory=AlphabeticIndex)
    bases: dict[str, _Base] = field(default_factory=dict)


def is_icd10cm(head: str) -> bool:
    """Whether the beginning of a file is the tabular XML, an index, an order file, or a list of codes."""
    return _is_tabular(head) or is_index(head) or _is_list(head)


def _is_tabular(head: str) -> bool:
    return "<ICD10CM.tabular" in head


def _is_list(head: str) -> bool:
    lines = [line.strip() for line in head.split("\n")[:20]]
    whole = [line for line in lines[:-1] or lines if line]
    described = (_ORDER_LINE, _CODES_LINE)
    return bool(whole) and (
        any(all(shape.match(text) for text in whole) for shape in described)
        or all(_LIST_LINE.match(text) and _HAS_DIGIT.match(text) for text in whole)
    )


def read_icd10cm(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of a tabular XML, then those of the codes that only the list has.

    Raises:
        FormatError: no tabular XML among the files, or one that is not well-formed.
    """
    heads = {source: source.head() for source in sources}
    tabular = [source for source in sources if _is_tabular(heads[source])]
    indexes = [source for source in sources if is_index(heads[source])]
    lists = [source for source in sources if source not in tabular and source not in indexes]
    if not tabular:
        what = "an alphabetic index" if indexes else "a list of ICD-10-CM codes"
        hint = "Give the tabular XML too (icd10cm_tabular_YEAR.xml): only it has the hierarchy"
        sources[0].fail(None, f"{what} without the tabular XML", hint)
    log.describe(name="icd10cm", title="ICD-10-CM", licence="public domain (CDC/NCHS)")
    concepts = _concepts(tabular, lists, indexes, log)
    return with_full_titles(concepts) if log.options.full_titles else concepts


def _concepts(
    tabular: Sequence[Source], lists: Sequence[Source], indexes: Sequence[Source], log: ReleaseLog
) -> Iterator[Concept]:
    """The concepts of the tabular XML, then of the lists; all codes are learned before the notes that cite them."""
    release = _Release(log)
    for source in lists:
        _read_list(source, log, release.listed, release.lines)
    for source in tabular:
        _learn_codes(source, release.codes)
    for _, _, code in release.lines:
        if len(code) > 2:
            release.codes.add(code, f"{PREFIX}:{dotted(code)}")
    release.index = read_index(indexes, log, release.codes)
    for source in tabular:
        for concept in _Tabular(source, release).concepts():
            log.counts.keep()
            yield concept
    yield from _extended(release)
    if release.codes.unknown:
        log.details["codes cited that are not in the release"] = release.codes.unknown


def _learn_codes(source: Source, codes: Codebook) -> None:
    """Reads every chapter, block and code of the XML before the notes that cite them."""
    for chapter in iter_elements(source, ("chapter",)):
        name, title = plain_text(chapter.find("name")), plain_text(chapter.find("desc"))
        for section in chapter.iter("section"):
            block = _section_code(section)
            codes.add(block, f"{PREFIX}:{block}")
        for diag in chapter.iter("diag"):
            code = plain_text(diag.find("name"))
            codes.add(code, f"{PREFIX}:{code}")
        extent = _RANGE.search(title)
        if name and extent:
            codes.add(extent[1], f"{PREFIX}:{name}")


def _read_list(
    source: Source, log: ReleaseLog, listed: dict[str, _Listed], lines: list[tuple[Source, int, str]]
) -> None:
    """Fills ``listed`` by undotted code, and ``lines`` with every code in the order of the file; order files win."""
    for number, text in enumerate(source.lines(), start=1):
        line = text.rstrip()
        if not line:
            continue
        order = _ORDER_LINE.match(line)
        if order:
            code, short, long = order[1], order[3].strip(), (order[4] or "").strip()
            listed[code] = _Listed(order[2] == "1", short, long or short)
        elif described := _CODES_LINE.match(line):
            code = described[1]
            listed.setdefault(code, _Listed(True, long=described[2]))
        elif _LIST_LINE.match(line):
            code = line.replace(".", "")
            listed.setdefault(code, _Listed())
        else:
            log.malformed(source, number, "neither a line of the order file nor a code", line)
            continue
        lines.append((source, number, code))


class _Tabular:
    """One pass over a tabular XML, a chapter in memory at a time."""

    def __init__(self, source: Source, release: _Release) -> None:
        self._source = source
        self._release = release
        self._log = release.log
        self._seen: set[str] = set()

    def concepts(self) -> Iterator[Concept]:
        """Chapters, blocks and codes in the order of the file, parents first."""
        for element in iter_elements(self._source, ("version", "chapter")):
            if element.tag == "version":
                self._log.describe(version=plain_text(element))
            else:
                yield from self._subtree(element, None, {})

    def _subtree(self, element: etree._Element, parent: str | None, extensions: Mapping[str, str]) -> Iterator[Concept]:
        """The concept of a chapter, section or diag, and those below it; ``extensions`` are inherited."""
        code = _section_code(element) if element.tag == "section" else plain_text(element.find("name"))
        title = plain_text(element.find("desc"))
        line = line_of(element)
        if not code or not title:
            self._log.malformed(self._source, line, f"a {element.tag} without a code or a title", code or title)
        elif code in self._seen:
            self._log.malformed(self._source, line, f"duplicate code {code}", title)
        else:
            self._seen.add(code)
            own = element.find("sevenChrDef")
            extensions = extensions if own is None else _extensions(own)
            concept = self._concept(element, code, title, parent)
            self._release.bases[code.replace(".", "")] = _Base(title, extensions)
            yield concept
            parent = concept.id
        for child in element.iterchildren("section", "diag"):
            yield from self._subtree(child, parent, extensions)

    def _concept(self, element: etree._Element, code: str, title: str, parent: str | None) -> Concept:
        """The concept of an element; the long title of the order file, where there is one, is its preferred term."""
        bare = code.replace(".", "")
        listed = self._release.listed.get(bare, _Listed()) if element.tag == "diag" else _Listed()
        if element.tag != "diag":
            title = _RANGE.sub("", title)
        terms = [Term(listed.long or title, "preferred")]
        if title != terms[0].text:
            terms.append(Term(title, source="desc"))
        if listed.short not in ("", listed.long):
            self._log.counts.skip_term(SHORT_TITLE)
        residual = title.lower().startswith("other ")
        terms.extend(self._notes(element, "inclusionTerm", "narrow" if residual else "exact"))
        terms.extend(self._notes(element, "includes", "narrow"))
        level = {"chapter": "chapter", "section": "block"}.get(str(element.tag))
        concept = Concept(
            id=f"{PREFIX}:{code}",
            terms=tuple(terms),
            parents=(parent,) if parent else (),
            tags=_tags(level or ("category" if len(bare) == 3 else "subcategory"), listed.billable),
            alternative_ids=(f"{PREFIX}:{bare}",) if bare != code else (),
        )
        return _indexed(self._annotated(concept, element), self._release)

    def _annotated(self, concept: Concept, element: etree._Element) -> Concept:
        """The concept with its notes, the codes they cite, and the 7th characters defined on it."""
        names = {(term.source, term.text) for term in concept.terms}
        notes = [note for note in _all_notes(element) if note not in names]
        properties = list(note_properties(notes))
        own = element.find("sevenChrDef")
        if own is not None:
            properties.extend(Property(SEVENTH, f"{char}: {text}") for char, text in _extensions(own).items())
        if element.get("placeholder"):
            properties.append(Property("placeholder", element.get("placeholder", "")))
        relations = note_relations(notes, self._release.codes, concept.id)
        return replace(concept, properties=tuple(properties), relations=relations)

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
                    self._log.counts.skip_term(NOT_A_NAME)
                else:
                    yield Term(text, "entry", scope, source=tag)


def _all_notes(element: etree._Element) -> Iterator[tuple[str, str]]:
    """Kind and text of every note of the element itself, in the order of the file."""
    for group in element.iterchildren(*NOTES):
        for note in group.iterchildren():
            yield str(group.tag), spaced_text(note)


def _indexed(concept: Concept, release: _Release) -> Concept:
    """The concept with the names and relations that the alphabetic indexes give it."""
    names = release.index.names.get(concept.id, {})
    relations = release.index.relations.get(concept.id, {})
    if not names and not relations:
        return concept
    scope: Scope = "narrow" if _OTHER.search(concept.preferred) else "exact"
    known = {term.text.casefold() for term in concept.terms}
    terms = []
    for text, source in names.items():
        if text.casefold() in known:
            release.log.counts.skip_term(REPEATED)
        else:
            terms.append(Term(text, "entry", scope, source=source))
    also = tuple(Property("seeAlso", words) for words in release.index.see_also.get(concept.id, {}))
    stated: dict[Relation, None] = dict.fromkeys((*concept.relations, *relations))
    return replace(
        concept,
        terms=(*concept.terms, *terms),
        relations=tuple(stated),
        properties=(*concept.properties, *also),
    )


def _extended(release: _Release) -> Iterator[Concept]:
    """The concepts of the codes that the lists have and the XML has not, each under its longest base code."""
    seen: dict[str, Source] = {}
    log, bases = release.log, release.bases
    for source, number, code in release.lines:
        if code in bases or f"{code}-{code}" in bases:
            log.counts.skip(IN_XML)
            continue
        stem = next((code[:n] for n in range(len(code) - 1, 2, -1) if code[:n] in bases), "")
        meaning = bases[stem].extensions.get(code[-1], "") if stem and len(code) == 7 else ""
        computed = f"{bases[stem].title}, {meaning}" if meaning else ""
        entry = release.listed[code]
        title = entry.long or computed
        if seen.get(code, source) is not source:
            log.counts.skip(IN_OTHER_LIST)
        elif code in seen:
            log.malformed(source, number, f"duplicate code {code}", code)
        elif not stem or not title:
            log.malformed(source, number, "a code that the tabular XML does not explain", code)
        else:
            seen[code] = source
            log.counts.keep()
            if entry.short not in ("", title):
                log.counts.skip_term(SHORT_TITLE)
            concept = Concept(
                id=f"{PREFIX}:{dotted(code)}",
                terms=(Term(title, "preferred"),),
                parents=(f"{PREFIX}:{dotted(stem)}",),
                tags=_tags("extended", entry.billable),
                alternative_ids=(f"{PREFIX}:{code}",),
                properties=(Property(SEVENTH, f"{code[-1]}: {meaning}"),) if meaning else (),
            )
            yield _indexed(concept, release)


def _section_code(section: etree._Element) -> str:
    """The range of a block; one of a single category is written as a range too, to differ from the category."""
    code = section.get("id", "")
    return f"{code}-{code}" if code and "-" not in code else code


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
