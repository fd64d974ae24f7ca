"""The cues of `ontonym.text.notes.context`: phrases that make a mention near them negated, uncertain, hypothetical,
historical or family.

A cue applies to the mentions in its scope: so many words after or before it, up to a termination. Some phrases
contain a cue and are none: *pseudo cues* ("no increase"). The tables are written as `ontonym.text.patterns` says.
"""

from __future__ import annotations

from types import MappingProxyType

from ontonym.text.patterns import phrases_of
from ontonym.text.timeunits import UNITS

# Relatives ------------------------------------------------------------------------------------------------------------

_MEN = (
    "father|brother|bro|uncle|nephew|grandfather|grandson|son|stepfather|stepbrother|dad|daddy|grandpa|granddad|grandad"
    "|husband|fiance|boyfriend|mgf|pgf"
)
_WOMEN = (
    "mother|sister|sis|aunt|niece|grandmother|granddaughter|daughter|stepmother|stepsister|mom|mum|mommy|mummy|grandma"
    "|granny|wife|fiancee|girlfriend|mgm|pgm"
)
_RELATIVE = (
    f"{_MEN}|{_WOMEN}|parent|cousin|sibling|sib|sibs|grandparent|grandchild|spouse|relative"
    "|sisters|brothers|aunts|uncles|nephews|nieces|daughters|sons|parents|cousins|siblings|grandparents|grandchildren"
    "|relatives"
)
_OWNED = "child|children|kid|kids|partner|twin|gran|nan|nana"
"""Relatives only as somebody's: "her children" are, and children are not."""
_OWNER = "his|her|my|our|their|pt's|patient's"

RELATIVES = frozenset(
    phrases_of(
        *(_RELATIVE, f"{_OWNER} {_OWNED}", _RELATIVE.replace("|", "'s|") + "'s"),
        f"{_RELATIVE}|child|children of the|our patient|proband|propositus|proposita",
        f"{_RELATIVE} of the|this|our index|affected case|patient|child|individual",
        f"{_RELATIVE} of the boy|girl|child|infant, {_RELATIVE} of patient|case|proband",
        f"{_RELATIVE} of the first|second|third|fourth|other|younger|older|last patient|case|child|boy|girl|infant",
        f"{_RELATIVE} of both|these|our|the patients|cases|children",
    )
)
"""Who else than the patient has something."""

PRONOUNS = MappingProxyType(dict.fromkeys(phrases_of(_MEN), "he") | dict.fromkeys(phrases_of(_WOMEN), "she"))
"""How a sentence goes on about a relative of the one who writes: "My husband snores. He has sleep apnea"."""

# Before the mention ---------------------------------------------------------------------------------------------------

PREGNANCIES = "prev|previous|last preg|pregnancy"
"""Those before this one."""

_CONTRACTED = "isn't|wasn't|aren't|weren't|doesn't|don't|didn't|hasn't|haven't|hadn't"
_DENIED = (
    "have|had|show|reveal|demonstrate|see|appreciate|develop|exhibit|feel|report",
    "complain|complained of|about",
    "suffer|suffered from",
    "consistent with",
    "suggestive|diagnostic|indicative of",
    "suspicious for",
)
_STUDIED = "patient|case|subject|individual|child|patients|cases|subjects|individuals|children|carriers|families"
_HAVING = "had|has|have|with|showed|developed|exhibited|presented|displayed|manifested|experienced"
_FAVOR = "favor|favors|favoring|favour|favours|favouring"
_HEDGED = "appears|appear|seems to be"
_WHO, _WHOM = "he|she|they|you", "patient|child|boy|girl|infant|baby|woman|man|lady|gentleman"
_BEFALLS = (
    "develop|become|have|get|experience|notice|bleed|collapse|complain|deteriorate|faint|fall|feel|report|show|suffer"
)
_ABOUT = "of|on|about|regarding|re"

HISTORY_TOLD = phrases_of(
    "past|previous|medical|surgical|psychiatric? history includes|included|comprises",
    "past medical|surgical|psychiatric history includes|included|comprises",
    "past? history significant|notable|remarkable for, past? medical history significant|notable|remarkable for",
)
"""Phrases with which a text tells what somebody had; they also end the scope of a negation before them."""

LIFE_STAGES = phrases_of(
    "as a child|boy|girl|baby|toddler|teenager|teen|kid|student, as an infant|adolescent, as a young adult",
    "in childhood|infancy|adolescence, in his|her|their|my childhood|youth",
)
"""When something was: what stands before such a phrase, and where it begins a clause what follows it."""

