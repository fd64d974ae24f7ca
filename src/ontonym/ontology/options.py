"""What to read of a release: the options, and the names that they select."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.types import LONGEST_TEXT, Term

REPEATED = "repeated name"
TOO_LONG = f"longer than {LONGEST_TEXT:,} characters"
OTHER_LANGUAGE = "language not asked for"
OTHER_SOURCE = "source not asked for"
OTHER_TAG = "tag not asked for"

ALL = "all"
"""Instead of a language or prefix: all, even if a reader takes fewer by default."""

NORWEGIAN = ("nb", "nn")
"""The languages that ``no`` stands for."""

MULTIPLE = "mul"
"""The language tag of a name that is the same in many languages (ISO 639-2); it matches each of them."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to read of a release, and how to read what the files leave open.

    ``languages`` are BCP 47 tags; ``en`` includes ``en-GB``; empty is the reader's default, mostly all; ``all`` is all.
    ``sources`` keeps only names whose source is listed, in any letter case, and names without one; empty keeps all.
    ``strict`` stops at the first malformed row. ``columns`` is for tables. ``prefix`` is put before ids without one.
    ``name`` replaces the release's own name.

    The following options apply to some formats only (`SPECIAL`); ``read_release`` refuses one that the format does not
    know. ``dialects`` are BCP 47 tags, best first, by which SNOMED CT's language reference sets choose the preferred
    term. ``at`` (``YYYYMMDD``) reads a full release as of that day. ``term_types`` are UMLS term types (TTY). ``tags``
    keeps only concepts with one of these semantic types. ``suppressible`` includes UMLS names marked so.
    ``full_titles`` puts the titles above before a classification's title that cannot be understood alone (Kong, title
    concatenation). ``linked_to`` keeps only Wikidata's items with an id in one of these vocabularies (prefixes); empty
    means any of medicine, ``all`` every item.
    """

    languages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    strict: bool = False
    columns: ColumnMapping | None = None
    prefix: str = ""
    name: str = ""
    dialects: tuple[str, ...] = ()
    at: str = ""
    term_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    suppressible: bool = False
    full_titles: bool = False
    linked_to: tuple[str, ...] = ()

    def takes_language(self, language: str) -> bool:
        """Whether names in a language are wanted: no language is asked for, or all, or this one."""
        return not self.languages or ALL in self.languages or speaks(language, self.languages)

    def takes_tags(self, tags: Iterable[str]) -> bool:
        """Whether a concept with these tags is wanted: no tag is asked for, or one of these, in any letter case."""
        return not self.tags or any(among(tags, self.tags))

    def to_dict(self) -> dict[str, Any]:
        """The options that are not the default, as JSON values, for the manifest; `from_dict` reads them."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        if self.columns is not None:
            given["columns"] = self.columns.settings()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ReadOptions:
        """The options that `to_dict` wrote, without those that this version does not know."""
        known = {f.name for f in fields(cls)}
        values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in given.items() if n in known}
        if given.get("columns"):
            values["columns"] = ColumnMapping.parse(given["columns"])
        return cls(**values)


SPECIAL = ("columns", "dialects", "at", "term_types", "tags", "suppressible", "full_titles", "linked_to")
"""The read options that only some formats know, by name."""


def select_terms(terms: tuple[Term, ...], options: ReadOptions) -> tuple[tuple[Term, ...], dict[str, int]]:
    """The names that the options select, and the number that each rule dropped; the same tuple if none was dropped."""
    languages = () if ALL in options.languages else options.languages
    too_long = any(len(term.text) > LONGEST_TEXT for term in terms)
    if not languages and not options.sources and not too_long and len(set(terms)) == len(terms):
        return terms, {}
    dropped: dict[str, int] = {}
    taken: dict[Term, None] = {}
    stated = among((term.source for term in terms), options.sources)
    for term, is_of_source in zip(terms, stated, strict=True):
        rule = ""
        if too_long and len(term.text) > LONGEST_TEXT:
            rule = TOO_LONG
        elif languages and not speaks(term.language, languages):
            rule = OTHER_LANGUAGE
        elif options.sources and term.source and not is_of_source:
            rule = OTHER_SOURCE
        elif term in taken:
            rule = REPEATED
        if rule:
            dropped[rule] = dropped.get(rule, 0) + 1
        else:
            taken[term] = None
    return (tuple(taken) if dropped else terms), dropped


def among(names: Iterable[str], wanted: Iterable[str]) -> list[bool]:
    """Whether each name is one of those wanted, in any letter case."""
    asked = {name.casefold() for name in wanted}
    return [name.casefold() in asked for name in names]


def speaks(language: str, wanted: tuple[str, ...]) -> bool:
    """Whether a name in the language is wanted, given the wanted languages."""
    language = language.casefold()
    asked = [tag.casefold() for tag in wanted]
    if "no" in asked:
        asked += NORWEGIAN
    return language == MULTIPLE or any(language == tag or language.startswith(f"{tag}-") for tag in asked)
