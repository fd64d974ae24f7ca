"""What the marks beside a mention say of it: a checkbox, a sign, a question mark, or the value after a colon or in the
next cell.

Checklists, tables and forms say more than their words: "Fever: no", "(-) cough", "+rash", "asthma-, HTN+", an empty
box, "Cough: Y / [N]", "grade 0 nausea", "Sepsis?". Words that say so are in `ontonym.text.notes.cues`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ontonym.text.timeunits import UNITS
from ontonym.text.values import is_measured
from ontonym.text.wordforms import is_adjective

MarkMeaning = Literal["", "present", "negated", "uncertain", "queried"]
"""What a mark says of a mention; nothing where it has none. *Queried* is one after a question mark: "?sepsis"."""

_SPACE = r"[^\S\n]"
_GAP = rf"{_SPACE}*+"
"""All the space there is: where two such runs meet, a pattern that gives some back takes the square of their length."""
_ENDS = rf"(?=\t|{_SPACE}*(?:[.,;)\]\n|。、，；]|\Z))"
"""What follows a value."""

# Boxes and answers ----------------------------------------------------------------------------------------------------

_NO = rf"\({_SPACE}?[-–−]{_SPACE}?\)|\[{_SPACE}*\]|\({_SPACE}+\)|[☐□✗✘✖❌]"  # "(-)", "[ ]", "( )"
_YES = rf"\({_SPACE}?\+{_SPACE}?\)|\[[xX✓✔]\]|[☑☒✓✔]"  # "(+)", "[x]"
_LEADING = re.compile(rf"(?:(?P<no>{_NO})|(?P<yes>{_YES})){_SPACE}*(?P<words>[^\[\]()☐□☑☒✗✘✓✔]{{0,60}})\Z")
"""A box before a mention, with the words between: "[ ] new cough"."""
_TRAILING = re.compile(rf"{_SPACE}*(?:{_NO}|\((?:neg|no)\))", re.IGNORECASE)
"""A box behind it: "cough (-)", "fever (neg)"."""
_MARK = re.compile(rf"\s*(?:[-*•]{_SPACE}+)?(?:{_NO}|{_YES})")
"""A box at the beginning of a clause, where boxes are before what they mark and not behind it."""
_CLAUSE = re.compile(r"[^\n,;.:]*\Z")
_JOINS = re.compile(r"(?:\b(?:or|and)|[/&])\s*\Z")
_BESIDE = frozenset("any upper lower history of".split())
"""Words, besides adjectives, that may stand between a box and a mention."""
_MOST_BETWEEN = 3
"""Words between a box and a mention: "[ ] new upper abdominal mass"."""

_WORD = r"[\[(*_]*\b(?:yes|no|[yn])\b[\])*_]*"  # "yes", "[N]", "*no*"
_OPTION = rf"(?:(?:{_NO}|{_YES}){_SPACE}*{_WORD}|{_WORD}(?:{_SPACE}*(?:{_NO}|{_YES}))?)"
_CHOICE = re.compile(
    rf"{_GAP}[:=?|]?{_GAP}(?:\((?=[^()]*/[^()]*\)))?(?P<one>{_OPTION}){_GAP}[/|]?{_GAP}(?P<two>{_OPTION})"
    rf"(?={_SPACE}*(?:[.,;|\t\n]|\Z)|{_SPACE}{{2}})",
    re.IGNORECASE,
)
"""Two answers, of which one is ticked or in brackets: "Cough: Y / [N]", "Fever [x] yes [ ] no"."""
_CHOSEN = re.compile(rf"{_YES}|[\[(*_](?:yes|no|[yn])\b", re.IGNORECASE)
_IS_NO = re.compile(r"\bno?\b", re.IGNORECASE)

# Values ---------------------------------------------------------------------------------------------------------------

_NONE = (
    "no|none|nil|n|neg|negative|denies|denied|absent"
    "|nein|keine?s?|negativ[oa]?|négatif|non|não|nao|nega|niega|nee|geen|yok|hayır|なし|無し?|无|ない|陰性|阴性"
)
_KNOWN = "known|personal|previous|significant|reported|noted|observed|recorded|now|currently|today"
_VALUE = re.compile(
    rf"(?:{_SPACE}+(?:at|after|between|during|in|of|on|to|when|with)\b[^\t\n|:.,;?]{{1,40}}(?=[\t|:]))?"
    rf"(?:{_GAP}(?:\(?y(?:es)?/no?\)?|\([^()\n]{{1,30}}\)(?={_SPACE}*:)))?"
    rf"[^\S\n\t]*+(?:[:=?：|]|\t{_GAP}(?:[:=?：|]|[-–—](?=\s))?|(?<=\s)[-–—](?=\s)){_GAP}"
    rf"(?P<value>0(?:/10)?|(?:{_NONE})(?:{_SPACE}+(?:{_KNOWN}))?)(?!\.\d)(?:{_ENDS}|(?=\s{{3}}))",
    re.IGNORECASE,
)
"""The value none of what stands before it: "Fever: no", "cough at night: denied", "nausea | 0/10", "Fieber: nein"."""
_ANSWERED = re.compile(
    rf"{_SPACE}+(?P<value>(?i:no))"
    rf"(?:{_SPACE}*(?:[.,;)\]]|\n(?:(?!{_SPACE}*[a-z])|(?=[^\n]{{1,60}}\b(?i:yes|no){_SPACE}*(?:\n|\Z)))|\Z))"
)
"""An answer without a colon: "asthma no, stroke yes", and no "fever no⏎longer"."""
_ANSWERED_NEVER = re.compile(
    rf"{_SPACE}?\?{_SPACE}*(?:denie[sd]|never|nope|none|not (?:at all|at present|currently|now|really|recently|so far"
    rf"|that \w+ \w+ of|this time|today|yet)|nothing like that)\b",
    re.IGNORECASE,
)
"""Another answer than no to a question: "Any chest pain? Never"."""
_GRADE = rf"(?:ctcae{_SPACE}+)?(?:grade|gr\.?|gd|g){_SPACE}?"
_NAUGHT_BEFORE = re.compile(rf"(?:^|[,;:.(/]|\b(?:and|or|but|with|of)){_SPACE}*{_GRADE}0{_SPACE}+\Z", re.I | re.M)
"""A grade of 0 before a mention: "grade 0 nausea"."""
_NAUGHT_AFTER = re.compile(
    rf"{_GAP}[(:=]?{_GAP}(?:(?:{_GRADE}|(?:score|level|vas|nrs){_GAP}[:=]?{_GAP})0(?:/10)?|0/10)"
    rf"(?!\.\d)(?:{_ENDS}|(?={_SPACE}+and\b))",
    re.IGNORECASE,
)

"""A grade or score of 0 behind it: "nausea G0", "pain 0/10", "pain VAS 0"."""

_LEVEL = rf"(?:{_GRADE}|(?:stage|class|type|nyha)(?:{_SPACE}class)?{_SPACE}?)"
_MUCH = rf"(?:{_LEVEL}(?:[1-5]|i{{1,3}}|iv|v)|[1-4]\+)"
_GRADED_AFTER = re.compile(
    rf"{_GAP}(?:[(:=]?{_GAP}{_MUCH}(?:{_SPACE}?[-/]{_SPACE}?[1-5])?[abc]?(?![\w/])|\+{{1,4}}(?!\w))", re.IGNORECASE
)
"""How much there is of something: "encephalopathy gd 1", "oedema 2+", "cough ++"."""
_COUNTED_AFTER = re.compile(rf"{_SPACE}+x{_SPACE}?\d{{1,2}}(?![\w/])(?!{_SPACE}*(?:{UNITS})s?\b)", re.IGNORECASE)
"""How often something was: "vomited x1", and no time ("x3 days")."""
_SIZE = rf"{_SPACE}?(?:mm|cm|ml|kg)\b"
_SIZED_ITEM = re.compile(rf",[^,.;:\n]*[^\W\d_]{_SPACE}+\d+(?:\.\d+)?{_SIZE}[^,.;:\n]*,", re.IGNORECASE)
"""An item of a list that has a size, after another: "no murmur, liver 2 cm, thrush"."""
_SIZED_AFTER = re.compile(rf"{_GAP}\(?{_GAP}\d+(?:[.,]\d+)?{_SIZE}", re.IGNORECASE)
GRADED_BEFORE = rf"(?:{_MUCH})(?![\w/])"
"""How much there is of something, before it: "grade 2 encephalopathy", "2+ oedema"."""

# Signs ----------------------------------------------------------------------------------------------------------------

_SIGN = re.compile(r"(?:(?P<edge>^|[,:;(/][^\S\n]?)|(?<=\s))(?P<sign>[-−+])\Z", re.MULTILINE)
"""A sign right before a mention: "+rash", "-cough"."""
_PLUS = re.compile(r"(?:^|[\s(/])\+(?=\w)|[,:;(/][^\S\n]?[-−](?=[^\W\d])")
"""Another such sign on the line, without which a minus is a dash: "+fever -cough", "ROS: -cough, -rash"."""
_SIGN_AFTER = re.compile(rf"[-−](?=[\s,;.)]|\Z)|{_SPACE}+(?:\|{_SPACE}*)?[-−–]{_ENDS}")
"""A minus behind a mention: "asthma-, HTN+", or in a cell of its own."""
_IONS_AND_TYPES = "A|AB|B|Ca|ER|H|K|Mg|Na|O|PR|Rh"
_PLUS_AFTER = re.compile(
    rf"(?<!\w)(?!(?:{_IONS_AND_TYPES})\+)[^\W\d]++\+{{1,3}}(?=[\s,;.)]|\Z)|(?<=[^\W\d]){_SPACE}\+{{1,3}}{_ENDS}"
)
"""A plus after a finding; "Na+", "2+ edema" and "AB+" say nothing of others."""
_PLUS_CELL = re.compile(rf"[\t|]{_GAP}\+{{1,3}}{_ENDS}")
_LETTER_AFTER = re.compile(rf"{_SPACE}+\(?N\)?{_ENDS}")
_YES_AFTER = re.compile(rf"{_SPACE}\(?Y\)?{_ENDS}")
"""Letters that answer: "asthma N, stroke Y", where the line has both."""
_ASKED_BEFORE = re.compile(r"\?\s?\Z|(?<![^\s(,;:/+-])\?{1,2}[^\S\n]?(?:[^\W\d_]+[^\S\n]){1,2}\Z")  # "?early dementia"
_MARKED_BEFORE = re.compile(r"(?<!\S)\?[^\S\n]?\Z")  # the second of "? croup ? bronchiolitis" ends no sentence
_ASKED = re.compile(
    r"(?:\?|[^\S\n]\?(?![^\S\n]?[^\W\d_]))"
    r"(?!\s*(?:yes|y|yeah|yep|a (?:bit|little|lot)|sometimes|occasionally|often|always|all the time)\b)",
    re.IGNORECASE,
)
"""A question mark after what it asks; one between two spaces asks for what follows: "COPD ? pneumonia"."""
_OF_THE_KNOWN = re.compile(r"\b(?:what|which|how|when|why|where|who|can|my|his|her)\b", re.IGNORECASE)
"""Words of a question about something that is there: "What helps my asthma?"."""
_FARTHEST, _TABLE = 200, 2_000
"""Characters before a mention, and on its line, in which marks are looked for, and in the cells around it."""


def denying_values(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Where the values of mentions stand that deny them: "no" of "Fever: no"; such a word says nothing of others."""
    for _, end in spans:
        if choice := _CHOICE.match(text, end):
            yield from (found.start() for found in _IS_NO.finditer(text, choice.start("one"), choice.end("two")))
        elif found := _valued_none(text, end):
            yield found.start("value")


