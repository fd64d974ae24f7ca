"""What people write around a finding without saying which one it is: "c/o … x3 days", "Dx: …", "my husband has …".

- `without_frame` takes it off: *chest pain* of "67M c/o chest pain for 2 days"
- `without_negation`: *fever* of "no fever"; `in_history`: *gout* of "PMH: gout"; `no_longer`: that of "gout, cured"
- `of_family`: *bowel cancer* of "father died of bowel cancer"
- `of_circumstance`: *leg swelling* and *hip replacement* of "leg swelling after my hip replacement"

Each gives an empty text where there is nothing of that. English only; `ontonym.text.foreign.frames` has what other
languages write so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ontonym.text.notes.cues import BEFORE
from ontonym.text.patterns import any_of, lazy
from ontonym.text.timeunits import MONTH, UNITS, WEEK, YEAR

_FLAGS = re.IGNORECASE | re.VERBOSE

# What leads to a finding ---------------------------------------------------------------------------------------------

_NUMBERED_ICD = "icd-10|icd10|icd-10-cm|icd10cm|icd-11|icd11"
_ICD = f"icd|{_NUMBERED_ICD} 10|11? cm?"
_HEADING = any_of(
    "imp|impression|assessment|a/p|finding|findings|conclusion|ddx|hpi|cc|c/c",
    "chief complaint, presenting complaint|problem, active? problem|problems list?",
    "clinical? indication|indications|information, reason, reason for visit|admission|referral|exam|study",
    "comorbidity|comorbidities|co-morbidity|co-morbidities",
    "diagnosis|diagnoses|dx, primary|secondary|principal|main|final diagnosis|diagnoses|dx",
    "admitting|admission|discharge|working|differential|clinical|provisional diagnosis|diagnoses|dx",
    "preop|pre-op|preoperative|pre-operative|postop|post-op|postoperative|post-operative diagnosis|diagnoses|dx",
    "pre|post op|operative diagnosis|diagnoses|dx",
    f"{_NUMBERED_ICD}|icd-9|icd9, icd 10|11|9, snomed ct?, hpo, mesh",
)
_PATIENT = any_of(
    "the|this|my? pt|pts|patient|client|he|she is|was?",
    "the|his|her|my? teacher|teachers|parent|parents|carer|carers|family|school|nursery|staff is|are|was|were?",
)
_DOCTOR = "the|my|a? doctor|dr|doc|gp|consultant|specialist|nurse"
_TOLD = any_of(
    # complained of: "c/o chest pain", "presented to A&E with syncope"
    "c/o, o/e, p/w, complain|complains|complained|complaining of|about, complaint|complaints of",
    "report|reports|reporting, say|says|said|saying|state|states|stated|stating that?",
    "describe|describes|described|describing, notice|notices|noticed|noticing that?",
    "suffer|suffers|suffering from, seen for|with, here for|with",
    "present|presents|presented|presenting|represent|represents|represented|representing with|c/o",
    "came|brought|sent|referred in? with|for, arrive|arrives|arrived with",
    "attend|attends|attended|attending with|for",
    "present|presents|presented|presenting|represent|represents|represented|representing"
    " to the? ed|er|a&e|gp|clinic|hospital with",
    # suspected: "r/o sepsis", "worried about melanoma"
    "r/o, rule out, query, susp, suspect|suspects|suspected of?, poss|possible|prob|probable|likely|presumed",
    "cannot|can't|cant exclude, could not exclude, couldn't exclude, suspicion of, suspicious|concerning for",
    "consistent|compatible with, in keeping with, c/w, suggestive of",
    f"{_NUMBERED_ICD}|icd-9|icd9 for?, icd 10|11|9 cm? for?",
    "ddx of?, d/d, differential diagnosis|diagnoses|dx? of?|includes?",
    "is|was it|this|that a|an?, could|might|may it|this|that be a|an?",
    # asked of others, told by them: "does anyone else have vertigo", "doctor says i have gout"
    "do|does anyone|anybody|someone|people else? have|get, when to see|call a? doctor|gp for|about|with",
    "please|pls|kindly see|review re|for, just|recently|newly diagnosed with|as?",
    *(f"{_DOCTOR} said|says|thinks|thought|mentioned{that}" for that in (" i|he|she|it have|has|is", " it's|its?", "")),
    f"{_DOCTOR} suspects|suspected",
    "been? told i|he|she|it have|has|is, been? told it's|its, afraid|scared|worried i|he|she have|has",
    # a code is wanted: "icd 10 code for asthma"
    f"the|which|what? {_ICD} code|codes is? for|of?",
    "hpo term|id|code|codes for|of?",
    "snomed|diagnosis code|codes for|of?, code|codes|coding for",
    "i? think i|he|she|it is|has|have?, i? think he's|she's|it's",
    "concern|concerns|concerned|concerning for|about|re, worry|worried about",
    # known: "k/c/o asthma", "diagnosed with gout"
    "k/c/o, known case of, known to have, known, confirmed, dx of?, diagnosed with, diagnosis of, a/w",
    # treated: "adm with sepsis", "on meds for BP"
    "adm|admitted with|for, eval|evaluate|evaluation of|for, f/u of|for, followup|follow-up of|for, follow up of|for",
    "being|was? treated for, awaiting|under surgery|investigation|investigations|treatment for",
    "on treatment|tx|rx|med|meds|medication|medications|tablets|therapy for",
    # asked: "what causes gout", "why do my feet swell", "is it normal that …", "do i have appendicitis"
    "whats, what's, what is|are|cause|causes|cures|helps|treats, what can|could|might cause|help",
    "what to do for|about|if|when",
    "what is|are the symptoms|signs|causes|cause|treatment|cure of|for, what does it mean if|when|that|to have?",
    "what does|do a|an?, why do|does|did|am|is|are|was|were|has|have, help with",
    "how to treat|cure|heal|stop|prevent|relieve, how to get rid of, how do|can i|you treat|cure|stop|get rid of?",
    "how do|can i|you know|tell if|when i|you|he|she? have|has|is|am?, how long does|do|will a|an?",
    "is it normal|bad|dangerous|serious|ok|okay|common to|that|if|when?, can you|i|someone|people die|dying from|of",
    "do|does|did|could|can|might i|you|he|she|they have|get, does|can|could a|my? child|son|daughter|baby have|get",
    "best|good|home|natural? treatment|treatments|remedy|remedies|medicine|medicines|cure|cream|tablets for",
    "best|good? medication|medications|meds|drugs|pills|antibiotics|painkillers|ointment for",
    "signs and|or symptoms of, treatment|symptoms|signs|causes|meaning|definition of, define, a? case of, now has",
    "anyone|anybody|someone else? with|got|get|gets|had|has|have, who gets|has|had",
    "living|live|coping|cope|dealing|deal with, how to? live|cope|deal with",
    "how do|can|should i|you|we live|cope|deal with",
    "tips|advice|exercises|exercise|stretches|diet|diets|food|foods|leaflet for|about|on",
    "foods|food|things to avoid with|for|if i|you? have?, what to|can|should i? eat|avoid|take|do with|for",
    "best|good|bad|worst foods|food|diet|exercises|exercise|drink|vitamins for",
    "do|should|can|will i|we|he|she need|take|have|get|use antibiotics|medication|medicine|tablets for",
    "do|should|can|will i|we|he|she need|have|get surgery|treatment for",
    "should|do i|we need|have? to? worry|worried about|over|if|with, should i|we be worried|concerned about|if",
    "what|whats|what's is|are? the? best|usual|right|first|main treatment|cure|medicine|medication|remedy|diet for",
    "early|first|late|common|main|typical|usual|warning|classic signs|sign|symptoms|symptom of",
    "pictures|picture|photos|photo|images|image of|for, risk factors|factor of|for",
    "prognosis|outlook|management|workup of|for|in",
    "how common|rare|serious|dangerous|contagious|bad is|are, prevalence|incidence|epidemiology of|in",
    "how do|can|did i|you|we|people get|catch",
    "referral|ref|reason for",
)
_DASH = r"\s*+-?\s*+"
_UNIT_OF_AGE = rf"(?:(?:{YEAR}|{MONTH}|{WEEK})s?|y/?o|m/?o|mos)"
_SEX = r"(?:(?-i:[MF])|male|female|man|woman|lady|gentleman|boy|girl|child|infant|baby|patient|pt)"

_CLOSE = "son|daughter|kid|husband|wife|mum|mom|dad|gran|grandma|granny|grandpa|grandad|granddad"
"""Relatives who lead to a finding by themselves: "husband snores"."""
_OTHERS = (
    "child|toddler|partner|boyfriend|girlfriend|bf|gf|hubby|mother|father|grandmother|nan|grandfather|brother|sister"
    "|friend|uncle|aunt|teenager"
)
"""People who do so as somebody's, or where they have something: "my brother's", "toddler has"."""
_SOMEBODY = any_of(f"my|our|the|his|her {_CLOSE}|{_OTHERS}", "my|our|the|his|her little boy|girl|one", _CLOSE)
_ANYBODY = any_of(_OTHERS, "baby|infant|newborn, little boy|girl|one", "the|this|my? pt|pts|patient|client")
_HAS = any_of("have|has|had|having|am|is|are|was|been|got|get|gets|getting|keep|keeps|kept been|got|having|getting|on?")
_DEGREE = any_of("a|an|some|this|these|really|very|so|quite|always|constantly|just")

