"""Words that are names of concepts but mostly mean something else in running text: tables for annotation."""

from __future__ import annotations

import re

COMMON = frozenset(
    "a about above across act acts added after again against age aged ages aids all almost alone along already also "
    "although always am among an and another any are as ask at available away back bad bar base based be became "
    "because become been before began behind being below best better between big both bring but by call called came "
    "can cannot case cases cat change clear close come common compare compared could data date day days did die "
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

OTHERWISE = frozenset(
    "activity activities arranging broke collecting donor donors dye exposure healthy ordering position positions "
    "section sections shot shots storm".split()
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


_UNITS = frozenset("cm dl g gm h hr kg l mcg mg ml mm mol s sec".split())
_MOST_LETTERS = 6
_WORD = re.compile(r"[^\W\d_]+")


def may_be_capitals(written: str) -> bool:
    """Whether a word of a text that is written small is an everyday word or a unit, so that it may be both."""
    return any(word in COMMON or word in _UNITS for word in _WORD.findall(written))


def is_capitals_in(written: str, name: str) -> bool:
    """Whether such a word is an abbreviation in a name, so that it means something else: the "all" of "all children"
    in *ALL, Childhood*, the "ml" of "4 ml" in *ML IV*. A name of capitals alone is no abbreviation."""
    letters = _WORD.findall(name)
    if name.isupper() and sum(map(len, letters)) > _MOST_LETTERS:
        return False
    capitals = {word.lower() for word in letters if len(word) > 1 and word.isupper()}
    return any(word in capitals and may_be_capitals(word) for word in _WORD.findall(written))


_SYMBOL = r"(?<![\w-])([A-Z][A-Z0-9]{1,5}[a-z]?\d?)"
_OF_GENES = (
    r"(?:genes?|proteins?|mutations?|loci|locus|alleles?|exons?|introns?|m?RNAs?|cDNAs?|transcripts?|promoter|"
    r"polymorphisms?|haplotypes?|genotypes?|mutants?|homolog\w*|ortholog\w*|products?|expression|knockout)"
)
_GENE = re.compile(
    rf"{_SYMBOL}(?:[ -](?:{_OF_GENES})\b|\s*[-+]/[-+])|"
    rf"(?<!\w)(?i:{_OF_GENES}(?: in| of| for)?(?: the)?,? \(?){_SYMBOL}(?![\w-])"
)


def genes_of(text: str) -> frozenset[str]:
    """The symbols that a text calls genes, proteins or the like somewhere: "the APC gene", "mutations in BRCA1"."""
    return frozenset(match[1] or match[2] for match in _GENE.finditer(text))
