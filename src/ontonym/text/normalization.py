"""Text normalization: the steps that make two spellings of one name equal, each with a name for explanations.

Every signal uses the same ``tokens``; ``changes`` says which steps made a query and a term equal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

# --- whole-text steps ------------------------------------------------------------------------------------------------

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`"), "'")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None)
_CLEAN = _DASHES | _QUOTES | _INVISIBLE
_UNCLEAN = re.compile("[" + "".join(map(re.escape, map(chr, _CLEAN))) + "]")
_SPACE = re.compile(r"\s+")


def _cleaned(text: str) -> str:
    # Few names have such a character, and searching is ten times faster than translating.
    return text.translate(_CLEAN) if _UNCLEAN.search(text) else text


def _unicode(text: str) -> str:
    if text.isascii():
        text = text.replace("`", "'")
    else:
        text = unicodedata.normalize("NFKC", _cleaned(text))
        text = _cleaned(text)
    return _SPACE.sub(" ", text).strip()


_REMARK = re.compile(r"(?:[,;]?\s+\(?NOS\)?|[,;]\s+INCLUDED)$")


def _remark(text: str) -> str:
    """Drops remarks that only classifications write: "NOS" (not otherwise specified), OMIM's "INCLUDED"."""
    return _REMARK.sub("", text)


_NOT_INVERTED = re.compile(r"\b(?:and|or|with|without|not|nor|due|included|unspecified|other)\b|[;:()]", re.IGNORECASE)


def _inversion(text: str) -> str:
    """Puts index-style names into natural order: "Cancer, Breast", "Leukemia, Myeloid, Acute"."""
    if ", " not in text or _NOT_INVERTED.search(text):
        return text
    parts = [part.strip() for part in text.split(", ")]
    return " ".join(reversed(parts)) if all(parts) and len(parts) <= 4 else text


