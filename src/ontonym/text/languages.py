"""Which language a short text is in, as far as its script, its letters and its function words tell.

What is read into queries otherwise, such as abbreviations, is English: in *sangre en la orina* "en" is no erythema
nodosum.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from types import MappingProxyType

from ontonym.text.english import SHORTEST_ENGLISH, everyday_words, is_english
from ontonym.text.normalization import key
from ontonym.text.wordlists import COMMON

LANGUAGES = MappingProxyType(
    {
        "ar": "Arabic", "cs": "Czech", "de": "German", "el": "Greek", "es": "Spanish", "fa": "Persian", "fr": "French",
        "he": "Hebrew", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish",
        "pt": "Portuguese", "ru": "Russian", "th": "Thai", "tr": "Turkish", "zh": "Chinese",
    }
)  # fmt: skip
"""The languages that are told apart, by tag."""

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff\uff66-\uff9d]")),
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]{3}")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("fa", re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""Characters that one language, or mostly one, is written in; the first that a text has decides."""

_LETTERS = (("pl", re.compile("[łąęśżź]")), ("tr", re.compile("[ğış]")), ("cs", re.compile("[ěřůťď]")),
            ("pt", re.compile("[ãõ]")), ("de", re.compile("ß")), ("es", re.compile("[ñ¿¡]")))  # fmt: skip
"""Letters that one of the languages below has alone; not those of names that English knows (Sjögren, Behçet)."""

_FUNCTION_WORDS = MappingProxyType(
    {
        "de": "der das dem den des ein eine einen einem einer eines und oder mit ohne bei beim im vom von zum zur auf "
        "aus nach seit wegen ist sind bin habe wird kann kein keine keinen keiner keinerlei nicht mir mich mein meine "
        "meinem ich sich fur uber durch unter links rechts beidseits patientin verneint",
        "es": "el la los las de del en con sin por para un una unos unas al se que lo su muy tengo tiene desde hace "
        "niega mis tras paciente refiere",
        "fr": "le la les de du des un une et avec sans au aux en dans sur par pour qui que chez mon ma mes pas depuis "
        "est aucun aucune patiente atcd",
        "it": "il lo la gli le di del dello della dei degli delle da dal dalla nel nella nei con senza un uno una al "
        "alla alle che ho dopo paziente riferisce nessun nessuna pregresso pregressa nega",
        "pt": "de da das dos em nas com sem por para um uma ao aos nao tenho meu minha pelo pela paciente refere nega",
        "nl": "de het een van met zonder bij naar voor aan door niet geen mijn ik en uit heb heeft",
        "cs": "bez pri pod nad od mam je se ve ze zadny zadna neni",
        "tr": "ve ile icin olan bir cok var yok degil",
    }
)
"""Words of languages in Latin letters, without accents, that every text has; none that English has too."""

_FUNCTION_SETS = MappingProxyType({language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()})

_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)

_ARTICLES = frozenset("da das de del der des di dos du el la le lo van von".split())
"""Words that names of persons and places begin with in English too: de Quervain, von Willebrand, La Crosse."""

_ENGLISH = frozenset("the of with and my for has have to from without i is was in on at or not by".split())
_ELISION = re.compile(r"(?<!\w)(?:[dlnsDLNS]|qu|dell|nell|all|sull|un)['’](?=\w)")
"""What French and Italian write before a vowel: d'épilepsie, dell'anca."""

_CAPITALS = re.compile(r"(?<!\w)(?:[A-Z]{2,}|[-+]ve)(?!\w)")
"""Acronyms and results, which are no function words: NOS, EN, "swab -ve"."""

_LONGEST = 300
"""Characters of a name or query that are read: they tell its language."""
_LOOKED_AT = 3_000
"""Characters of a document that are read."""
_PIECE = re.compile(r"[^\n]{1,200}(?!\S)|[^\n]{1,200}")
"""A line of a document, or a part of it that ends with a word."""
_SHORTEST_TELLING = 4
"""Letters of the shortest word that tells whether it is English."""


def language_of(text: str) -> str:
    """The tag of the language of a text, of `LANGUAGES`; empty where it may be English.

    A text of Latin letters is in another language if it has letters, or more function words, of that language, and
    what else it says is not all English. A single word without such letters tells nothing.
    """
    return _language_of(text[:_LONGEST])


@lru_cache(maxsize=1 << 12)
def _language_of(text: str) -> str:
    if not text.isascii():
        for language, pattern in _SCRIPTS:
            if pattern.search(text):
                return language
    words = key(_CAPITALS.sub(" ", text)).split()
    elided = len(_ELISION.findall(text))
    telling = [word for word in words if word in _LANGUAGES_OF]
    found = Counter(language for word in telling for language in _LANGUAGES_OF[word])
    if elided:
        found.update({"fr": elided, "it": elided})
    english = sum(word in _ENGLISH for word in words)
    low = text.lower()
    own = next((language for language, letters in _LETTERS if letters.search(low)), "")
    if own and not english:
        return own
    if text.isupper():
        return ""
    count = len(telling) + elided
    if not count or count <= english:
        return ""
    if count == 1 and ((not elided and words[0] in _ARTICLES) or all(map(is_everyday_english, words))):
        return ""
    return max(found, key=lambda language: (found[language], language == own))


def language_of_document(text: str) -> str:
    """The tag of the language that most pieces of a longer text are in; empty where it may be English.

    Its first lines or, where these are long, stretches count, and those that tell no language count for English.
    """
    return _language_of_pieces(text[:_LOOKED_AT]) if len(text) > _LONGEST else language_of(text)


@lru_cache(maxsize=1 << 8)
def _language_of_pieces(text: str) -> str:
    pieces = [piece for match in _PIECE.finditer(text) if (piece := match.group().strip())]
    found = Counter({"": 0.0})
    for piece in pieces:
        found[language_of(piece)] += len(piece)
    return max(found, key=lambda language: (found[language], language)) if pieces else ""


def is_said_in_english(text: str) -> bool:
    """Whether at least half of the words that tell it are English, and nothing tells another language: lists in other
    languages have entries in English too.
    """
    if language_of(text):
        return False
    words = [word for word in key(text[:_LONGEST]).split() if word in _ENGLISH or _may_tell(word)]
    english = sum(word in _ENGLISH or is_everyday_english(word) for word in words)
    return english > 0 and 2 * english >= len(words)


def _may_tell(word: str) -> bool:
    return len(word) >= _SHORTEST_TELLING and word.isalpha() and word not in _LANGUAGES_OF


def function_words(language: str) -> frozenset[str]:
    """The words of a language, without accents, that every text has and that tell nothing by themselves."""
    return _FUNCTION_SETS.get(language, frozenset())


def is_everyday_english(word: str) -> bool:
    """Whether a folded word is one of English, or too short to tell."""
    if len(word) < _SHORTEST_TELLING or word in COMMON or word in _LANGUAGES_OF or not word.isalpha():
        return True
    return word in everyday_words() or (len(word) >= SHORTEST_ENGLISH and is_english(word))
