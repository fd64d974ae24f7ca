"""Reader of ClaML 2 and 3 (EN 14463, EN ISO 13120): ICD-10 of WHO and of its members, ICF, OPS, ICPC.

A Class is a row, and so is a ModifierClass, whose characters make further codes of the classes that have the modifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from lxml import etree

from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of, whole_text
from ontonym.ontology.icd.clamlcodes import MAX_MADE, Label, MadeCode, Modifiers, children, labels, tag
from ontonym.ontology.icd.notes import NOT_A_NAME, Codebook
from ontonym.ontology.icd.titles import continues, is_residual, with_full_titles
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Concept, Kind, Property, Relation, Scope, Term

MODIFIER = "character of a modifier, written out with every code that has it"

_ROOT = re.compile(r"<(?:[\w.-]+:)?ClaML[\s>]")
_TITLES = ("preferredLong", "preferred")
_NAMES: MappingProxyType[str, Kind] = MappingProxyType(
    {
        "inclusion": "entry", "index": "entry", "synonym": "synonym", "shortTitle": "synonym",
        "abbreviation": "abbreviation",
    }
)  # fmt: skip
_PREFIXES = tuple(
    (re.compile(pattern, re.IGNORECASE), prefix)
    for pattern, prefix in (
        (r"icd[\s._-]*10[\s._-]*gm", "ICD10GM"),
        (r"icd[\s._-]*10[\s._-]*am", "ICD10AM"),
        (r"icd[\s._-]*10[\s._-]*ca", "ICD10CA"),
        (r"icd[\s._-]*10[\s._-]*cm", "ICD10CM"),
        (r"(?:icd|cim|cie|mkn|mkb|bnf)[\s._-]*10", "ICD10"),
        (r"diseases.*10th revision", "ICD10"),
        (r"icd[\s._-]*11", "ICD11"),
        (r"icd[\s._-]*9[\s._-]*cm", "ICD9CM"),
        (r"icd[\s._-]*9", "ICD9"),
        (r"icd[\s._-]*o", "ICDO"),
        (r"\bicf\b|functioning, disability", "ICF"),
        (r"\bops\b|operationen- und proz", "OPS"),
        (r"icpc[\s._-]*2", "ICPC2"),
        (r"icpc[\s._-]*3", "ICPC3"),
        (r"icpc", "ICPC"),
        (r"\bichi\b", "ICHI"),
        (r"\batc\b", "ATC"),
    )
)
"""Words in a classification's identifiers and title, and the prefix of its codes; the first that fits."""


def is_claml(head: str) -> bool:
    """Whether the beginning of a file is that of a ClaML file."""
    return bool(_ROOT.search(head))


