"""The sections of clinical notes: which heading stands above a place, and what it says of everything below it.

`HEADINGS` is the whole table, for a person to read and edit. A heading begins a line, or a sentence where a colon
follows it ("Cough for a week. PMH: asthma."). English text only.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "chief complaint": (
            "chief complaint|chief complaints|cc|presenting complaint|presenting complaints|pc|"
            "presenting problem|reason for visit|reason for consultation|reason for consult|reason for referral|"
            "reason for admission|reason for presentation|reason for hospitalization|reason for study|"
            "reason for exam|reason for examination|complaint|complaints|indication|indications|"
            "clinical indication|referral reason"
        ),
        "history of present illness": (
            "history of present illness|history of the present illness|history of presenting illness|"
            "history of presenting complaint|hpi|hpc|present illness|present history|history|clinical history|"
            "subjective|interval history|interim history|current history|current symptoms|symptoms|presentation"
        ),
        "past medical history": (
            "past medical history|past medical and surgical history|past medical hx|pmh|pmhx|pmhx and pshx|"
            "pmh and psh|pmsh|medical history|previous medical history|prior medical history|past history|"
            "previous history|medical hx|med hx|past med hx|past hx|past illnesses|previous illnesses|"
            "past psychiatric history|psychiatric history|past psych history|past psych hx|past psych|psych history|"
            "psych hx|past ocular history|ocular history|poh|past obstetric history|past obs history|past obs hx|"
            "obs history|obs hx|obstetric hx|ob hx|gynae history|gynae hx|gyn hx|previous pregnancies|"
            "past oncologic history|childhood illnesses|prior diagnoses|previous diagnoses|past diagnoses|"
            "past problems|resolved problems|inactive problems|past problem list"
        ),
        "past surgical history": (
            "past surgical history|past surgical hx|psh|pshx|surgical history|surgical hx|surg hx|prior surgeries|"
            "previous surgeries|past surgeries|previous operations|prior operations|past procedures|"
            "prior procedures"
        ),
        "family history": (
            "family history|family medical history|family hx|family history of illness|fh|fhx|fmh|fmhx|fam hx|"
            "family psychiatric history|family|maternal history|paternal history|pedigree"
        ),
        "birth history": (
            "birth history|perinatal history|neonatal history|obstetric history|pregnancy history|"
            "prenatal history|antenatal history|gynecologic history|ob history|gyn history|obgyn history|"
            "developmental history|development"
        ),
        "social history": (
            "social history|social hx|sh|shx|soc hx|social and family situation|personal history|"
            "occupational history|habits|substance use|travel history|sexual history"
        ),
        "allergies": (
            "allergies|allergy|drug allergies|medication allergies|food allergies|known allergies|nkda|"
            "allergies and adverse reactions|allergies and intolerances|adverse drug reactions|adverse reactions|"
            "drug intolerances|intolerances|allergic history|allergy history"
        ),
        "medications": (
            "medications|medication|meds|current medications|current meds|home medications|home meds|"
            "medication list|medications on admission|admission medications|medications prior to admission|"
            "discharge medications|medications on discharge|outpatient medications|inpatient medications|"
            "medications at home|drugs|drug history|current drugs|prescriptions|current treatment|"
            "medication history|rx"
        ),
        "immunizations": (
            "immunizations|immunization|immunisations|immunization history|vaccinations|vaccination history|vaccines"
        ),
        "review of systems": (
            "review of systems|ros|systems review|review of symptoms|system review|systemic review|"
            "review of organ systems|functional inquiry"
        ),
        "physical examination": (
            "physical examination|physical exam|physical|pe|px|exam|examination|on examination|o and e|oe|"
            "e and o|i and o|clinical examination|general examination|examination findings|physical findings|"
            "neurological examination|neurologic exam|neuro exam|neurological exam|mental status examination|"
            "mental status exam|mse|admission exam|discharge exam|physical examination on admission|"
            "dysmorphology examination|dysmorphic features|clinical findings|clinical features"
        ),
        "vital signs": "vital signs|vitals|vs|admission vitals|measurements|growth parameters|anthropometry",
        "laboratory results": (
            "laboratory results|laboratory data|laboratory findings|laboratory studies|laboratory|laboratories|"
            "labs|lab|lab results|lab data|blood tests|bloods|microbiology|cultures|urinalysis|investigations|"
            "tests|test results|diagnostic tests|diagnostic studies"
        ),
        "imaging": (
            "imaging|radiology|imaging studies|imaging results|imaging findings|radiology results|chest x-ray|"
            "cxr|ct|mri|ct scan|ultrasound|echocardiogram|echo|ecg|ekg|eeg|x-ray"
        ),
        "genetic results": (
            "genetic results|genetic testing|genetics|molecular testing|molecular findings|karyotype|"
            "genetic findings|genotype"
        ),
        "procedures": (
            "procedures|procedure|procedures performed|operations|operative procedure|"
            "major surgical or invasive procedure|operative findings|description of procedure|anesthesia|"
            "specimens"
        ),
        "pathology": (
            "pathology|pathology results|histology|histopathology|final pathologic diagnosis|gross description|"
            "microscopic description"
        ),
        "hospital course": (
            "hospital course|brief hospital course|hospital course by problem|hospital course by system|"
            "ed course|emergency department course|course in hospital|clinical course|course|treatment course|"
            "progress|events|interval events|overnight events|progress note"
        ),
        "problems": (
            "problems|problem list|active problems|active problem list|current problems|medical problems|"
            "active issues|issues|comorbidities|co-morbidities|chronic conditions|active diagnoses|"
            "current diagnoses"
        ),
        "diagnoses": (
            "diagnosis|diagnoses|dx|admission diagnosis|admitting diagnosis|admission diagnoses|"
            "discharge diagnosis|discharge diagnoses|final diagnosis|final diagnoses|principal diagnosis|"
            "primary diagnosis|secondary diagnosis|secondary diagnoses|preoperative diagnosis|"
            "postoperative diagnosis|working diagnosis"
        ),
        "differential diagnosis": (
            "differential diagnosis|differential diagnoses|differential|ddx|differentials|rule out|"
            "suspected diagnosis|suspected diagnoses"
        ),
        "assessment": (
            "assessment|impression|impressions|imp|impr|summary|clinical impression|diagnostic impression|formulation|"
            "opinion|clinical summary|evaluation"
        ),
        "assessment and plan": (
            "assessment and plan|assessment and recommendations|impression and plan|"
            "impression and recommendations|a and p|ap|imp and plan|diagnosis and plan|problems and plans"
        ),
        "plan": (
            "plan|plans|treatment plan|plan of care|recommendation|recommendations|management|treatment|tx|orders|"
            "disposition|discharge plan|therapy|plan and recommendations|discharge disposition|follow-up|"
            "follow up|followup|next steps|discharge condition|condition on discharge|discharge status"
        ),
        "return precautions": (
            "return precautions|return instructions|when to return|reasons to return|return if|precautions|"
            "patient instructions|discharge instructions|instructions|follow-up instructions|"
            "followup instructions|safety netting|safety net|safety-netting advice|red flags discussed|"
            "when to call|when to seek help|warning signs|patient education|education|counseling|counselling|"
            "advice|anticipatory guidance"
        ),
        "objective": "objective|objectives|aim|aims|purpose",
        "background": "background|introduction",
        "methods": "methods|materials and methods|patients and methods|technique|comparison|design|setting",
        "results": "results|data|main results|studies",
        "findings": "findings",
        "conclusion": "conclusion|conclusions|discussion|interpretation",
        "prophylaxis": "prophylaxis|ppx",
        "contraindications": (
            "contraindications|possible side effects|side effects discussed|risks discussed|"
            "potential complications|risks and benefits|risks"
        ),
    }
)
"""The headings of each section, without regard to capitals; ``and`` also stands for ``/``, ``&`` and ``+``."""

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
_MOST_WORDS = 5
_START = r"^[^\S\n]*(?:[#>*•·–-]+[^\S\n]*|\(?\d{1,2}[.)][^\S\n]+)?[*_]{0,2}"
_WITHIN = r"(?<=[.;!?][ \t])"
_LEAD = r"(?:(?:significant|pertinent|relevant|known|patient'?s?)[^\S\n]+)?"
_ASIDE = r"(?:[^\S\n]*\([^()\n]{0,40}\))?[*_]{0,2}"
_ALONE = r"(?=[^\S\n]*(?:\n|\Z))"
_UNKNOWN = re.compile(
    r"^[^\S\n]*(?:[#*•-]+[^\S\n]*)?[*_]{0,2}(?:"
    rf"(?P<title>[A-Za-z][^\n:.;]{{0,{_LONGEST}}}?)[*_]{{0,2}}[^\S\n]*:(?!(?<=\d:)\d)"
    rf"|(?P<capitals>[A-Z][A-Z &/,-]{{2,{_LONGEST}}}){_ALONE})",
    re.MULTILINE,
)
_REST = re.compile(r"[*_]*[^\S\n]*\S")
_BLANK = re.compile(r"\n[^\S\n]*\n|\u2029|\x0c")
_NEW_SUBJECT = re.compile(
    r"(?<=[.;!?])\s+(?=(?:the patient|this patient|patient|pt|he|she|they|we|i|today|currently|now|on exam|o/e|"
    r"on examination|this is|presents|presented|seen|denies|denied|endorses|reports|complains|admits)\b)",
    re.IGNORECASE,
)


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
    if title[0].islower() and not match.group().endswith(":"):
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


def _folded(title: str) -> str:
    """A heading in small letters, without what may stand around it."""
    words = re.sub(r"\([^()]*\)|['’]s?\b", "", title.lower())
    words = re.sub(r"\s*[/&+]\s*", " and ", words)
    words = " ".join(words.split()).strip(" *_#-")
    return words if words in _names() else re.sub(r"^(?:significant|pertinent|relevant|known|patients?)\s+", "", words)


@cache
def _names() -> Mapping[str, str]:
    """The section of each heading."""
    return {heading: name for name, listed in HEADINGS.items() for heading in listed.split("|")}


@cache
def _pattern() -> re.Pattern[str]:
    """Known headings that begin a line, where a colon, a dash or the end of the line follows, or a sentence."""
    listed = "|".join(
        r"(?:[^\S\n]*[/&+][^\S\n]*|[^\S\n]+and[^\S\n]+)".join(
            r"[^\S\n]+".join(map(re.escape, part.split())) for part in heading.split(" and ")
        )
        for heading in sorted(_names(), key=len, reverse=True)
    )
    title = rf"(?P<title>{_LEAD}(?:{listed})(?![\w'’/&-]))"
    return re.compile(
        rf"(?:{_START}{title}{_ASIDE}(?:[^\S\n]*:|[^\S\n]+[-–—](?=\s)|{_ALONE})"
        rf"|{_WITHIN}{title.replace('?P<title>', '?P<inside>')}[^\S\n]*:)",
        re.MULTILINE | re.IGNORECASE,
    )
