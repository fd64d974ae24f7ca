"""Language tags and preferences: what a client wants to read, and which names satisfy it (RFC 9110 12.5.4, BCP 47)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ontonym.serve.fhir.outcomes import refused

_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*|\*")
MOST_TAGS = 50


@dataclass(frozen=True)
class Languages:
    """The languages that a client asks for, the most wanted first.

    ``text`` is what it sent; ``closed`` says that it takes no other language (``*;q=0``).
    """

    tags: tuple[str, ...] = ()
    closed: bool = False
    text: str = ""
    any: bool = False

    @property
    def summary(self) -> str:
        """What a message says of them: as they were sent, or ``--``."""
        return self.text or "--"

    def rank(self, language: str | None, base: str | None = None) -> int | None:
        """How much a name in that language is wanted: 0 is the most, None not at all.

        A name without a language is in the ``base`` language. ``en`` is satisfied by ``en-US``, and ``en-US`` by
        ``en``.
        """
        have = (language or base or "").lower()
        for row, tag in enumerate(self.tags):
            wanted = tag.lower()
            if have == wanted or have.startswith(wanted + "-") or (have and wanted.startswith(have + "-")):
                return row
        return None


def parsed(value: str) -> Languages:
    """The languages of an Accept-Language header or a displayLanguage parameter.

    Raises FhirError where it is no list of language tags.
    """
    found: list[tuple[float, int, str]] = []
    closed = any_language = False
    parts = value.split(",")
    if len(parts) > MOST_TAGS:
        raise refused(400, "value", "DISPLAY_LANGUAGE", value=value[:100])
    for row, part in enumerate(parts):
        tag, _, quality = part.strip().partition(";")
        tag = tag.strip()
        if not tag:
            continue
        if not _TAG.fullmatch(tag):
            raise refused(400, "value", "DISPLAY_LANGUAGE", value=value[:100])
        weight = _weight(quality)
        if tag == "*":
            closed, any_language = weight == 0, weight > 0
        elif weight > 0:
            found.append((-weight, row, tag))
    return Languages(tuple(tag for _, _, tag in sorted(found)), closed, value, any_language)


def _weight(quality: str) -> float:
    match = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*", quality)
    return float(match[1]) if match else 1.0