def read_claml(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of the classes, each followed by those made by its modifiers.

    Raises:
        FormatError: not well-formed XML, or no Class in it.
    """
    release = _Release(log)
    for source in sources:
        release.learn(source)
    concepts = release.concepts(sources)
    return with_full_titles(concepts) if log.options.full_titles else concepts


@dataclass(slots=True)
class _Release:
    """Facts about all classes that each class needs, read in a first pass."""

    log: ReleaseLog
    prefix: str = ""
    language: str = "en"
    modifiers: Modifiers = field(default_factory=Modifiers)
    codes: Codebook = field(default_factory=Codebook)
    seen: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)

    def learn(self, source: Source) -> None:
        """Reads the head of a file, its tree and its modifiers."""
        listed: list[str] = []
        for element in iter_elements(source, ("{*}Title", "{*}Identifier", "{*}Meta", "{*}ModifierClass", "{*}Class")):
            above = element.getparent()
            name = tag(element)
            if name == "Class":
                code = element.get("code", "")
                self.modifiers.learn_class(element, code)
                listed.append(code)
            elif name == "ModifierClass":
                self.modifiers.learn_character(element, self.language)
                self.log.counts.skip(MODIFIER)
            elif above is not None and above.getparent() is None:
                self._learn_head(name, element, above)
        self.prefix = self.log.options.prefix or self.prefix or _prefix(self.words)
        self.log.describe(name=self.prefix.lower())
        for code in listed:
            self.codes.add(code, f"{self.prefix}:{code}")
        for code in listed:
            if self.modifiers.count(code) <= MAX_MADE:
                for made in self.modifiers.made(code):
                    self.codes.add(made.code, f"{self.prefix}:{made.code}")

    def _learn_head(self, name: str, element: etree._Element, root: etree._Element) -> None:
        self.log.details.setdefault("ClaML", root.get("version", ""))
        if name == "Identifier":
            self.words.append(element.get("uid", ""))
            identifier = f"{element.get('authority', '')} {element.get('uid', '')}".strip()
            self.log.details.setdefault("identifiers", []).append(identifier)
        elif name == "Title":
            title = whole_text(element)
            self.words.extend((element.get("name", ""), title))
            version = element.get("version", "") or element.get("date", "")
            self.log.describe(title=title or element.get("name", ""), version=version)
        elif element.get("name") == "lang":
            self.language = element.get("value", "") or self.language
        elif element.get("name", "").lower() in ("copyright", "license", "licence"):
            self.log.describe(licence=element.get("value", ""))

    def concepts(self, sources: Iterable[Source]) -> Iterator[Concept]:
        """The classes in the order of the files; the codes made by modifiers come right after each."""
        counts = self.log.counts
        number = 0
        for source in sources:
            for element in iter_elements(source, ("{*}Class",)):
                code = element.get("code", "")
                line = line_of(element)
                own = list(labels(element, self.language))
                titles = _titles(own)
                if not code or not titles:
                    problem = "a Class without a code or a preferred title"
                    self.log.malformed(source, line, problem, code or whole_text(element))
                elif code in self.seen:
                    self.log.malformed(source, line, f"duplicate code {code}", titles[0].name)
                elif (size := self.modifiers.count(code)) > MAX_MADE:
                    problem = f"its modifiers make {size:,} codes of it, more than {MAX_MADE:,}"
                    self.log.malformed(source, line, problem, code)
                else:
                    self.seen.add(code)
                    counts.keep()
                    concept = self._concept(element, code, own, titles)
                    yield concept
                    for made in self._made(concept, code):
                        number += 1
                        yield made
        if number:
            self.log.details["codes made by modifiers"] = number
        if self.codes.unknown:
            self.log.details["codes cited that are not in the release"] = self.codes.unknown

    def _concept(self, element: etree._Element, code: str, own: list[Label], titles: list[Label]) -> Concept:
        """The concept of a class element; ``own`` are its labels, ``titles`` those that name it."""
        kind = element.get("kind", "")
        narrow = kind in ("chapter", "block") or is_residual(titles[0].name)
        terms, definitions, properties = self._label_facts(own, titles, narrow)
        usage = element.get("usage", "")
        metas = ((meta.get("name", ""), meta.get("value", "")) for meta in children(element, "Meta"))
        parent = self.modifiers.parents.get(code, "")
        further = [sup.get("code", "") for sup in children(element, "SuperClass")]
        return Concept(
            id=f"{self.prefix}:{code}",
            terms=tuple(terms),
            parents=tuple(f"{self.prefix}:{p}" for p in dict.fromkeys((parent, *further)) if p),
            relations=self._relations(own, code),
            definitions=tuple(definitions),
            tags=(kind,) if kind else (),
            alternative_ids=self._undotted(code),
            properties=(
                *((Property("usage", usage),) if usage else ()),
                *properties,
                *(Property(name, value) for name, value in metas if name and value),
            ),
        )

    def _label_facts(
        self, own: Iterable[Label], titles: list[Label], narrow: bool
    ) -> tuple[list[Term], list[str], list[Property]]:
        """The names, definitions and other notes of a class's labels."""
        terms = [Term(label.name, "preferred", language=label.language) for label in titles]
        definitions: list[str] = []
        properties: list[Property] = []
        for label in own:
            kind = _NAMES.get(label.kind)
            if label in titles or not label.text:
                continue
            if label.kind in _TITLES:
                terms.append(Term(label.name, language=label.language, source=label.kind))
            elif kind and label.name and not label.name.endswith(":"):
                scope: Scope = "narrow" if narrow and kind == "entry" else "exact"
                terms.append(Term(label.name, kind, scope, label.language, source=label.kind))
            elif label.kind == "definition":
                definitions.append(label.text)
            else:
                if kind:
                    self.log.counts.skip_term(NOT_A_NAME)
                properties.append(Property(label.kind, label.text))
        return terms, definitions, properties

    def _relations(self, own: Iterable[Label], code: str) -> tuple[Relation, ...]:
        """The codes that the labels cite: by the rubric's kind, or "dagger" and "aster" where a name cites its pair.

        ICD-10 gives the second code of an etiology and manifestation pair in brackets after the name.
        """
        found: dict[Relation, None] = {}
        for label in own:
            is_name = label.kind in _TITLES or label.kind in _NAMES
            for reference in label.references:
                if reference.foreign or reference.code in self.modifiers.classes:
                    continue
                target = self.codes.find(reference.code)
                if target is None:
                    self.codes.unknown += 1
                elif target != f"{self.prefix}:{code}":
                    found[Relation(reference.usage if is_name and reference.usage else label.kind, target)] = None
        return tuple(found)

    def _made(self, base: Concept, code: str) -> Iterator[Concept]:
        """The concepts made by the modifiers of a class, titled as by WHO: "…with coma", "…: acute"."""
        known: dict[str, tuple[Term, ...]] = {code: tuple(t for t in base.terms if t.kind == "preferred")}
        for made in self.modifiers.made(code):
            if made.code in self.seen:
                continue
            self.seen.add(made.code)
            concept = self._modified(base, made, known[made.parent])
            known[made.code] = tuple(term for term in concept.terms if term.kind == "preferred")
            yield concept

    def _modified(self, base: Concept, made: MadeCode, above: tuple[Term, ...]) -> Concept:
        """The concept of a code made by modifiers, whose last character adds to the names ``above``."""
        character = made.by[-1]
        titles = _titles(character.labels)
        by_language = {label.language: label.name for label in reversed(titles)}
        spare = titles[0].name if titles else character.code
        names = [
            replace(term, text=_composed(term.text, by_language.get(term.language, spare), term.language))
            for term in above
        ]
        further, definitions, properties = self._label_facts(character.labels, titles, narrow=True)
        usage = character.usage or next((p.value for p in base.properties if p.name == "usage"), "")
        return Concept(
            id=f"{self.prefix}:{made.code}",
            terms=(*names, *(term for term in further if term.kind != "preferred")),
            parents=(f"{self.prefix}:{made.parent}",),
            relations=self._relations(character.labels, made.code),
            definitions=tuple(definitions),
            tags=base.tags,
            alternative_ids=self._undotted(made.code),
            properties=(
                *((Property("usage", usage),) if usage else ()),
                *(Property("modifier", f"{one.modifier} {one.code}") for one in made.by),
                *properties,
            ),
        )

    def _undotted(self, code: str) -> tuple[str, ...]:
        return (f"{self.prefix}:{code.replace('.', '')}",) if "." in code else ()


def _titles(own: Iterable[Label]) -> list[Label]:
    """The label that is the preferred term of each language: the long title, understood alone, where there is one."""
    found: dict[str, Label] = {}
    for kind in reversed(_TITLES):
        taken: set[str] = set()
        for label in own:
            if label.kind == kind and label.name and label.language not in taken:
                taken.add(label.language)
                found[label.language] = label
    return list(found.values())


def _composed(title: str, label: str, language: str) -> str:
    return f"{title} {label[0].lower()}{label[1:]}" if continues(label, language) else f"{title}: {label}"


def _prefix(words: Iterable[str]) -> str:
    """The prefix for the identifiers and titles of a classification; its name in capitals where none is known."""
    texts = [text for text in words if text]
    for text in texts:
        for pattern, prefix in _PREFIXES:
            if pattern.search(text):
                return prefix
    named = (re.sub(r"[^A-Z0-9]", "", text.upper())[:16] for text in texts)
    return next((name for name in named if name), "CLAML")