_CANNOT = re.compile(r"\bcannot\b")
_NEGATED = re.compile(r"n't\b")
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?=\s|$)")
_ACRONYM = re.compile(r"(?<![\w-])[^\W\d_](?:[-.]\w)+(?:\.|(?![\w-]))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NOT_WORD = re.compile(r"[\W_]+")
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_KEPT_POINT = "\ue000"  # a private character, which no name has
_PLUS = re.compile(r"(?<=\w)\+")


def _punctuation(text: str) -> str:
    """Drops possessives, joins the letters of an acronym (A-T, C.H.F.) and turns all other punctuation into spaces."""
    # Most names lack the character that a pattern needs, and "in" is ten times faster than the pattern.
    if "'" in text:
        text = _POSSESSIVE.sub("", _NEGATED.sub(" not", text.replace("can't", "can not")))
    text = _CANNOT.sub("can not", text) if "cannot" in text else text
    if "-" in text or "." in text:
        text = _ACRONYM.sub(lambda match: match.group().replace("-", "").replace(".", ""), text)
    text = _THOUSANDS.sub("", text) if "," in text else text
    text = _PLUS.sub(" plus ", text) if "+" in text else text
    not_word = _NOT_WORD if text.isascii() else _not_word()
    if "." not in text:
        return not_word.sub(" ", text).strip()
    text = _POINT.sub(_KEPT_POINT, text.replace(_KEPT_POINT, " "))
    return not_word.sub(lambda match: "." if match.group() == _KEPT_POINT else " ", text).strip()


@cache
def _not_word() -> re.Pattern[str]:
    """What separates words: a combining mark is part of its word, as in Hindi, Thai or vocalized Arabic."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    gap = rf"(?![{marks}])[\W_]"
    loose = "[\u0300-\u036f]"  # an accent without a letter
    return re.compile(f"{gap}(?:{gap}|{loose})*|^{loose}+")


_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ß": "ss", "ı": "i"})
_LIGATURE = re.compile("[æœøłđßı]")


def _accents(text: str) -> str:
    if text.isascii():
        return text
    text = text.translate(_LIGATURES) if _LIGATURE.search(text) else text
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFD", text)))


# Only marks on Latin and Greek letters are dropped: in other scripts (Japanese, Hindi) a mark makes another letter.
_LATIN_MARKS = re.compile(r"(?<=[A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")

# --- word steps ------------------------------------------------------------------------------------------------------

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
).split()
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES, strict=True))
_GREEK["ς"] = "sigma"
_GREEK_LETTER = re.compile("[" + "".join(_GREEK) + "]")
_GREEK_WORD = re.compile(r"[\u03b1-\u03c9]{3,}")
_GREEK_NUMBER = re.compile(r"\b(alpha|beta|gamma|delta|epsilon)(?=\d)")


def _greek(text: str) -> str:
    """Spells out Greek letters that stand alone or beside Latin ones (β-thalassemia, TNFα); Greek words stay.

    A number after a Greek letter becomes a word of its own, as in "alpha-1": α1-antitrypsin.
    """
    if not text.isascii():
        text = " ".join(map(_greek_letters, text.split()))
    return _GREEK_NUMBER.sub(r"\1 ", text)


def _greek_letters(word: str) -> str:
    if word.isascii() or _GREEK_WORD.search(word):
        return word
    return _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], word)


_ROMAN = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12",
    "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17", "xviii": "18", "xix": "19",
}  # fmt: skip
_ROMAN_LETTER = {"i": "1", "v": "5", "x": "10"}
_NUMBERED = frozenset(
    "type grade stage class group phase subtype form factor level nerve degree category bipolar collagen "
    "mucopolysaccharidosis mucolipidosis syndrome deficiency complement variant lead zone".split()
)
_NUMERAL_SUFFIX = re.compile(r"^(i{2,3}|iv|vi{1,3}|ix)([a-e])$")


def _numerals(words: list[str]) -> list[str]:
    """Roman numerals as Arabic ones; a single letter only after a word that is numbered ("type I", "factor V")."""
    out = []
    for position, word in enumerate(words):
        if word in _ROMAN:
            out.append(_ROMAN[word])
        elif word in _ROMAN_LETTER and position and words[position - 1] in _NUMBERED:
            out.append(_ROMAN_LETTER[word])
        elif match := _NUMERAL_SUFFIX.match(word):
            out.append(_ROMAN[match.group(1)] + match.group(2))
        else:
            out.append(word)
    return out


_BRITISH: tuple[tuple[str, str, str], ...] = (
    ("haem", r"haem", "hem"),
    ("aem", r"aem(?=i|oglob)", "em"),
    ("esthe", r"a?esthe", "esthe"),
    ("oe", r"o*oe(?=dem|soph|str)", "e"),  # angioedema is American too: with or without its o
    ("oe", r"(?<=rrh)oe(?=a|i|$)", "e"),
    ("oe", r"(?<=pn)oe(?=a|i)", "e"),
    ("morphoea", r"morphoea", "morphea"),
    ("foet", r"^foet", "fet"),
    ("paed", r"paed(?=i|o)", "ped"),
    ("gynaec", r"gynaec", "gynec"),
    ("caec", r"caec(?=al|os|um)", "cec"),
    ("faec", r"^faec", "fec"),
    ("aetiol", r"^aetiol", "etiol"),
    ("coel", r"^coel", "cel"),
    ("ocoele", r"ocoele(?=s?$)", "ocele"),
    ("amoeb", r"amoeb", "ameb"),
    ("caesar", r"^caesar[ei]an", "cesarean"),
    ("caesi", r"^caesi", "cesi"),
    ("erul", r"^c[ao]erul", "cerul"),
    ("palae", r"palae", "pale"),
    ("archae", r"archae", "arche"),
    ("naev", r"naev", "nev"),
    ("prae", r"^prae(?=c|v)", "pre"),
    ("phaeo", r"phaeo", "pheo"),
    ("taeni", r"^taeni", "teni"),
    ("melaen", r"^melaen", "melen"),
    ("chimaer", r"chimaer", "chimer"),
    ("spirochaet", r"spirochaet", "spirochet"),
    ("homoe", r"homoe", "home"),
    ("manoeuvre", r"manoeuvre", "maneuver"),
    ("sulph", r"sulph", "sulf"),
    ("leuco", r"leuco", "leuko"),
    ("our", r"(?<=tum|hum|col|lab|fav|vap|arm|van|hon|rig)our", "or"),
    ("our", r"(?<=behavi|neighb)our", "or"),
    ("our", r"(?<=harb|flav)our", "or"),
    ("odour", r"^(mal)?odour", r"\1odor"),
    ("ibre", r"(?<=[ft])ibre", "iber"),
    ("re", r"(cent|^lit|met|^goit|^spect|calib|theat)re(?=s?$)", r"\1er"),
    ("centred", r"centred$", "centered"),
    ("isation", r"(?<=\w{3})isation(?=s?$)", "ization"),
    (
        "is",
        r"(?<=[lnrtmdsg])is(?=ed?$|ing$|able$)(?<!^aris)(?<!^ris)(?<!mpris)(?<!vertis)(?<!romis)(?<!remis)(?<!demis)(?<!rpris)",
        "iz",
    ),
    ("ys", r"(?<=l)ys(?=ed?$|ing$|ers?$)", "yz"),
    ("ll", r"(model|label|tunnel|travel|counsel|signal|channel)l(?=ed|ing|er)", r"\1"),
    ("logue", r"(homo|ana|cata|dia)logue(?=s?$)", r"\1log"),
    ("grey", r"^grey", "gray"),
    ("mould", r"^mould", "mold"),
    ("ageing", r"ageing$", "aging"),
    ("plough", r"^plough", "plow"),
    ("tyre", r"tyre(?=s?$)", "tire"),
    ("sceptic", r"^sceptic", "skeptic"),
    ("defence", r"^defence", "defense"),
    ("programme", r"^programme(?=s?$)", "program"),
    ("hiccough", r"^hiccough", "hiccup"),
    ("disc", r"^disc(?=s?$)", "disk"),
    ("artefact", r"^artefact", "artifact"),
    ("hexy", r"(?<=cac)hexy$", "hexia"),
)
"""A part that a word must contain (a fast check), the pattern, and its replacement."""

_compiled = cache(re.compile)


def _spelling(word: str) -> str:
    """American spelling for British: haemorrhage, oedema, tumour, fibre, paralysed, sulphate."""
    if len(word) < 4 or not word.isascii():
        return word
    for part, pattern, replacement in _BRITISH:
        if part in word:
            word = _compiled(pattern).sub(replacement, word)
    return word


_IRREGULAR = {
    "feet": "foot", "teeth": "tooth", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
    "lice": "louse", "geese": "goose", "oxen": "ox", "vertebrae": "vertebra", "larvae": "larva", "calves": "calf",
    "halves": "half", "leaves": "leaf", "lives": "life", "wives": "wife", "knives": "knife", "wolves": "wolf",
    "viscera": "viscus", "corpora": "corpus", "genera": "genus", "ova": "ovum", "bacteria": "bacterium",
    "septa": "septum", "diverticula": "diverticulum", "phyla": "phylum", "criteria": "criterion",
    "phenomena": "phenomenon", "ganglia": "ganglion", "mitochondria": "mitochondrion", "appendices": "appendix",
    "cervices": "cervix", "cortices": "cortex", "indices": "index", "vertices": "vertex", "varices": "varix",
    "vortices": "vortex", "helices": "helix", "calices": "calix", "calyces": "calyx", "matrices": "matrix",
    "bacilli": "bacillus", "bronchi": "bronchus", "fungi": "fungus", "nuclei": "nucleus", "nevi": "nevus",
    "thrombi": "thrombus", "emboli": "embolus", "cocci": "coccus", "stimuli": "stimulus", "alveoli": "alveolus",
    "calculi": "calculus", "villi": "villus", "gyri": "gyrus", "sulci": "sulcus", "foci": "focus", "loci": "locus",
    "rami": "ramus", "humeri": "humerus", "glomeruli": "glomerulus", "uteri": "uterus", "viruses": "virus",
    "phalanges": "phalanx", "meninges": "meninx", "pharynges": "pharynx", "larynges": "larynx", "femora": "femur",
    "atria": "atrium", "roses": "rose", "loses": "lose", "closes": "close", "axes": "axis", "noses": "nose",
    "doses": "dose", "crania": "cranium", "stomata": "stoma", "foramina": "foramen", "lumina": "lumen",
    "gases": "gas", "lenses": "lens", "biases": "bias", "buses": "bus", "crises": "crisis", "testes": "testis",
    "pelves": "pelvis", "pelvises": "pelvis", "irises": "iris", "irides": "iris", "penises": "penis", "nares": "naris",
    "epididymides": "epididymis", "apices": "apex", "fornices": "fornix", "cicatrices": "cicatrix",
    "halluces": "hallux", "salpinges": "salpinx", "lentigines": "lentigo", "midwives": "midwife",
    "mosquitoes": "mosquito", "potatoes": "potato", "tomatoes": "tomato", "buffaloes": "buffalo",
    "ties": "tie", "dies": "die", "pies": "pie", "lies": "lie", "aches": "ache", "fuses": "fuse", "poses": "pose",
    "hoses": "hose", "purposes": "purpose", "exposes": "expose", "predisposes": "predispose",
    "calories": "calorie", "avalanches": "avalanche", "douches": "douche", "menisci": "meniscus", "tophi": "tophus",
    "labia": "labium", "ostia": "ostium", "cilia": "cilium", "stigmata": "stigma", "algae": "alga",
    "sequelae": "sequela", "maculae": "macula", "conjunctivae": "conjunctiva", "mucosae": "mucosa",
    "scapulae": "scapula", "fistulae": "fistula", "bursae": "bursa", "papillae": "papilla", "petechiae": "petechia",
    "striae": "stria", "lacunae": "lacuna", "laminae": "lamina", "lamellae": "lamella", "pleurae": "pleura",
    "tibiae": "tibia", "fibulae": "fibula", "patellae": "patella", "ulnae": "ulna", "choanae": "choana",
    "trabeculae": "trabecula", "fasciae": "fascia", "areolae": "areola", "hyphae": "hypha",
}  # fmt: skip
_UNCHANGED = frozenset(
    "diabetes rabies herpes scabies caries tabes pubes series species ascites faces feces biceps triceps quadriceps "
    "forceps mumps rickets measles shingles hives yaws lens pancreas pelvis gas bias atlas pus this its his was has is "
    "as us yes does anus less plus thus caput always sometimes perhaps las los des "
    "news stapes erysipelas hydrops menses lues glanders psoas pons glans trans whereas langerhans chagas asbestos "
    "danlos facies".split()
)
_ENDINGS: tuple[tuple[str, str], ...] = (
    ("omata", "oma"), ("cocci", "coccus"), ("bacilli", "bacillus"), ("ss", "ss"), ("us", "us"), ("is", "is"),
    ("diabetes", "diabetes"), ("species", "species"), ("facies", "facies"), ("lmos", "lmos"), ("mnios", "mnios"),
    ("monas", "monas"), ("doses", "dose"), ("oses", "osis"), ("yses", "ysis"), ("eeses", "eese"), ("eses", "esis"),
    ("stases", "stasis"), ("ectases", "ectasis"), ("iases", "iasis"), ("schises", "schisis"), ("itides", "itis"),
    ("auses", "ause"), ("ouses", "ouse"), ("fuses", "fuse"), ("buses", "buse"), ("isuses", "isuse"), ("uses", "us"),
    ("eaches", "each"), ("oaches", "oach"), ("ttaches", "ttach"), ("aches", "ache"), ("sses", "ss"), ("shes", "sh"),
    ("ches", "ch"), ("xes", "x"), ("zzes", "zz"), ("ies", "y"), ("s", ""),
)  # fmt: skip
"""Plural endings and those of the singular; the first that fits is used."""


def _plural(word: str) -> str:
    """The singular of an English or Latin plural (biopsies, metastases, vertebrae, carcinomata)."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] not in "sai" or word in _UNCHANGED or not word.isascii():
        return word
    for ending, singular in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word[: len(word) - len(ending)] + singular
    return word


VERB_FORMS = {
    form: base
    for base, forms in {
        "bend": "bent", "bite": "bit bitten",
        "bleed": "bled", "blow": "blew blown", "break": "broke broken", "breathe": "breathed", "catch": "caught",
        "choose": "chose chosen", "come": "came", "draw": "drew drawn", "drink": "drank drunk",
        "drive": "drove driven", "eat": "ate eaten", "fall": "fell fallen", "feel": "felt", "fight": "fought",
        "forget": "forgot forgotten", "freeze": "froze frozen", "get": "got gotten", "give": "gave given",
        "go": "went gone", "grow": "grew grown", "hear": "heard", "keep": "kept", "lose": "lost",
        "make": "made", "see": "seen", "shake": "shook shaken", "shrink": "shrank shrunk", "sleep": "slept",
        "speak": "spoke spoken", "stand": "stood", "stick": "stuck", "sting": "stung", "swell": "swollen",
        "take": "took taken", "tear": "tore torn", "think": "thought", "throw": "threw thrown", "wake": "woke woken",
        "wear": "wore worn", "weep": "wept", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip


def _verb(word: str) -> str:
    """The base form of an irregular English verb (threw, swollen)."""
    return VERB_FORMS.get(word, word)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of normalization: ``name`` appears in the reason of a hit, ``apply`` maps text to text."""

    name: str
    apply: Callable[[str], str]


def _by_word(change: Callable[[str], str]) -> Callable[[str], str]:
    cached = lru_cache(maxsize=1 << 16)(change)
    return lambda text: " ".join(map(cached, text.split()))


STEPS: tuple[Step, ...] = (
    Step("Unicode form", _unicode),
    Step("coding remark", _remark),
    Step("case", str.casefold),
    Step("inverted word order", _inversion),
    Step("punctuation", _punctuation),
    Step("accents", _accents),
    Step("Greek letters", _greek),
    Step("spelling variant", _by_word(_spelling)),
    Step("plural", _by_word(_plural)),
    Step("verb form", _by_word(_verb)),
    Step("numerals", lambda text: " ".join(_numerals(text.split()))),
    Step("word order", lambda text: " ".join(sorted(text.split()))),
)
"""Every step in the order of application, from the safest to the boldest."""


def key(text: str) -> str:
    """The form under which a name is looked up: Unicode form, case, punctuation and accents make no difference."""
    return _accents(_punctuation(_unicode(text).casefold()))


@lru_cache(maxsize=1 << 18)
def _word(word: str) -> str:
    changed = _verb(_plural(_spelling(word)))
    return changed if changed == word else _word(changed)  # "childrens" needs two rounds


_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9]{1,5}s?\b")


def _acronyms(text: str) -> frozenset[str]:
    """The acronyms of a text in lower case: they are not changed as English words are (WAS, ALPS, AIDS).

    In a text of several words that is all in capitals, capitals do not mark acronyms.
    """
    if not _CAPITALS.search(text) or (text.isupper() and " " in text.strip()):
        return frozenset()
    return frozenset(found.lower() for found in _CAPITALS.findall(text) if not found.endswith("s"))


_UNSPACED = re.compile("([\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)")
"""Runs of Chinese and Japanese, which have no spaces between words."""


def words(text: str) -> list[str]:
    """The words of a name after every step except those that reorder, in the order of the text.

    Acronyms keep their letters: ALPS is not a plural, and WAS is not a verb.
    """
    return list(_words(text))


def tokens(text: str) -> list[str]:
    """The `words` of a name as search uses them: Chinese and Japanese are split into pairs of neighbouring characters.

    Lucene's CJK analyzer does the same. A name is then found by its parts, and a different character makes a different
    word, not a misspelled one.
    """
    found = _words(text)
    return list(found) if text.isascii() else [part for word in found for part in _parted(word)]


@lru_cache(maxsize=1 << 14)
def _parted(word: str) -> tuple[str, ...]:
    """The word; or its Chinese and Japanese characters in pairs, and the parts between them."""
    if word.isascii() or not _UNSPACED.search(word):
        return (word,)
    parts: list[str] = []
    for run in filter(None, _UNSPACED.split(word)):
        pairs = len(run) > 1 and _UNSPACED.fullmatch(run)
        parts += [run[place : place + 2] for place in range(len(run) - 1)] if pairs else [run]
    return tuple(parts)


@lru_cache(maxsize=1 << 14)  # every signal asks for the words of the same text
def _words(text: str) -> tuple[str, ...]:
    read = _greek(key(_remark(text))).split()
    kept = _acronyms(text)
    return tuple(_numerals([word if word in kept else _word(word) for word in read]))


def canonical(text: str) -> str:
    """The `words` of a name with spaces between."""
    return " ".join(_words(text))


def normalize(text: str) -> str:
    """The fully normalized form, words in alphabetical order: names with equal forms are spellings of the same name."""
    return " ".join(sorted(_words(text)))


def changes(a: str, b: str) -> tuple[str, ...] | None:
    """The names of the steps under which ``a`` and ``b`` become equal; empty for identical texts, None if never."""
    if a == b:
        return ()
    used: list[Step] = []
    one, other = a, b
    for step in STEPS:
        before = (one, other)
        one, other = step.apply(one), step.apply(other)
        if (one, other) != before:
            used.append(step)
        if one == other:
            break
    else:
        return None
    for step in used[::-1]:  # keep only the steps without which the texts would differ
        rest = [kept for kept in used if kept is not step]
        if _after(rest, a) == _after(rest, b):
            used = rest
    return tuple(step.name for step in used)


def _after(steps: Iterable[Step], text: str) -> str:
    for step in steps:
        text = step.apply(text)
    return text
