"""Parts of the body: their words, which words name nothing but a part, and what is written beside one: "L hip #" is a
fracture. English only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import MappingProxyType

from ontonym.text.wordforms import ADJECTIVAL, is_adjective
from ontonym.text.wordlists import MODIFIERS

BODY: tuple[str, ...] = (
    "kidney renal nephro", "heart cardiac", "liver hepatic", "lung pulmonary", "brain cerebral", "eye ocular",
    "nose nasal", "mouth oral", "face faces facial facies", "skin cutaneous dermal dermatologic", "bone osseous",
    "muscle muscular", "tooth dental dentition", "neck nuchal", "chest thorax thoracic", "belly abdomen abdominal",
    "toe toes", "finger digit fingers", "limb extremity", "skull cranium cranial calvarial calvarium", "hair pilous",
    "nail ungual", "spine spinal", "rib costal", "ear auricular pinna auricle", "stomach gastric",
    "bowel intestine intestinal", "bladder vesical", "womb uterus uterine", "testis testicular testicle",
    "ovary ovarian", "breast mammary", "throat pharynx pharyngeal", "artery arterial", "vein venous",
    "vessel vascular", "nerve neural", "eyelid palpebral lid", "eyebrow brow", "eyelash lash",
    "shoulderblade scapula scapular", "collarbone clavicle clavicular", "kneecap patella patellar", "jaw jawbone",
    "mandible mandibular", "maxilla maxillary", "thumb pollex", "hallux bigtoe", "wrist carpal carpus",
    "tongue lingual glossal", "lip labial", "gum gingiva gingival", "forehead frons", "shin tibia tibial",
    "thigh femur femoral", "elbow cubital", "hip coxa coxal", "vertebra vertebral", "sternum sternal",
    "pelvis pelvic", "palate palatal palatine", "midface midfacial", "phalanx phalangeal phalange",
    "fontanelle fontanel", "foot feet pedal", "cerebellum cerebellar", "vermis vermian", "ventricle ventricular",
    "septum septal", "retina retinal", "cornea corneal", "epiphysis epiphyseal", "metaphysis metaphyseal",
    "diaphysis diaphyseal", "humerus humeral", "fibula fibular peroneal", "ulna ulnar", "radius radial",
    "metacarpal metacarpus", "metatarsal metatarsus", "ilium iliac", "zygoma zygomatic malar", "columella columellar",
    "philtrum philtral", "thyroid thyroidal", "pancreas pancreatic", "spleen splenic",
    "esophagus esophageal oesophageal", "trachea tracheal", "larynx laryngeal", "colon colonic", "rectum rectal",
    "prostate prostatic", "penis penile", "scrotum scrotal", "umbilicus umbilical navel",
    "blood hematologic hematological", "platelet thrombocyte", "hand", "palm palmar", "sole plantar", "chin", "knee",
    "ankle", "shoulder", "leg", "arm", "anus anal", "genitalia genital", "nipple", "scalp", "iris", "sclera scleral",
)  # fmt: skip
"""Words for the parts of the body with their adjectives, each part on one line."""

_SITES = frozenset(
    "anterior cervical distal inferior large lateral left long lower lumbar medial middle posterior proximal right "
    "sacral small superior tubular upper".split()
)
"""Words that say which of several parts of the body is meant."""

_KINDS_BY_SIZE = MappingProxyType(
    {
        "large": frozenset("artery bowel intestine vessel".split()),
        "long": frozenset("bone bones".split()),
        "small": frozenset("artery bowel intestine vessel".split()),
    }
)
"""The parts of which a size is a kind: the long bones and the small intestine have nothing wrong."""


_PART_NOUNS = frozenset(group.split()[0] for group in BODY)
_OF_PARTS = ("ac", "ian", "ine", "ior", "ro")
"""How adjectives of parts of the body end beside the usual endings, and what stands before other words: *cardiac*."""

_COMPOUND_PARTS = frozenset(
    "canal cord cortex duct ganglion gland joint ligament lobe marrow node tendon tract tube valve".split()
)
_OF_COMPOUNDS = frozenset(
    "adrenal aortic auditory bile biliary carotid coronary cruciate lacrimal lymph lymphatic mitral optic parotid "
    "pituitary salivary sciatic tricuspid urinary".split()
)
"""Words that end names of parts of the body, and others that stand before those: *bone marrow*, *lymph node*."""

_NARROWING = frozenset(
    "sporadic familial hereditary inherited fetal foetal neonatal perinatal postoperative perioperative".split()
)


def same_part(word: str) -> tuple[str, ...]:
    """A normalized word with the others for the same part of the body, itself first."""
    return _parts_by_word().get(word, (word,))


def names_a_part(words: Iterable[str]) -> bool:
    """Whether normalized words only name a part of the body: *thoracic vertebra*, *distal phalanx*."""
    given = list(words)
    if any(size in given and parts.isdisjoint(given) for size, parts in _KINDS_BY_SIZE.items()):
        return False  # a long face is none, long bones are
    return all(word in _parts_by_word() or word in _SITES for word in given)


def is_body_part(words: Sequence[str]) -> bool:
    """Whether normalized words only name a part of the body, and as a noun: *distal phalanx*, not *renal*."""
    *before, last = words or [""]
    if last in _COMPOUND_PARTS or (before and last in _PART_NOUNS):
        return bool(before) and all(word in _OF_COMPOUNDS or names_a_part([word]) for word in before)
    if not last or last in MODIFIERS or not names_a_part(words):
        return False
    return last in _PART_NOUNS or not (is_adjective(last) or last.endswith(_OF_PARTS))


def is_site(word: str) -> bool:
    """Whether a normalized word only says which of several parts of the body is meant: *upper*, *middle*."""
    return word in _SITES


def narrows(word: str) -> bool:
    """Whether a word before a name says where in the body or in whom: *renal*, *sporadic*, *postoperative*."""
    small = word.lower()
    return small in _NARROWING or small in _of_the_body()


@cache
def _of_the_body() -> frozenset[str]:
    """The adjectives of the parts of the body."""
    return frozenset(word for group in BODY for word in group.split() if word.endswith(ADJECTIVAL))


@cache
def _parts_by_word() -> dict[str, tuple[str, ...]]:
    groups = (group.split() for group in BODY)
    return {word: tuple(dict.fromkeys((word, *group))) for group in groups for word in group}


# Signs and words beside a part, in running text -----------------------------------------------------------------------

_FRACTURED = re.compile(
    r"(?<![\w-])(?P<part>(?:[CTL]-)?[a-z]{3,})[ ]#s?(?![\w#])|(?<![\w#&/])#[ ]?(?:[LR][ ])?(?P<after>[a-z]{3,})(?!\w)",
    re.IGNORECASE,
)
_OF_THE_HIP = "nof"
"""The neck of the femur, which is so written: "#NOF"."""


def fractured(text: str) -> Iterator[tuple[int, int]]:
    """Where a text has a # for a fracture beside a part of the body: "L hip #", "rib #s", "# wrist", "#NOF".

    At the beginning of a line it is the mark of an item, unless the neck of the femur follows.
    """
    for match in _FRACTURED.finditer(text) if "#" in text else ():
        part = (match["part"] or match["after"]).lower()
        leads = not match["part"] and not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        is_part = names_a_part([part.rpartition("-")[2]]) or names_a_part([part.removesuffix("s")])
        if part == _OF_THE_HIP or (is_part and not leads):
            yield match.span()


_SHAPES = frozenset({"depression", "depressions"})
"""Findings of a person whose word is also for the form of a part of the body."""
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[\s-]+\Z")
_LONGEST_BEFORE = 30  # characters
_AROUND = re.compile(r"^(?:bi|infra|mid|para|peri|pre|retro|sub|supra)(?=\w{4})")
"""How words begin that say that something is beside a part."""


def is_shape_of_part(text: str, start: int, end: int) -> bool:
    """Whether a word that is a finding elsewhere is the form of the part of the body that the word before it names: the
    *depression* of "a supraumbilical depression"."""
    if text[start:end].lower() not in _SHAPES:
        return False
    before = _WORD_BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
    part = before[1].lower() if before else ""
    return bool(part) and any(names_a_part((word,)) for word in (part, _AROUND.sub("", part)))
