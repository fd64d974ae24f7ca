"""Words that mean the same in a name and in running text, by a root each: *hypotonic* and *hypotonia*, *kidney* and
*renal*, *widened* and *broad*.

A word is cut to its `stem`, by its ending; its `root` is the group of the words of one meaning that the word or its
stem is in (`SAME`), written "=kidney", else the stem.

Looser than `ontonym.text.normalization`: roots propose where a mention may be, they never decide alone what it means.
"""

from __future__ import annotations

from functools import cache, lru_cache

from ontonym.text.bodyparts import BODY

_ENDINGS: tuple[tuple[str, str], ...] = tuple(
    (ending, root)
    for root, endings in {
        "angi": "angeal anx angis",
        "yngi": "yngeal ynx",
        "phys": "physeal physis physial",
        "plas": "plasia plastic plasias",
        "troph": "trophic trophy trophied",
        "tens": "tensive tension",
        "leps": "lepsy leptic",
        "lept": "leptics",
        "os": "osis otic osed",
        "kines": "kinesia kinesis kinetic",
        "thes": "thesia thetic",
        "pares": "paresis paretic",
        "diabet": "diabetes diabetic",
        "as": "asis astatic astasis",
        "ys": "ysis ytic yzed yzing",
        "it": "itis itic itid",
        "if": "ification ified ifying",
        "": (
            "ization ized izing iveness ousness fulness ability ibility ivity ically edness ences ence ency ances "
            "ance ancy ations ation ated ating ate atory itions ition ional ions ion ities ity ments ment ness "
            "iness ening ened en ing ed es est er ical icity ic ia ias ism ist ian ous eous ious al ial ual ar ary ive "
            "able ible ent ant um us a e y is"
        ),
    }.items()
    for ending in endings.split()
)
_BY_LAST_LETTER = {
    letter: sorted((one for one in _ENDINGS if one[0][-1] == letter), key=lambda one: -len(one[0]))
    for letter in {ending[-1] for ending, _ in _ENDINGS}
}
_SHORTEST_ROOT = 4
"""Letters of the shortest root, unless its ending is in `_SHORTEST_CUT`."""
_SHORTEST_CUT = {"e": 3, "al": 3, "er": 6}
_WHOLE = frozenset(
    "lower upper length height weight width severity growth health death birth breath spit day fit including included "
    "planned plan organ organic vision visual digit digital facial facies macular macule alcohol alcoholic fever "
    "calculated calculus emergency emergent family vaccine general generic local mature mortal normal number numeral "
    "patient person personal physical physic port portal process public relate relative relation secret secretion "
    "sex sexual social society special species state statement study university universe vital vocal volume".split()
)
"""Words that are not words of another ending."""
_DOUBLED = frozenset("nptdg")

