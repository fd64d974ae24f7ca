"""Title concatenation: names that can be understood alone for codes of a classification whose titles cannot.

A classification prints "With coma" under "Type 1 diabetes mellitus" and expects the reader to see both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from ontonym.types import Concept, Term


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEADING: MappingProxyType[str, frozenset[str]] = MappingProxyType(
    {
        "en": _words("""
            with without due of by from during following involving complicating affecting
            in on at to for and or except including
        """),
        "de": _words("""
            mit ohne durch bei infolge nach als im in am an auf von vom zur zum unter während und oder
        """),
        "fr": _words("""
            avec sans dû due dus dues au aux à de du des par chez pendant après et ou en
        """),
        "es": _words("""
            con sin debido debida debidos debidas por de del en durante tras a y o
        """),
        "nl": _words("""
            met zonder door bij ten tijdens in na als van aan op en of
        """),
        "it": _words("""
            con senza dovuto dovuta da di del della in durante e o
        """),
        "pt": _words("""
            com sem devido devida por de do da em durante e ou
        """),
    }
)  # fmt: skip
"""First words of titles that continue the title above."""

NOT_LEADING = ("in situ", "in vitro", "in vivo", "in utero", "to and fro", "de novo", "en bloc")
"""Beginnings that only look like one."""

LEADING_PHRASES = ("associated with ", "caused by ", "resulting in ", "resulting from ")
"""Beginnings of English titles that continue the title above, whose first word alone does not."""

STANDING = frozenset({"acute abdomen"})
"""Titles made of ``FRAGMENTS`` words that name a condition nevertheless."""

FRAGMENTS: MappingProxyType[str, frozenset[str]] = MappingProxyType(
    {
        "en": _words("""
            unspecified other others specified nos nec not elsewhere classified otherwise stated known
            unknown multiple single several any all site sites part parts region regions side sides type
            types form forms aspect level and or of the a by with without right left bilateral
            unilateral upper lower middle inner outer anterior posterior lateral medial proximal distal
            internal external dominant nondominant non-dominant mild moderate severe acute subacute
            chronic primary secondary recurrent active inactive open closed displaced nondisplaced
            partial total complete incomplete congenital acquired benign malignant remission first
            second third fourth trimester degree stage grade early late initial subsequent encounter
            sequela complication complications mention eye eyes eyelid eyelids ear ears nose mouth lip
            lips face head scalp neck throat chest breast breasts thorax back trunk abdomen abdominal
            wall pelvis pelvic groin buttock hip hips thigh knee knees leg legs limb limbs extremity
            extremities ankle ankles foot feet toe toes heel shoulder shoulders arm arms forearm elbow
            elbows wrist wrists hand hands finger fingers thumb palm skin body joint joints spine
            vertebrae cervical thoracic lumbar sacral lumbosacral quadrant
        """),
        "de": _words("""
            nicht näher bezeichnet bezeichnete bezeichneter bezeichneten bezeichnetes sonstige sonstiger
            sonstiges sonstigen andere anderer anderes anderen anderenorts klassifiziert mehrere
            multiple lokalisation lokalisationen teil teile region seite typ form und oder des der die
            das mit ohne rechts links rechte linke rechter linker beidseitig beidseits einseitig obere
            oberer untere unterer leicht leichte mittelgradig mittelgradige schwer schwere akut akute
            chronisch chronische primär primäre sekundär sekundäre grad stadium komplikation
            komplikationen angabe auge augen ohr nase mund gesicht kopf hals brust thorax rücken rumpf
            abdomen becken beckenregion hüfte oberschenkel knie unterschenkel bein knöchel fuß zehe
            schulter schulterregion oberarm unterarm ellenbogen arm handgelenk hand finger daumen haut
            gelenk wirbelsäule
        """),
        "fr": _words("""
            sans précision autre autres précisé précisée précisés précisées non classé classée classés
            classées ailleurs multiples siège sièges partie parties et ou de du la le les droit droite
            gauche bilatéral bilatérale
        """),
        "es": _words("""
            no especificado especificada especificados especificadas otro otra otros otras clasificado
            clasificada clasificados clasificadas bajo concepto múltiple múltiples sitio sitios parte
            partes y o de del la el los las derecho derecha izquierdo izquierda bilateral
        """),
        "nl": _words("""
            niet gespecificeerd gespecificeerde overig overige andere anders elders geclassificeerd
            multipele meerdere lokalisatie lokalisaties deel en of van de het een rechts links rechter
            linker dubbelzijdig
        """),
        "it": _words("""
            non specificato specificata altro altra altri altre sede sedi e o di destro destra sinistro
        """),
        "pt": _words("""
            não especificado especificada outro outra outros outras local e ou de direito esquerdo
        """),
    }
)  # fmt: skip
"""Words that say where, how or what else, but not what: a title of these alone is not understood alone."""


TITLE = "title"
"""Source of the published title where a concatenated one took its place as the preferred term."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_TAIL = re.compile(
    r",?\s+(?:unspecified|nos|not otherwise specified|not elsewhere classified|nec|nicht näher bezeichnet|o\.n\.A\."
    r"|n\.n\.bez\.|sans précision|no especificad[oa]s?|niet gespecificeerd)$",
    re.IGNORECASE,
)