_ASKED_WHETHER = any_of(
    "contagious|infectious|catching|transmissible|hereditary|genetic|inherited|curable|treatable|preventable",
    "fatal|deadly|lethal|serious|dangerous|harmful|permanent|reversible|life-threatening, life threatening",
    "kill|harm you|me|him|her|them|people|someone, be? cured|treated|healed|prevented|fatal|deadly|serious|dangerous",
    "cause|lead to? death, ever? go|goes|going|gone away, ever? clear|clears up, run|runs in families|the family",
    "ever? come|comes back, spread|spreads? from person to person, spread|spreads, kill|kills",
    "be? caught|spread|transmitted|diagnosed|caused|treated|cured, be? passed on, be? tested for, start",
    "look|looks|feel|feels like, have a cure, need treatment|antibiotics|surgery",
)
"""What people ask of a finding that they have named."""
_ASKING = lazy(
    rf"""
    (?: {any_of("is|are|can|could|does|do|did|will|would, how|why|when is|are|can|could|does|do|did|will|would")}
      | {any_of("what does|do|did")} )
    \s+ (?: (?:my|an?|the|having|getting) \s+ )? (?! (?:it|this|that|he|she|they|i|you|we)\s ) (?P<what>\w.*?)
    \s+ (?: {any_of("very|really|so|usually|always|actually|just")} \s+ )?
    {_ASKED_WHETHER} (?: \s+ {any_of("or not, at all, for? long")} )? \s* \??
    """,
    _FLAGS,
)
"""A question of which the finding is in the middle: "is shingles contagious", "can asthma be cured"."""
_QUESTION = re.compile(r"\s*(?:is|are|can|could|does|do|did|will|would|how|why|when|what)\s", re.IGNORECASE)

