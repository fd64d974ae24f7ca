"""The files of a LOINC release, recognized by their columns: their rows, and what is joined by code.

Columns are those of the LOINC Users' Guide, appendix A, and of the readme of each accessory file.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, TypeVar

from ontonym.files.records import column_places, text_records
from ontonym.files.source import Source
from ontonym.files.spool import Spool
from ontonym.ontology.options import OTHER_LANGUAGE
from ontonym.ontology.release import ReleaseLog

_T = TypeVar("_T")

UNKNOWN_CODE = "row of a code that the LOINC table has not"
SHARED_BY = 1000
SHARED_PART = 0.02
"""A related name of more codes than both limits (the second a share of all codes) distinguishes none of them."""

TABLE_COLUMNS = (
    "LOINC_NUM", "COMPONENT", "PROPERTY", "TIME_ASPCT", "SYSTEM", "SCALE_TYP", "METHOD_TYP", "CLASS", "STATUS",
    "LONG_COMMON_NAME",
)  # fmt: skip
AXES = TABLE_COLUMNS[1:7]
"""The six axes in the order in which LOINC joins them to the fully specified name."""
VARIANT_COLUMNS = (*AXES, "LONG_COMMON_NAME", "LinguisticVariantDisplayName", "SHORTNAME", "RELATEDNAMES2",
                   "ConsumerName")  # fmt: skip

_RECOGNIZED_BY = MappingProxyType(
    {
        "consumer names": frozenset({"loincnumber", "consumername"}),
        "hierarchy": frozenset({"path_to_root", "immediate_parent", "code", "code_text"}),
        "parts": frozenset({"partnumber", "parttypename", "partname", "partdisplayname"}),
        "map": frozenset({"loinc", "map_to"}),
        "languages": frozenset({"id", "iso_language", "iso_country"}),
        "answers": frozenset({"answerlistid", "answerstringid", "displaytext"}),
        "answer links": frozenset({"loincnumber", "answerlistid", "answerlistlinktype"}),
    }
)
"""The contents of accessory files, with the columns (lower case) by which each is recognized."""

_VARIANT_FILE = re.compile(r"([a-z]{2,3})([A-Z]{2})(\d+)LinguisticVariant\.csv$")
_CODE = re.compile(r"(?:LP|LA|LL|MTHU)?\d{1,8}-\d$")


def role_of(head: str) -> str:
    """The contents of a file of a LOINC release: ``table``, ``variant``, an accessory file; empty for any other."""
    line = head.lstrip().split("\n", 1)[0].removesuffix("\r")
    try:
        columns = {name.strip().casefold() for name in next(csv.reader([line]), ())}
    except csv.Error:
        return ""
    if "loinc_num" in columns and len(columns & {name.casefold() for name in AXES}) >= 2:
        return "table" if columns & {"status", "classtype", "versionlastchanged"} else "variant"
    return next((role for role, needed in _RECOGNIZED_BY.items() if needed <= columns), "")


def is_loinc(head: str) -> bool:
    """Whether the beginning of a file is one of a LOINC release that is read."""
    return bool(role_of(head))


def is_code(text: str) -> bool:
    """Whether a text has the form of a code of LOINC, its parts or its answers."""
    return bool(_CODE.match(text))


def header_of(source: Source) -> list[str]:
    """The column names of a file."""
    record = next(text_records(source.head().split("\n"), ","), None)
    return [str(name).strip() for name in record.fields] if record is not None else []


def rows(
    source: Source, log: ReleaseLog, needed: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int | None, list[str]]]:
    """Line and the values of the columns asked for of each row, ``""`` for an optional column that is not there.

    Columns may stand in any order and letter case. Rows of another number of fields are malformed.

    Raises:
        FormatError: a needed column is missing; names all that are.
    """
    header = header_of(source)
    wanted = column_places(source, header, needed, optional)
    records = text_records(source.lines(), ",")
    next(records, None)
    for record in records:
        fields = [str(value) for value in record.fields]
        if record.problem or len(fields) != len(header):
            problem = record.problem or f"expected {len(header)} fields, found {len(fields)}"
            log.malformed(source, record.line, problem, record.text)
            continue
        yield record.line, [fields[place].strip() if place >= 0 else "" for place in wanted]


@dataclass(slots=True)
class Waiting(Generic[_T]):
    """Rows of accessory files by code, counted when their concept takes them or turns out to be missing."""

    by_code: dict[str, list[_T]] = field(default_factory=dict)

    def add(self, code: str, row: _T) -> None:
        """Keeps a row for its concept."""
        self.by_code.setdefault(code, []).append(row)

    def take(self, code: str, log: ReleaseLog, skip: str = "") -> list[_T]:
        """The rows of the code, which are removed; counted as skipped where a rule is given."""
        found = self.by_code.pop(code, [])
        log.counts.keep(len(found), skip)
        return found

    def leave(self, log: ReleaseLog) -> None:
        """Counts the rows for which no concept came."""
        log.counts.keep(sum(map(len, self.by_code.values())), UNKNOWN_CODE)
        self.by_code.clear()


class Variants:
    """Rows of the linguistic variants by code, in a temporary file; only their positions are in memory."""

    def __init__(self) -> None:
        hint = "Let TMPDIR name a folder with more room, or ask for fewer languages"
        self._rows = Spool("the linguistic variants cannot be put aside", hint)
        self._starts: dict[str, array[int]] = {}
        self.shared: dict[str, frozenset[str]] = {}

    def __enter__(self) -> Variants:
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.close()

    def add(self, source: Source, log: ReleaseLog, language: str) -> None:
        """Reads a file; if its language is not asked for, its rows are only counted."""
        asked = log.options.takes_language(language)
        related: Counter[str] = Counter()
        taken = 0
        for line, row in rows(source, log, ("LOINC_NUM",), VARIANT_COLUMNS):
            if not is_code(row[0]):
                log.malformed(source, line, f"not a LOINC code: {row[0]!r}", " ".join(row))
            elif not asked:
                log.counts.skip(OTHER_LANGUAGE)
            else:
                taken += 1
                names = dict(zip(VARIANT_COLUMNS, row[1:], strict=True))
                related.update(set(split_names(names["RELATEDNAMES2"])))
                self._starts.setdefault(row[0], array("q")).append(self._rows.add(language, names))
        self.shared[language] = self.shared.get(language, frozenset()) | shared_names(related, taken)

    def take(self, code: str, log: ReleaseLog, skip: str = "") -> list[tuple[str, dict[str, str]]]:
        """Language and values by column of the variants of a code; counted as skipped where a rule is given."""
        starts = self._starts.pop(code, ())
        log.counts.keep(len(starts), skip)
        return [] if skip else [(language, names) for language, names in map(self._rows.read, starts)]

    def leave(self, log: ReleaseLog) -> None:
        """Counts the rows for which no concept came."""
        log.counts.keep(sum(map(len, self._starts.values())), UNKNOWN_CODE)
        self._starts.clear()


def split_names(text: str) -> list[str]:
    """The names in a list separated by semicolons."""
    return [name for part in text.split(";") if (name := part.strip())]


def shared_names(counts: Counter[str], codes: int) -> frozenset[str]:
    """The names of so many codes that they distinguish none, such as "Quantitative" or "Point in time"."""
    limit = max(SHARED_BY, SHARED_PART * codes)
    return frozenset(name for name, count in counts.items() if count > limit)


def variant_languages(
    variants: Iterable[Source], lists: Iterable[Source], log: ReleaseLog
) -> Iterator[tuple[Source, str]]:
    """The language of each linguistic variant as a BCP 47 tag: by its number in the list of them, or by its name.

    Raises:
        FormatError: a file whose name says no language, as ``deDE15LinguisticVariant.csv`` does.
    """
    listed: dict[str, str] = {}
    for source in lists:
        for _, (number, language, country) in rows(source, log, ("ID", "ISO_LANGUAGE", "ISO_COUNTRY")):
            log.counts.keep()
            listed[number] = f"{language.lower()}-{country.upper()}" if country else language.lower()
    for source in variants:
        named = _VARIANT_FILE.search(source.name)
        if named is None:
            hint = "Keep the name that LOINC gives it, such as deDE15LinguisticVariant.csv"
            source.fail(None, "a linguistic variant of a language that its name does not say", hint)
        yield source, listed.get(named[3], f"{named[1]}-{named[2]}")
