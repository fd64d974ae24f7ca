"""Gold corpora as functions take them: their paths, and among the keywords how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ontonym.api.given import place_of
from ontonym.errors import InputError
from ontonym.evaluate.corpora import Corpus, CorpusChoice, open_corpora
from ontonym.tasks.optionkeywords import chosen

READING = tuple(field.name for field in fields(CorpusChoice))
"""The keywords that say how corpora are read."""


def corpus_choice(keywords: Mapping[str, Any]) -> tuple[CorpusChoice, dict[str, Any]]:
    """How corpora are read, and the other keywords; WrongTypeError for a value that makes no sense."""
    own = {name: value for name, value in keywords.items() if name in READING}
    rest = {name: value for name, value in keywords.items() if name not in READING}
    return chosen(None, CorpusChoice(), own), rest


def opened_gold(gold: Sequence[Any], choice: CorpusChoice, types: Sequence[str] = ()) -> list[Corpus]:
    """The corpora at some paths; InputError where there is none, and as `open_corpora` raises."""
    if not gold:
        raise InputError("there is no gold: give the path of an annotated corpus, or several")
    return open_corpora([str(place_of(one, "the path of a corpus")) for one in gold], choice, types)