_ASIDE = (
    rf"(?: {any_of('omg|ngl|lowkey|highkey|tbh|tmi|idk|srsly|lol|plz|ugh|btw|hello|literally|honestly')}"
    r" | (?-i:pls) | (?-i:[Hh]i)(?=[,.!]|\s+(?:i|im|i'm|i've|my|he|she|we|they)\s) )"
)
"""What people type before they say what they have; PLS and HI stand for findings, and "hi BP" is high."""

_LEAD = re.compile(
    rf"""
      {_HEADING} (?: \s*:\s* | \s+[-–]\s+ )                               # "Impression: COPD", "dx - stroke"
    | (?: {_PATIENT}\s+ )?
      (?: (?:c/o|o/e)\s*[-:]                                               # "C/O: cough"
        | {_TOLD}                                                          # "pt c/o SOB"
        | (?:a\s+)? \d+ (?: \s*[- ]?(?:{UNITS}|d|mo)s? | /(?:7|52|12) )
          \s+ (?:(?:hx|history)\s+ of | of | h/o)                                    # "3 day hx of fever"
        | \d+/(?:7|52|12)                                                  # "1/52 cough", which is one week
      ) \s+
    | \d{{1,2}}{_DASH} (?: {_UNIT_OF_AGE}{_DASH}(?:old|of\s+age)?,?\s*+ )? {_SEX} \s+
      (?: (?:who\s+)? (?:with|w/|has|had) \s+ )?                           # "67 y/o woman with HTN", "32F migraine"
    | \?+\s*                                                               # "?PE"
    | {_PATIENT} \s+ {any_of("feel|feels|feeling|felt, develop|develops|developed|developing")} \s+  # "pt feels dizzy"
    | (?: {_SOMEBODY} (?:'s)? (?: \s+{_HAS} )?                             # "my son's rash", "husband has gout"
        | {_ANYBODY} \s+ {_HAS}                                            # "newborn is jaundiced"
        | (?:i|he|she|we|they) (?:'(?:m|s|ve|re))? (?: \s+{_HAS} )?        # "i've been dizzy"
        | {_HAS}                                                           # "getting headaches"
      ) \s+ (?: {_DEGREE}\s+ )*
    | {_ASIDE} [,.!]* \s+ (?:(?:but|y|why)\s+){{0,2}}                       # "omg my head", "tmi but it burns"
    | (?-i:[Pp]ts?\.?|[Pp]atient) \s+ (?!\w/\w)                                # "pt agitated", no PT and no "pt s/p"
    """,
    _FLAGS,
)
_LETTER = re.compile(r"\w")