def _valued_none(text: str, end: int) -> re.Match[str] | None:
    """The value none of a mention that ends at a place, after a colon or the like, or directly."""
    return _VALUE.match(text, end) or _ANSWERED.match(text, end)


def marked(text: str, start: int, end: int, sentence: int) -> MarkMeaning:
    """What the marks beside a mention say of it; ``sentence`` is where its sentence begins.

    A question is none about whether there is something if it asks what or how, or of something that somebody has
    ("What helps my asthma?"). What was measured is there ("no cough, temp 39").
    """
    before = text[max(sentence, start - _FARTHEST) : start]
    if choice := _CHOICE.match(text, end):
        return _chosen(choice["one"], choice["two"])
    clause = _CLAUSE.search(before)
    leads = clause is not None and bool(_MARK.match(clause.group()))
    if leads and (mark := _LEADING.search(before)) and _is_item(mark["words"]):
        return "negated" if mark["no"] else "present"
    if sign := _signed(text, start):
        return sign
    if (not leads and _TRAILING.match(text, end)) or _is_valued_none(text, start, end):
        return "negated"
    return _queried(before, text, start, end) or ("present" if is_measured(text[start:end]) else "")


def says_how_much(text: str, end: int) -> bool:
    """Whether a grade, a plus, a size or a count follows a mention that ends at a place, which then is there:
    "encephalopathy gd 1", "cough +", "nodule 5 mm", "vomited x1"."""
    return any(pattern.match(text, end) for pattern in (_GRADED_AFTER, _SIZED_AFTER, _COUNTED_AFTER))