BEFORE = MappingProxyType(
    {
        "negated": phrases_of(
            "no more?, no evidence of|for, no sign|signs of, no signs or symptoms of, no prior|past? history of",
            "no complaints|findings|suspicion of, no longer has|have, nobody with|has|had, no one with|has|had",
            "without, without evidence|signs of, without any evidence of, w/o, nil, absence of, absent, normal",
            "lack of, lacks, lacked, lacking, free of|from, clear of, negative|neg|-ve for, unremarkable for",
            "nothing|little to suggest|indicate|support, unlikely to be|have|represent|reflect",
            "don't|doesn't|not think|believe it's|there's, don't|doesn't|not think|believe it|there|this is",
            "don't|doesn't|not think|believe he|she|they has|have",
            "denies, denied, deny, denying, denies any, never, never had|developed|experienced, neither, nor",
            "rules out, ruled out for?, rules him|her out for, has been ruled out for",
            "fail|fails|failed to reveal|show|demonstrate|disclose|detect|identify, is|was|are|were negative for",
            "does|do|did not have, not associated with any, inconsistent with, instead of, rather than",
            f"no {_STUDIED} {_HAVING}, no other|affected {_STUDIED} {_HAVING}, none {_HAVING}",
            f"none of the|our|these {_STUDIED} {_HAVING}, neither patient|child {_HAVING}",
            f"in no|neither {_STUDIED} was|were, in none of the|our|these {_STUDIED} was|were",
            f"none of them|whom {_HAVING}, neither parent|sibling|twin|brother|sister {_HAVING}",
            "excluded, excludes, excluding",
            f"not|{_CONTRACTED}",
            *(f"not|{_CONTRACTED} {what}" for what in _DENIED),
            "hasn't|haven't|hadn't noticed|experienced|reported|developed|felt|seen|shown",
            "has|have|had not noticed|experienced|reported|developed|felt|shown",
        ),
        "uncertain": phrases_of(
            "possible, possibly, possibility of, probable, probably, poss, perhaps, maybe, apparent, questionable",
            "likely, is|are|was|most likely, presumed, presumptive, suspected, suspect, suspects, suspicious for",
            "suspicion of|for, rule out for?, r/o, ruling out, to exclude, to rule out, query, ddx",
            "evaluate|evaluated|assess|check|workup for, work up for, to look for, looking for, equivocal for",
            "concern|concerns|concerning|worrisome for, concerned about|for, worried|worry|worries about",
            "wonder|wonders|wondering if|about, may|might|could have, may have had, may|might|could be",
            "may|might|could represent, may reflect, suggestive of, suggests, suggesting, thought to be|have",
            "cannot exclude, cannot rule out, can not exclude, can not rule out, can't exclude, can't rule out",
            "does not exclude, not exclude, consider a?, would include, would also? fit, could fit, could it|this be",
            "differential includes, differential diagnosis includes|of, differential would include",
            "differential diagnosis would include, question of, question whether, whether",
            "unclear|uncertain|unknown if|whether",
            "unclear|uncertain|unknown whether|if she|he|they has|have|had|represents, unclear if she|he has had",
            "not clear|certain|known whether|if, not clear|certain|known whether|if she|he|they has|have|had",
            "determine|establish whether|if she|he|they has|have|had, versus, vs",
            f"{_HEDGED}, {_FAVOR}, in favor|favour of, favored|favoured over, more likely than",
            "appearances|changes|features|findings|results|signs|they suggest, suggested",
            "would|may|might|could suggest, doubt, doubts, doubtful for|about",
        ),
        "hypothetical": phrases_of(
            f"should {_WHO} {_BEFALLS}, should the|this|your {_WHOM} {_BEFALLS}, may|might|could|can develop",
            "can|may|might|could cause, can|may|might|could lead to, can|may|might|could result in",
            "risks of|include|including, counselled|counseled|warn|warned|warning on|of|about|regarding|re",
            f"counselled|counseled|warned him|her|them|you|patient|parents|family|mother|father {_ABOUT}",
            f"counselled|counseled|warned the|his|her|their|both {_WHOM}|parents|family|mother|father|mum {_ABOUT}",
            "screening accepted|offered|declined|discussed",
            "if, if she|he develops, if you have|develop, unless, in case of?, in the event of, return if",
            "at risk for|of, risk of|for, increased risk of, watch|monitor|return for, should return for",
            "as needed for, prn for?, prophylaxis against|for|of, prevention of, to prevent",
            "screening|screen|screens|screened for, surveillance|monitoring|monitored for",
            "vaccinated against|for, vaccination|vaccine against|for",
            "immunized|immunised|immunization against, to avoid, avoid, avoids, avoiding, precautions for?",
            "look out for, be alert for, expect, anticipate, safety netted for|re|about?",
            "safety net for|re|about",
        ),
        "historical": phrases_of(
            "a? history of, hx of, h/o, hx, b/g, b/g of, bg of",
            *HISTORY_TOLD,
            *LIFE_STAGES,
            "past medical history of?, past surgical history, past history of, medical history of?",
            "pmh, pmhx, pmh of, psh, previous, previously, previously had, prior, prev, remote, former, formerly",
            f"status post, s/p, in the past, healed, background of, background history of, {PREGNANCIES}",
            "ex smoker|smokers|drinker, recovered from, had had, no further, no further episodes|bouts|attacks of",
        ),
        "family": (
            *phrases_of(
                "family history of?, family history significant|notable for, family medical history, family hx of?",
                "family psychiatric|psych history|hx, fam hx of?, fh, fhx, fh of",
                "maternal|paternal history of?, maternal|paternal family history of?",
                "half sister|brother, first degree relatives, kids have|had|got",
            ),
            *RELATIVES,
        ),
    }
)
"""Phrases that stand before the mention."""

