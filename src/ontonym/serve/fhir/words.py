"""Multi-prefix matching, as search boxes of terminologies have it: ``my inf`` finds *myocardial infarction*."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """The words of a text in lower case without accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _WORD.findall(plain.casefold())


def begins(prefixes: Sequence[str], names: Iterable[str]) -> bool:
    """Whether one name has, for every prefix, a word that begins with it; no prefixes fit every name."""
    return any(
        all(any(word.startswith(prefix) for word in found) for prefix in prefixes) for found in map(words, names)
    )
