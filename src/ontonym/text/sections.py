"""The sections of clinical notes: which heading stands above a place, and what it says of everything below it.

`HEADINGS` is the whole table, for a person to read and edit; `ontonym.text.foreignheadings` has those of other
languages. A heading begins a line, or a sentence where a colon follows it ("Cough for a week. PMH: asthma.").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from ontonym.text.foreignheadings import FOREIGN_HEADINGS
from ontonym.text.patterns import any_of, written_out

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "chief complaint": (
            "chief? complaint|complaints, cc, pc, presenting complaint|complaints|problem, clinical indication, "
            "indication|indications, reason for visit|consultation|consult|referral|admission|presentation, "
            "reason for hospitalization|study|exam|examination, referral reason"
        ),
        "history of present illness": (
            "history of present|presenting illness, history of the present illness, history of presenting complaint, "
            "present illness, hpi, hpc, present|clinical|interval|interim|current? history, current? symptoms, "
            "subjective, presentation"
        ),
        "past medical history": (
            "past|previous|prior? medical history, past? medical hx, past medical and surgical history, past? med hx, "
            "past|previous history, past hx, pmh, pmhx, pmhx and pshx, pmh and psh, pmsh, past|previous illnesses, "
            "past? psychiatric history, past psych, past? psych history|hx, past? ocular history, poh, "
            "past obstetric history, past? obs history|hx, obstetric|ob|gyn|gynae hx, gynae history, "
            "previous pregnancies, past oncologic history, childhood illnesses, prior|previous|past diagnoses, "
            "past|resolved|inactive problems, past problem list"
        ),
        "past surgical history": (
            "past? surgical history|hx, psh, pshx, surg hx, prior|previous|past surgeries, previous|prior operations, "
            "past|prior procedures"
        ),
        "family history": (
            "family, family history|hx, family medical|psychiatric history, family history of illness, "
            "fh, fhx, fmh, fmhx, fam hx, maternal|paternal history, pedigree"
        ),
        "birth history": (
            "birth|perinatal|neonatal|obstetric|pregnancy|prenatal|antenatal|gynecologic|ob|gyn|obgyn history, "
            "developmental history, development"
        ),
        "social history": (
            "social|soc hx, sh, shx, social|personal|occupational|travel|sexual history, "
            "social and family situation, habits, substance use"
        ),
        "allergies": (
            "drug|medication|food|known? allergies, allergy, nkda, allergies and adverse reactions, "
            "allergies and intolerances, adverse drug? reactions, drug? intolerances, allergic|allergy history"
        ),
        "medications": (
            "medication, current|home|admission|discharge|outpatient|inpatient? medications, current|home? meds, "
            "medication list|history, medications on admission|discharge, medications prior to admission, "
            "medications at home, current? drugs, drug history, prescriptions, current treatment, rx"
        ),
        "immunizations": (
            "immunization|immunizations|immunisations, immunization history, vaccinations, "
            "vaccination history, vaccines"
        ),
        "review of systems": (
            "review of systems|symptoms, review of organ systems, ros, systems|system|systemic review, "
            "functional inquiry"
        ),
        "physical examination": (
            "physical? examination|exam, physical, pe, px, on examination, o and e, oe, e and o, i and o, "
            "clinical|general examination, examination|physical findings, neurological examination|exam, "
            "neurologic|neuro exam, mental status examination|exam, mse, admission|discharge exam, "
            "physical examination on admission, dysmorphology examination, dysmorphic features, "
            "clinical findings|features"
        ),
        "vital signs": "vital signs, admission? vitals, vs, measurements, growth parameters, anthropometry",
        "laboratory results": (
            "laboratory results|data|findings|studies, laboratory, laboratories, labs, lab, lab results|data, "
            "blood tests, bloods, microbiology, cultures, urinalysis, investigations, diagnostic? tests, "
            "test results, diagnostic studies"
        ),
        "imaging": (
            "imaging, imaging studies|results|findings, radiology, radiology results, chest? x-ray, cxr, ct scan?, "
            "mri, ultrasound, echocardiogram, echo, ecg, ekg, eeg"
        ),
        "genetic results": (
            "genetic results|testing|findings, genetics, molecular testing|findings, karyotype, genotype"
        ),
        "procedures": (
            "procedure|procedures, procedures performed, operations, operative procedure|findings, "
            "major surgical or invasive procedure, description of procedure, anesthesia, specimens"
        ),
        "pathology": (
            "pathology results?, histology, histopathology, final pathologic diagnosis, gross|microscopic description"
        ),
        "hospital course": (
            "brief? hospital course, hospital course by problem|system, ed|clinical|treatment? course, "
            "emergency department course, course in hospital, progress note?, interval|overnight? events"
        ),
        "problems": (
            "active|current|medical? problems, active? problem list, active? issues, comorbidities, co-morbidities, "
            "chronic conditions, active|current diagnoses"
        ),
        "diagnoses": (
            "diagnosis|diagnoses, dx, admission|discharge|final|secondary diagnosis|diagnoses, "
            "admitting|principal|primary|preoperative|postoperative|working diagnosis"
        ),
        "differential diagnosis": (
            "differential diagnosis|diagnoses, differential|differentials, ddx, rule out, suspected diagnosis|diagnoses"
        ),
        "assessment": (
            "assessment, impression|impressions, imp, impr, clinical|diagnostic impression, clinical? summary, "
            "formulation, opinion, evaluation"
        ),
        "assessment and plan": (
            "assessment|impression and plan|recommendations, a and p, ap, imp|diagnosis and plan, problems and plans"
        ),
        "plan": (
            "plan|plans, treatment|discharge plan, plan of care, plan and recommendations, "
            "recommendation|recommendations, management, treatment, tx, orders, therapy, discharge? disposition, "
            "follow-up, follow up, followup, next steps, discharge condition|status, condition on discharge"
        ),
        "return precautions": (
            "return? precautions, patient|discharge|return|follow-up|followup? instructions, when to return|call, "
            "when to seek help, reasons to return, return if, safety netting|net, safety-netting advice, "
            "red flags discussed, warning signs, patient? education, counseling, counselling, advice, "
            "anticipatory guidance"
        ),
        "objective": "objective|objectives, aim|aims, purpose",
        "background": "background, introduction",
        "methods": "methods, materials|patients and methods, technique, comparison, design, setting",
        "results": "main? results, data, studies",
        "findings": "findings",
        "conclusion": "conclusion|conclusions, discussion, interpretation",
        "prophylaxis": "prophylaxis, ppx",
        "contraindications": (
            "contraindications, possible side effects, side effects discussed, risks discussed?, "
            "potential complications, risks and benefits"
        ),
    }
)
"""The headings of each section, without regard to capitals, written as `ontonym.text.patterns` says; ``and`` also
stands for ``/``, ``&`` and ``+``."""

SOAP: Mapping[str, str] = MappingProxyType(
    {"s": "history of present illness", "o": "physical examination", "a": "assessment", "p": "plan"}
)
"""The sections of letters as headings, in a note that has the first two: "P:" may be a pulse, "O:" blood group 0."""

SAYS: Mapping[str, str] = MappingProxyType(
    {
        "past medical history": "historical",
        "past surgical history": "historical",
        "family history": "family",
        "allergies": "hypothetical",
        "immunizations": "hypothetical",
        "return precautions": "hypothetical",
        "prophylaxis": "hypothetical",
        "contraindications": "hypothetical",
        "differential diagnosis": "uncertain",
    }
)
"""The context (of `ontonym.text.context.CONTEXTS`) of every mention in a section. What stands under allergies or in
instructions is what could happen, as it is in medspaCy; a plan names what the patient has, and sets nothing."""

PARTS = frozenset(
    "general appearance constitutional head eyes ears nose throat mouth ent heent neck chest thorax breast breasts "
    "heart cardiac cardiovascular cardiology cv cvs respiratory resp pulmonary lungs lung abdomen abdominal gi "
    "gastrointestinal gu genitourinary genitalia renal urinary kidney kidneys msk musculoskeletal skeletal "
    "extremities ext limbs hands feet back spine skin integument derm dermatologic neuro neurological neurologic "
    "neurology psych psychiatric psychiatry endo endocrine haem heme hematologic hematology heme/lymph lymph "
    "lymphatic lymphatics vascular rectal pelvic immunologic infectious id oncologic oncology metabolic hepatic liver "
    "mother father brother brothers sister sisters siblings maternal paternal grandmother grandfather aunt uncle "
    "cousin cousins parents son daughter children face facial hair teeth growth vision hearing ophthalmologic "
    "orthopedic rheumatologic sensory motor reflexes gait mental other others note date reaction reactions gen pulm "
    "abd mgm mgf pgm pgf half wife husband spouse niece nephew mum mom dad grandma grandpa grandparents".split()
)
"""First words of headings inside a section, such as organ systems and relatives: they do not end it."""

WHOLE = frozenset(
    "exam examination testing tests test results assessment plan complaint complaints diagnosis diagnoses course "
    "screening evaluation findings history hx note".split()
)
"""Last words of headings that stand for a section of their own ("Gait exam") and are no part of what relatives have."""

_LONGEST = 60
"""Letters of the longest unknown heading."""
_MOST_WORDS = 5

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
_ABOUT_THE_PATIENT = any_of(
    "the|this? patient, pt, he, she, they, we, i, today, currently, now, on exam|examination, o/e, this is",
    "presents, presented, seen, denies, denied, endorses, reports, complains, admits",
)
_NEW_SUBJECT = re.compile(rf"(?<=[.;!?])\s+(?={_ABOUT_THE_PATIENT}\b)", re.IGNORECASE)


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
    or, since letters go on so, to a sentence about the patient ("She presents with…").
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
    is_whole = bool(open_.says) and words[-1] in WHOLE
    if words[0] in PARTS and not is_whole:
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
        self._subject = [match.end() for match in _NEW_SUBJECT.finditer(text)]

    def of(self, heading: Section) -> int:
        """Where the section of a heading ends unless another heading does it."""
        if not _has_text(self._text, heading):
            return len(self._text)
        places = [self._blank, self._subject] if heading.says else [self._blank]
        following = (bisect_left(some, heading.body) for some in places)
        return min(
            (some[at] for some, at in zip(places, following, strict=True) if at < len(some)), default=len(self._text)
        )


_ASIDES = re.compile(r"\([^()]*\)|['’]s?\b")
_AND = re.compile(r"\s*[/&+]\s*")
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
    return {heading: name for table in tables for name, listed in table.items() for heading in written_out(listed)}


@cache
def _pattern() -> re.Pattern[str]:
    """Known headings that begin a line or, where a colon follows, a sentence."""
    heading = "|".join(map(_heading_pattern, sorted(_names(), key=len, reverse=True)))
    heading = rf"(?: (?:{_QUALIFYING}|patient'?s?){_SPACE}+ )? (?:{heading}) (?![\w'’/&-])"
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