PRESENCE_STARTS = (
    "a|an, few, some, several, multiple, small, mild, moderate, severe, minimal, trace, tiny, large, occasional",
    "old, known, longstanding, trivial, minor, slight, new, stable, worsening, persistent, ongoing, residual",
    "background",
)
"""Words with which a list goes on to what is present: "no flashes, a few floaters"."""

VERB_NEGATIONS = frozenset(phrases_of(f"not|never|{_CONTRACTED}"))
"""Negations of verbs, whose scope ends at a comma unless a mention follows directly: "not eating, sleepy"."""

_DECADES = (
    "teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties"
    "|20s|30s|40s|50s|60s|70s|80s|90s|20's|30's|40's|50's|60's|70's|80's"
)

# After the mention ----------------------------------------------------------------------------------------------------

PREVENTION_NOUNS = frozenset(
    "prophylaxis ppx precautions protocol vaccine vaccines vaccination vaccinations immunization immunisation "
    "booster boosters toxoid immunoglobulin antitoxin jab jabs screening screen prevention risk".split()
)
"""Words directly after what is to be prevented: "DVT prophylaxis", "seizure precautions"."""

AFTER = MappingProxyType(
    {
        "negated": phrases_of(
            "not palpable|palpated|elicited",
            "never seen|observed|noted|documented, not a feature",
            "is|was|were|are usually|typically|generally|consistently|notably absent|lacking",
            "not been? seen|present|found|identified|detected|noted|observed|demonstrated|appreciated|visualized",
            "not been? documented|reported|recorded|felt|heard, not evident, nkda, nka",
            "not apparent|favored|favoured, is|was|are|were absent, absent, is|was negative, negative, neg",
            "is|was|were|are? ruled out, has|have|had been ruled out, is|was|are|were? excluded",
            "has|have|had been excluded, could be excluded, could be ruled out, excl, not suspected",
            f"in neither, in none, in no {_STUDIED}, not developed|occurred, has|have|had not developed",
            "-ve, was? denied, was|were|is|are lacking, is? unlikely, did not occur, never developed|occurred",
            "free, none, nil, is|are? intact",
        ),
        "uncertain": phrases_of(
            "is? possible, is? probable, is|was? suspected, is? likely, questionable, in question, versus, vs",
            "cannot|can't be excluded, cannot|can't be ruled out, can|could not be excluded",
            "can|could not be ruled out, not been? excluded, not been? ruled out, has|have not been excluded",
            "has|have not been ruled out, is? favored|favoured, favored|favoured over, more likely than",
            "to be excluded, to be ruled out, should be excluded, should|must be ruled out, is|was? considered",
            "in|on the differential, is|was? queried, has been queried, is|was|are|were? doubtful|equivocal",
        ),
        "hypothetical": (*PREVENTION_NOUNS, *phrases_of("may|might|could|can occur|develop|recur|follow|arise|ensue")),
        "historical": phrases_of(
            "was? repaired, surgically corrected|closed, closed spontaneously, in remission, by history, in the past",
            "years|year|months|month|weeks ago, has|have|had? resolved, has|have|had? settled, has|have|had? subsided",
            f"has|have caught up, last time, last month|year|winter|spring|summer|autumn|fall, {PREGNANCIES}",
            *LIFE_STAGES,
            "which|that has|have|had? since? closed|healed|resolved|settled|subsided",
            f"in his|her|their|my early|mid|late? {_DECADES}",
            f"in {'|'.join(map(str, range(1900, 2100)))}",
        ),
        "family": phrases_of(
            "in the family, in first degree relatives",
            f"in {_OWNER}? {_RELATIVE}, in {_OWNER} {_OWNED}|family, in gran|nan|nana",
            f"in the|a|an {_MEN}|{_WOMEN}, in the|both parents, in a|another sibling|cousin|relative",
            f"in {_OWNER} older|elder|younger|affected|twin|maternal|paternal {_RELATIVE}",
            f"noted|reported in {_OWNER}|the? {_RELATIVE}, noted|reported in both parents",
            f"noted|reported in {_OWNER} older|elder|younger|affected|twin|maternal|paternal {_RELATIVE}",
            "on the|his|her maternal|paternal|mother's|father's side",
            "noted|reported on the|his|her maternal|paternal|mother's|father's side",
        ),
    }
)
"""Phrases that stand after the mention."""

