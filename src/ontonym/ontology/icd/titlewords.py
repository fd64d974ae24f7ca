"""The word lists by which a title of a classification is told to stand alone or not, by language."""

from __future__ import annotations

from types import MappingProxyType


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
"""Titles of such words as ``FRAGMENTS`` has that name a condition all the same."""

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
