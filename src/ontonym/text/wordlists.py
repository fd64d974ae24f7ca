"""Lists of common English words, each for one question that is asked of a word.

Of normalized words:

- `SMALL`: it tells no names apart (*of*, *the*)
- `FILLERS`: a text may have it between the words of a name
- `MODIFIERS`: a text may add it to a name without making another finding of it (*mild*)
- `GENERIC`: it names no concept worth finding (*disease*)
- `LIGHT`: in a query it hardly says which concept is meant (*my*, *feeling*)
- `QUALIFYING`: it says how a finding is, and not which (*recurrent*)
- `ASKED_FOR`: a query that ends with it asks for a thing (*recipe*)
- `REMEDIES`: one that ends with it asks for what helps against a finding (*medication*)
- `TESTED_FOR`: one that ends with it asks for a test, or for what a test looks for (*antibody*)

Of words of a text in small letters:

- `COMMON`: it is a name or an abbreviation only in capitals (*was*, WAS)
- `ALSO_WORDS`: it is an abbreviation in small letters only where it qualifies no word after it (*cap*)
- `OTHERWISE`: it names a concept, and mostly says something else (*shot*)
- `EDGES`: no mention begins or ends with it
- `ELSEWHERE`: it stands around mentions, and is part of none (*patient*)

Words that deny are in `ontonym.text.denials`, those of other languages in `ontonym.text.languages`.
"""

from __future__ import annotations

SMALL = frozenset("a an the of in on at to for by from as and or with due is are both".split())
"""Normalized words that tell no names apart."""

FILLERS = SMALL | frozenset(
    "was were be been being appeared appears appear seemed seem had has have his her their its very mildly moderately "
    "slightly markedly severely rather somewhat relatively quite extremely also which that there this these those he "
    "she they it bilaterally".split()
)
"""Normalized words of a text that may stand between the words of a name."""

MODIFIERS = frozenset(
    "mild moderate severe profound marked slight left right bilateral unilateral progressive chronic acute congenital "
    "early late diffuse generalized several multiple many some partial complete mildly minor major subtle "
    "significant first second apparent typical relative persistent new other further associated old isolated".split()
)
"""Normalized words that a text puts into or before a name without making another finding of it."""

LIGHT = frozenset(
    "about all always am an and any are as at be been being bit by can could did do does doing every feel feeling "
    "felt for from get gets getting go goes going gone got had has have having he her hers him his in is its just keep "
    "keeps kept like lot me mine my of our ours really she should so some something than that the their theirs them "
    "these they thing things this those to too very was we were when while will with would you your yours".split()
)
"""Words of everyday sentences that hardly say which concept is meant; negations are not among them."""

MANNER = MODIFIERS | frozenset(
    "asymmetric constant continuous diurnal episodic fluctuating frequent intermittent localized migratory nocturnal "
    "paroxysmal rare rapidly recurrent refractory slowly stable symmetric transient variable very worsening".split()
)
"""Normalized words that say how a finding is, how often, or how it goes on."""

OBSERVED = frozenset(
    "audible aching dull evident frank gnawing gross nagging noticeable obvious palpable pitting scattered sharp "
    "stabbing throbbing trace visible".split()
)
"""Normalized words that say how a finding is seen, heard or felt; some are part of a name (*gross hematuria*)."""

QUALIFYING = MANNER | frozenset(
    "adult autosomal childhood dominant infantile inheritance juvenile linked neonatal onset recessive x young".split()
)
"""Normalized words that say how a finding is, how often, how it goes on, from which age, or how it is inherited."""

ASKED_FOR = frozenset(
    "address album app battery charger cost credit download episode lyric menu movie online pdf permit playlist price "
    "ramp recipe refund rental salary sale shop song store template ticket tutorial video wallpaper website "
    "clinic immunization inhaler mug nurse vaccination vaccine "
    "avenue booster calendar card diary festival hotel jab leaflet lesson ltd map newsletter "
    "outbreak poster questionnaire shot street voucher webinar".split()
)
"""Normalized last words of queries that ask a search box for a thing, and for no finding."""

REMEDIES = frozenset("antibiotic drug med medication medicine painkiller pill remedy spray".split())
"""Normalized last words of queries that ask for what helps against the finding before them."""

TESTED_FOR = frozenset(
    "antibody antigen assay culture gene iga ige igg igm panel pcr screen screening serology smear swab titer "
    "titre".split()
)
"""Normalized last words of queries that ask for a test, or for what a test looks for, and not for what it finds."""

