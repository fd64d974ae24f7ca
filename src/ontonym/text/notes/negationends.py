"""Where the scope of a negation ends in a list that goes on to what is present: "no flashes, a few floaters"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ontonym.text.notes.cues import PRESENCE_STARTS, VERB_NEGATIONS
from ontonym.text.notes.cuesearch import Cue
from ontonym.text.notes.marks import GRADED_BEFORE, has_sized_item, says_how_much
from ontonym.text.patterns import any_of
from ontonym.text.wordforms import is_adjective

_PRESENCE_BEGINS = re.compile(rf",\s+(?:{any_of(*PRESENCE_STARTS)}\b|{GRADED_BEFORE})", re.IGNORECASE)
"""Where a list goes on to what is present, after what is not: "no flashes, a few floaters"."""
_AND, _OR = re.compile(r",[^.]*\b(?:and|with)\b", re.IGNORECASE), re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_ITEM_NEGATION = re.compile(r"[^,;:]*\b(?:(?:with|but|w) no|without|w/o)", re.IGNORECASE)  # an item's own negation
_CLAUSE_DONE = re.compile(
    r"\b(?:was|were|is|are|(?:has|have|had)[ ]been)\s+(?:\w+ly\s+)?"
    r"(?:present|apparent|evident|visible|detect\w+|documented|elicited|found|identified|noted|observed|recorded"
    r"|reported|seen)\b[^,;]*(?:;|,\s*(?!or\b|nor\b))",
    re.IGNORECASE,
)
"""The end of a clause that says what was not found: "no retinopathy was seen, optic atrophy was"."""
_IS_PRESENT = re.compile(r"\s+(?:(?:is|are|was|were)\s+)?present\b", re.IGNORECASE)
_NEXT_ITEM = re.compile(r"[^,;:.]{0,30},\s*")
_TOLD_MORE = re.compile(r"\s+(?:for|over|since|to|with|x)\b", re.IGNORECASE)
"""What says since when, how far or with what there is something."""
_VERBS = frozenset({"is", "are", "was", "were"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The mentions ``before`` a mention in its sentence, its ``end``, and that of the sentence (``last``)."""

    before: Sequence[tuple[int, int]]
    end: int
    last: int

    def ends_negation(self, text: str, cue: Cue, start: int) -> bool:
        """Whether the scope of a negation ends before the mention at ``start``: the mention stands in brackets or after
        a dash, and what is denied is no mention ("not walking (motor delay)"), or a list goes on to what is present.
        """
        between = text[cue.end : start]
        denies = any(cue.start <= one < start for one, _ in self.before)
        is_ended = "," in between and cue.phrase.text in VERB_NEGATIONS  # "not eating, sleepy"
        if not denies and (is_ended or between.endswith(("(", "[")) or " - " in between):
            return True
        begins = _PRESENCE_BEGINS.search(text, cue.end, start + len("longstanding "))
        if begins and begins.start() < start and not _OR.search(text, begins.end(), self.last):
            return True
        if self._states_presence(text, cue, start):
            return True
        done = _CLAUSE_DONE.search(text, cue.end, start)
        if done and (done.group().endswith(";") or not _OR.search(text, done.end(), self.last)):
            return True
        owner = max((end for _, end in self.before if end <= cue.start), default=None)
        if owner is None or "," not in between or not _ITEM_NEGATION.fullmatch(text, owner, cue.end):
            return False
        rest = text[cue.end + between.index(",") : self.last]  # "hyperlaxity without dislocation, ASD and PDA"
        return bool(_AND.match(rest)) and not _OR.search(rest)

    def _states_presence(self, text: str, cue: Cue, start: int) -> bool:
        """Whether a list that a negation begins has come to what is present: the mention at ``start``, or one before it
        in the list, has a grade or a size ("no SBP, encephalopathy gd 1"), or is a statement ("no rash, JVP raised").
        """
        comma = text.find(",", cue.end, start)
        if comma < 0 or _OR.search(text, comma, self.last):
            return False
        if _IS_PRESENT.match(text, self.end) or self._ends_denials(text, cue, start):
            return True
        if (
            has_sized_item(text, comma, start)
            or says_how_much(text, self.end)
            or any(says_how_much(text, end) for one, end in self.before if one > comma)
        ):
            return True
        words = text[start : self.end].lower().split()
        if not _VERBS.isdisjoint(words[1:-1]):
            return True  # "no ptosis, reflexes were brisk"
        return len(words) > 1 and is_adjective(words[-1]) and not is_adjective(words[0])

    def _ends_denials(self, text: str, cue: Cue, start: int) -> bool:
        """Whether each item before the mention at ``start`` has a negation of its own, and the mention, or one before
        it, has none and is told more of, or *and* joins the last: "no rash, no arthritis, mouth ulcers for two
        weeks"."""
        owner = max((end for _, end in self.before if end <= cue.start), default=-1)
        if not (owner >= 0 and _NEXT_ITEM.fullmatch(text, owner, cue.start)):
            return False
        first = next((one for one, end in self.before if end == owner), 0)
        if not text[max(first - len(cue.phrase.text) - 1, 0) : first].lower().startswith(cue.phrase.text):
            return False
        if _AND.match(text[text.index(",", cue.end) : self.last]):
            return True
        after = [end for one, end in self.before if one > cue.end and "," in text[cue.end : one]]
        return any(_TOLD_MORE.match(text, end) for end in (*after, self.end))