ABNORMAL: tuple[str, ...] = (
    "abnormality abnormal anomaly anomalous malformation malformed defect "
    "defective deformity deformed deformation alteration altered dysgenesis",
    "small little hypoplasia hypoplastic underdeveloped tiny", "short shortened shortening shortness shortens",
    "large big enlarged enlargement", "wide broad widened widening broadened broadening", "long elongated elongation",
    "thin slender thinned thinning gracile", "thick thickened thickening",
    "absent absence agenesis aplasia aplastic missing lack lacking", "narrow narrowed narrowing constricted",
    "decreased decrease reduced reduction low diminished diminution",
    "increased increase elevated elevation high raised", "delay delayed retardation retarded late lag",
    "recurrent frequent repeated recurring repetitive", "profound extreme",
    "impaired impairment dysfunction dysfunctional insufficiency disturbance "
    "disturbed problem difficulty trouble deteriorated deterioration",
    "prominent prominence protruding protrusion protuberant", "depressed flat flattened flattening sunken",
    "fusion fused synostosis synostotic", "bulging bulge", "sparse scanty scarce", "upturned anteverted",
    "pain painful ache aching sore soreness", "swelling swollen edema edematous", "weak weakness weakened",
    "failure failing fails failed", "loss lost losing", "limited limitation restricted restriction",
    "irregular irregularity irregularly",
    "hyperextensible hyperextensibility hypermobile hypermobility hyperflexibility hyperlaxity laxity lax",
    "dilated dilatation dilation", "cleft clefting", "bowed bowing bow", "curved curvature",
    "premature early precocious", "bent crooked", "overgrowth overgrown", "duplication duplicated bifid",
    "supernumerary extra accessory additional", "echogenic hyperechoic hyperechogenic echogenicity hyperechogenicity",
    "convex convexity", "displaced displacement", "posteriorly posterior", "anteriorly anterior",
    "dislocated dislocation luxation luxated", "subluxed subluxation",
    "ossification ossified mineralization mineralized", "retrusion retruded recessed retraction",
    "underdevelopment underdeveloped", "hearingloss deafness deaf", "unable inability cannot",
    "agressive aggressive aggressiveness aggression", "crowding crowded", "cyst cystic", "calcification calcified",
    "inflammation inflamed", "bleeding hemorrhage hemorrhagic", "cancer cancerous carcinoma",
    "tumor neoplasm neoplastic tumoral", "itch itching pruritus itchy", "spot spots patch patches",
    "tired tiredness fatigue fatigued",
)  # fmt: skip
"""Words for what is abnormal in a part or a function, those of one meaning together."""

SAME: tuple[str, ...] = (
    *BODY,
    *ABNORMAL,
    # functions
    "mental intellectual", "speech language verbal", "vision visual sight", "hearing auditory",
    "walking walk gait ambulation ambulate", "growth statural", "movement motor", "breathing respiratory respiration",
    "sleep sleeping", "swallowing swallow deglutition", "feeding feed eating",
    "heredity hereditary inherited", "child childhood infantile pediatric", "newborn neonatal neonate",
    # numbers and sides
    "1st first", "2nd second", "3rd third", "4th fourth", "5th fifth", "little-finger pinky",
)  # fmt: skip
"""Words of one meaning in names of findings, each group on one line."""


@lru_cache(maxsize=1 << 16)  # cached: every word of a text is asked for several times
def root(word: str) -> str:
    """The root of a normalized word: its group of `SAME`, else the word without its ending."""
    found = _grouped().get(word)
    if found is not None:
        return found
    cut = stem(word)
    return _stems_grouped().get(cut, cut)


@lru_cache(maxsize=1 << 12)  # each step of a search asks for those of the query and of the best names
def roots_of(words: tuple[str, ...]) -> frozenset[str]:
    """The different roots of normalized words."""
    return frozenset(map(root, words))


@lru_cache(maxsize=1 << 16)  # cached: every word of a text is asked for several times
def stem(word: str) -> str:
    """A normalized word without its ending: *diabetic*, *diabetes*; *ossified*, *ossification*."""
    if len(word) <= _SHORTEST_ROOT or word in _WHOLE or not word.isalpha():
        return word
    for ending, replacement in _BY_LAST_LETTER.get(word[-1], ()):
        if not word.endswith(ending):
            continue
        rest = word[: len(word) - len(ending)]
        if len(rest) < 2 or len(rest) + len(replacement) < _SHORTEST_CUT.get(ending, _SHORTEST_ROOT):
            continue
        is_doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] in _DOUBLED  # "thinned"
        return (rest[:-1] if is_doubled else rest) + replacement
    return word


@cache
def _grouped() -> dict[str, str]:
    return {word: f"={group.split()[0]}" for group in SAME if " " in group for word in group.split()}


@cache
def _stems_grouped() -> dict[str, str]:
    found: dict[str, str] = {}
    for word, group in _grouped().items():
        if len(word) > _SHORTEST_ROOT:
            found.setdefault(stem(word), group)
    return found
