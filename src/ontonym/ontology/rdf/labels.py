"""The names of a concept that a release gives in several languages, in order: which one is the preferred term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ontonym.ontology.release import ALL
from ontonym.types import Term

EMPTY = "empty name"
UNSPECIFIED_MATCHING = "semapv:UnspecifiedMatching"
"""The justification of a mapping where the release states none."""


def in_order(terms: Sequence[Term], languages: Sequence[str]) -> tuple[Term, ...]:
    """The terms as published, with the preferred term first: that of the first of ``languages`` that has one, else of
    English, else the first.

    Each language has one preferred term, the first that is marked so; a further one is a synonym, or left out where it
    has the same text. Where no term is marked, the first exact synonym is preferred.
    """
    marked = [term for term in terms if term.kind == "preferred"]
    if not marked:
        plain = next((term for term in terms if term.kind == "synonym" and term.scope == "exact"), None)
        if plain is None:
            return tuple(terms)
        marked = [replace(plain, kind="preferred")]
        terms = (*marked, *(term for term in terms if term is not plain))
    preferred: dict[str, Term] = {}
    for term in marked:
        preferred.setdefault(term.language, term)
    wanted = [language for language in languages if language != ALL]
    first = next((preferred[tag] for asked in (*wanted, "en") for tag in preferred if _speaks(tag, asked)), None)
    if first is None:
        first = next(iter(preferred.values()))
    kept = [first]
    for term in terms:
        if term.kind != "preferred":
            kept.append(term)
        else:
            chosen = preferred[term.language]
            kept.append(chosen if term.text == chosen.text else replace(term, kind="synonym"))
    return tuple(dict.fromkeys(kept))


def language_rank(language: str, languages: Sequence[str]) -> int:
    """How early a language comes, 0 first: those asked for in their order, then English, then any other."""
    wanted = (*(asked for asked in languages if asked != ALL), "en")
    return next((rank for rank, asked in enumerate(wanted) if _speaks(language, asked)), len(wanted))


def plain(text: str) -> str:
    """The text without the line breaks and indentation of the file around it."""
    return " ".join(text.split()) if "\n" in text or "\t" in text else text.strip()


def _speaks(language: str, wanted: str) -> bool:
    tag, asked = language.lower(), wanted.lower()
    return tag == asked or tag.startswith(f"{asked}-")
