"""The cues of `ontonym.text.notes.context` in other languages: what makes a mention near them negated, uncertain,
hypothetical, historical or family.

The tables are written as `ontonym.text.patterns` says. The words of an abbreviation stand apart without full stops
("v a" is V.a.), and what French and Italian elide is left out ("pas d'asthme" has *pas*).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ontonym.text.patterns import phrases_of

_YEARS = "|".join(map(str, range(1930, 2050)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCues:
    """The cues of a language before and after a mention, by the context that they give, and the relatives.

    ``terminations`` end the scope of every cue, ``assertions`` that of negation and doubt; ``pseudo_cues`` contain a
    cue and say nothing. ``reporting`` are the words after a relative who only reports what the patient has ("mother
    denies fever"), ``reporter_prefixes`` those before one ("per mom")."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    relatives: str
    terminations: str
    assertions: str
    pseudo_cues: str = ""
    reporting: str = ""
    reporter_prefixes: str = ""


_GERMAN = ForeignCues(
    before={
        "negated": "kein|keine|keinen|keiner|keinem|keines|keinerlei, kein|keine|keinen hinweis|hinweise|anhalt "
        "für|auf, nicht, ohne, ohne hinweis|anhalt auf|für, ausschluss|ausschluß von|einer|eines?, verneint, "
        "negiert, weder, nie, niemals, frei von, fehlen|fehlende|fehlender|fehlendes",
        "uncertain": "v a, va, verdacht auf, verdachtsdiagnose, d d, dd, fraglich|fragliche|fraglicher|fragliches, "
        "möglich|mögliche|möglicher|mögliches, möglicherweise, vermutlich, wahrscheinlich, am ehesten, eventuell, "
        "evtl, susp, suspekt auf, vermutete|vermuteter, zum ausschluss einer|eines?, differentialdiagnostisch",
        "hypothetical": "falls, wenn, im falle von|einer|eines, bei auftreten von?, bei erneutem|erneuter|erneuten, "
        "risiko für|einer|eines, zur prophylaxe einer|eines?",
        "historical": "z n, zn, zustand nach, st p, st n, status nach|post, ehemals, "
        "früher|frühere|früherer|früheres, anamnestisch, stattgehabte|stattgehabter|stattgehabtes, "
        "vorbekannte|vorbekannter?, vorerkrankungen, in der vorgeschichte|anamnese",
        "family": "familienanamnese, in der familie",
    },
    after={
        "negated": "verneint, wird|werden|wurde|wurden verneint, negiert, ausgeschlossen, nicht "
        "vorhanden|nachweisbar|bekannt|erinnerlich|gegeben|feststellbar|tastbar, besteht|bestehen|bestand nicht, "
        "liegt|liegen|lag nicht vor, fehlt|fehlen",
        "uncertain": "möglich, nicht auszuschließen|auszuschliessen|ausgeschlossen, fraglich, wahrscheinlich, "
        "vermutet, zu erwägen, kann nicht ausgeschlossen werden",
        "historical": f"in der vorgeschichte|kindheit|jugend, im kindesalter, im? jahr? {_YEARS}, "
        "ausgeheilt|abgeklungen",
        "family": "in der familie, bei der mutter|großmutter|schwester|tante, beim vater|bruder|onkel|großvater",
    },
    relatives="mutter, vater, bruder, schwester, brüder, schwestern, geschwister, eltern, sohn, tochter, oma, opa, "
    "tante, onkel, großmutter|grossmutter, großvater|grossvater, großeltern|grosseltern, cousin, cousine, nichte, "
    "neffe, ehemann, ehefrau",
    terminations="aber, jedoch, allerdings, sondern, außer, ausser, bis auf, obwohl, seit, aktuell, derzeit, jetzt, "
    "nun, heute, patient, patientin, pat, dafür, ansonsten",
    assertions="hat, hatte, zeigt|zeigte|zeigten|zeigen sich?, klagt|klagte über, leidet|litt an|unter, "
    "berichtet|berichtete über|von, gibt, wegen, dagegen, besteht|bestehen, bekannt",
    pseudo_cues="nicht nur, keine änderung|veränderung|besserung|zunahme, kein unterschied, ohne probleme, noch nicht",
    reporting="berichtet berichten berichtete sagt gibt schildert verneint bemerkte bemerkt beobachtete bringt brachte",
    reporter_prefixes="laut, lt, durch die|den?, nach angaben der|des?",
)
_SPANISH = ForeignCues(
    before={
        "negated": "no, sin, sin evidencia|signos|datos|síntomas de, niega|niegan|negaba|negando|negó, ausencia, "
        "ningún|ninguna|ninguno, tampoco, ni, libre de, negativo|negativa para, se? "
        "descarta|descartó|descartado|descartada, no "
        "presenta|presentaba|presentó|refiere|refería|tiene|tenía|hay|había|existe|existen|muestra, no ha "
        "presentado|tenido|habido, no se observa|observan|aprecia|aprecian|palpa|palpan|evidencia|evidencian, no "
        "evidencia de, no compatible con",
        "uncertain": "sospecha clínica? de?, sospechoso|sospechosa, posible|posibles, probable|probables, "
        "posiblemente, probablemente, a|por? descartar, dudoso|dudosa, quizá|quizás, podría ser, hipótesis",
        "hypothetical": "si, en caso, riesgo, prevención, profilaxis",
        "historical": "antecedente|antecedentes|antec personal|personales?, historia, historia previa?, "
        "previo|previa, antiguo|antigua, secuela|secuelas",
        "family": "antecedentes|historia familiares|familiar",
    },
    after={
        "negated": "negado|negada|negados|negadas, negativo|negativa|negativos|negativas, ausente|ausentes, "
        "descartado|descartada|descartados|descartadas",
        "uncertain": "posible, probable, dudoso|dudosa, a|por descartar",
        "historical": "previo|previa|previos|previas, antiguo|antigua, en la infancia|niñez|adolescencia, en el "
        f"pasado, ya? resuelto|resuelta, en {_YEARS}, hace años",
        "family": "en la familia, en su? familia",
    },
    relatives="madre, padre, hermano, hermana, hermanos, hermanas, abuelo, abuela, abuelos, abuelas, tío, tía, tíos, "
    "primo, prima, hijo, hija, hijos, hijas, sobrino, sobrina, padres, familiar, familiares, esposo, esposa, marido",
    terminations="pero, aunque, sin embargo, salvo, excepto, sino, desde, actualmente, ahora, hoy, paciente, que, "
    "porque",
    assertions="presenta|presentaba|presentó|presentan, refiere|refería|refirió, tiene|tenía, acude por|con, muestra, "
    "se observa|aprecia|palpa|evidencia, compatible con, hay, existe, debido",
    pseudo_cues="no solo|sólo, no obstante, sin cambios|problemas|dificultad, no se descarta|puede",
    reporting="refiere refieren refería dice comenta niega trae reporta informa señala nota cuenta describe",
    reporter_prefixes="según, por, con",
)
_FRENCH = ForeignCues(
    before={
        "negated": "pas, sans, sans signe|signes, aucun|aucune, absence, nie, ni, jamais, élimine|éliminé, exclut, "
        "négatif|négative pour, dépourvu",
        "uncertain": "suspicion, suspecté|suspectée, possible|possibles, probable|probables, probablement, peut "
        "être, éventuel|éventuelle, hypothèse, évoque|évoquant, doute",
        "hypothetical": "si, s'il, en cas, risque, prévention, prophylaxie",
        "historical": "antécédent|antécédents|atcd|atcds personnel|personnels|médicaux?, ancien|ancienne, "
        "séquelle|séquelles, histoire",
        "family": "antécédents|atcd|histoire familiaux|familiale",
    },
    after={
        "negated": "absent|absente|absents|absentes, nié|niée|niés|niées, négatif|négative, exclu|exclue, "
        "éliminé|éliminée, non retrouvé|retrouvée|retrouvés",
        "uncertain": "possible, probable, suspecté|suspectée, à éliminer|confirmer|évoquer",
        "historical": f"ancien|ancienne, dans l'enfance, dans le passé, en {_YEARS}, guéri|guérie",
        "family": "dans la famille, familial|familiale",
    },
    relatives="mère, père, frère, soeur, sœur, frères, soeurs, sœurs, tante, oncle, grand mère, grand père, grands "
    "parents, cousin, cousine, fils, parents, sa|ma|leur|mon fille, mari, épouse, neveu, nièce",
    terminations="mais, cependant, toutefois, hormis, sauf, excepté, depuis, actuellement, aujourd'hui, "
    "maintenant, patient, patiente, qui, car, en revanche, par contre",
    assertions="présente|présentait|présentant, a|avait un|une|des|de|du, se plaint, rapporte, signale, retrouve, "
    "montre, objective, révèle, compatible avec",
    pseudo_cues="pas seulement, sans modification|changement|difficulté, pas encore",
    reporting="rapporte rapportent signale dit décrit note mentionne constate",
    reporter_prefixes="selon, d'après, par",
)
_ITALIAN = ForeignCues(
    before={
        "negated": "non, nega|negava|negano, senza, senza segni, assenza, assente, nessun|nessuna|nessuno, né, "
        "privo, esclusa|escluso|esclude, negativo|negativa per, non "
        "presenta|presentava|riferisce|riferiva|ha|mostra, non si "
        "osserva|osservano|evidenzia|evidenziano|apprezza|apprezzano, non segni di",
        "uncertain": "sospetto|sospetta|sospetti, possibile|possibili, probabile|probabili, probabilmente, "
        "verosimile, dubbio|dubbia, da escludere",
        "hypothetical": "se, in caso, rischio, prevenzione, profilassi",
        "historical": "pregresso|pregressa|pregressi|pregresse, storia, esiti, precedente|precedenti",
        "family": "familiarità, anamnesi familiare",
    },
    after={
        "negated": "assente|assenti, negato|negata|negati, negativo|negativa, escluso|esclusa",
        "uncertain": "possibile, probabile, sospetto|sospetta, da escludere|confermare",
        "historical": f"pregresso|pregressa, in passato, nell'infanzia, nel {_YEARS}",
        "family": "in famiglia",
    },
    relatives="madre, padre, fratello, sorella, fratelli, sorelle, nonno, nonna, nonni, zio, zia, cugino, cugina, "
    "figlio, figlia, figli, genitori, marito",
    terminations="ma, tuttavia, però, tranne, eccetto, salvo, attualmente, adesso, oggi, paziente, che, perché",
    assertions="presenta|presentava, riferisce|riferiva, lamenta|lamentava, mostra, ha, compatibile con, si osserva",
    pseudo_cues="non solo, senza variazioni|difficoltà",
    reporting="riferisce riferiscono dice racconta segnala nota descrive nega",
    reporter_prefixes="secondo, per, da",
)
_PORTUGUESE = ForeignCues(
    before={
        "negated": "não, nao, sem, sem sinais|evidência de, nega|negava|negou|negam, ausência, nenhum|nenhuma, nem, "
        "descartado|descartada, afastado|afastada, não|nao "
        "apresenta|apresentou|refere|referiu|relata|tem|teve|há|mostra",
        "uncertain": "suspeita, possível, possíveis, provável, prováveis, provavelmente, possivelmente, hipótese",
        "hypothetical": "se, em caso, risco, prevenção, profilaxia",
        "historical": "antecedente|antecedentes pessoais?, história, história prévia?, prévio|prévia, passado, "
        "sequela|sequelas",
        "family": "antecedentes|história familiares|familiar",
    },
    after={
        "negated": "ausente|ausentes, negado|negada|negados, negativo|negativa, descartado|descartada, "
        "afastado|afastada",
        "uncertain": "possível, provável, a esclarecer",
        "historical": f"prévio|prévia|prévios, na infância, no passado, em {_YEARS}",
        "family": "na família",
    },
    relatives="mãe, pai, irmão, irmã, irmãos, irmãs, avó, avô, avós, tio, tia, primo, prima, filho, filha, filhos, "
    "marido, esposa",
    terminations="mas, porém, contudo, entretanto, exceto, desde, atualmente, agora, hoje, paciente, que, porque",
    assertions="apresenta|apresentou|apresentava, refere|referiu, relata|relatou, tem|tinha, queixa, mostra, há, "
    "compatível com",
    pseudo_cues="não só|apenas, sem alterações|dificuldade",
    reporting="refere referem relata diz conta nota descreve nega traz",
    reporter_prefixes="segundo, por, com",
)
_DUTCH = ForeignCues(
    before={
        "negated": "geen, geen tekenen|aanwijzingen van|voor, niet, zonder, ontkent, noch, afwezigheid, uitgesloten, "
        "negatief voor, nooit",
        "uncertain": "verdenking op?, verdacht voor, mogelijk|mogelijke, waarschijnlijk|waarschijnlijke, vermoeden "
        "van, dd, d d",
        "hypothetical": "indien, als, in geval van, risico op, preventie van",
        "historical": "status na, vg, voorgeschiedenis, eerder|eerdere, doorgemaakte",
        "family": "familieanamnese, in de familie",
    },
    after={
        "negated": "afwezig, uitgesloten, negatief, niet aanwezig|aantoonbaar|palpabel, ontkend",
        "uncertain": "mogelijk, waarschijnlijk, niet uitgesloten|uit te sluiten",
        "historical": f"in het verleden, in de jeugd, in {_YEARS}",
        "family": "in de familie",
    },
    relatives="moeder, vader, broer, zus, broers, zussen, oma, opa, tante, oom, neef, nicht, zoon, dochter, ouders",
    terminations="maar, echter, behalve, sinds, nu, vandaag, patiënt, patiënte, wel",
    assertions="heeft, had, klaagt over, toont, presenteert",
    pseudo_cues="niet alleen, geen verandering|verbetering",
    reporting="meldt vertelt zegt geeft beschrijft bemerkt",
    reporter_prefixes="volgens",
)
_TURKISH = ForeignCues(
    before={
        "negated": "normal",
        "uncertain": "olası, şüpheli, muhtemel",
        "hypothetical": "eğer",
        "historical": "geçirilmiş, önceden, eski",
        "family": "ailede, ailesinde, soygeçmiş",
    },
    after={
        "negated": "yok, yoktu, yoktur, değil, izlenmedi, saptanmadı, görülmedi, bulunmuyor, tariflemiyor, tarif "
        "etmiyor, inkar ediyor|etti, gözlenmedi",
        "uncertain": "şüphesi, olabilir, düşünüldü, ihtimali",
        "historical": "öyküsü, hikayesi, geçirmiş",
    },
    relatives="anne, annesi, annesinde, baba, babası, babasında, kardeş, kardeşi, kardeşinde, ablası, ablasında, "
    "abisi, abisinde, amcası, teyzesi, dayısı, halası, dedesi, anneannesi, babaannesi",
    terminations="ama, ancak, fakat, hasta, şimdi, bugün",
    assertions="var, vardı, mevcut",
)
_CZECH = ForeignCues(
    before={
        "negated": "bez, bez známek?, neguje, nemá, neměl, popírá, žádný|žádná|žádné, není, nejsou",
        "uncertain": "podezření na?, suspektní, možný|možná|možné, pravděpodobně",
        "hypothetical": "pokud, v případě, riziko",
        "historical": "stav po, st p, dříve",
        "family": "rodinná anamnéza, v rodině",
    },
    after={"negated": "neguje, nepřítomen|nepřítomna, vyloučen|vyloučena", "uncertain": "možný|možná|možné"},
    relatives="matka, otec, bratr, sestra, babička, dědeček, dědek, strýc, teta, syn, dcera, rodiče",
    terminations="ale, avšak, kromě, nyní, dnes, pacient, pacientka, od",
    assertions="má, měl, měla, udává, stěžuje",
)

CUES_OF: Mapping[str, ForeignCues] = MappingProxyType(
    {
        "de": _GERMAN, "es": _SPANISH, "fr": _FRENCH, "it": _ITALIAN, "pt": _PORTUGUESE, "nl": _DUTCH, "tr": _TURKISH,
        "cs": _CZECH,
    }
)  # fmt: skip
"""The cues of each language, by tag."""


@cache
def denials(language: str) -> frozenset[str]:
    """What denies a mention after it in a language: words that are no mention themselves (French *absence*)."""
    cues = CUES_OF.get(language)
    return frozenset(phrases_of(cues.before["negated"])) if cues else frozenset()