_RESIDUAL = re.compile(
    r"(?:other|others|sonstige[rsn]?|andere[rsn]?|autres?|otr[oa]s?|overige|altr[oaie]|outr[oa]s?)\b", re.IGNORECASE
)


def stands_alone(title: str, language: str = "en") -> bool:
    """Whether a title can be understood without the titles above it.

    It cannot if it begins as a continuation ("With coma", "Due to alcohol"), or if all its words only say where, how or
    what else ("Right eye", "Unspecified", "Other specified sites"). In a language without word lists every title can.
    """
    base = language.partition("-")[0].lower()
    words = _WORD.findall(title.lower())
    if not words or base not in LEADING or title.lower() in STANDING:
        return True
    return not continues(title, base) and not all(w in FRAGMENTS[base] or w.isdigit() for w in words)


def continues(title: str, language: str = "en") -> bool:
    """Whether a title begins as the continuation of the one above it: "With coma", "Due to alcohol"."""
    base = language.partition("-")[0].lower()
    folded = title.lower()
    if base == "en" and folded.startswith(LEADING_PHRASES):
        return True
    first = _WORD.match(folded)
    return bool(first and first[0] in LEADING.get(base, ())) and not folded.startswith(NOT_LEADING)


def is_residual(title: str) -> bool:
    """Whether a title begins as "Other…" does, in one of our languages: what is listed under it is narrower."""
    return bool(_RESIDUAL.match(title.strip()))


def concatenated(titles: Sequence[str], language: str = "en") -> str:
    """The title of a node and those above it as one name; ``titles`` go from the most specific to the most general.

    Kong, section 4.1 (``TitleConcatenation``): "The Title section contains a subspecifier (e.g. Chest) of the title of
    the parent (e.g. Pain), therefore their concatenation gives the full concept description (e.g. Chest Pain)". So the
    more specific title comes first, with a space between. The paper's example has the parent "Pain, unspecified" give
    "Pain": a closing ", unspecified" of a title above is left out. It shows no title that begins with a preposition;
    we assume that such a one follows ("Pain with fever", not "With fever Pain"), and one after a bare "with" too.
    """
    base = language.partition("-")[0].lower()
    whole = _TAIL.sub("", titles[-1]) if len(titles) > 1 else titles[-1]
    for depth in range(len(titles) - 2, -1, -1):
        title = _TAIL.sub("", titles[depth]) or titles[depth] if depth else titles[depth]
        if continues(title, base):
            whole = f"{whole} {title[0].lower()}{title[1:]}"
        elif whole.rsplit(" ", 1)[-1].lower() in LEADING.get(base, ()):
            whole = f"{whole} {title}"
        else:
            whole = f"{title} {whole}"
    return whole


def with_full_titles(concepts: Iterable[Concept]) -> Iterator[Concept]:
    """The concepts with names that are understood alone: title concatenation down the tree (Kong, section 4.1).

    Wants parents before their children. A preferred title that does not stand alone is concatenated with its parent's
    full title, and becomes a broad synonym with the source ``title``; so nothing is lost. An index or inclusion term
    that does not stand alone is joined by one that is concatenated with its own concept's full title. A title whose
    parent is not known yet stays as it is. Holds one title a concept and language.
    """
    known: dict[str, dict[str, str]] = {}
    for concept in concepts:
        own: dict[str, str] = {}
        terms: list[Term] = []
        published: list[Term] = []
        for term in concept.terms:
            if term.kind == "preferred" and term.language not in own:
                titles = known.setdefault(term.language, {})
                above = next((titles[p] for p in concept.parents if p in titles), "")
                full = term.text
                if above and not stands_alone(term.text, term.language):
                    full = concatenated([term.text, above], term.language)
                    published.append(replace(term, kind="synonym", scope="broad", source=TITLE))
                titles[concept.id] = own[term.language] = full
                terms.append(replace(term, text=full))
            else:
                terms.append(term)
                context = own.get(term.language, "")
                if term.kind == "entry" and context and not stands_alone(term.text, term.language):
                    terms.append(replace(term, text=concatenated([term.text, context], term.language)))
        grown = published or len(terms) > len(concept.terms)
        yield replace(concept, terms=(*terms, *published)) if grown else concept
