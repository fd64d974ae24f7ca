"""Names by the beginnings of their words, compared with a plain walk over all names."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from built import indexed
from ontonym.index import Index, open_index
from ontonym.index.prefixes import typed_words
from ontonym.text.normalization import tokens

WORDS = ("heart", "hearts", "heard", "head", "he", "attack", "attacks", "at", "type", "2", "left", "lung", "of")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    draw = random.Random(1)  # noqa: S311 (an order, no secret)
    names = [" ".join(draw.choices(WORDS, k=draw.randrange(1, 6))) for _ in range(400)]
    stanzas = [f"[Term]\nid: P:{number}\nname: {name} {number % 7}\n" for number, name in enumerate(names)]
    text = "format-version: 1.2\nontology: p\n\n" + "\n".join(stanzas)
    with open_index(indexed(tmp_path_factory.mktemp("prefixes"), {"p.obo": text})) as opened:
        yield opened


def expected(index: Index, typed: list[str], wanted: np.ndarray | None) -> dict[int, tuple[int, int, bool]]:
    """By name row: its number of words, the typed words that it has as they are, whether the first one leads."""
    names, found = index.signals.names, {}
    forms = [(word, *(tokens(word) if len(word) > 2 else ())) for word in typed]
    for row in range(len(names)):
        words = names.words_of(row)
        begun = [any(word.startswith(form) for word in words for form in every) for every in forms]
        if all(begun) and (wanted is None or wanted[names.concepts[row]]):
            whole = sum(any(form in words for form in every) for every in forms)
            found[row] = len(words), whole, any(words[0].startswith(form) for form in forms[0])
    return found


@pytest.mark.parametrize("most", [None, 20_000])
@pytest.mark.parametrize(
    "typed", ["h", "he", "hea", "hearts", "at he", "he he", "hea 2 of", "type 2 attack", "x", "he x"]
)
def test_matches_are_those_of_a_plain_walk(index, typed, most):
    words = typed_words(typed)
    _, part = index.signals.parts("O")[0]
    draw = np.random.default_rng(0)
    for wanted in (None, draw.random(index.concept_count) < 0.1, np.zeros(index.concept_count, bool)):
        found = part.prefixes.matches(words, wanted, most=most)
        assert found.rows.dtype == np.int64
        values = zip(found.lengths.tolist(), found.whole.tolist(), found.leads.tolist(), strict=True)
        assert dict(zip(found.rows.tolist(), values, strict=True)) == expected(index, words, wanted)
        if wanted is None:
            assert part.prefixes.rows(words).tolist() == found.rows.tolist()


def test_of_many_names_those_of_the_shortest_words_are_looked_at(index):
    _, part = index.signals.parts("O")[0]
    few = part.prefixes.matches(["h"], most=50)
    assert 0 < len(few.rows) < len(part.prefixes.matches(["h"]).rows)
    assert all("he" in index.signals.names.words_of(row) for row in few.rows.tolist())