# Pseudo cues ----------------------------------------------------------------------------------------------------------

_DAYS, _WEEKS, _MONTHS = (
    "|".join(f"{number}/{unit}" for number in range(1, most)) for most, unit in ((15, 7), (53, 52), (25, 12))
)
"""So many days, weeks and months as notes have them: 3/7, 6/52, 2/12."""
_UNITS = (f"{unit}{ending}" for unit in UNITS.split("|") for ending in ("", "s", "'s"))
_SO_LONG = "|".join((*_UNITS, "longstanding", _DAYS, _WEEKS, _MONTHS))

PSEUDO_CUES = phrases_of(
    "no increase|decrease|change|changes|improvement|doubt|difference|differences|effect|effects|association",
    "no correlation|relationship|role|response|reason, no significant change|difference|differences",
    "no more|less than",
    "not right|well|better|himself|herself|myself|great|fully|completely|adequately|properly|compliant|controlled",
    "not improving|responding|tolerating, no interval change",
    "not only|just|merely|necessarily|always|yet|extend|cause|causing|drain|domestic|be",
    "not associated|correlated with, not related|linked|due|limited to, not caused by, gram negative",
    "never treated|needed, never admitted with|for, without difficulty|further, absent mindedness",
    "history of present illness, history and physical, history taking, natural|social|poor history",
    "prior|previous to, if negative|possible, as soon as possible, more|less? likely to, is not excluded from",
    "mother|father|son|daughter of, free of charge, whether or not, potential to|for",
    "possible role|mechanism|relationship|association, probable relationship, apparent life",
    "became|become|becomes|was|were|is|are apparent, apparent at|by|from|in|on",
    "onset in childhood|infancy|adolescence, onset as a child",
    # how long something has gone on until now: "a three-week history of"
    f"{_SO_LONG}|long|short|brief history|hx of, {_SO_LONG}|long|short|brief h/o",
    "long standing history|hx of, long standing h/o",
)
"""Phrases that contain a cue, but give a mention no context."""

# Scopes ---------------------------------------------------------------------------------------------------

SCOPE_OF = MappingProxyType(
    {
        phrase: words
        for words, lines in {
            0: ("free, normal, is|are? intact", *PREVENTION_NOUNS),
            1: (
                "versus, vs, none, consider a?, query, never, healed, expect, anticipate, repaired",
                "excluded, excludes, excluding, excl, considered, nkda, nka",
                "aren't|weren't|doesn't|don't|didn't|hasn't|haven't|hadn't",
            ),
            2: ("absent, no further",),
            3: (
                "not, isn't, wasn't, previous, prev, prior, former, remote, apparent, negative, neg, instead of",
                "rather than, inconsistent with, doubt, doubts",
            ),
            4: (f"whether, {_FAVOR}, favored|favoured over",),
            5: (f"possibly, could|may|might be, could|may|might have, perhaps, maybe, poss, {_HEDGED}",),
            6: (PREGNANCIES,),
            8: ("if, could it|this be, concerned|worried|worry about",),
        }.items()
        for phrase in phrases_of(*lines)
    }
)
"""The scope, in words, of cues that apply only to what is near."""

# What ends a scope ------------------------------------------------------------------------------------------

TERMINATIONS = phrases_of(
    "the? proband, the? propositus, the? proposita, the? index case|patient",
    "but, however, although, though, nevertheless, yet, except for?, other than, until, aside|apart from, besides",
    "which, who, because, since, now, currently, today, admitted, so i|we|it|this|that",
    "cause of, as a|the cause of, source of, as the source of, causes of, etiology of, origin of",
    "presents|presented|presenting with?, in? patients with, patient, patients, pt, the patient",
)
"""Phrases that end the scope of every cue: another clause or another person begins."""