# A guess after a description -----------------------------------------------------------------------------------------

_GUESS = any_of(
    "i|we|they think|thought|guess|suspect|believe, i|we|they wonder if, could|might it|this be, is|was it|this",
    "maybe|perhaps|probably",
)
_WHICH = rf"(?: (?:it|this|he|she) (?: 's | \s+{any_of('is|has, might|could|may be')} ) \s+ )?"
_GUESSING = re.compile(rf"[,;.]\s+ (?:(?:so|but|and)\s+)? {_GUESS} \s+ {_WHICH} (?:(?:an?|the)\s+)? (?=\w)", _FLAGS)
"""What stands before a guess: ", I think it's a " of "spots all over, I think it's a rash"."""
_UP_TO_GUESS = lazy(rf".* {_GUESSING.pattern}", _FLAGS)
"""All before the last guess. Where there is none, looking for it takes the square of the text's length."""

# What follows a finding ----------------------------------------------------------------------------------------------

_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple\s+of|many)"
_UNIT = rf"(?:(?:{UNITS}|night|mo)s?|h|d|w|y)"
_NOT_OF = "".join(rf"(?<!{word}\s)" for word in ("at", "by", "of", "pregnant", "pregnancy", "gestation"))
"""Not behind these words, which a time says more of: "not walking at 20 months", "pregnant 32 weeks"."""
_TREATMENT = any_of("s/p|on|under|after treatment|tx|rx|med|meds|medication|therapy")
_LATELY = any_of(
    "that|which? keep|keeps on? coming back, that|which? keep|keeps on? returning|happening",
    "that|which? come|comes and go|goes, that|which? won't|wont|doesn't|doesnt go away",
    "that|which? does|will not go away, that|which? on and off",
    "for hours|days|weeks|months|years|ages now?, since childhood|infancy|adolescence|yesterday",
    "since|from? this morning|evening|afternoon|week, since evening|afternoon|morning, since|from long time?",
    "since a child|teenager|kid, since|from? last night|nite|week|month|year",
    "since monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "lol|plz|tho, all day",
    "today, yesterday, nowadays, lately, recently, these days, all the time, everyday, every day, a lot, for no reason",
    "what is|are it|this|that|these, pls|plz|please help|advise",
    f"{_ICD} code|codes?",
    "hpo term|id|code, snomed|diagnosis code|codes, code|codes please|pls, meaning, definition, wiki|wikipedia",
    "to be ruled out, to be excluded, not excluded, cannot|can't be excluded",
    "so much, so|really bad|badly, again, constantly, confirmed, symptoms and treatment, feel|feels like, last",
)
_AFTER = re.compile(
    rf"""
    (?<!\s)[,;]?\s+
    (?: (?:for|over|in|during)\s+ (?:the\s+)? (?:last|past)\s+ (?:{UNITS})  # "for the past year"
      | of\s+ {_NUMBER}\s*(?:{UNITS})s?\s+ duration                        # "of 2 weeks duration"
      | \d{{1,2}}/(?:7|12|52) \s+ ago                                       # "2/7 ago"
      | (?:x|for|over|in|during|since|from)\s* (?:the\s+)? (?:(?:last|past)\s+)? (?:a\s+)?
        {_NUMBER}\s*(?: {_UNIT} | /(?:7|12|52) ) (?:\s+(?:now|back|ago))?  # "x2 wks", "over the last 3 days", "for 2/7"
      | (?:x\s?\d{{1,2}} | {_NUMBER}(?:\s*(?:-|to)\s*\d{{1,2}})? \s+ times)  # "x3 today", "6-7 times", "5 times a day"
        (?:\s+(?:a|per|each|every|in\s+the|in\s+one)\s+(?:day|hour|week|month) | /day | \s+(?:today|already))?
      | (?:(?:lasting|lasts|lasted|about|approx)\s+)? {_NUMBER}\s*(?:secs?|seconds?|mins?|minutes?)  # "20 mins"
      | (?:about\s+)? {_NUMBER}\s*{_UNIT} \s+ (?:ago|back|duration)          # "2 hrs ago"
      | {_NOT_OF} \d{{1,2}}\s*(?:{UNITS})s?                               # "3 days"
      | (?:10|\d)/10                                                         # "8/10", how much it hurts
      | \d{{1,2}}(?:\+\d)?/(?:7|12|40|52)                                  # "9/40", weeks of a pregnancy
      | at\s+\d{{1,2}}(?:\+\d)?\s*(?:{WEEK})s? | \d{{2}}\+[0-6]             # "at 37 weeks", "37+2"
      | \d{{1,2}}\s*(?:{WEEK})s?\s+post\s*(?:partum|natal)                # "6 weeks postpartum"
      | (?:aged?|at\s+age)\s+\d{{1,2}}                                     # "aged 40"
      | \d{{1,2}}{_DASH}{_UNIT_OF_AGE}{_DASH}(?:olds?|of\s+age)                 # "3 yr old"
      | \d{{1,2}}\s?(?:mths?|yo|y/o) | \d{{2,3}}\s?(?-i:[MF])              # "4yo", "89F"
      | \#\d{{1,2}} | \d{{1,2}}(?:st|nd|rd|th)\s+episode                   # "#3", "2nd episode"
      | \?\s?(?:cause|source|origin|reason|a?etiology)                      # "collapse ?cause"
      | (?-i:rn|pls)                                                       # no RN, and no PLS
      | {_LATELY}                                                          # "that comes and goes", "since childhood"
      | {_TREATMENT}                                                       # "on meds"
    )\s*$
    """,
    _FLAGS,
)
_SEES, _ACUITY = re.compile(r"\b(?:VA|vision|acuity)\b", re.IGNORECASE), "6/12"
"""Words beside which this fraction is how well an eye sees, and no six months."""
_DECIMAL = r"\d+(?:[.,]\d+)?"
_SIZE = re.compile(
    rf"(?: (?<!\s),?\s+ | (?<=\() | ^ ) {_DECIMAL}\s* (?: x\s*{_DECIMAL}\s* ){{0,2}} (?:cm|mm) (?!\w)", _FLAGS
)
"""How large something is: "AAA 5cm", "lesion 2 x 3 mm"."""
_WHOSE = re.compile(r"\b(?:my|his|her|our|their|your|me|him|them)\s+", re.IGNORECASE)
_NORMAL = re.compile(
    r",\s*(?: [^\W_][^,]*\snormal | (?-i:[Nn]ormal)\s(?=[^,]*(?-i:\b[A-Z]{2}))[^,]* )\s*(?=,|$)", _FLAGS
)
"""What is as it should be: "T2DM, ECG normal", "anemia, normal MCV". In front of words that are no abbreviation
*normal* may be a part of the name: "glaucoma, normal tension"."""

