"""The sections of clinical notes: which heading stands above a place, and what it says of everything below it.

The headings are tables (`ontonym.text.notes.headings`, `ontonym.text.foreign.headings`). A heading begins a line, or a
sentence where a colon follows it ("Cough for a week. PMH: asthma.").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ontonym.text.foreign.headings import FOREIGN_HEADINGS
from ontonym.text.notes.headings import HEADINGS, INNER_FIRST_WORDS, SAYS, SECTION_LAST_WORDS, SOAP
from ontonym.text.patterns import any_of, phrases_of

_LONGEST = 60
"""Letters of the longest unknown heading."""
_MOST_WORDS = 5
"""Words of the longest unknown heading; more are a sentence."""

_LONG = 100
"""Letters of a line that is a paragraph of its own."""

_SPACE = r"[^\S\n]"
_BULLET = rf"(?: [\#>*•·–-]+{_SPACE}* | \(?\d{{1,2}}[.)]{_SPACE}+ )"
_BOLD = r"[*_]{0,2}"
_ALONE = rf"(?={_SPACE}*(?:\n|\Z))"
_QUALIFYING = "significant|pertinent|relevant|known"
"""Words that may stand before a known heading: "Pertinent PMH"."""

_UNKNOWN = re.compile(
    rf"""
    ^{_SPACE}* (?: [\#*•-]+{_SPACE}* )? {_BOLD}
    (?: (?P<title> [A-Za-z][^\n:.;]{{0,{_LONGEST}}}? ) {_BOLD}{_SPACE}*: (?!(?<=\d:)\d)     # "Gait:", not "at 10:30"
      | (?P<capitals> [A-Z][A-Z &/,-]{{2,{_LONGEST}}} ) {_ALONE}                            # "DISCHARGE SUMMARY"
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
_REST = re.compile(rf"[*_]*{_SPACE}*\S")
_BLANK = re.compile(rf"\n{_SPACE}*\n|\u2029|\x0c")
"""A blank line, or what stands for one in other formats."""
_ABOUT_THE_PATIENT = any_of(
    "the|this? patient, pt, he, she, they, we, i, today, currently, now, on exam|examination, o/e, this is",
    "presents, presented, seen, denies, denied, endorses, reports, complains, admits",
)
_PARAGRAPH = re.compile(rf"(?<=[.!?]){_SPACE}*\n{_SPACE}*(?=(?P<word>[^\W\d_]+)[^\n]{{{_LONG},}})")
"""Where a long line follows a sentence: the next paragraph of a letter, whose lines are not broken."""
_NEW_SUBJECT = re.compile(rf"(?<=[.;!?])\s+(?={_ABOUT_THE_PATIENT}\b)", re.IGNORECASE)
"""Where a sentence about the patient begins behind another one: "Mother had gout.[ ]She presents with"."""


@dataclass(frozen=True, slots=True)
class Section:
    """The stretch of a text from the heading at ``start`` to ``end``; the text below the heading begins at ``body``.

    ``name`` is that of `HEADINGS`, or for another heading what it says in small letters; ``title`` is the heading as it
    is written. ``says`` is the context of its mentions, if it sets one.
    """

    start: int
    body: int
    end: int
    name: str
    title: str
    says: str = ""


def sections(text: str) -> list[Section]:
    """The sections of a text, in order, none overlapping another.

    A section reaches to the next heading; where its text begins on the line of the heading, at most to a blank line
    or, since letters go on so, to a sentence about the patient ("She presents with…") or a paragraph.
    """
    kept: list[Section] = []
    listed, ends = 0, _Ends(text)
    for heading in headings(text):
        if heading.name not in HEADINGS and heading.title.count(" ") >= _MOST_WORDS:
            continue
        open_ = kept[-1] if kept and kept[-1].end > heading.start else None
        if open_ is not None and _is_part(text, open_, heading, listed):
            if _follows(text, open_, heading, listed):
                listed = max(text.find("\n", heading.body), heading.body)
            continue
        if open_ is not None:
            kept[-1] = replace(open_, end=heading.start)
        kept.append(replace(heading, end=ends.of(heading)))
        listed = heading.body
    return kept


def headings(text: str) -> Iterator[Section]:
    """All headings of a text, those inside sections too, each as a section of its own that ends with its text's line.

    A heading is one of `HEADINGS`, any words at the beginning of a line up to a colon, or a line of capitals.
    """
    lines = text.replace("\u2029", "\n")
    found = {one.start: one for match in _pattern().finditer(lines) if (one := _known(match)) is not None}
    for match in _UNKNOWN.finditer(lines):
        group = "title" if match["title"] else "capitals"
        start = match.start(group)
        if start not in found:
            title = " ".join(match[group].split())
            name = _names().get(_folded(title), title.lower())
            found[start] = Section(start, match.end(), match.end(), name, title, SAYS.get(name, ""))
    soap = {one.title.lower() for one in found.values()}.issuperset(("s", "o"))
    for start in sorted(found):
        one = found[start]
        yield replace(one, name=SOAP[one.name]) if soap and one.name in SOAP else one


def section_at(found: Sequence[Section], place: int) -> Section | None:
    """The section that a place of the text lies in; None above the first and between two."""
    number = bisect_right(found, place, key=lambda one: one.start) - 1
    return found[number] if number >= 0 and place < found[number].end else None


def is_heading(found: Sequence[Section], start: int, end: int) -> bool:
    """Whether a place of the text lies in a heading of `HEADINGS`: the "allergies" of "Allergies: none" are none."""
    section = section_at(found, start)
    return section is not None and section.name in HEADINGS and end <= section.body


def _known(match: re.Match[str]) -> Section | None:
    """The heading; None for a word in small letters without a colon, at which a line of running text was broken."""
    group = "inside" if match["title"] is None else "title"
    title = " ".join(match[group].split())
    if title[0].islower() and not match.group().endswith((":", "：")):
        return None
    name = _names()[_folded(title)]
    return Section(match.start(group), match.end(), match.end(), name, title, SAYS.get(name, ""))


def _is_part(text: str, open_: Section, heading: Section, listed: int) -> bool:
    """Whether a heading stands inside the open section: an organ system or a relative, or unknown words before a text.

    These end a section that says something of all below it, unless they are its items or belong to the list of
    their kind ("Penicillin: hives") that it begins with and that reaches to ``listed``; they also end one another.
    """
    if heading.name in HEADINGS:
        return False
    words = re.split(r"[\s,/-]+", heading.name)
    is_whole = bool(open_.says) and words[-1] in SECTION_LAST_WORDS
    if words[0] in INNER_FIRST_WORDS and not is_whole:
        return True
    if is_whole or not _has_text(text, heading):
        return False
    if (mark := _mark(text, heading)) and mark != _mark(text, open_):
        return True
    if open_.says:
        return _follows(text, open_, heading, listed)
    return open_.name in HEADINGS or not _has_text(text, open_)


def _follows(text: str, open_: Section, heading: Section, listed: int) -> bool:
    """Whether a heading stands on the line below ``listed``, or below the open heading and blank lines."""
    between = text[listed : heading.start].removesuffix(_mark(text, heading))
    return not between.strip() and (listed == open_.body or between.count("\n") == 1)


def _mark(text: str, heading: Section) -> str:
    """What stands before a heading on its line, such as "#"."""
    return text[text.rfind("\n", 0, heading.start) + 1 : heading.start].strip()


def _has_text(text: str, heading: Section) -> bool:
    """Whether its text begins on the line of the heading."""
    return bool(_REST.match(text, heading.body))


class _Ends:
    """Where the texts of sections end that begin on the line of their heading."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blank = [match.start() for match in _BLANK.finditer(text)]
        subjects = {match.end() for match in _NEW_SUBJECT.finditer(text)}
        self._subject = sorted(subjects | {match.end() for match in _PARAGRAPH.finditer(text) if _is_new(match)})

    def of(self, heading: Section) -> int:
        """Where the section of a heading ends unless another heading does it."""
        if not _has_text(self._text, heading):
            return len(self._text)
        places = [self._blank, self._subject] if heading.says else [self._blank]
        following = (bisect_left(some, heading.body) for some in places)
        return min(
            (some[at] for some, at in zip(places, following, strict=True) if at < len(some)), default=len(self._text)
        )


def _is_new(paragraph: re.Match[str]) -> bool:
    """Whether a paragraph begins with no relative, of whom what stands above could go on to tell."""
    return paragraph["word"].lower() not in INNER_FIRST_WORDS


_ASIDES = re.compile(r"\([^()]*\)|['’]s?\b")  # "PMH (per chart)", "Patient's history"
_AND = re.compile(r"\s*[/&+]\s*")  # "A/P", "Assessment & Plan"
_QUALIFIED = re.compile(rf"^(?:{_QUALIFYING}|patients?)\s+")


def _folded(title: str) -> str:
    """A heading in small letters, without what may stand around it."""
    words = _AND.sub(" and ", _ASIDES.sub("", title.lower()))
    words = " ".join(words.split()).strip(" *_#-")
    return words if words in _names() else _QUALIFIED.sub("", words)


@cache
def _names() -> Mapping[str, str]:
    """The section of each heading."""
    tables = (FOREIGN_HEADINGS, HEADINGS)
    return {heading: name for table in tables for name, listed in table.items() for heading in phrases_of(listed)}


@cache
def _pattern() -> re.Pattern[str]:
    """Known headings that begin a line or, where a colon follows, a sentence."""
    heading = "|".join(map(_heading_pattern, sorted(_names(), key=len, reverse=True)))
    firsts = "".join(sorted({name[0] for name in (*_names(), *_QUALIFYING.split("|"), "patient")}))
    is_near = f"(?=[{re.escape(firsts)}])"  # one look at a letter, before hundreds at headings
    heading = rf"{is_near} (?: (?:{_QUALIFYING}|patient'?s?){_SPACE}+ )? (?:{heading}) (?![\w'’/&-])"
    aside = rf"(?: {_SPACE}*\([^()\n]{{0,40}}\) )? {_BOLD}"
    return re.compile(
        rf"""
          ^{_SPACE}*{_BULLET}?{_BOLD} (?P<title>{heading}) {aside}
          (?: {_SPACE}*[:：] | {_SPACE}+[-–—](?=\s) | {_ALONE} )            # "# PMH (per chart):", "Plan - rest", "ROS"
        | (?<=[.;!?][ \t]) (?P<inside>{heading}) {_SPACE}*:                 # "Cough for a week. PMH: asthma"
        """,
        re.MULTILINE | re.IGNORECASE | re.VERBOSE,
    )


def _heading_pattern(heading: str) -> str:
    """A heading with any spaces, and any sign for *and*."""
    parts = ([re.escape(word) for word in part.split()] for part in heading.split(" and "))
    return rf"(?:{_SPACE}*[/&+]{_SPACE}*|{_SPACE}+and{_SPACE}+)".join(f"{_SPACE}+".join(part) for part in parts)
