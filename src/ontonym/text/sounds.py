"""How an English or clinical word sounds, roughly, and which words are right though no name has them: what tells a
misspelled word from one that is only unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

_SOUNDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^[pgk](?=[nst])|^w(?=r)", ""),  # psoas, gnathic, knee, wrist
        (r"ph", "f"),
        (r"rh", "r"),
        (r"ck|q|(?<=[^s])ch(?=[lr])", "k"),
        (r"x|cz", "ks"),
        (r"(?<=s)th(?=m)|g(?=m(?:s|$))", ""),  # asthma, phlegm
        (r"th", "t"),
        (r"[tsc]i(?=o[nu]|a[ln])|sh(?=un)", "s"),  # -tion, -sion, -cian
        (r"sun$", "son"),
        (r"[cs]c(?=[eiy])|c(?=[eiyz])", "s"),
        (r"c(?!h)", "k"),
        (r"z", "s"),
        (r"eu|ew", "u"),
        (r"[ao]e", "e"),
        (r"e[iy]|ie", "i"),
        (r"y", "i"),
        (r"ou?gh", "o"),
        (r"(?<=[bdfgjklmnprv])h", ""),
        (r"(.)\1+", r"\1"),
    )
)  # fmt: skip

_FORMS = frozenset(
    "abdomino adeno adipo adreno aero angio anti arterio arthro athero audio auto baro bili bio blepharo brachy "
    "brady broncho carbo carcino cardio cephalo cerebro cervico chemo cholangio cholecysto cholo chondro chromo "
    "colo colpo cortico costo cranio cryo cutaneo cyano cyto dacryo dento dermato dextro duodeno dys electro "
    "embryo encephalo endo entero epi erythro esophago extra fibro gastro genito geno gingivo glomerulo glosso "
    "gluco glyco gonado granulo gyneco hemato hemi hemo hepato histo hydro hyper hypo hystero ileo immuno infra "
    "inter intra ischio iso jejuno karyo kerato keto labio lacto laryngo leuko lipo litho lympho macro mammo "
    "masto mega meningo meno meso meta micro mono muco multi musculo myco myelo myo naso necro neo nephro neuro "
    "nucleo oculo oligo onco oophoro ophthalmo orchio oro ortho osteo oto ovario pan pancreato papillo para patho "
    "pelvi peri perineo phago pharmaco pharyngo phlebo phono photo physio pleuro pneumo poly post pre procto "
    "prostato proteo proto pseudo psycho pulmo pyelo pyo radio recto reno retino retro rhabdo rhino sacro "
    "salpingo sarco sclero sebo sero sialo sidero somato spermato spheno spino spleno spondylo staphylo steato "
    "sterno stomato strepto sub supra syndesmo tachy teno tetra thoraco thrombo thyro tibio tonsillo toxo tracheo "
    "trans tricho tympano typhlo uretero urethro uro utero vagino valvulo vaso veno ventriculo vestibulo viscero "
    "vitreo vulvo xantho xero".split()
)
_FORM_LENGTHS = sorted({len(form) for form in _FORMS}, reverse=True)
_SHORTEST_REST = 4
_LETTERS = re.compile(r"[a-z]{4,}")


@lru_cache(maxsize=1 << 16)  # cached: the same words recur
def sound(word: str) -> str:
    """A rough English sound of a word in lower case: words that sound alike are often equal ("excema", "eczema")."""
    for pattern, said in _SOUNDS:
        word = pattern.sub(said, word)
    return word


def is_compound(word: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a word is a combining form and a word ("nephro" and "toxicity"): it need not be a misspelling of another.

    ``is_word`` says whether what is left is a word.
    """
    return any(
        word[:length] in _FORMS and len(word) - length >= _SHORTEST_REST and is_word(word[length:])
        for length in _FORM_LENGTHS
    )


@cache
def everyday_words() -> frozenset[str]:
    """The words, in lower case, of the everyday names and of the lexicon that come with the package."""
    folder = files("ontonym.text")
    texts = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("everyday.tsv", "lexicon.tsv"))
    return frozenset(chain.from_iterable(_LETTERS.findall(text.lower()) for text in texts))
