"""What an abbreviation of a text means by the other mentions of the text: PVD is a posterior vitreous detachment among
findings of the eye, and peripheral vascular disease elsewhere.

Each meaning of the lexicon is as likely as it is frequent, times how near it is to the mentions nearest to it. The
weight was chosen on definitions of abbreviations in abstracts, which were hidden: no annotation was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.encoder.protocol import Vectors
from ontonym.index import Index
from ontonym.memo import Memo
from ontonym.text.kinds import clear_kind
from ontonym.text.normalization import tokens
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordroots import root

_NEAREST = 3
"""Mentions to which a meaning is compared."""
_WEIGHT = 12.0
"""The log-odds that a cosine of 1 to the nearest mentions gives; from 8 to 16 the choices are nearly the same."""
_NEAR, _USUAL = 0.2, 0.5
"""The cosine from which on the mentions speak for a meaning, and the share above which it needs no such support."""
_LEAST_SHARE = 0.02
_MOST_KNOWN = 1 << 14


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a form in the words that are most frequent for it, and those of them that are a name, if any.

    ``share`` is how often the form means it, in (0, 1].
    """

    text: str
    name: str
    share: float


class Senses:
    """Chooses between the meanings that the lexicon of an index gives a form."""

    def __init__(self, index: Index) -> None:
        self._signals = index.signals
        self._senses = Memo(self._read, _MOST_KNOWN)
        self._vectors = Memo(self._encoded, _MOST_KNOWN)

    def is_open(self, form: str) -> bool:
        """Whether a form has several meanings, one of them a name."""
        senses = self._senses[form]
        return len(senses) > 1 and any(one.name for one in senses)

    def first(self, form: str) -> Sense:
        """The most frequent meaning of a form that has one."""
        return max(self._senses[form], key=lambda one: one.share)

    def meant(
        self, form: str, mentions: Vectors, *, is_noun: bool = False, is_disease: bool = False
    ) -> tuple[Sense, float]:
        """The likeliest meaning of a form beside ``mentions``, vectors of shape ``(n, dim)``, and its probability.

        Of a form that is a noun (``is_noun``) only the meanings that are no adjectives count, if there are any, and of
        one that somebody has (``is_disease``) only names that say that something is wrong. A meaning that is less
        frequent than all others together has to be near to the mentions, else the probability is 0. So AF is *atrial
        fibrillation* beside "palpitations", and not *afebrile*.
        """
        known = self._senses[form]
        fits = _is_disease if is_disease else _is_noun if is_noun else bool
        eligible = [number for number, sense in enumerate(known) if fits(sense)] or [*range(len(known))]
        senses, vectors = [known[number] for number in eligible], self._vectors[form][eligible]
        shares = np.array([one.share for one in senses])
        shares = shares / shares.sum() if is_noun or is_disease else shares
        near = np.sort(vectors @ mentions.T, axis=1)[:, -_NEAREST:].mean(axis=1) if len(mentions) else 0.0 * shares
        scores = np.log(shares) + _WEIGHT * near
        chances = np.exp(scores - scores.max())
        best = int(chances.argmax())
        is_supported = shares[best] > _USUAL or near[best] >= _NEAR
        return senses[best], float(chances[best] / chances.sum()) if is_supported else 0.0

    def encoded(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the words of mentions, shape ``(n, dim)``."""
        return self._signals.encoder.encode_names(list(texts))

    def _encoded(self, form: str) -> Vectors:
        return self.encoded([one.text for one in self._senses[form]])

    def _read(self, form: str) -> tuple[Sense, ...]:
        """The meanings of a form; words with the same roots say the same, such as *venous* and *vein thrombosis*."""
        found: dict[frozenset[str], Sense] = {}
        for one in self._signals.lexicon.meanings(form):
            words = tokens(one.text)
            if one.share < _LEAST_SHARE or not words:
                continue
            name = one.text if self._signals.is_name(words) else ""
            key = frozenset(map(root, words))
            known = found.get(key, Sense(one.text, name, 0.0))
            found[key] = Sense(known.text, known.name or name, known.share + one.share)
        return tuple(found.values())


def _is_noun(sense: Sense) -> bool:
    """Whether a meaning is no single adjective, as *afebrile* is."""
    meaning = sense.text
    return not (meaning.isalpha() and (is_adjective(meaning) or meaning.endswith("ile")))


def _is_disease(sense: Sense) -> bool:
    return bool(sense.name) and clear_kind(tokens(sense.name)) == "finding"
