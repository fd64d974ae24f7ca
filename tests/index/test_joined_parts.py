"""The parts of an index that are searched together: what their names say is what each part says by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ontonym.index import AddedTerm, Index, add_terms
from ontonym.index.evidence import SIGNAL_COLUMNS, candidate_pairs
from ontonym.index.grams import SIZES, counted_ngrams, ngrams
from ontonym.index.nametable import PartView, name_table
from ontonym.index.namewords import JoinedFacts

STANZAS = (
    'id: A:1\nname: Influenza\nsynonym: "acute flu, type 2" EXACT []\nsynonym: "influenza without fever" EXACT []',
    'id: A:2\nname: Syncope\nsynonym: "fainting, left side" EXACT []',
    'id: A:3\nname: Fever\nsynonym: "no cough but fever" EXACT []\nsynonym: "high temperature" BROAD []',
    "id: A:4\nname: Other disorder of the knee",
    "id: A:5\nname: Burn of unspecified degree of left hand",
)
QUERIES = ("flu without fever", "passed out", "fever type 2", "no hot head", "left hand burn", "xyzzy", "other knee")


@pytest.fixture
def index(workshop: Any) -> Index:
    made = workshop.index(workshop.terminology("made", *STANZAS))
    terms = [("A:3", "hot head"), ("A:3", "hot head without chills 2"), ("A:2", "out like a light")]
    add_terms(made.path, [AddedTerm(concept, text) for concept, text in terms])
    return made.refreshed()


@pytest.mark.parametrize("asked", [QUERIES, QUERIES[:1], QUERIES[3:4]])
def test_the_facts_of_names_are_those_of_each_part_alone(index: Index, asked: tuple[str, ...]) -> None:
    parts, queries = index.signals.parts("OD"), index.signals.queries(asked)
    assert len(parts) == 3
    views = [PartView(part, queries, first=first) for first, part in parts]
    pairs, brought = candidate_pairs(views, tuple(SIGNAL_COLUMNS), 5, [None] * len(parts))
    facts = [JoinedFacts([part.names]) for _, part in parts]
    table = name_table(views, pairs, brought, JoinedFacts([part.names for _, part in parts]))
    alone = [name_table([view], pairs, [own], one) for view, own, one in zip(views, brought, facts, strict=True)]
    order = np.argsort(np.concatenate([one.pairs for one in alone]), kind="stable")
    assert sum(len(one.rows) > 0 for one in alone) > 1
    for name in ("pairs", "rows", "given"):
        expected = np.concatenate([getattr(one, name) for one in alone])[order]
        assert getattr(table, name).tolist() == expected.tolist()
    assert np.array_equal(table.facts, np.concatenate([one.facts for one in alone], axis=1)[:, order])
    assert table.sizes.tolist() == np.sum([one.sizes for one in alone], axis=0).tolist()


def test_words_of_all_parts_have_the_facts_of_their_own(index: Index) -> None:
    names = [part.names for _, part in index.signals.parts("OD")]
    joined = JoinedFacts(names)
    assert len(joined) == sum(len(part.vocabulary) for part in names) == joined.firsts[-1]
    for first, part in zip(joined.firsts, names, strict=False):
        own = slice(first, first + len(part.vocabulary))
        for fact in ("weights", "axes", "axes_said", "negation"):
            assert np.array_equal(getattr(joined, fact)[own], getattr(part.facts, fact))
        assert np.array_equal(joined.is_short[own], part.is_short)
        assert np.array_equal(joined.is_number[own], part.is_number)
    (number,) = names[2].word_ids(["chill"])
    assert number is not None
    assert joined.roots(2, [joined.firsts[2] + number]) == {joined.firsts[2] + number: "chill"}


def test_ngrams_of_words_that_come_again_are_those_of_the_whole_query() -> None:
    asked = (("left", "hand", "left"), (), ("hand", "of", "é"))
    for _ in range(2):  # the second time all words are kept
        numbers, hashes, times = counted_ngrams.__wrapped__(asked, SIZES)
        for number, words in enumerate(asked):
            whole, _ = ngrams(f" {' '.join(words)} ", SIZES)
            expected, counts = np.unique(whole, return_counts=True)
            assert hashes[numbers == number].tolist() == expected.tolist()
            assert times[numbers == number].tolist() == counts.tolist()


def test_the_namesakes_of_a_name_are_the_names_found_by_its_words(workshop: Any) -> None:
    names = ("Knee injury", "Injury, knee", "Injured knees", "Injury of knee", "Pain pain", "Pain")
    signals = workshop.index(
        workshop.terminology("same", *(f"id: A:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    ).signals
    found = [signals.names.namesakes(row).tolist() for row in range(len(names))]
    spelled = [signals.names.spelled(signals.words_of(row)).tolist() for row in range(len(names))]
    assert found == spelled
    assert found[0] == found[1] == [0, 1]
    assert signals.words_of(1) == ("injury", "knee") == signals.preferred_words(1)
    assert signals.words_of(1) is signals.words_of(1)
    assert [signals.preferred_name(concept) for concept in range(len(names))] == [*range(len(names))]
    assert signals.is_name(("injury", "knee"))
    assert not signals.is_name(("injury", "pain"))
    assert not signals.is_name(("injury", "knee"), "D")
