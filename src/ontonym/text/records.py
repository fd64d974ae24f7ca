"""What lists and records add to a finding: its number, code and year, the kind of thing that it is, and that nobody is
to use the entry any more.

"2) Asthma", "Asthma (disorder)", "J45.9 - Asthma", "[X]Asthma NEC" and "Asthma dx 2015" all say asthma. None of it is
what is asked for, so nothing is searched for with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import unquote

from ontonym.text.languages import language_of
from ontonym.text.patterns import any_of, lazy

_FLAGS = re.IGNORECASE | re.VERBOSE

_NUMBERED = re.compile(
    r"""
    ^\s*(?: (?: \#?\d{1,2}[.):] | \#\d{1,2} | [-*•–·] )\s+                # "2) Asthma", "#3 Asthma", "- Asthma"
        | \[(?:D|M|Q|SO|V|X)\]\s*                                         # "[X]Asthma", as Read codes begin
      )(?=\w)
    """,
    re.VERBOSE,
)
"""The number or mark of an item."""
_ORDINAL = re.compile(r"^\s*\d{1,2}\.\s+(?=\w)")
"""In other languages a number with a dot is an ordinal: "3. ayak parmağı" is the third toe."""
_TAGS = any_of(
    "disorder, finding, procedure, regime/therapy, situation, event, observable entity, body structure",
    "morphologic abnormality, substance, medicinal? product, organism, qualifier value",
    "disease, diagnosis, symptom, condition",
)
_TAG = re.compile(rf"(?<=\w)\s* \( {_TAGS} \)\s*$  |  (?<=\w),?\s+ (?:nec|n\.e\.c\.)\s*$", _FLAGS)
"""What SNOMED CT's full names, and names of classifications, end with."""
_FOUR = r"(?:19|20)\d\d"
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NAME = (
    r"(?: (?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.? )"
)
_DAY_OF_YEAR = rf"""
    (?: (?: {_FOUR}[-/.]{_MONTH}[-/.]{_DAY}                                            # "2019-03-01"
          | (?:{_DAY}[-/.]{_MONTH}|{_MONTH}[-/.]{_DAY})[-/.]{_FOUR}                    # "1.3.2019"
          | (?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/\d\d                                   # "3/1/19"
          | {_DAY}[-\s]{_MONTH_NAME}[-\s]{_FOUR} | {_MONTH_NAME}\s{_DAY},?\s{_FOUR}    # "15-Mar-2019", "March 3, 2019"
        ) (?:[T\s]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)? )"""
_YEAR = rf"(?: (?:{_MONTH}/|{_MONTH_NAME}[-\s])? (?:{_FOUR}|['’]\d\d) | {_FOUR}-{_MONTH} )"
_DATED = lazy(rf"^\s*{_DAY_OF_YEAR}\s*[-–:,;]?\s+(?=\w)", _FLAGS)
"""The day before an entry: "2019-03-01: Asthma"; a year alone may be a part of a name."""
_SINCE = r"(?:(?:dx'?d?|diagnosed|onset|noted|since|in|from|on|as\s+of):?\s+){0,2}"
_WHEN = lazy(
    rf"""
    (?<!\s)(?:[,;:]|\s[-–])?\s+
    (?: {_SINCE} (?:{_DAY_OF_YEAR}|{_YEAR})                                   # "dx 2015"
      | {_SINCE} [(\[]\s* {_SINCE} (?:{_DAY_OF_YEAR}|{_YEAR}) \s*[)\]]
      | (?:since|from|at)\s+ (?:the\s+)? age\s+ (?:of\s+)? \d{{1,2}}         # "since age 12"
    )\s*$
    """,
    _FLAGS,
)
_REFERS = re.compile(
    r"""
    (?<=\w)\s*+ (?: [,;:–-]\s*+ | (?<=\s) | (?=[(\[]) )
    [(\[]? \s*+ see\s+ (?:above|below|chart|comments?|details|letters?|notes?|text) \s*+ [)\]]? \.?\s*$
    """,
    _FLAGS,
)
"""Where an entry has more: "asthma - see notes"."""
_SPREAD = lazy(
    r"""
    (?<=\w)[\s,;:]*
    (?: \(\s* [<>≤≥=~]*\s* [-−–+]? | [<>≤≥]\s*[-−–+]? | [-−–+] )\s*
    \d+(?:[.,]\d+)?\s* (?:SDS?|z-?scores?)\s*\)?\s*$
    """,
    _FLAGS,
)
"""How far a finding is from the mean, as registries write it: "microcephaly (< -3 SD)"."""
_OUT_OF_USE = any_of(
    "do not use, don't use, dont use, not in use, no longer used|valid|active, no longer in use, not used anymore",
    "obsolete, deprecated, outdated, retired|inactive|invalid|old code|term|entry|item, nicht mehr? verwenden|benutzen",
    "veraltet, ungültig, ne plus|pas utiliser, obsolète, no usar|utilizar, obsoleto|obsoleta, non usare|utilizzare",
)
_MARKED = lazy(
    rf"""
      ^\s* [*(\[<!#-]* \s* {_OUT_OF_USE} \s* (?: [*)\]>!#]+\s*[-–:,;]? | [-–:;] | (?<=obsolete)(?=\s) ) \s* (?=[(\[]?\w)
    | (?<=\w[\s.)]|.\w) \s* (?: [*(\[<!#]+ | [-–:,;] ) \s* [*(\[<!#]* {_OUT_OF_USE} \s* [*)\]>!#.]* \s*$
    """,
    _FLAGS,
)
"""That an entry of a list is out of use: "DO NOT USE - Asthma", "Asthma (obsolete)". It is asked for all the same."""
_OPEN = re.compile(
    r"(?<=\w)(?:\s*,)?\s+\(?(?:not (?:otherwise|further) specified|\(unspecified\))\)?\s*$", re.IGNORECASE
)
"""What leaves the rest open, as coders write it out; short for it is NOS."""
_STAGED = lazy(
    r"""
    (?<=\w)[\s,;:(]+ (?:(?:tnm|stage)\s+)? [cpyr]{0,2}T(?:[0-4][a-d]?|is|[xX]) \s*N(?:[0-3][a-c]?|[xX])
    (?:\s*M[01xX][a-c]?)? \)?\s*$
    """,
    re.VERBOSE,
)
"""The stage of a tumor by its size, nodes and metastases: "ca colon pT3N1M0"."""
_PAST = re.compile(r"^\s*(?:pmhx?|past\s+(?:medical\s+)?(?:history|hx)(?:\s+of)?)\s*[-–:]?\s+(?=\w)", re.IGNORECASE)

_CONCEPT_ID = r"\d{6,18}"
"""An id of SNOMED CT."""
_CURIE = r"[A-Za-z][A-Za-z0-9_.]{1,14}:[A-Z]{0,2}\d[0-9A-Z.]+"
_ICD = r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_ICD_WITH_DOT = r"[A-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}"
_CODED = lazy(
    rf"""
      ^\s* (?: {_CONCEPT_ID}\s*\| | {_CURIE}\s*[-–!|]?(?=\s) ) \s*(?=\w)     # "195967001 | Asthma", "HP:0002099 Asthma"
    | (?<=\w)\s*\|\s*$                                                     # "Asthma |"
    | (?<=\w)\s+ [(\[]?{_CURIE}[)\]]? \s*$                                  # "Asthma (HP:0002099)"
    | ^\s* (?: {_ICD_WITH_DOT}\s*[-–:,]? | {_ICD}\s*[-–:] ) \s+(?=[(\[]?\w)  # "J45.9 Asthma", "J45: Asthma"
    | (?<=\w)\s+ (?: [-–]\s+{_ICD} | [(\[]\s*{_ICD}\s*[)\]] | {_ICD_WITH_DOT} ) \s*$  # "Asthma (J45)"
    """,
    re.VERBOSE,
)
"""A code beside the words: an id with its prefix, one of SNOMED CT before a bar, or one of ICD-10, which has a dot
unless a dash, a colon or brackets part it from them.
"""
_LABELED = re.compile(
    r"""
    (?<=\w)\s* [(\[{] \s*
    (?: ICD (?:[- ]?(?:9|10|11)(?![\d.]))?+ (?:-?CM)? | SCT | SNOMED (?:[- ]?CT)? | CTV3 | READ | HPO | MESH | OMIM
      | UMLS | MONDO | ORPHA )
    \s*(?:codes?)?\s*[:#-]?\s* [A-Z]{0,3}\d[0-9A-Z.]* \s* [)\]}] \s*$
    """,
    _FLAGS,
)
"""A code in brackets behind what it is a code of: "Asthma (ICD-9-CM 493.90)"."""
_WHOSE = re.compile(r"(?<=[^\W\d_])\s?[(\[]ICD[- ]?(?:9|10|11)(?:-?CM)?(?: codes?)?[)\]]$", re.IGNORECASE)
"""Whose code is asked for: "asthma (ICD-10)"."""
_MARKUP = re.compile(
    r"</?(?:a|b|br|code|div|em|font|h[1-6]|i|li|ol|p|pre|span|strong|sub|sup|table|td|th|tr|tt|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_SPACE_IN_ADDRESS = re.compile(r"(?<=\w)%20(?=\w)")
_OWN_CODE = re.compile(
    r"\s*(?P<open>[(\[])?(?P<code>[A-Z]{0,2}\d{3,10}(?:[./-]\d{1,4})*[A-Z]?)(?(open)[)\]]\s*[-–:|]?|(?:\s+[-–|]|\s*:))\s+"
    r"(?P<rest>[^\W\d_]{2}.*)",
    re.DOTALL,
)
_ANY_CODE = re.compile(rf"{_CONCEPT_ID}|{_CURIE}|{_ICD}")
_DIGIT_OR_BAR = re.compile(r"[\d|]")
"""What every code and year has; the long patterns are not tried on a text without."""


def code_beside(text: str) -> tuple[str, str] | None:
    """The code that stands beside the words of a text, and these words; None where none does."""
    found = _CODED().search(text) if _DIGIT_OR_BAR.search(text) else None
    code = found and _ANY_CODE.search(found[0])
    return (code[0], without_record(text)) if code else None


def without_own_code(text: str, has_words: Callable[[str], bool]) -> str:
    """The text without the code of somebody's own list that it begins with: "Z187 - Asthma", "(4711) Appendectomy".

    Itself where it has none, where names have the code as a word (``has_words``), as in "CA125: raised", and where they
    lack a word of the rest.
    """
    found = _OWN_CODE.fullmatch(text)
    return found["rest"] if found and has_words(found["rest"]) and not has_words(found["code"]) else text


def without_record(text: str) -> str:
    """The text without what a list or a record adds to it and without tags of HTML, and with the characters that HTML
    and addresses write out; a past history as a history, and what is "not otherwise specified" as NOS. Itself where it
    has nothing of that, or nothing else.
    """
    whole = unescape(text)
    whole = " ".join(_MARKUP.sub(" ", whole).split()) if "<" in whole and _MARKUP.search(whole) else whole
    whole = unquote(whole) if _SPACE_IN_ADDRESS.search(whole) else whole
    is_ordinal = _ORDINAL.match(whole) and language_of(whole)
    whole = _MARKED().sub("", whole)
    rest = _TAG.sub("", _REFERS.sub("", whole if is_ordinal else _NUMBERED.sub("", whole)))
    if _DIGIT_OR_BAR.search(rest):
        rest = _CODED().sub("", _LABELED.sub("", _DATED().sub("", _WHOSE.sub("", rest.rstrip()))))
        rest = _STAGED().sub("", _SPREAD().sub("", _WHEN().sub("", rest)))
    rest = _OPEN.sub(" NOS", rest)
    rest = _PAST.sub("history of ", rest).strip()
    return rest if any(letter.isalpha() for letter in rest) else text
