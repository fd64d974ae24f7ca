"""Explanations of hits in a small terminology, worked out by hand; the shares against all orders of the signals."""

from __future__ import annotations

from itertools import combinations
from math import comb, log

import numpy as np
import pytest

from built import twice_fixtures
from explained import ADDED, HUMAN, MOUSE, TO_HEART_FAILURE
from ontonym.errors import InputError, UnknownIdError
from ontonym.index import Index
from ontonym.index.evidence import FEATURES
from ontonym.index.fuse import PREFERRED
from ontonym.index.scan import Scan
from ontonym.tasks import (
    SIGNALS,
    SearchOptions,
    explain,
    explain_hits,
    search,
)
from ontonym.tasks.explain import Named
from ontonym.tasks.explain.shapley import GROUPS as LIFTED
from ontonym.tasks.explain.sharedwords import Words
from ontonym.tasks.explain.texts import described

folder, index, added = twice_fixtures({"human.obo": HUMAN, "mouse.obo": MOUSE}, ADDED)


QUERIES = [
    "heart attack",
    "Cold",
    "hart failure",
    "pump gave out",
    "cerebral haemorrhages",
    "whiskers",
    "xyzzy",
    "",
    "loss",
]


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("strategy", ["D-T+OD-T", "O-C", "D-T"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_what_is_explained_are_the_hits_of_search(added: Index, signal: str, strategy: str, k: int) -> None:
    options = SearchOptions(k=k, signal=signal, strategy=strategy)
    for query in QUERIES:
        found = explain_hits(added, query, options)
        assert [one.hit for one in found] == search(added, query, options)
        assert [one.rank for one in found] == list(range(1, len(found) + 1))
        for one in found:
            assert explain(added, query, one.hit.id, options) == one


# --- the signals' shares ---------------------------------------------------------------------------------------------

GROUPS = {
    "lexical": "words query_share name_share words_behind".split(),
    "char": ["char", "char_behind"],
    "dense": "dense dense_support dense_concept dense_behind concept_behind".split(),
    "equal": ["spelled", "spelled_preferred"],
    "numbers": ["number_missing", "number_extra"],
    "opposites": ["contradicted"],
    "qualifiers": ["qualifier_missing", "qualifier_extra"],
    "residual": ["residual"],
    "name": "size inexact abbreviation short_query one_word".split(),
}


def on_average_of_all_orders(index: Index, query: str, concept: int) -> dict[str, float]:
    """What each group adds to the score on the average of all orders in which they come, from saying nothing.

    A group comes after exactly the groups of a set of n in one of 9 * comb(8, n) orders.
    """
    evidence = index.signals.evidence(index.signals.query(query), Scan("OD", also=(concept,)))
    (place,) = np.flatnonzero(evidence.concepts == concept)
    known = dict(zip(FEATURES, evidence.features[place].tolist(), strict=True))
    unknown = dict.fromkeys(FEATURES, 0.0)
    for name in ("dense", "concept", "char", "words"):  # as far behind the best as one without similarity is
        column = "dense_concept" if name == "concept" else name
        unknown[f"{name}_behind"] = -float(evidence.column(column).max())
    unknown["size"] = float(index.fusion.mean[FEATURES.index("size")])
    unknown["short_query"] = known["short_query"]
    unknown["one_word"] = known["one_word"]

    sets = [frozenset(one) for size in range(10) for one in combinations(GROUPS, size)]
    told = [{feature for group in one for feature in GROUPS[group]} for one in sets]
    table = [[(known if name in one else unknown)[name] for name in FEATURES] for one in told]
    scores = dict(zip(sets, index.fusion.scores(np.asarray(table, dtype=np.float32)).tolist(), strict=True))
    return {
        group: sum((scores[one | {group}] - scores[one]) / (9 * comb(8, len(one))) for one in sets if group not in one)
        for group in GROUPS
    }


def test_each_feature_is_in_one_group() -> None:
    assert sorted(name for group in LIFTED.values() for name in group) == sorted(FEATURES)
    assert {group: sorted(names) for group, names in LIFTED.items()} == {
        group: sorted(names) for group, names in GROUPS.items()
    }


@pytest.mark.parametrize("query", ["heart attack", "failure of the heart", "whisker losses", "cold"])
@pytest.mark.parametrize("concept_id", ["H:2", "H:31", "H:4", "M:1"])
def test_shares_are_what_each_signal_adds_over_all_orders(index: Index, query: str, concept_id: str) -> None:
    parts = explain(index, query, concept_id).parts
    expected = on_average_of_all_orders(index, query, index.number(concept_id))
    assert {name: part.lift for name, part in parts.items()} == pytest.approx(expected, abs=1e-3)
    whole = sum(map(abs, expected.values()))
    assert {name: part.share for name, part in parts.items()} == pytest.approx(
        {name: abs(lift) / whole for name, lift in expected.items()}, abs=1e-3
    )


def test_shares_add_up_to_one_and_similarities_are_the_hits(index: Index) -> None:
    for query in QUERIES:
        for one in explain_hits(index, query):
            assert sum(part.share for part in one.parts.values()) == pytest.approx(1)
            own = {name: part.similarity for name, part in one.parts.items()}
            assert own == dict.fromkeys(GROUPS) | one.hit.signals


def test_a_signal_that_says_nothing_has_no_share(index: Index) -> None:
    parts = explain(index, "cold", "M:1").parts
    assert parts["lexical"].similarity == parts["lexical"].share == parts["lexical"].lift == 0
    assert parts["dense"].share > 0


def test_lifts_tell_the_odds_between_two_concepts(index: Index) -> None:
    """Scores are log-odds; namesakes differ by the lift of their kind, and by what a preferred term has more."""
    first, second = explain(index, "Cold", "H:4"), explain(index, "Cold", "H:5")
    difference = log(first.hit.confidence / second.hit.confidence)
    told = [sum(part.lift or 0 for part in one.parts.values()) for one in (first, second)]
    assert told[0] - told[1] + log(PREFERRED) == pytest.approx(difference, abs=1e-2)


@pytest.mark.parametrize("signal", ["lexical", "char", "dense"])
def test_a_signal_alone_has_the_whole_share(index: Index, signal: str) -> None:
    parts = explain(index, "heart attack", "H:2", SearchOptions(signal=signal)).parts
    assert {name: part.share for name, part in parts.items()} == {
        name: float(name == signal) for name in ("lexical", "char", "dense")
    }
    assert all(part.lift is None for part in parts.values())


# --- words and spellings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "concept", "words"),
    [
        ("Cerebral haemorrhages", "H:6", Words(("Cerebral", "haemorrhages"), (), ())),
        ("HEMORRHAGES of the brain", "H:6", Words(("HEMORRHAGES",), ("of", "the", "brain"), ("Cerebral",))),
        ("failing", "H:5", Words((), ("failing",), ("Low", "temperature"))),
        ("heart heart failure", "H:3", Words(("heart", "failure"), ("heart",), ())),
        ("hart failure", "H:3", Words(("heart", "failure"), (), ())),
    ],
)
def test_words_shared_and_differing_as_they_are_written(index: Index, query: str, concept: str, words: Words) -> None:
    assert explain(index, query, concept).words == words


def test_corrected_words_are_named_one_by_one(index: Index) -> None:
    one = explain(index, "Hart failuer", "H:3")
    assert (one.text, one.read_as) == ("Hart failuer", "heart failure")
    assert one.corrections == (("hart", "heart"), ("failuer", "failure"))
    assert one.hit.reason.detail == "read as “heart failure”: the same but for case"
    assert explain(index, "Heart failure", "H:3").corrections == ()


def test_steps_of_normalization_are_the_reasons(index: Index) -> None:
    assert explain(index, "cerebral hemorrhages", "H:6").hit.reason.changes == (
        "case",
        "inverted word order",
        "spelling variant",
        "plural",
    )


# --- the rival -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", TO_HEART_FAILURE)
def test_what_the_best_hit_is_to_another_concept(index: Index, concept: str) -> None:
    one = explain(index, "Heart failure", concept)
    first, *_ = search(index, "Heart failure")
    assert one.rival is not None
    assert one.rival.concept == Named("H:3", "Heart failure")
    assert one.rival.confidence == pytest.approx(first.confidence, abs=0.01)
    assert one.rival.lead == one.hit.confidence - one.rival.confidence < 0
    assert (one.rival.kinship, one.rival.steps, tuple(way.id for way in one.rival.via)) == TO_HEART_FAILURE[concept]


def test_an_ancestor_two_steps_up_and_a_terminology_without_a_hierarchy(index: Index) -> None:
    rival = explain(index, "Anything wrong", "H:3").rival
    assert rival is not None
    assert (rival.kinship, rival.steps) == ("ancestor", 2)
    flat = explain(index, "Tail loss", "M:1").rival
    assert flat is not None
    assert (flat.concept.id, flat.kinship, flat.steps) == ("M:2", "flat", None)


@pytest.mark.parametrize("k", [1, 2, 10])
def test_the_first_hit_has_the_second_as_its_rival_though_it_is_not_shown(index: Index, k: int) -> None:
    first, second = search(index, "heart failure", SearchOptions(k=2))
    one = explain_hits(index, "heart failure", SearchOptions(k=k))[0]
    assert one.rival is not None
    assert one.rival.concept == Named(second.id, second.preferred)
    assert one.rival.lead == first.confidence - second.confidence > 0


def test_a_lonely_candidate_has_no_rival(index: Index) -> None:
    (one,) = explain_hits(index, "heart attack", SearchOptions(within=("H:2",)))
    assert one.rival is None


def test_namesakes_are_named(index: Index) -> None:
    assert explain(index, "cold", "H:4").namesakes == (Named("H:5", "Low temperature"),)
    assert explain(index, "common cold", "H:4").namesakes == ()


# --- which search gave it --------------------------------------------------------------------------------------------


def test_a_sieve_that_was_believed(added: Index) -> None:
    one = explain(added, "Pump gave out", "H:31")
    assert (one.module, one.believed, one.hit.source) == ("D-T", True, "added by ann")
    assert one.near == pytest.approx(1, abs=0.02)
    one = explain(added, "Pump gave out", "H:31", SearchOptions(sieve=1.0, strategy="D-T+O-C", signal="lexical"))
    assert one.believed
    later = explain(added, "Pump gave out", "H:2")
    assert (later.module, later.believed) == ("OD-T", False)
    assert later.hit.confidence <= one.hit.confidence


@pytest.mark.parametrize("strategy", ["O-T", "OD-C"])
def test_a_strategy_without_a_sieve(added: Index, strategy: str) -> None:
    one = explain(added, "heart attack", "H:2", SearchOptions(strategy=strategy))
    assert (one.module, one.believed) == (strategy, False)


def test_a_concept_without_an_added_term_has_no_name_among_these(added: Index) -> None:
    with pytest.raises(InputError, match="H:2 has no name among those that the strategy D-T searches"):
        explain(added, "heart attack", "H:2", SearchOptions(strategy="D-T"))


def test_a_concept_that_no_signal_brings(index: Index) -> None:
    one = explain(index, "cold", "H:2", SearchOptions(within=("H:4",)))
    assert (one.rank, one.hit.id) == (None, "H:2")
    assert one.rival is not None
    assert one.rival.concept.id == "H:4"
    assert "no signal brings it: it was looked at because you asked" in described(one)
    assert one.hit.confidence < 0.1


def test_alternative_and_retired_ids(index: Index) -> None:
    assert explain(index, "heart", "H:7").hit.id == "H:3"
    with pytest.raises(UnknownIdError, match="no concept 'H:66'"):
        explain(index, "heart", "H:66")
