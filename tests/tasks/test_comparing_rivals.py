"""Any two concepts compared that are no rivals, or that codes, added terms, one signal or a document decide between."""

from __future__ import annotations

from itertools import combinations
from math import exp, log

import pytest

from built import twice_fixtures
from compared import ADDED, OTHER, QUERIES, WARD, decided
from ontonym.errors import InputError, UnknownIdError
from ontonym.index import Index
from ontonym.tasks import (
    STRATEGIES,
    NormalizeOptions,
    SearchOptions,
    compare_hits,
    explain,
    explain_hits,
    explain_mention,
    search,
)
from ontonym.tasks.explain.decisions import contrast
from ontonym.tasks.explain.decisiontexts import because
from ontonym.tasks.explain.texts import described, described_comparison
from ontonym.tasks.search import Experiment, judged_together
from ontonym.types import Mention

folder, index, added = twice_fixtures({"ward.tsv": WARD, "other.obo": OTHER}, ADDED)


# --- pairs that are no rivals -----------------------------------------------------------------------------------------


def test_duplicate_records_are_no_rivals(index: Index) -> None:
    for query in ("glass bone disease", "red fever"):
        first, second, *_ = search(index, query)
        one = compare_hits(index, query, first.id, second.id)
        assert (one.relation, one.rival.decision) == ("duplicates", None)
        assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)
        assert one.difference == pytest.approx(0, abs=1e-6)  # they have the confidence of both
        assert "they are records of the same concept, so they are not rivals" in described_comparison(one)
        for explained in explain_hits(index, query)[:2]:
            assert explained.rival is not None
            assert explained.rival.concept.id not in {first.id, second.id}


def test_duplicates_count_together_against_others(index: Index) -> None:
    first, second, third, *_ = search(index, "brittle glass bones", Experiment(calibrated=False))
    assert {first.id, second.id} == {"W:9", "W:10"}
    one = compare_hits(index, "brittle glass bones", first.id, third.id)
    assert one.terms["duplicates"] == pytest.approx(log(2), abs=0.5)
    assert one.terms["duplicates"] > 0
    raw = {hit.id: hit.confidence for hit in search(index, "brittle glass bones", Experiment(calibrated=False))}
    assert raw[first.id] / raw[third.id] == pytest.approx(exp(one.difference), rel=0.01)


def test_concepts_of_different_terminologies_are_no_rivals(index: Index) -> None:
    one = compare_hits(index, "fever", "W:13", "X:1")
    assert (one.relation, one.rival.kinship, one.rival.decision) == ("elsewhere", "elsewhere", None)
    assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)
    assert "they are of different terminologies, so they are not rivals" in described_comparison(one)
    for explained in explain_hits(index, "fever"):
        assert explained.rival is None or explained.rival.concept.id[0] == explained.hit.id[0]


@pytest.mark.slow
def test_the_runner_up_is_the_first_rival(index: Index) -> None:
    for query in QUERIES:
        explained = explain_hits(index, query)
        for one in explained:
            own = [
                other.hit
                for other in explained
                if other.hit.terminology == one.hit.terminology
                and other.hit.id not in (one.hit.id, *one.hit.equivalents)
                and one.hit.id not in other.hit.equivalents
            ]
            if own:
                assert one.rival is not None
                assert (one.rival.concept.id, one.rival.confidence) == (own[0].id, own[0].confidence)
                assert one.rival.decision is not None
                if one.rival.decision.term is not None and one.rival.lead:
                    assert one.rival.decision.is_for_first == (one.rival.lead > 0)


# --- codes, absent concepts, one signal, sieves -----------------------------------------------------------------------


def test_a_code_decides_by_itself(index: Index) -> None:
    one = compare_hits(index, "W:5", "W:5", "W:4")
    assert (one.unit, one.difference, dict(one.terms)) == ("confidence", 1.0, {"code": 1.0})
    assert (one.first.rank, one.second.rank, one.second.hit.confidence) == (1, None, 0.0)
    assert (decided(one).group, decided(one).is_for_first) == ("code", True)
    assert because(decided(one)) == "the query is its code, W:5"
    other = compare_hits(index, "W:5", "W:4", "W:5")
    assert (other.difference, decided(other).is_for_first) == (-1.0, False)
    elsewhere = compare_hits(index, "W:5", "W:5", "X:1")
    assert (elsewhere.relation, elsewhere.rival.decision) == ("elsewhere", None)
    neither = compare_hits(index, "W:5", "W:1", "W:2")
    assert (neither.unit, neither.first.rank, neither.second.rank) == ("log-odds", None, None)


def test_explaining_a_code_gives_the_hit_of_the_search(index: Index) -> None:
    (hit,) = search(index, "W:5")
    assert explain(index, "W:5", "W:5").hit == hit
    beside = explain(index, "W:5", "W:4")
    assert beside.rival is not None
    assert (beside.hit.confidence, beside.rival.concept.id, beside.rival.lead) == (0.0, "W:5", -1.0)
    assert described(beside)[-1] == "decided for Type 2 diabetes mellitus by: the query is its code, W:5"


