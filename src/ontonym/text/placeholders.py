"""What stands in a cell of a table where nothing is said: "NULL", "N/A", "not known", "see notes", "-"."""

from __future__ import annotations

import re
from types import MappingProxyType

from ontonym.text.normalization import key

_PLACEHOLDERS = MappingProxyType(
    {
        "programs": "null, nan, na, n a, nil, none, nat, undefined, ref, value, empty, blank, missing, missing value",
        "English": "unknown, unk, unkn, not known, not stated, not given, not recorded, not available, no data, "
        "no information, no entry, not applicable, not specified, unspecified, to be confirmed, tbc, "
        "to be determined, tbd, pending, see notes, see note, see comments, see comment, see text, see above, "
        "see below, see letter, as above, as below, as before, ditto, same, same as above, other, others, "
        "undiagnosed, not diagnosed, no diagnosis, unassigned, "
        "misc, miscellaneous, test, testing, test test, asdf, dummy, x, free text, left blank",
        "German": "unbekannt, nicht bekannt, keine angabe, keine angaben, k a, entfallt, siehe oben, s o, "
        "siehe unten, siehe text, wie oben, sonstige, sonstiges, keine, keiner, fehlt, dito",
        "Spanish": "desconocido, desconocida, no consta, no conocido, sin datos, no aplica, no procede, ninguno, "
        "ninguna, otro, otros, otra, otras, ver notas, ver arriba, pendiente, idem",
        "French": "inconnu, inconnue, non connu, non renseigne, non precise, sans objet, aucun, aucune, autre, autres, "
        "voir notes, voir ci dessus, a confirmer, a preciser, neant, idem",
        "Italian": "sconosciuto, sconosciuta, non noto, non nota, non disponibile, non applicabile, nessuno, nessuna, "
        "altro, altri, vedi note, vedi sopra, da confermare",
        "Portuguese": "desconhecido, desconhecida, nao conhecido, sem dados, nao se aplica, nenhum, nenhuma, outro, "
        "outros, outra, outras, ver notas, ver acima, a confirmar",
        "Dutch": "onbekend, niet bekend, niet van toepassing, nvt, n v t, geen, overig, overige, zie boven, "
        "zie notities",
        "Czech": "neznamo, neznamy, neznama, neuvedeno, zadny, zadna, jine, viz vyse",
        "Turkish": "bilinmiyor, bilinmeyen, belirtilmemis, yok, diger, yukarida",
        "Japanese": "不明, なし, 該当なし, その他, 未記入, 同上",
        "Chinese": "不详, 未知, 无, 其他, 其它, 同上, 不明, 待定, 不適用, 不适用",
    }
)
"""What cells hold instead of a name, without accents and marks."""

_KNOWN = frozenset(phrase.strip() for phrases in _PLACEHOLDERS.values() for phrase in phrases.split(","))
_MARKS = re.compile(r"[\W_]+")


def is_placeholder(text: str) -> bool:
    """Whether a text holds the place of a name and is none, in any case and with any marks, or of marks alone; or
    several such with a stroke between them ("unknown / other")."""
    words = key(_MARKS.sub(" ", text))
    if not words or words in _KNOWN:
        return True
    return "/" in text and all(key(_MARKS.sub(" ", part)) in _KNOWN for part in text.split("/"))
