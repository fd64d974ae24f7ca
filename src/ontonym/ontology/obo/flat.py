"""Reader of the OBO flat file format 1.2 and 1.4 (https://owlcollab.github.io/oboformat/doc/obo-syntax.html).

A stanza is a row. Term stanzas become concepts; a broken one is counted with the line at fault and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ontonym.files.counts import BadRow
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog, published_alias
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Kind, Property, Relation, Scope, Status, Term
from ontonym.types import Mapping as ConceptMapping

SYNONYM_SCOPES = MappingProxyType[str, Scope](
    {
        "hasExactSynonym": "exact",
        "hasNarrowSynonym": "narrow",
        "hasBroadSynonym": "broad",
        "hasRelatedSynonym": "related",
    }
)
"""Local names of OBO's annotation properties for synonyms (``oboInOwl``), to the scope."""

SYNONYM_KINDS = MappingProxyType[str, Kind](
    {
        "layperson": "lay", "layperson term": "lay", "layperson synonym": "lay", "omo:0003003": "lay",
        "consumer": "lay", "abbreviation": "abbreviation", "acronym": "abbreviation", "initialism": "abbreviation",
        "omo:0003000": "abbreviation", "omo:0003012": "abbreviation",
    }
)  # fmt: skip
"""Synonym type (id or label, lower case) to the kind of term; all others are plain synonyms."""

RETIRED_TYPES = frozenset({"obsolete_synonym", "discarded/obsoleted synonym", "deprecated", "omo:0003008"})
"""Synonym types of names that the release keeps only for the record."""


MATCH = re.compile(
    r"(?:http://www\.w3\.org/2004/02/skos/core#|skos:)?((?:exact|close|broad|narrow|related)Match|mappingRelation)"
)
"""Annotation properties that map a concept; SKOS calls them so."""


def stated_mapping(concept_id: str, relation: str, target: str) -> ConceptMapping:
    """The mapping that an annotation states, whose property is one of SKOS."""
    return ConceptMapping(concept_id, f"skos:{relation}", curie(target), "semapv:UnspecifiedMatching")


def typed_synonym(text: str, scope: Scope, synonym_type: str, label: str = "") -> Term:
    """The synonym as a term, its type as published in ``source``; ``label`` says the type in words."""
    if not synonym_type:
        return Term(text, "synonym", scope)
    names = (synonym_type.lower(), label.lower())
    kind: Kind = next((SYNONYM_KINDS[name] for name in names if name in SYNONYM_KINDS), "synonym")
    status: Status = "retired" if any(name in RETIRED_TYPES for name in names) else "active"
    return Term(text, kind, scope, status=status, source=synonym_type)


_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*', re.DOTALL)
_MODIFIERS = re.compile(r'\s*\{\s*[\w:.\-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^{}",\s]+)[^{}]*\}\s*$')
_COMMENT = re.compile(r"(?<=\s)!(?:\s.*)?$")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_RELEASE = re.compile(r"(?:^|/)releases/([^/]+)")
_LICENCE = re.compile(r"licen[cs]e", re.IGNORECASE)
_ESCAPED = MappingProxyType({"n": "\n", "t": "\t", "W": " "})
_SCOPES = MappingProxyType[str, Scope](
    {"EXACT": "exact", "NARROW": "narrow", "BROAD": "broad", "RELATED": "related"},
)
_SKIPPED_STANZAS = MappingProxyType({"Typedef": "Typedef stanza", "Instance": "Instance stanza"})
MAX_STANZA = 64 << 20
"""Most bytes of a stanza, its lines counted with what each takes in memory."""
_LINE = 60
COMMENT = "comment"
"""The property with what the editors say of a concept; OWL's ``rdfs:comment`` has the same name."""
UNKNOWN_STANZA = "stanza of an unknown kind"
NAMELESS = "stanza without a name"