COMMON = frozenset(
    "a about above across act acts add added adds after again against age aged ages aids all almost alone along "
    "already also although always am among an and another any are as ask at available away back bad bar base based be "
    "became because become been before began behind being below best better between big both bring but by call called "
    "came can cannot case cases cat change clear close come common compare compared could data date day days did die "
    "died difference different direct do does done down due during each early effect effects eight either else end "
    "ended enough even ever every example fact far fast few find first fit five follow followed for form found four "
    "free from full further gave general get give given gives go goes good got great group had half has have he "
    "help her here high him himself his hold home hour hours how however hundred i if important in include included "
    "increase increased inside instead into is it its itself just keep kind knew know known large last late lead "
    "led left less let level life light like likely line list little live long look lot low made main make man mark "
    "may me mean men met method min mode more most much must my name near need net never new next nine no non none nor "
    "normal not note now null number of off often old on once one only open or order other our out over own page "
    "part past per percent period person place plus point poor possible present put range rare rate rather reason "
    "report reported rest result results right role run said same sample saw say see seem seen sent set seven "
    "several she short should show side simple since single site six slow small so some soon stage start state step "
    "still stop study such sum take tall tap tell ten test than that the their them then there these they thing "
    "third this those three through time times tip to today together told too took top total toward trial true try "
    "turn two type under unit until up upon us use used user using usual value vary versus very via was way we week "
    "weeks well went were what when where which while who whole whose why wide will with within without won work "
    "would year years yes yet you young your zero "
    "art bed bid boo bow cab card crab dim eat elf emu fist hum nod odd omen poster sever sod spin spy taco tao tin "
    "toga trim vain "
    "activator albumin body cavities cavity consumption contraction contractions coronary dead death deaths dose doses "
    "drink emergencies emergency ganglia ganglion matter pacing painful recurrence recurrences relapse relapses "
    "secondary strain strains temperature trans vision visions".split()
)
"""Words that are names or abbreviations only where they are written in capitals like those: WAS, ALL, SET."""

ALSO_WORDS = frozenset(
    "amp ant bot bun cap caps con cop cord cup dish doe echo fat gas glut ham hem hit kid lac lad lap lime lob mac mag "
    "map maps mash mat mod mods mom mono mop mum nap nut oasis pad pal pan pap par pas pat pea pee peg pen pep pet pie "
    "pin pip pit pod pop pops pot pots pour prim prom pros rad ram rap ref rum sad sag sap sat scar sea sole spa stem "
    "stir sue sup tab tabs tan tat ted tee temp tend tot tram van vat vent wee wit".split()
)
"""Short English words that are abbreviations too: "no cap" in shorthand may be a pneumonia, "cap refill" is none."""

OTHERWISE = frozenset(
    "activity activities arranging atlas axis broke collecting digger donor donors dye exposure growth healthy minibus "
    "minivan moped oncology ordering position positions section sections shot shots storm".split()
)
"""Words that name concepts, of external causes and the like, but by themselves mostly say something else in a text: the
*shot* of thiamine, a fever that *broke*."""

GENERIC = frozenset(
    "abnormality case category complication condition diagnosis disease disorder entity event factor feature finding "
    "illness issue manifestation nos other patient presentation problem sign state status symptom syndrome unspecified "
    "thing".split()
)
"""Normalized words that name no concept worth finding, alone or together: disease, clinical finding."""

EDGES = frozenset("a an and as at but by for from in into nor of on or other than that the this to with".split())
"""Words that no mention begins or ends with."""

ELSEWHERE = frozenset(
    "according adult adults affected age aged allele alleles analyses analysis associate associated associates aunt "
    "aunts because began begin born boy boys brother brothers cause caused causes causing cdna centile centiles child "
    "children chromosome chromosomes codon compared could cousin cousins dad data demonstrate demonstrated "
    "demonstrates demonstrating describe described describes despite develop developed develops diagnose diagnosed "
    "diagnosis dna dose doses effect effects eight evidence examination exon exons factor factors families family "
    "father fathers female females finding findings gene genes girl girls grandfather grandmother group groups hence "
    "history hour hours identification identified identifies identify including indicate indicated indicates "
    "indicating individual individuals infant infants kg least level levels linkage loci locus male males marker "
    "markers men method methods mg mice min minutes ml mom month months mother mothers mouse mrna mum mutation "
    "mutations nine observe observed occur occurred occurring occurs onset overnight parent parents patient patients "
    "people per percent percentile percentiles person persons present presented presenting presents proband probands "
    "protein proteins pt pts rat rate rates rats receive received regarding relate related report reported reporting "
    "reports respect respectively result resulted resulting results reveal revealed reveals risk role seven sibling "
    "siblings sis sister sisters studied studies study subject subjects suggest suggested suggesting suggests ten "
    "therapy though throughout time times today tomorrow tonight toward towards treat treated treatment treatments "
    "uncle uncles undergo underwent unlike use used uses using various versus via whereas within women year years "
    "yesterday".split()
)
"""Words that stand around mentions, and are part of none."""
