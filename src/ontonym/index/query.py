"""A query: a text to search for, converted once to words and a vector."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.errors import InputError
from ontonym.text.denials import signs_in
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import numbers_in
from ontonym.types import LONGEST_TEXT, Correction


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A text to search for, with its normalized ``words`` and its ``vector``, shape ``(dim,)``.

    ``typed`` is the text as it was given, ``text`` the one that is searched for; they differ after a ``correction``,
    which replaced what ``changes`` list: what was written, and what it was read as. ``negated``: a negation before it
    was set aside. ``language`` is the tag of the one that it is known to be in, empty where its words have to tell.
    """

    typed: str
    text: str
    words: tuple[str, ...]
    vector: Vectors
    correction: Correction = Correction.NONE
    changes: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    language: str = ""

    @property
    def cache_key(self) -> tuple[Hashable, ...]:
        """All of a query that its candidates depend on: its words, what it asserts, denies and numbers, its vector."""
        return self.words, tuple(signs_in(self.text).items()), numbers_in(self.text), self.vector.tobytes()


def read_queries(encoder: Encoder, texts: Sequence[str], languages: Sequence[str] = ()) -> list[Query]:
    """One query for each text, in its language where ``languages`` are given; they are encoded together, which is
    faster, if that gives the same vectors.

    Raises InputError for a text of more than `LONGEST_TEXT` characters.
    """
    for text in texts:
        if len(text) > LONGEST_TEXT:
            raise InputError(f"a query of {len(text):,} characters, {text[:40]!r}…; {LONGEST_TEXT:,} are the most")
    read = _encoded(encoder, texts)
    if not any(languages):
        return read
    return [replace(one, language=language) for one, language in zip(read, languages, strict=True)]


def _encoded(encoder: Encoder, texts: Sequence[str]) -> list[Query]:
    """A query for each text, however long: abbreviations written out take more characters than what was typed."""
    distinct = list(dict.fromkeys(texts))
    batches = [distinct] if encoder.is_steady else [[text] for text in distinct]
    vectors = [vector for batch in batches if batch for vector in encoder.encode_names(batch)]
    read = {text: Query(text, text, tuple(tokens(text)), one) for text, one in zip(distinct, vectors, strict=True)}
    return [read[text] for text in texts]


def changed_queries(
    encoder: Encoder, query: Query, texts: Mapping[str, Sequence[tuple[str, str]]], correction: Correction
) -> list[Query]:
    """The query with other texts searched for instead of what was typed, each with what was changed for it."""
    (found,) = changed_together(encoder, [(query, texts, correction)])
    return found


def changed_together(
    encoder: Encoder, asked: Sequence[tuple[Query, Mapping[str, Sequence[tuple[str, str]]], Correction]]
) -> list[list[Query]]:
    """The `changed_queries` of several queries, encoded together."""
    read = iter(_encoded(encoder, [text for _, texts, _ in asked for text in texts]))
    return [
        [
            Query(
                query.typed,
                one.text,
                one.words,
                one.vector,
                correction,
                (*query.changes, *changes),
                query.negated,
                query.language,
            )
            for one, changes in zip(islice(read, len(texts)), texts.values(), strict=True)
        ]
        for query, texts, correction in asked
    ]
