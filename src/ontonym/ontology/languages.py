"""Languages as releases name them, by an English word or three letters, to BCP 47 tags (``languagecodes.tsv``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ontonym.text.tables import table

UNKNOWN = "und"
"""The BCP 47 tag of a language that is not known."""


@cache
def language_names() -> Mapping[str, str]:
    """The tag of each language by its English name in lower case."""
    return MappingProxyType({row["name"].casefold(): row["tag"] for row in table("languagecodes.tsv")})


@cache
def language_codes() -> Mapping[str, str]:
    """The tag of each language by its codes of three letters: ISO 639-2, both sorts, and older ones of libraries."""
    return MappingProxyType(
        {code: row["tag"] for row in table("languagecodes.tsv") for code in row["codes"].split("|")}
    )