# What a relative has -------------------------------------------------------------------------------------------------

_KIN = r"""(?:
      (?: (?:maternal|paternal|great|step|half|both|older|younger|elder|twin|identical\s+twin)[- ]+ )*
      (?:grand)?(?:mother|mum|mom|mam|ma|father|dad|pa|parents?)
    | (?: (?:older|younger|elder|twin|half)[- ]+ )? (?:brothers?|sisters?|siblings?)
    | (?: (?:maternal|paternal|great)[- ]+ )* (?:uncles?|aunts?|cousins?|gran|nan)
)"""
_SUFFERS = any_of(
    "who? also? both? had|has|have|having|with|w/, who? also? both? suffer|suffers|suffered from|with",
    "who? also? both? has|have|was|were|is? diagnosed with, who? also? both? died|dead of|from",
    "who? also? both? passed away of|from",
)
_OF_KIN = re.compile(
    rf"""
    (?: (?:his|her|their|the|pt's|patient's|mat|pat)\s+ )? {_KIN}
    (?: \s*:\s* | \s+-\s+ | \s+{_SUFFERS}\s+ )                             # "father: MI", "mum died of bowel cancer"
    (?: (?:an?|some|the)\s+ )? (?P<what>\w.*)
    """,
    _FLAGS,
)
_IN_KIN = re.compile(rf"(?P<what>\w.*?)\s+in\s+ (?: (?:his|her|their|the|my)\s+ )? (?:{_KIN}|family)", _FLAGS)


# What somebody had, what was before a finding, and what is denied -----------------------------------------------------

_HAD = re.compile(
    rf"""
    (?: {any_of("known|past|previous|prior? medical|psychiatric? history, hx, hist, pmh, pmhx")} (?: \s+of | \s*: )?
      | h/o | previous | past | prior ) \s+ (?=\w)
    """,
    _FLAGS,
)
"""What leads to what somebody had: "h/o", "PMH:", "past medical history of"."""

