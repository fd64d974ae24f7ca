"""The forms of English words: British spelling, plurals (Latin and Greek ones too), irregular verbs and adjectives."""

from __future__ import annotations

import re
from functools import cache

from ontonym.text.wordlists import MODIFIERS

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


def american(word: str) -> str:
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


def singular(word: str) -> str:
    """The singular of an English or Latin plural (biopsies, metastases, vertebrae, carcinomata)."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] not in "sai" or word in _UNCHANGED or not word.isascii():
        return word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word[: len(word) - len(ending)] + replacement
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


def base_form(word: str) -> str:
    """The base form of an irregular English verb (threw, swollen)."""
    return VERB_FORMS.get(word, word)


ADJECTIVAL = ("al", "ar", "ic", "ary", "ory", "ed", "ous", "ive", "ate", "ent", "ant")
"""The usual endings of adjectives."""


def is_adjective(word: str) -> bool:
    """Whether a word in lower case qualifies others: one of `MODIFIERS`, or with the ending of an adjective."""
    return word in MODIFIERS or word.endswith(ADJECTIVAL)
