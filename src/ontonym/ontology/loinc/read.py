"""Reader of LOINC: the table with its accessory files, from the release's zip or folder, or the table alone.

A row of any of the files is a row. The concepts are LOINC's terms, and the parts that form their hierarchy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ontonym.files.source import Source
from ontonym.ontology.loinc.files import (
    AXES,
    TABLE_COLUMNS,
    Variants,
    Waiting,
    header_of,
    is_code,
    role_of,
    rows,
    shared_names,
    split_names,
    variant_languages,
)
from ontonym.ontology.options import OTHER_TAG, REPEATED, ReadOptions
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Kind, Property, Relation, Scope, Term
from ontonym.types import Mapping as ConceptMapping

SHARED = "related name that many codes share"
ENGLISH = "English name among those of another language"
CONSUMER = "ConsumerName"
RELATED = "RELATEDNAMES2"


def fully_specified(row: Mapping[str, str]) -> str:
    """The six axes joined by colons, without the method where there is none (Users' Guide, section 2)."""
    parts = [row[axis] for axis in AXES]
    return ":".join(parts if parts[-1] else parts[:-1]) if any(parts) else ""


class _LoincNames:
    """Collects the names of one code, each text once per language, the preferred one first."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.skipped: Counter[str] = Counter()
        self._seen: set[tuple[str, str]] = set()

    def add(
        self, text: str, kind: Kind, scope: Scope = "exact", *, language: str = "en", source: str = "", rule: str = ""
    ) -> None:
        """Adds a name, or counts it under ``rule`` or as repeated."""
        if not text:
            return
        key = (text.casefold(), language)
        if rule or key in self._seen:
            self.skipped[rule or REPEATED] += 1
            return
        self._seen.add(key)
        self.terms.append(Term(text, kind, scope, language, source=source))

    def add_row(self, row: Mapping[str, str], shared: frozenset[str]) -> None:
        """Adds the English names of a row of the table; ``shared`` are related names that are left out.

        Related names are synonyms of the parts of a name, and consumer names leave out details: neither is exact.
        """
        formal = fully_specified(row)
        self.add(row["LONG_COMMON_NAME"] or row["DisplayName"] or formal, "preferred")
        self.add(formal, "fsn")
        self.add(row["DisplayName"], "synonym", source="DisplayName")
        self.add(row["SHORTNAME"], "abbreviation", source="SHORTNAME")
        self.add(row["SURVEY_QUEST_TEXT"], "synonym", source="SURVEY_QUEST_TEXT")
        self.add(row["CONSUMER_NAME"], "lay", "broad", source=CONSUMER)
        for name in split_names(row[RELATED]):
            self.add(name, "synonym", "related", source=RELATED, rule=SHARED if name in shared else "")

    def add_variant(
        self, row: Mapping[str, str], language: str, english: Mapping[str, str], shared: frozenset[str]
    ) -> None:
        """Adds the names of a row of a linguistic variant; some repeat the English ones where none is translated."""

        def rule(text: str, *columns: str) -> str:
            return ENGLISH if text and text in {english[column] for column in columns} else ""

        long, display = row["LONG_COMMON_NAME"], row["LinguisticVariantDisplayName"]
        same = rule(long, "LONG_COMMON_NAME", "SHORTNAME")
        self.add(long, "preferred", language=language, rule=same)
        kind: Kind = "synonym" if long and not same else "preferred"
        self.add(display, kind, language=language, source="" if kind == "preferred" else "LinguisticVariantDisplayName")
        formal = fully_specified(row)
        untranslated = ENGLISH if formal == fully_specified(english) else ""
        self.add(formal, "fsn", language=language, rule=untranslated)
        short = row["SHORTNAME"]
        self.add(short, "abbreviation", language=language, source="SHORTNAME", rule=rule(short, "SHORTNAME"))
        self.add(row["ConsumerName"], "lay", "broad", language=language, source=CONSUMER)
        for name in split_names(row[RELATED]):
            left_out = SHARED if name in shared else ""
            self.add(name, "synonym", "related", language=language, source=RELATED, rule=left_out)

    def report(self, log: ReleaseLog) -> None:
        """Counts the names that were left out."""
        for rule, number in self.skipped.items():
            log.counts.skip_term(rule, number)


PREFIX = "LOINC"
NOT_IN_HIERARCHY = "part outside the hierarchy"
REPEATED_ROW = "repeated row"
NOT_ASKED = "answer, read where the tag answer is asked for"
PART, ANSWER, ANSWER_LIST = "part", "answer", "answer list"

CLASS_TYPES = MappingProxyType({"1": "laboratory", "2": "clinical", "3": "claims attachment", "4": "survey"})
"""The tag for each CLASSTYPE."""

OPTIONAL_COLUMNS = (
    "SHORTNAME", "DisplayName", "CONSUMER_NAME", "RELATEDNAMES2", "SURVEY_QUEST_TEXT", "DefinitionDescription",
    "CLASSTYPE", "VersionLastChanged", "ORDER_OBS", "EXAMPLE_UCUM_UNITS", "COMMON_TEST_RANK", "PanelType",
    "EXTERNAL_COPYRIGHT_NOTICE",
)  # fmt: skip
PROPERTIES = (
    *AXES, "CLASS", "STATUS", "ORDER_OBS", "EXAMPLE_UCUM_UNITS", "COMMON_TEST_RANK", "PanelType",
    "EXTERNAL_COPYRIGHT_NOTICE",
)  # fmt: skip
"""Columns of the table that become properties, under their own names."""

_VERSION = re.compile(r"loinc[_ -]?v?(\d\.\d{1,3})", re.IGNORECASE)
_EXTERNAL = MappingProxyType({"http://snomed.info/sct": "SCTID", "http://loinc.org": "LOINC"})

_Row = Mapping[str, str]


@dataclass(slots=True)
class _Accessories:
    """The facts in the accessory files, by code."""

    consumer: Waiting[str] = field(default_factory=Waiting)
    maps: Waiting[tuple[str, str]] = field(default_factory=Waiting)
    parents: Waiting[str] = field(default_factory=Waiting)
    texts: dict[str, str] = field(default_factory=dict)
    parts: Waiting[_Row] = field(default_factory=Waiting)
    answers: Waiting[str] = field(default_factory=Waiting)


def read_loinc(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The terms of the table in its order, then the parts of the hierarchy, then answers where they are asked for.

    Raises:
        FormatError: no table among the files, or a file without a column that it needs.
        InputError: the linguistic variants do not fit the folder for temporary files.
    """
    files: dict[str, list[Source]] = {}
    for source in sources:
        files.setdefault(role_of(source.head()), []).append(source)
    if "table" not in files:
        hint = "Give Loinc.csv too (folder LoincTable), or the whole zip"
        sources[0].fail(None, "files of a LOINC release without its table", hint)
    log.describe(name="loinc", title="LOINC", licence="LOINC licence (https://loinc.org/license)")
    for source in sources:
        version = _VERSION.search(source.label)
        log.describe(version=version[1] if version else "")
    table = max(files["table"], key=lambda source: len(header_of(source)))
    repeating = [source.name for source in files["table"] if source is not table]
    if repeating:
        log.details["tables left out beside the fullest"] = repeating
    accessories = _load(files, log)
    with Variants() as variants:
        for source, language in variant_languages(files.get("variant", ()), files.get("languages", ()), log):
            variants.add(source, log, language)
        yield from _terms(table, log, accessories, variants)
        variants.leave(log)
    yield from _parts(log, accessories)
    yield from _answers(files.get("answers", ()), log)
    for waiting in (accessories.consumer, accessories.maps, accessories.parents, accessories.answers):
        waiting.leave(log)


def _load(files: Mapping[str, Sequence[Source]], log: ReleaseLog) -> _Accessories:
    """Reads the accessory files that are joined by code, the hierarchy before the parts."""
    found = _Accessories()
    for source in files.get("consumer names", ()):
        for _, (code, name) in rows(source, log, ("LoincNumber", "ConsumerName")):
            found.consumer.add(code, name)
    seen: set[tuple[str, ...]] = set()
    for source in files.get("map", ()):
        for _, (code, target, comment) in rows(source, log, ("LOINC", "MAP_TO"), ("COMMENT",)):
            if _is_new((code, target, comment), seen, log):
                found.maps.add(code, (target, comment))
    _load_hierarchy(files, log, found)
    for source in files.get("answer links", ()):
        for _, (code, answer_list) in rows(source, log, ("LoincNumber", "AnswerListId")):
            found.answers.add(code, answer_list)
    return found


def _load_hierarchy(files: Mapping[str, Sequence[Source]], log: ReleaseLog, found: _Accessories) -> None:
    """Reads the hierarchy, and of the part file the parts that are in it."""
    seen: set[tuple[str, ...]] = set()
    for source in files.get("hierarchy", ()):
        for _, (parent, code, text) in rows(source, log, ("IMMEDIATE_PARENT", "CODE", "CODE_TEXT")):
            if code.startswith("LP"):
                found.texts.setdefault(code, text)
            if _is_new((code, parent), seen, log):
                found.parents.add(code, parent)
    for source in files.get("parts", ()):
        columns = ("PartNumber", "PartTypeName", "PartName", "PartDisplayName")
        for _, values in rows(source, log, columns, ("Status",)):
            if values[0] in found.texts:
                found.parts.add(values[0], dict(zip((*columns, "Status"), values, strict=True)))
            else:
                log.counts.skip(NOT_IN_HIERARCHY)


def _is_new(row: tuple[str, ...], seen: set[tuple[str, ...]], log: ReleaseLog) -> bool:
    """Whether the row is new; a repeated one is counted."""
    if row in seen:
        log.counts.skip(REPEATED_ROW)
        return False
    seen.add(row)
    return True


def _terms(source: Source, log: ReleaseLog, accessories: _Accessories, variants: Variants) -> Iterator[Concept]:
    """The concepts of the table's rows."""
    shared = _shared(source)
    seen: set[str] = set()
    newest: tuple[int, ...] = ()
    for line, values in rows(source, log, TABLE_COLUMNS, OPTIONAL_COLUMNS):
        row = dict(zip((*TABLE_COLUMNS, *OPTIONAL_COLUMNS), values, strict=True))
        code = row["LOINC_NUM"]
        names = _LoincNames()
        names.add_row(row, shared)
        if not is_code(code):
            log.malformed(source, line, f"not a LOINC code: {code!r}", " ".join(values))
        elif code in seen:
            log.malformed(source, line, f"duplicate code {code}", row["LONG_COMMON_NAME"])
        elif not names.terms:
            log.malformed(source, line, "a code without a name", code)
        else:
            seen.add(code)
            newest = max(newest, tuple(int(part) for part in re.findall(r"\d{1,9}", row["VersionLastChanged"])[:2]))
            tags = tuple(tag for tag in (CLASS_TYPES.get(row["CLASSTYPE"], ""), row["CLASS"]) if tag)
            rule = "" if log.options.takes_tags(tags) else OTHER_TAG
            for name in accessories.consumer.take(code, log, rule):
                names.add(name, "lay", "broad", source=CONSUMER)
            for language, variant in variants.take(code, log, rule):
                names.add_variant(variant, language, row, variants.shared[language])
            concept = _term(row, names, tags, log, accessories, rule)
            if rule:
                log.counts.skip(rule)
                continue
            log.counts.keep()
            names.report(log)
            yield concept
    log.describe(version=".".join(map(str, newest)))


def _shared(source: Source) -> frozenset[str]:
    """The related names that too many codes of the table share."""
    related: Counter[str] = Counter()
    codes = 0
    for _, (names,) in rows(source, ReleaseLog(ReadOptions()), (), (RELATED,)):
        related.update(set(split_names(names)))
        codes += 1
    return shared_names(related, codes)


def _term(
    row: _Row, names: _LoincNames, tags: tuple[str, ...], log: ReleaseLog, accessories: _Accessories, rule: str
) -> Concept:
    """The concept of a row of the table; a deprecated code with one successor is replaced by it."""
    concept_id = f"{PREFIX}:{row['LOINC_NUM']}"
    maps = accessories.maps.take(row["LOINC_NUM"], log, rule)
    targets = tuple(dict.fromkeys(f"{PREFIX}:{target}" for target, _ in maps))
    retired = row["STATUS"].upper() == "DEPRECATED"
    replaced = retired and len(targets) == 1
    properties = [Property(name, row[name]) for name in PROPERTIES if row[name] not in ("", "0")]
    lists = accessories.answers.take(row["LOINC_NUM"], log, rule)
    properties.extend(Property(ANSWER_LIST, name) for name in dict.fromkeys(lists))
    return Concept(
        id=concept_id,
        terms=tuple(names.terms),
        parents=_upward(accessories.parents.take(row["LOINC_NUM"], log, rule), log),
        definitions=(row["DefinitionDescription"],) if row["DefinitionDescription"] else (),
        tags=tags,
        status="retired" if retired else "active",
        replaced_by=targets if replaced else (),
        consider=() if replaced else targets,
        properties=tuple(properties),
        mappings=tuple(
            ConceptMapping(
                concept_id,
                "IAO:0100001",
                f"{PREFIX}:{target}",
                "semapv:ManualMappingCuration",
                subject_label=names.terms[0].text,
                source="MapTo.csv",
                comment=comment,
            )
            for target, comment in maps
        ),
    )


def _parts(log: ReleaseLog, accessories: _Accessories) -> Iterator[Concept]:
    """The parts of the hierarchy, under the names of the hierarchy and of the part file."""
    for code, text in accessories.texts.items():
        described = accessories.parts.by_code.get(code, [{}])[0]
        tags = tuple(tag for tag in (PART, described.get("PartTypeName", "")) if tag)
        rule = "" if log.options.takes_tags(tags) else OTHER_TAG
        parents = accessories.parents.take(code, log, rule)
        accessories.parts.take(code, log, rule)
        if rule:
            continue
        names = _LoincNames()
        display, name = described.get("PartDisplayName", ""), described.get("PartName", "")
        names.add(text or display or name or code, "preferred")
        names.add(display, "synonym", source="PartDisplayName")
        names.add(name, "synonym", source="PartName")
        names.report(log)
        yield Concept(
            id=f"{PREFIX}:{code}",
            terms=tuple(names.terms),
            parents=_upward(parents, log),
            tags=tags,
            status="retired" if described.get("Status", "").upper() in ("DEPRECATED", "INACTIVE") else "active",
        )


def _upward(parents: Iterable[str], log: ReleaseLog) -> tuple[str, ...]:
    """The parents as ids; none where the parts are not asked for, which would leave them dangling."""
    asked = log.options.takes_tags((PART,))
    return tuple(f"{PREFIX}:{parent}" for parent in parents if parent) if asked else ()


def _answers(sources: Iterable[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The answers and their lists, where they are asked for: most are words such as "Yes" that no one looks up."""
    lists: dict[str, str] = {}
    answers: dict[str, list[_Row]] = {}
    columns = ("AnswerListId", "AnswerListName", "AnswerStringId", "DisplayText")
    optional = ("ExtCodeId", "ExtCodeSystem", "ExtCodeDisplayName", "Description")
    wanted = {tag.casefold() for tag in log.options.tags} & {ANSWER, ANSWER_LIST}
    for source in sources:
        for line, values in rows(source, log, columns, optional):
            row = dict(zip((*columns, *optional), values, strict=True))
            if not wanted:
                log.counts.skip(NOT_ASKED)
            elif not is_code(row["AnswerListId"]):
                log.malformed(source, line, f"not a LOINC code: {row['AnswerListId']!r}", " ".join(values))
            else:
                log.counts.keep()
                lists.setdefault(row["AnswerListId"], row["AnswerListName"])
                if row["AnswerStringId"]:
                    answers.setdefault(row["AnswerStringId"], []).append(row)
    if ANSWER_LIST in wanted:
        for code, name in lists.items():
            yield Concept(f"{PREFIX}:{code}", (Term(name or code, "preferred"),), tags=(ANSWER_LIST,))
    if ANSWER in wanted:
        yield from (_answer(code, found) for code, found in answers.items())


def _answer(code: str, found: Sequence[_Row]) -> Concept:
    """The concept of an answer, from its rows in all the lists that it is in."""
    names = _LoincNames()
    for row in found:
        names.add(row["DisplayText"], "synonym" if names.terms else "preferred")
    for row in found:
        names.add(row["ExtCodeDisplayName"], "synonym", source="ExtCodeDisplayName")
    names.skipped.clear()
    external = [(_EXTERNAL.get(row["ExtCodeSystem"], ""), row["ExtCodeId"]) for row in found]
    return Concept(
        f"{PREFIX}:{code}",
        tuple(names.terms) or (Term(code, "preferred"),),
        relations=tuple(dict.fromkeys(Relation(ANSWER_LIST, f"{PREFIX}:{row['AnswerListId']}") for row in found)),
        definitions=tuple(dict.fromkeys(row["Description"] for row in found if row["Description"])),
        tags=(ANSWER,),
        xrefs=tuple(dict.fromkeys(curie(f"{prefix}:{local}") for prefix, local in external if prefix and local)),
    )