CAUSE_PHRASES = phrases_of("because of, secondary to, due to, caused by")
"""Phrases that end the scope of every cue but `CONDITION_CUES`: "if he stops it because of nausea"."""

CONDITION_CUES = frozenset(phrases_of("if, if you have|develop, if he|she develops, return if, unless"))
"""Cues of conditions."""

CLAUSE_CUES = CONDITION_CUES | {"neither"}
"""Cues that begin a clause, whose verb does not end their scope: "neither he nor his brother has had"."""

ASSERTIONS = phrases_of(
    "has, had, reports, reported, complains|complaining of, admits to?, endorses, endorsed, notes, noted",
    "positive|+ve for, consistent with|w, c/w, in? keeping with|w",
    "diagnosed with, developed, treated with|for, started on, given for",
    "shows, showed, reveals, revealed, demonstrates, demonstrated",
)
"""Phrases that end the scope of negation, uncertainty and hypothesis, but not of history and family."""

ASSERTIONS_IN_CONDITIONS = frozenset(phrases_of("has, had, reports, complains of, notes, developed"))
"""Assertions that do not end the scope of a condition: "if he becomes drowsy or has black stools"."""

SELF_PHRASES = phrases_of(
    "he himself, she herself, he|she was born, the newborn|neonate|infant|baby|boy|girl|child",
    "i have|had|am|was|feel|get|wonder|think|may|might|do|don't|also, i'm, i've, and i",
)
"""Phrases after which the one who writes, or the patient, is the one who has it, and no longer a relative."""

REPORT_PHRASES = phrases_of("reports|reported|states|says|said|thinks|notes|noted|noticed that")
"""Phrases that end the scope of all cues but history: what is reported is of the patient."""

# Relatives who report -------------------------------------------------------------------------------------------------

REPORTING_WORDS = frozenset(
    "reports reported report states stated says said say notes noted denies denied deny describes described noticed "
    "noticing thinks thought worries worried concerned brings brought asks asked wonders knows "
    "visited visiting visits accompanied accompanying rang phoned telephoned "
    "account concern concerns description worry".split()  # "mother's concern"
)
"""Words after a family member that make this person the reporter: "mother denies fever"."""

REPORTING_CHILDREN = frozenset("daughter daughters son sons granddaughter grandson niece nephew".split())
REPORTED_PARENTS = frozenset(
    "mother mom mum mummy mommy father dad daddy parent grandmother grandma gran nan nana granny grandfather grandpa "
    "granddad grandad aunt uncle".split()
)
"""Who is the patient where one of the former tells of one of the latter: "daughter says Mum has been falling"."""

REPORTING_AUXILIARIES = frozenset("has have had is was are were been also both who very main".split())
"""Words that may stand between: "his wife has noticed"."""

REPORTER_PREFIXES = frozenset(
    phrases_of(
        "by, per, according to, lives|living|here|seen with|w",
        "admitted|arrived|attended|attends|came|comes|presented with|w",
    )
)
"""Words before a family member that make this person the reporter or a companion: "per mom"."""

DETERMINERS = frozenset("a an the his her my our their pt's patient's both".split())
"""Words that may stand between, as *his* does there."""

COMPARISONS = frozenset(
    phrases_of("like, unlike, contrast|similar|compared|comparison|opposed to, compared|comparison with")
)
"""Words before a family member with whom only the patient is compared: "unlike his brother, he has"."""

COMPARED_KIN = DETERMINERS | frozenset(
    "affected unaffected healthy older elder eldest younger youngest twin half maternal paternal late".split()
)
"""Words that may stand between."""

BORN = frozenset(
    "born child children son daughter boy girl infant baby offspring product fetus man woman patient sibling siblings "
    "brothers sisters twins".split()
)
"""Words that *to* or *of* follows where a text says whose child the patient is: "born to healthy parents"."""

WHOSE_CHILD = frozenset("parent parents mother father couple cousin cousins".split())
"""Those whose child the patient is."""

SIBLINGS = frozenset("siblings sibs brothers sisters cousins".split())
"""Those whom a report tells of as its patients where it calls them affected: "the affected siblings had ataxia"."""

KIN_CLAUSE = frozenset("who whose whom that which with having affected".split())
"""Words by which a text goes on about the family member before them: "born to a mother with diabetes"."""

CLAUSE_WORDS = KIN_CLAUSE | frozenset("has have had is are was were my our".split())
"""Words that stand in no phrase that says whose child the patient is."""
