"""Names that a query begins word by word: *Giardia lamblia* for "G. lamblia", *Streptococcus pneumoniae* for "Strep
pneumo". Many abbreviations are in no list, and the names of an index tell what they are short for.
"""

from __future__ import annotations

import re

from ontonym.index.query import Query
from ontonym.index.scan import NameSource
from ontonym.index.signals import Signals
from ontonym.text.english import everyday_words, is_english
from ontonym.text.normalization import key, tokens
from ontonym.text.wordlists import SMALL

_MOST_WORDS = 5
_MOST_NAMES = 64
"""Words of the longest name that is looked for, and names among which it is."""

_SHORTEST, _SHORTEST_LISTED = 3, 5
"""Letters of the shortest word that may be cut off, and of one that names use too."""

_INITIAL = re.compile(r"[A-Z]\.?\s+[a-z]{5,}")
"""How the name of a species begins whose genus is only an initial: "E. histolytica"."""


def name_cut_short(query: Query, signals: Signals, source: NameSource) -> tuple[str, ...]:
    """The normalized words of the one name that has as many words as the query, each of which begins with the query's
    in its place, and one of which it cuts off; empty where there is none, or names of several concepts differ."""
    typed = key(query.text).split()
    if not 2 <= len(typed) <= _MOST_WORDS or not all(map(str.isalpha, typed)) or not _cuts_off(query, typed, signals):
        return ()
    found: dict[tuple[str, ...], set[int]] = {}
    for first, part in signals.parts(source):
        rows, bounds = part.prefixes.rows(typed), part.names.word_bounds
        rows = rows[bounds[rows + 1] - bounds[rows] == len(typed)]
        if len(rows) > _MOST_NAMES:
            return ()
        for row in rows.tolist():
            words = tuple(signals.words_of(row + first))
            if all(map(_begins, typed, words)):
                found.setdefault(words, set()).add(int(part.names.concepts[row]))
    concepts = set().union(*found.values())
    return next(iter(found)) if found and (len(found) == 1 or len(concepts) == 1) else ()


def denial_begins_name(text: str, asserted: str, signals: Signals) -> bool:
    """Whether a name of the ontology begins as a text does, with what stands before its ``asserted`` part and the next
    two words, so that nothing is denied: "Sin Nombre virus", "NO synthase deficiency"; or ends with the next word, as
    the phrase does ("no reflow", "no appetite for food"). "No speech delay" denies a delay, and not that of no speech.
    """
    words = tuple(tokens(text))
    denial = len(words) - len(tokens(asserted))
    ends_phrase = SMALL.issuperset(words[denial + 1 : denial + 2])
    short, long = words[: denial + 1], words[: denial + 2 + ends_phrase]
    if len(short) < 2:
        return False
    found = signals.ontology.prefixes.matches(short if ends_phrase else long)
    names = (tuple(signals.ontology.names.words_of(row)) for row in found.rows[found.leads].tolist()[:_MOST_NAMES])
    return any(name[: len(long)] == long or (ends_phrase and name == short) for name in names)


def _cuts_off(query: Query, typed: list[str], signals: Signals) -> bool:
    """Whether the words of a query may be cut off: it begins with an initial, or has a word that lists of abbreviations
    have, or that neither names nor English have."""
    if len(typed) != len(query.words) or any(len(word) < _SHORTEST for word in typed[1:]):
        return False
    if len(typed[0]) == 1:
        return bool(_INITIAL.match(query.text)) and not is_english(typed[1])
    return len(typed[0]) >= _SHORTEST and any(
        (word in signals.lexicon and (not is_known or len(word) >= _SHORTEST_LISTED))
        or not (is_known or is_english(word) or word in everyday_words())
        for word, is_known in zip(typed, signals.is_known(query.words), strict=True)
    )


def _begins(typed: str, word: str) -> bool:
    return word.startswith(typed) or (len(typed) >= _SHORTEST and word.startswith(tuple(tokens(typed))))