def test_a_concept_that_nothing_finds(index: Index) -> None:
    options = SearchOptions(within=("W:14",))
    one = compare_hits(index, "diabetes", "W:14", "W:9", options)
    assert (one.first.rank, one.second.rank) == (1, None)
    assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-5)
    assert one.difference > 0
    assert "  no signal brings it: it was looked at because you asked" in described_comparison(one)
    both = compare_hits(index, "diabetes", "W:9", "W:16", options)
    assert (both.first.rank, both.second.rank) == (None, None)
    assert sum(both.terms.values()) == pytest.approx(both.difference, abs=1e-6)


@pytest.mark.parametrize("signal", ["lexical", "char", "dense"])
def test_one_signal_has_one_term_of_its_similarity(index: Index, signal: str) -> None:
    one = compare_hits(index, "broken left femur", "W:1", "W:7", SearchOptions(signal=signal))
    assert one.unit == "similarity"
    assert dict(one.terms) == {signal: one.difference}
    assert one.difference == pytest.approx(one.first.hit.confidence - one.second.hit.confidence, abs=1e-6)
    assert (decided(one).group, decided(one).is_for_first) == (signal, True)


_RANKED_BY = {
    ("O-T", "lexical"): "words", ("O-T", "char"): "char", ("O-T", "dense"): "dense",
    ("O-C", "lexical"): "words_mean", ("O-C", "char"): "char_mean", ("O-C", "dense"): "dense_concept",
}  # fmt: skip


@pytest.mark.parametrize(("strategy", "signal"), list(_RANKED_BY))
def test_one_signal_says_what_it_ranked_by(index: Index, strategy: str, signal: str) -> None:
    options = SearchOptions(signal=signal, strategy=strategy, verbatim=True)
    one = compare_hits(index, "broken left femur", "W:1", "W:7", options)
    assert decided(one).feature == _RANKED_BY[strategy, signal]
    ranked_by = sorted((one.first.hit.confidence, one.second.hit.confidence), reverse=True)
    values = decided(one).values
    assert values is not None
    assert [max(value, 0.0) for value in values] == pytest.approx(ranked_by, abs=1e-5)
    assert f"({values[0]:.2f} against {values[1]:.2f})" in because(decided(one))


def test_an_added_term_that_is_near_enough_decides(added: Index) -> None:
    one = compare_hits(added, "chesty cough", "W:6", "W:1")
    assert (decided(one).group, decided(one).is_for_first, decided(one).term) == ("added", True, None)
    assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)
    assert because(decided(one)) == "the added term “chesty cough” is near enough to the query to come first"
    explained = explain(added, "chesty cough", "W:1")
    assert explained.rival is not None
    assert explained.rival.decision is not None
    assert (explained.rival.decision.group, explained.rival.decision.is_for_first) == ("added", False)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if not name.endswith(("D-T", "D-C")) or "O" in name])
def test_every_strategy_has_terms_that_add_up(added: Index, strategy: str) -> None:
    for pair in combinations(("W:1", "W:6", "W:7"), 2):
        try:
            one = compare_hits(added, "bad chest", *pair, SearchOptions(strategy=strategy))
        except InputError as error:
            assert "has no name among those" in str(error)
            continue
        assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)


# --- ids and errors ---------------------------------------------------------------------------------------------------


def test_ids_with_and_without_prefix(index: Index) -> None:
    one = compare_hits(index, "diabetes", "b201", "w:4")
    assert (one.first.hit.id, one.second.hit.id) == ("X:B20.1", "W:4")
    with pytest.raises(UnknownIdError, match="no concept 'W:77'"):
        compare_hits(index, "diabetes", "W:77", "W:4")
    with pytest.raises(InputError, match=r"X:B20\.1 and B201 are the same concept, X:B20\.1: give two concepts"):
        compare_hits(index, "diabetes", "X:B20.1", "B201")


def test_a_strategy_that_does_not_search_a_concept(added: Index) -> None:
    with pytest.raises(InputError, match="W:1 has no name among those that the strategy D-T searches"):
        compare_hits(added, "chesty cough", "W:6", "W:1", SearchOptions(strategy="D-T"))


# --- normalization ----------------------------------------------------------------------------------------------------


def test_a_document_is_a_term_of_its_own(index: Index) -> None:
    mention = Mention("fracture of femur on the side", passage="The right leg hurts. Fracture of femur on the side.")
    one = explain_mention(index, mention, NormalizeOptions(threshold=0.0))
    alone = {hit.id: hit.confidence for hit in search(index, mention.text, SearchOptions(k=20))}
    by_id = {each.hit.id: each for each in one.candidates}
    moved = by_id["W:2"].hit.confidence / by_id["W:1"].hit.confidence
    assert moved > alone["W:2"] / alone["W:1"]
    first, second = (index.number(concept) for concept in ("W:2", "W:1"))
    readings = judged_together(index, index.signals.query(mention.text), SearchOptions(), (first, second))[0].readings
    shift = log(moved / (alone["W:2"] / alone["W:1"]))
    with_it, without = (contrast(index, readings, first, second, document=by) for by in (shift, 0.0))
    assert with_it.terms["document"] == pytest.approx(shift) == pytest.approx(with_it.difference - without.difference)
    assert sum(with_it.terms.values()) == pytest.approx(with_it.difference, abs=1e-6)
    assert exp(with_it.difference) == pytest.approx(moved, rel=1e-3)
    for each in one.candidates:
        assert each.rival is not None or each.hit.id.startswith("X")
        if each.rival and each.rival.decision and each.rival.decision.term is not None and each.rival.lead:
            assert each.rival.decision.is_for_first == (each.rival.lead > 0)