_OVER = re.compile(
    rf"""
    (?: {any_of("cured|healed|resolved|former|formerly|old of?, cured|recovered|healed from")} ) \s+ (?P<what>\w.*)
    | (?P<healed>\w.*?) [,;]? \s+ \(? {
        any_of(
            "now|fully|completely|since? resolved|cured|healed|gone",
            "has|have now? resolved|healed|gone",
            "in|from the past",
        )
    } \)?
    """,
    _FLAGS,
)
"""What says that a finding is over: "healed", "resolved", "in the past"."""

_NEGATIONS = frozenset(BEFORE["negated"])
"""What denies what follows it, as in notes: "no", "denies", "no evidence of"."""
_LONGEST_NEGATION = max(cue.count(" ") for cue in _NEGATIONS) + 1

_CIRCUMSTANCE = re.compile(
    rf"""
    (?P<what>\w.*?) [,;]? \s+ (?: {any_of("just|soon|shortly|right|straight|immediately|ever")}\s+ )?
    {any_of("after|following|since|post|from|around|near|under, due|secondary to, caused|induced by, because of")}
    \s+ (?: {any_of("my|his|her|their|the|a|an|taking|having|starting|using|stopping")}\s+ )* (?P<circumstance>\w.*)
    """,
    _FLAGS,
)


def of_circumstance(text: str) -> tuple[str, str]:
    """What a text tells, and after what or from what it came: "leg swelling" and "hip replacement" of "leg swelling
    after my hip replacement"; both empty for other texts."""
    found = _CIRCUMSTANCE.fullmatch(" ".join(text.split()))
    return (found["what"], found["circumstance"]) if found else ("", "")


def of_family(text: str) -> str:
    """What a text says that a relative has ("father died of bowel cancer", "asthma in brother"); empty for other texts.

    "My mother has" is none: so people write for those whom they look after.
    """
    text = " ".join(text.split())  # where patterns meet runs of spaces, they take the square of their length
    found = _OF_KIN.fullmatch(text) or _IN_KIN.fullmatch(text)
    return found["what"] if found else ""


def in_history(text: str) -> str:
    """What a text says that somebody had ("h/o epilepsy", "PMH: gout"); empty for other texts."""
    found = _HAD.match(text.strip())
    return text.strip()[found.end() :] if found else ""


def no_longer(text: str) -> str:
    """What a text says that is over ("healed fracture", "pneumonia, resolved"); empty for other texts."""
    found = _OVER.fullmatch(" ".join(text.split()))
    return (found["what"] or found["healed"]) if found else ""


def without_frame(text: str) -> str:
    """The text without what leads to a finding, says whose it is, since when, how large, or what else is normal.

    Empty if it has no such words, or no others.
    """
    guess = _UP_TO_GUESS().sub("", text, count=1) if _GUESSING.search(text) else _asked_of(text)
    rest = _SIZE.sub("", guess[_end_of_lead(guess) :])
    if not (rest.rstrip().endswith(_ACUITY) and _SEES.search(rest)):
        before, rest = rest, _AFTER.sub("", rest)
        rest = rest if rest == before else _AFTER.sub("", rest)  # "on and off for weeks"
    rest = _WHOSE.sub("", _NORMAL.sub("", rest)).strip()
    return "" if rest == text.strip() else rest


def without_negation(text: str) -> str:
    """What follows the negation that a text begins with ("fever" of "no fever"); empty if it begins with none."""
    cue = max(_leading_negations(text), key=len, default="")
    return text[len(cue) :].strip() if cue else ""


def _leading_negations(text: str) -> Iterator[str]:
    words = text.split()
    for number in range(1, min(_LONGEST_NEGATION, len(words) - 1) + 1):
        if " ".join(words[:number]).lower() in _NEGATIONS:
            yield text[: text.index(words[number], sum(map(len, words[:number])))]


def _asked_of(text: str) -> str:
    """What a question is asked of, which has it in its middle ("is shingles contagious"); other texts as they are."""
    found = _ASKING().fullmatch(" ".join(text.split())) if _QUESTION.match(text) else None
    return found["what"] if found else text


def _end_of_lead(text: str) -> int:
    """Where what leads to a finding ends, before a word of it.

    Leads are taken one by one: a pattern of any number of them takes forever where no finding follows.
    """
    end = at = 0
    while lead := _LEAD.match(text, at):
        at = lead.end()
        if _LETTER.match(text, at):
            end = at
    return end
