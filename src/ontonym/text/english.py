"""Words that are right though no name has them, so that they are no misspelling of what a terminology knows: English
ones, those of everyday names, compounds, and those built of a root and an ending of medicine.

The English ones are those of WordNet by their roots, kept as hashes (``benchmarks/lexicon/english.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import chain
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

from ontonym.text.strings import hash64
from ontonym.text.wordroots import stem

SHORTEST_ENGLISH = 5
"""Letters of the shortest word that is kept."""

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
"""Combining forms: what words are compounded with."""

_FORM_LENGTHS = sorted({len(form) for form in _FORMS}, reverse=True)
_SHORTEST_REST = 4
"""Letters of the shortest word after a combining form."""

_SHORTEST_EVERYDAY = 4
"""Letters of the shortest word of everyday names that is kept."""

_CLINICAL = tuple(
    sorted(
        "algia cele centesis clasis desis dynia ectasia ectomy emia genesis genic gram graphy itis logy lysis malacia "
        "megaly metry oma osis pathy penia pexy phobia phyte plasty plegia ptosis rrhage rrhagia "
        "rrhaphy rrhea rrhexis sclerosis scopy spasm stenosis stomy tomy trophy uria".split(),
        key=lambda ending: (-len(ending), ending),
    )
)
"""Endings of findings and procedures: one for another makes another word."""

_OF_ROOTS = ("", "a", "al", "ar", "ic", "is", "on", "um", "us")
"""Endings, besides the clinical ones, of the words that show a root: *coxa*, *tarsal*, *enthesis*."""

_SHORTEST_CLINICAL_ROOT = 3
"""Letters of the shortest root before a clinical ending that is looked for in names."""

_LETTERS_ALONE = bytes(code if chr(code) in ascii_lowercase else ord(" ") for code in range(256))
"""For `bytes.translate`: a space for all but small letters, in half the time of a pattern."""


def is_english(word: str) -> bool:
    """Whether English has a normalized word of at least `SHORTEST_ENGLISH` letters, in any form; of two million others,
    one is held for English too."""
    hashes, sought = _hashes(), stem_hash(word)
    place = int(hashes.searchsorted(sought))
    return place < len(hashes) and bool(hashes[place] == sought)


def stem_hash(word: str) -> np.uint32:
    """The hash of the root of a word, as it is kept."""
    return np.uint32(hash64(stem(word)) & 0xFFFFFFFF)


@cache
def _hashes() -> npt.NDArray[np.uint32]:
    with np.load(BytesIO(files("ontonym.text").joinpath("english.npz").read_bytes()), allow_pickle=False) as kept:
        found: npt.NDArray[np.uint32] = kept["roots"]
    return found


def is_compound(word: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a word is a combining form, or one and a word ("nephro" and "toxicity"): it need not be a misspelling of
    another.

    ``is_word`` says whether what is left is a word.
    """
    return word in _FORMS or any(
        word[:length] in _FORMS and len(word) - length >= _SHORTEST_REST and is_word(word[length:])
        for length in _FORM_LENGTHS
    )


def clinical_parts(word: str) -> tuple[str, str]:
    """The root of a word and its clinical ending, without the vowel between them: "enthesopathy" is ("enthes",
    "pathy"). The ending is empty if it has none.
    """
    single = f"{word[:-3]}y" if word.endswith("ies") else word
    for ending in _CLINICAL:
        if single.endswith(ending) and len(single) > len(ending) + 1:
            return single.removesuffix(ending).removesuffix("o"), ending
    return word, ""


def is_clinical_root(root: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a root is a combining form, or some other word is built of it.

    ``is_word`` says whether some name has a word.
    """
    if f"{root}o" in _FORMS:
        return True
    if len(root) < _SHORTEST_CLINICAL_ROOT:
        return False
    return any(is_word(f"{root}{ending}") for ending in _OF_ROOTS) or any(
        is_word(f"{root}{vowel}{ending}") for ending in _CLINICAL for vowel in ("", "o")
    )


@cache
def everyday_words() -> frozenset[str]:
    """The words, in lower case, of the everyday names and of the lexicon that come with the package."""
    folder = files("ontonym.text")
    texts = (folder.joinpath(name).read_bytes() for name in ("everyday.tsv", "lexicon.tsv"))
    runs = set(chain.from_iterable(text.lower().translate(_LETTERS_ALONE).split() for text in texts))
    return frozenset(run.decode() for run in runs if len(run) >= _SHORTEST_EVERYDAY)