def has_sized_item(text: str, start: int, end: int) -> bool:
    """Whether a list between two places has an item with a size, but for its first one, which then is there."""
    return _SIZED_ITEM.search(text, start, end) is not None


def _queried(before: str, text: str, start: int, end: int) -> MarkMeaning:
    """What a question mark says of a mention, of which ``before`` is what stands before it."""
    if _ASKED_BEFORE.search(before) or _MARKED_BEFORE.search(text, max(start - 3, 0), start):
        return "queried"
    return "uncertain" if _ASKED.match(text, end) and not _OF_THE_KNOWN.search(before) else ""


def _chosen(*options: str) -> MarkMeaning:
    """What a choice of yes and no says: which of them is ticked or in brackets; in doubt where none or both are."""
    chosen = [option for option in options if _CHOSEN.search(option)]
    if len(chosen) != 1:
        return "uncertain"
    return "negated" if _IS_NO.search(chosen[0]) else "present"


def _is_item(words: str) -> bool:
    """Whether the words between a box and a mention belong to it, or to another mention beside it: "new", "nausea or";
    what is to be done does not: "[ ] CT for"."""
    between = words.lower().split()
    beside = all(word in _BESIDE or is_adjective(word) for word in between) or _JOINS.search(words)
    return len(between) <= _MOST_BETWEEN and bool(beside)


