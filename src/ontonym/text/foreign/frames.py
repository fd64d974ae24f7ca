"""Negations and what people write around a finding, in other languages: "sin fiebre", "V.a. Pneumonie", "ateş yok".

`ontonym.text.frames` and `ontonym.text.notes.context` read the same in English.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from ontonym.text.foreign.words import is_listed
from ontonym.text.patterns import any_of

_FLAGS = re.IGNORECASE | re.VERBOSE

_KEIN = "kein|keine|keiner|keinen|keines|keinerlei"
_DENIES = MappingProxyType(
    {
        "de": f"{_KEIN}, {_KEIN} hinweis|hinweise auf, {_KEIN} anhalt für, {_KEIN} zeichen einer|eines|von, ohne, "
        "ausschluss|ausschluß von|einer|eines?",
        "es": "sin, sin evidencia|signos|datos de, niega, no tiene|presenta|refiere",
        "fr": "pas de, sans, sans signe|signes de, aucun|aucune, je? n'ai|n'a pas de",
        "it": "senza, nega, nessun|nessuna, non ha",
        "pt": "sem, não tem|apresenta, nenhum|nenhuma",
        "nl": "geen, geen tekenen van, zonder, ontkent",
        "cs": "bez známek?, neguje, žádná|žádný|žádné",
    }
)
"""What denies the finding after it, by language; less than in notes (`ontonym.text.foreign.cues`), since in a query
the absence of something is a finding itself ("absence de pouce")."""

_NEGATED = re.compile(
    rf"""
      {any_of(*_DENIES.values())} \s+ (?=\w)                              # "sin fiebre"
    | pas\s+d['’] (?=\w)                                                  # "pas d'asthme"
    | (?:没有|未见|否认|排除|无明显|無明顯|沒有|否認|未見) (?=\w)                # "否认胸痛"
    """,
    _FLAGS,
)
_DENIED = re.compile(
    r"""
      (?<!\s)\s+ (?:yok|değil|verneint|ausgeschlossen) \s*[.。]?$         # "ateş yok", "Fieber verneint"
    | (?:はない|はありません|なし|無し|を認めない|は認めない|は?認めず|はなし) 。?$   # "発熱なし"
    """,
    _FLAGS,
)
"""What denies the finding before it."""
_NONE = ("无", "無")
"""Chinese for without, which is part of many findings too: what follows must be one by itself."""

_LEADS_TO = MappingProxyType(
    {
        "de": "v.a., v. a., d.d., d. d., z.n., z. n., st.p|st.p.|st.n|st.n., st. p|p.|n|n., bek., susp., "
        "verdacht auf, verdachtsdiagnose|verdachtsdiagnose:, zustand nach, "
        "bekannte|bekannter|bekanntes|bekannten|bekanntem, ich? habe|hab, ich? leide an|unter, patient|patientin mit",
        "es": "sospecha clínica? de, antecedente|antecedentes de, paciente con, tengo, tiene, presenta, refiere, "
        "padece de?, sufro de, me ha salido un|una",
        "fr": "suspicion de, atcd|antécédent|antécédents de, patient|patiente avec|présentant, j'ai un|une|des?, "
        "j'ai de la|du, je souffre de",
        "it": "sospetto|sospetta, pregresso|pregressa, storia di, paziente con, ho, ho un|una|il|la|i|le|gli, "
        "soffro di",
        "pt": "suspeita de, história de, paciente com, tenho, tenho um|uma, estou com, sofro de",
        "nl": "verdenking op?, vermoeden van, status na, bekend met, ik heb, ik heb een, last van, ik heb last van",
        "cs": "podezření na, stav po, mám",
    }
)
_LEAD = re.compile(
    rf"""
      (?: {any_of(*_LEADS_TO.values())}                                   # "V.a. Pneumonie", "tengo tos"
        | (?:meine?|unsere?)\s+\w+\s+hat(?:\s+eine?n?)?                     # "mein Sohn hat"
        | mi\s+\w+\s+tiene(?:\s+una?)?                                    # "mi hijo tiene"
        | m(?:on|a)\s+\w+\s+a(?:\s+(?:une?|des?|du|de\ la))?                # "ma fille a des"
        | (?:il|la)?\s*mi[oa]\s+\w+\s+ha(?:\s+(?:il|lo|la|i|gli|le|un|una))?
        | [oa]?\s*(?:meu|minha)\s+\w+\s+(?:tem|está\s+com|esta\s+com)
        | (?:mijn|onze?)\s+\w+\s+heeft(?:\s+een)?
      ) \s+ (?=\w)
    | (?:suspicion|atcd|antécédents?)\s+d['’] (?=\w)                      # "ATCD d'asthme"
    | (?:疑似|可疑|考虑|考慮|既往|患有) (?=\w)                                # "疑似肺炎"
    """,
    _FLAGS,
)

_TIME = MappingProxyType(
    {
        "de": "stunde|stunden, tag|tage|tagen, woche|wochen, monat|monate|monaten, jahr|jahre|jahren, gestern, heute",
        "es": "hora|horas, día|dia|días|dias, semana|semanas, mes|meses, año|años, ayer",
        "fr": "heure|heures, jour|jours, semaine|semaines, mois, an|ans, année|années, hier",
        "it": "ora|ore, giorno|giorni, settimana|settimane, mese|mesi, anno|anni, ieri",
        "pt": "mês|mes, ano|anos, ontem",
        "nl": "uur, dag|dagen, week|weken, maand|maanden, gisteren",
    }
)
_SINCE = any_of("seit, desde hace?, hace, depuis, da, há, sinds, al")
_AFTER = re.compile(
    rf"""
      (?<!\s)[,;]?\s+ {_SINCE} \s+ (?:\S+\s+){{0,2}} {any_of(*_TIME.values())} \s*$  # "seit drei Tagen"
    | の?疑い$ | 疑$ | 待查$ | 病史$                                        # "肺炎の疑い"
    | (?<![\d一二两三四五六七八九十]) [\d一二两三四五六七八九十]+ (?:天|周|个月|年|日間|週間)$  # "咳嗽3天"
    """,
    _FLAGS,
)


def without_foreign_frame(text: str) -> str:
    """The text without what leads to a finding in other languages ("V.a.", "sospecha de"), or says since when.

    Empty if it has no such words, or no others.
    """
    found = _LEAD.match(text)
    rest = _AFTER.sub("", text[found.end() :] if found else text).strip()
    return "" if rest == text.strip() else rest


def without_foreign_negation(text: str) -> str:
    """What a text denies in another language: "fiebre" of "sin fiebre"; empty where it denies nothing.

    Words in capitals are abbreviations: SEM is a systolic ejection murmur.
    """
    if found := _NEGATED.match(text):
        is_acronym = found[0].isascii() and found[0].strip().isupper()
        return "" if is_acronym else text[found.end() :].strip()
    if text.startswith(_NONE) and is_listed(text[1:]):
        return text[1:]
    denied = _DENIED.search(text)
    return text[: denied.start()].strip() if denied and denied.start() else ""
