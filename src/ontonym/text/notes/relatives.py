"""Who has what a note says, where it names a relative: this one, unless the relative only reports it ("his wife has
noticed"), is named to say whose child the patient is or with whom the patient is compared, or is a patient too.

English, but for who reports. `ontonym.text.notes.reported` says which texts are on siblings or relatives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ontonym.text.notes.cues import (
    BORN,
    CLAUSE_WORDS,
    COMPARED_KIN,
    COMPARISONS,
    DETERMINERS,
    KIN_CLAUSE,
    PRONOUNS,
    REPORTED_PARENTS,
    REPORTING_AUXILIARIES,
    REPORTING_CHILDREN,
    REPORTING_WORDS,
    SIBLINGS,
    WHOSE_CHILD,
)
from ontonym.text.notes.cuetable import GAP, CueTable
from ontonym.text.notes.notewords import NoteWord
from ontonym.text.notes.reported import MOST_BEFORE, is_reported_sibling

_ARTICLES = frozenset({"a", "an", "the", "both"})
_PATIENTS = frozenset("boy case child girl he infant patient proband proposita propositus she".split())
_BETWEEN = COMPARED_KIN | frozenset("two three four".split())
"""What may stand between the patient and a relative of whom the same is said: "she and her two sisters"."""
_BEFORE_REPORTED = DETERMINERS | {"that"}
"""What may stand between who reports and a parent who is the patient: "daughter says that her mum"."""
_TO_PARENTS, _MOST_OF_PARENTS, _MOST_OF_BIRTH = frozenset({"to", "of"}), 9, 5
"""Words before parents, how many words before them they are looked for, and how many words before those those of birth:
"born at term to healthy, unrelated parents"."""
_MOST_OF_REPORTER = 3
"""Words before what a child of the patient says, in which this one is named."""


@dataclass(frozen=True, slots=True)
class NamedRelative:
    """A relative whom the ``words`` of a ``text`` name, those from ``start`` to before ``end``."""

    text: str
    words: Sequence[NoteWord]
    start: int
    end: int

    def is_reporter(self, table: CueTable) -> bool:
        """Whether the relative reports what follows ("his wife has noticed", "per mom") or is only with the patient."""
        words, after = self.words, self.end
        while after < len(words) and words[after].text in REPORTING_AUXILIARIES:
            after += 1
        if after < len(words) and words[after].text in table.reporting:
            return True
        return self._follows(self._last_before(DETERMINERS), table.reporter_prefixes)

    def is_named_for_patient(self) -> bool:
        """Whether the relative is there only to say whose child the patient is ("born to healthy parents"), with whom
        the patient is compared ("unlike his brother"), as one of the patients, or as the patient."""
        if self._is_beside_patient():
            return True
        if self._begins_clause():
            return False
        is_compared = self._follows(self._last_before(COMPARED_KIN), COMPARISONS)
        return is_compared or self._is_parent_of_reporter() or self._is_affected() or self._is_parent_of_patient()

    def _begins_clause(self) -> bool:
        """Whether a clause about the relative follows directly: "his parents, who"."""
        words, end = self.words, self.end
        if end >= len(words) or words[end].text not in KIN_CLAUSE:
            return False
        return bool(GAP.fullmatch(self.text, words[end - 1].end, words[end].start))

    def _is_beside_patient(self) -> bool:
        """Whether what is said of the relative is said of the patient as well: "she and her sister had ataxia"."""
        words, before = self.words, self._last_before(_BETWEEN)
        is_time = before > 2 and words[before - 3].text == "as"  # "as a child, and my husband has gout"
        return before > 0 and words[before].text == "and" and words[before - 1].text in _PATIENTS and not is_time

    def _is_parent_of_reporter(self) -> bool:
        """Whether the relative is the patient, as the child of this one tells: "daughter says Mum has been falling"."""
        words, before = self.words, self._last_before(_BEFORE_REPORTED)
        if self._last not in REPORTED_PARENTS or before < 1 or words[before].text not in REPORTING_WORDS:
            return False
        return any(word.text in REPORTING_CHILDREN for word in words[max(before - _MOST_OF_REPORTER, 0) : before])

    def _is_affected(self) -> bool:
        """Whether they are those whom the text reports on: "the affected siblings", not "his affected siblings"."""
        words, start = self.words, self.start
        if self._last not in SIBLINGS or start == 0 or words[start - 1].text != "affected":
            return False
        return start == 1 or words[start - 2].text not in DETERMINERS - _ARTICLES

    def _is_parent_of_patient(self) -> bool:
        """Whether words before the relative say that the patient is the child of this one."""
        if self._last not in WHOSE_CHILD:
            return False
        words, start = self.words, self.start
        for place in range(start - 1, max(start - _MOST_OF_PARENTS, 0), -1):
            word = words[place].text
            if word in CLAUSE_WORDS:
                return False
            if word in _TO_PARENTS:
                before = [one.text for one in words[max(place - _MOST_OF_BIRTH, 0) : place]]
                return not BORN.isdisjoint(before) and CLAUSE_WORDS.isdisjoint(before[-1:])
        return False

    @property
    def _last(self) -> str:
        """The last word of the relative."""
        return self.words[self.end - 1].text

    def _last_before(self, passed_over: Collection[str]) -> int:
        """The number of the last word before the relative that is none of those; -1 where there is none."""
        before = self.start - 1
        while before >= 0 and self.words[before].text in passed_over:
            before -= 1
        return before

    def _follows(self, before: int, phrases: Collection[str]) -> bool:
        """Whether a word, by its number, or it and the one before it, are one of some phrases."""
        if before < 0:
            return False
        pair = " ".join(word.text for word in self.words[max(before - 1, 0) : before + 1])
        return self.words[before].text in phrases or pair in phrases


def reported_siblings(words: Sequence[NoteWord]) -> frozenset[int]:
    """The siblings who are the patients of a text that reports on siblings, by number."""
    row = [word.text for word in words]
    return frozenset(
        place for place, kin in enumerate(row) if is_reported_sibling(row[max(place - MOST_BEFORE, 0) : place], kin)
    )


def pronouns_of_relatives(words: Sequence[NoteWord], sentence_ends: Sequence[int], patient: str) -> set[int]:
    """The pronouns by which sentences go on about a relative of the one who writes (`PRONOUNS`) who is not the
    ``patient``, by number."""
    found: set[int] = set()
    meant, sentence = "", -1
    for place, word in enumerate(words):
        if (current := bisect_right(sentence_ends, word.start)) != sentence:
            sentence = current
            meant = meant if word.text == meant else ""
            if meant:
                found.add(place)
        if place and words[place - 1].text == "my":
            meant = "" if word.text == patient else PRONOUNS.get(word.text, meant)
        elif word.text == meant:
            found.add(place)
    return found
