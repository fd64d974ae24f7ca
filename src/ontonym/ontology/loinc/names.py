"""Which columns of LOINC are names, and what kind of name each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ontonym.ontology.loinc.files import AXES, split_names
from ontonym.ontology.release import REPEATED, ReleaseLog
from ontonym.types import Kind, Scope, Term

SHARED = "related name that many codes share"
ENGLISH = "English name among those of another language"
CONSUMER = "ConsumerName"
RELATED = "RELATEDNAMES2"


def fully_specified(row: Mapping[str, str]) -> str:
    """The six axes joined by colons, without the method where there is none (Users' Guide, section 2)."""
    parts = [row[axis] for axis in AXES]
    return ":".join(parts if parts[-1] else parts[:-1]) if any(parts) else ""


class Names:
    """The names of one code as they add up, each text once in a language, the preferred one first."""

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