def _signed(text: str, start: int) -> MarkMeaning:
    """What a plus or minus says that a mention begins with; a minus is a dash unless the line has another such sign."""
    line = text.rfind("\n", 0, start) + 1
    sign = _SIGN.search(text[max(line, start - 3) : start])
    if sign is None:
        return ""
    if sign["sign"] == "+":
        return "present"
    return "negated" if _PLUS.search(_line(text, start)) else ""


def _is_valued_none(text: str, start: int, end: int) -> bool:
    """Whether a mention has the value or the grade none ("cough: no", "G0"), or a minus or an N follows it where
    others on the line have a plus or a Y: "asthma-, HTN+"; in a table, where another cell near it has one."""
    if _valued_none(text, end) or _ANSWERED_NEVER.match(text, end) or _NAUGHT_AFTER.match(text, end):
        return True
    if _NAUGHT_BEFORE.search(text[max(start - len("moderate, ctcae grade 0 "), 0) : start]):
        return True
    if (sign := _SIGN_AFTER.match(text, end)) is not None:
        is_cell = not {"\t", "|"}.isdisjoint(sign.group())
        if is_cell:
            return bool(_PLUS_CELL.search(text, max(start - _TABLE, 0), end + _TABLE))
        return bool(_PLUS_AFTER.search(_line(text, start)))
    return _LETTER_AFTER.match(text, end) is not None and bool(_YES_AFTER.search(_line(text, start)))


def _line(text: str, place: int) -> str:
    """The line of a place, but for what is far from it."""
    stop = text.find("\n", place)
    stop = min(stop if stop >= 0 else len(text), place + _FARTHEST)
    return text[max(text.rfind("\n", 0, place) + 1, place - _FARTHEST) : stop]