class _Broken(BadRow):
    """A stanza that cannot be read: why, and which of its lines is at fault (0 is its header)."""

    def __init__(self, problem: str, offset: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.offset = offset


def read_obo(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of OBO files; obsolete terms come as retired concepts with their replacements."""
    seen: set[str] = set()
    for source in sources:
        synonym_types: dict[str, str] = {}
        for kind, line, body in _stanzas(source):
            if not kind:
                synonym_types = _read_header(body, log)
                continue
            if kind in _SKIPPED_STANZAS:
                log.counts.skip(_SKIPPED_STANZAS[kind])
                continue
            if kind.isalnum() and kind != "Term":
                log.counts.skip(UNKNOWN_STANZA)
                continue
            stanza = _Stanza(log, synonym_types)
            try:
                if kind != "Term":
                    raise _Broken(f"broken stanza header {kind!r}")
                concept = stanza.read(body)
                if concept.id in seen:
                    raise _Broken(f"duplicate id {concept.id}")
            except _Broken as broken:
                excerpt = body[broken.offset] if broken.offset else next(iter(body.values()), "")
                lost = f" ({stanza.id} is left out)" if broken.offset and stanza.id else ""
                log.malformed(source, line + broken.offset, f"{broken.problem}{lost}", excerpt)
                continue
            if not concept.terms:
                log.counts.skip(NAMELESS)
                continue
            seen.add(concept.id)
            log.counts.keep()
            yield concept


def _stanzas(source: Source) -> Iterator[tuple[str, int, dict[int, str]]]:
    """Kind ("" for the file header), 1-based line of the stanza's own header, and the lines below it but blank ones.

    The lines are by their distance from the header; those continued by a backslash are joined on the first. A header
    that lacks its ``]`` comes back as kind with its bracket, which no valid kind has.
    """
    kind, start, body, size = "", 0, dict[int, str](), 0
    carried: list[str] = []
    for number, text in enumerate(source.lines(), start=1):
        if not carried and (not text or (text[0] == "!" and text[-1] != "\\")):
            continue
        size += len(text) + _LINE
        if size > MAX_STANZA:
            source.fail(number, f"a stanza of more than {MAX_STANZA:,} bytes", "Is it really an OBO file?")
        if text.endswith("\\") and (len(text) - len(text.rstrip("\\"))) % 2:
            carried.append(text[:-1])
            continue
        line = text
        if carried:
            line = "".join((*carried, text))
        elif line.startswith("["):
            yield kind, start, body
            header = line.partition("!")[0].strip()
            kind = header[1:-1] if header.endswith("]") and len(header) > 2 else header
            start, body, size = number, {}, 0
            continue
        if line:
            body[number - len(carried) - start] = line
        carried = []
    if line := "".join(carried):
        body[number - len(carried) + 1 - start] = line
    yield kind, start, body


def _read_header(body: Mapping[int, str], log: ReleaseLog) -> dict[str, str]:
    """Records the release's metadata in the file header; returns the labels of its synonym types."""
    synonym_types: dict[str, str] = {}
    date = ""
    for line in body.values():
        tag, _, value = line.partition(":")
        value = value.strip()
        if tag == "synonymtypedef":
            synonym_types |= synonym_type(value)
        elif tag == "ontology":
            log.describe(name=value.removesuffix(".obo").removesuffix(".owl").replace("/", "-"))
        elif tag == "data-version":
            log.describe(version=release_version(value))
        elif tag == "date":
            date = value
        elif tag == "remark" and _LICENCE.search(value):
            log.describe(licence=unescaped(value))
        elif tag == "property_value":
            name, _, rest = value.partition(" ")
            quoted = _QUOTED.match(rest)
            text = unescaped(quoted[1]) if quoted else rest.strip()
            if re.search(r"licen[cs]e$", name, re.IGNORECASE):
                log.facts["licence"] = text
            elif re.search(r"[:/]title$", name):
                log.describe(title=text)
            elif name.endswith("versionInfo"):
                log.describe(version=text)
    log.describe(version=date)
    return synonym_types


def synonym_type(value: str) -> dict[str, str]:
    """The label of a synonym type by its id, as a ``synonymtypedef`` defines it."""
    name, _, rest = value.partition(" ")
    label = _QUOTED.match(rest)
    return {name: label[1] if label else ""}


def release_version(text: str) -> str:
    """The version in a data-version or version IRI: ``hp/releases/2025-01-16`` gives ``2025-01-16``; else the text."""
    match = _RELEASE.search(text)
    return match[1] if match else text


class _Stanza:
    """One Term stanza being read: its lines fill the fields of a Concept."""

    def __init__(self, log: ReleaseLog, synonym_types: dict[str, str]) -> None:
        self._log = log
        self._synonym_types = synonym_types
        self.id = ""
        self.published = ""
        self.names: list[str] = []
        self.synonyms: list[Term] = []
        self.definitions: list[str] = []
        self.tags: list[str] = []
        self.relations: list[Relation] = []
        self.matches: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.obsolete = False
        self.ids: dict[str, list[str]] = {tag: [] for tag in ("is_a", "alt_id", "replaced_by", "consider", "xref")}

    def read(self, body: Mapping[int, str]) -> Concept:
        """The concept of the stanza's lines; raises ``_Broken`` with the offset of the line at fault."""
        for offset, line in body.items():
            if line[0] == "!" or line.isspace():
                continue
            tag, colon, value = line.partition(":")
            if not colon or not tag or " " in tag:
                raise _Broken("a line without a tag", offset)
            try:
                self._take(tag, value)
            except _Broken as broken:
                raise _Broken(f"{tag}: {broken.problem}", offset) from None
        if not self.id:
            raise _Broken("a stanza without an id")
        return self._concept()

    def _concept(self) -> Concept:
        """The concept of the lines taken so far."""
        names = [Term(name, "synonym" if i else "preferred") for i, name in enumerate(self.names)]
        ids = self.ids
        return Concept(
            id=self.id,
            terms=(*names, *self.synonyms),
            parents=tuple(ids["is_a"]),
            relations=tuple(self.relations),
            definitions=tuple(self.definitions),
            tags=tuple(self.tags),
            status="retired" if self.obsolete else "active",
            alternative_ids=(*published_alias(self.published, self.id), *ids["alt_id"]),
            replaced_by=tuple(ids["replaced_by"]),
            consider=tuple(ids["consider"]),
            xrefs=tuple(dict.fromkeys(ids["xref"])),
            properties=tuple(Property(COMMENT, text) for text in self.comments),
            mappings=tuple(dict.fromkeys(stated_mapping(self.id, *match) for match in self.matches)),
        )

    def _take(self, tag: str, value: str) -> None:
        """Takes in one line; logical definitions, who and when, and other tags that do not help to find are ignored."""
        match tag:
            case "id":
                if self.id:
                    raise _Broken("a second id in one stanza")
                self.published = _first_word(value)
                self.id = self._log.identifier(self.published)
            case "name" | "comment":
                texts = self.names if tag == "name" else self.comments
                texts += filter(None, [unescaped(_plain(value))])
            case "synonym" | "exact_synonym" | "narrow_synonym" | "broad_synonym" | "related_synonym":
                self._add_synonym(value, _SCOPES.get(tag.partition("_")[0].upper()))
            case "def":
                self.definitions.append(_quoted(value)[0])
            case "xref" | "xref_analog":
                self.ids["xref"].append(curie(_first_word(value)))
            case "is_a" | "alt_id" | "replaced_by" | "consider" | "use_term":
                self.ids["replaced_by" if tag == "use_term" else tag].append(self._log.identifier(_first_word(value)))
            case "relationship":
                words = _plain(value).split()
                if len(words) < 2:
                    raise _Broken("a relationship needs a predicate and a target")
                self.relations.append(Relation(words[0], self._log.identifier(unescaped(words[1]))))
            case "namespace" | "subset":
                self.tags.append(_first_word(value))
            case "property_value":
                self.matches += filter(None, [stated_match(value)])
            case "is_obsolete":
                self.obsolete = _first_word(value) == "true"

    def _add_synonym(self, value: str, scope: Scope | None) -> None:
        synonym = synonym_of(value, self._synonym_types, scope)
        if synonym.text:
            self.synonyms.append(synonym)
        else:
            self._log.counts.skip_term("empty name")


def synonym_of(value: str, labels: Mapping[str, str], scope: Scope | None = None) -> Term:
    """The synonym of a line: a quoted text, scope (related where neither tag nor line gives one), type, references.

    ``labels`` are those of the synonym types. The text may be empty.
    """
    text, rest = _quoted(value)
    words = rest.partition("[")[0].split()
    if scope is None:
        scope = _SCOPES.get(words[0], None) if words else None
        words = words[1:] if scope else words
    kind = words[0] if words else ""
    return typed_synonym(text, scope or "related", kind, labels.get(kind, ""))


def stated_match(value: str) -> tuple[str, str] | None:
    """The SKOS relation and the target of a ``property_value`` that maps the concept; None for any other."""
    name, _, rest = value.strip().partition(" ")
    match = MATCH.fullmatch(name)
    target = rest.lstrip()
    return (match[1], _quoted(target)[0] if target.startswith('"') else _first_word(target)) if match else None


def unquoted(text: str) -> str:
    """The text that OBO puts in quotes, with sources after it; any other text as it is."""
    match = _QUOTED.match(text)
    return unescaped(match[1]) if match else text


def _quoted(value: str) -> tuple[str, str]:
    """The quoted text that begins ``value``, unescaped, and what follows it."""
    match = _QUOTED.match(value)
    if match is None:
        raise _Broken("unterminated quote" if value.lstrip().startswith('"') else "expected a text in quotes")
    return unescaped(match[1]).strip(), value[match.end() :]


def _plain(value: str) -> str:
    """An unquoted value without its comment and trailing modifiers."""
    if "!" in value:
        value = _COMMENT.sub("", value)
    if "}" in value:
        value = _MODIFIERS.sub("", value)
    return value.strip()


def _first_word(value: str) -> str:
    """The id that begins ``value``."""
    words = value.split(None, 1)
    if not words or words[0].startswith("!"):
        raise _Broken("an empty value")
    return unescaped(words[0])


def unescaped(text: str) -> str:
    """The text with OBO's backslash escapes resolved."""
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), text) if "\\" in text else text
