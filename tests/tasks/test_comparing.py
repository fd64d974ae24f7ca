"""Any two concepts compared: the terms add up to the difference of their scores, and what decided is told in words."""

from __future__ import annotations

from itertools import combinations
from math import exp, log

import numpy as np
import pytest

from built import twice_fixtures
from compared import ADDED, OTHER, QUERIES, WARD, decided
from ontonym.index import Index
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.fuse import preferred_first, undominated
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.tasks import (
    HitComparison,
    SearchOptions,
    compare_hits,
    explain,
    explain_hits,
)
from ontonym.tasks.explain.decisions import TERMS, Decision, contrast
from ontonym.tasks.explain.decisiontexts import because, decision_line
from ontonym.tasks.explain.shapley import GROUPS
from ontonym.tasks.explain.texts import described, described_comparison
from ontonym.tasks.search import Experiment, judged_together

folder, index, added = twice_fixtures({"ward.tsv": WARD, "other.obo": OTHER}, ADDED)


# --- the terms add up -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_terms_add_up_to_the_difference_for_all_pairs(index: Index) -> None:
    every = tuple(range(index.concept_count))
    for query in QUERIES:
        readings = judged_together(index, index.signals.query(query), SearchOptions(), every)[0].readings
        for first, second in combinations(every, 2):
            one = contrast(index, readings, first, second)
            assert set(one.terms) == set(TERMS) - {"narrower", "document"}
            assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6), (query, first, second)


@pytest.mark.parametrize("query", QUERIES)
def test_terms_add_up_in_every_comparison(index: Index, query: str) -> None:
    for first, second in (("W:1", "W:2"), ("W:5", "W:14"), ("W:13", "X:1"), ("W:9", "W:10"), ("W:12", "W:7")):
        one = compare_hits(index, query, first, second)
        assert one.unit == "log-odds"
        assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)
    other = compare_hits(index, query, second, first)
    assert other.difference == pytest.approx(-one.difference, abs=1e-6)
    assert dict(other.terms) == pytest.approx({name: -term for name, term in one.terms.items()}, abs=1e-6)


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("broken left femur", "W:1", "W:2"),
        ("bronchitis", "W:7", "W:8"),
        ("type 2 diabetes", "W:5", "W:4"),
        ("MS", "W:11", "W:12"),
        ("no fever", "W:13", "W:15"),
        ("shaking", "W:16", "W:17"),
    ],
)
def test_the_difference_is_the_log_ratio_of_the_confidences(index: Index, query: str, first: str, second: str) -> None:
    one = compare_hits(index, query, first, second, Experiment(calibrated=False))
    assert sum(one.terms.values()) == pytest.approx(one.difference, abs=1e-6)
    ratio = one.first.hit.confidence / one.second.hit.confidence
    assert ratio == pytest.approx(exp(one.difference), rel=max(1e-4, 2e-6 / one.second.hit.confidence))


def scores_of(index: Index, evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    network = index.fusion.scores(evidence.features).astype(np.float64)
    return network, undominated(network, evidence.features)


def evidence_of(index: Index, query: Query) -> Evidence:
    return index.signals.evidence(query, Scan("OD"))


@pytest.mark.slow
@pytest.mark.parametrize("query", ["broken left femur", "bronchitis of smokers", "marble"])
def test_dominance_is_a_term_of_its_own(index: Index, query: str) -> None:
    evidence = evidence_of(index, index.signals.query(query))
    network, raised = scores_of(index, evidence)
    places = [int(place) for place in np.argsort(-raised)[:6]]
    for one, other in combinations(places, 2):
        first, second = (index.id(int(evidence.concepts[place])) for place in (one, other))
        found = compare_hits(index, query, first, second)
        lifted = raised - network
        assert found.terms["dominance"] == pytest.approx(lifted[one] - lifted[other], abs=1e-5)
        features = sum(term for name, term in found.terms.items() if name in GROUPS)
        shared = preferred_first(raised, evidence, np.zeros(len(raised), dtype=np.int64)) - raised
        assert features == pytest.approx(network[one] - network[other] + shared[one] - shared[other], abs=1e-4)


def test_a_dominating_candidate_is_raised(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a network that prefers less similarity, only dominance keeps the equal name in front."""
    fusion = index.fusion
    against = type(fusion)(fusion.mean, fusion.scale, fusion.hidden, fusion.hidden_bias, -fusion.output, fusion.none)
    monkeypatch.setattr(index.signals, "fusion", against)
    one = compare_hits(index, "fracture of femur", "W:3", "W:2")
    assert one.difference > 0 > one.difference - one.terms["dominance"]
    assert decided(one).group == "dominance"
    assert because(decided(one)) == (
        "no evidence for “Fracture of femur” is weaker than that for “Fracture of right femur”"
    )


# --- what decides -----------------------------------------------------------------------------------------------------


def with_term(index: Index, query: str, first: str, second: str, group: str) -> HitComparison:
    one = compare_hits(index, query, first, second)
    assert one.terms[group] > 0
    return one


def test_opposite_words(index: Index) -> None:
    assert compare_hits(index, "broken left femur", "W:1", "W:2").terms["opposites"] > 0
    one = compare_hits(index, "decreased potassium", "W:20", "W:21")
    decision = decided(one)
    assert (decision.group, decision.feature, decision.values) == ("opposites", "contradicted", (0.0, 1.0))
    assert (decision.query, decision.first, decision.second) == (("decreased",), (), ("High",))
    assert decision.term == one.terms["opposites"] > 0
    said = "“decreased” against “High” in “High potassium” (opposite words)"
    assert decision_line(decision, "High potassium") == f"decided against High potassium by: {said}"
    other = decided(compare_hits(index, "decreased potassium", "W:21", "W:20"))
    assert (other.query, other.first, other.second) == (("decreased",), ("High",), ())
    assert not other.is_for_first
    assert decision_line(other, "Low potassium") == f"decided for Low potassium by: {said}"


def test_numbers(index: Index) -> None:
    one = with_term(index, "type 2 diabetes", "W:5", "W:4", "numbers")
    assert one.terms["opposites"] == 0
    decision = Decision("numbers", True, 1.0, ("a", "Type 1"), ("b", "b"), "number_missing", None, ("2",), (), ())
    assert because(decision) == "numbers: “2” of the query is not in “Type 1”"
    one = with_term(index, "diabetes mellitus", "W:14", "W:5", "numbers")
    assert one.difference > 0


def test_equal_name(index: Index) -> None:
    one = compare_hits(index, "acute bronchitis", "W:7", "W:6")
    decision = decided(one)
    assert (decision.group, decision.feature, decision.values, decision.is_for_first) == (
        "equal",
        "spelled",
        (0.0, 1.0),
        False,
    )
    assert one.terms["equal"] == decision.term
    assert because(decision) == "“Acute bronchitis” is equal to the query, “Bronchitis” is not"


def test_a_preferred_term_against_a_synonym(index: Index) -> None:
    decision = decided(compare_hits(index, "shaking", "W:16", "W:17"))
    assert (decision.group, decision.feature) == ("equal", "spelled_preferred")
    assert because(decision) == "the preferred term “Shaking” is equal to the query, and not only a synonym"


def test_readings_of_an_abbreviation(index: Index) -> None:
    """Both are found by their names; only how likely each reading is differs, and what doubts left of the second, which
    is seldom meant."""
    one = compare_hits(index, "MS", "W:11", "W:12")
    found = [index.number("W:11"), index.number("W:12")]
    readings = judged_together(index, index.signals.query("MS"), SearchOptions(), found)[0].readings
    first, second = (next(read for _, read in readings if read.answer == number) for number in found)
    assert (first.doubt.share, second.doubt.why) == (1, "“MS” mostly means “mental status”")
    assert (one.first.read_as, one.second.read_as) == ("multiple sclerosis", "mitral stenosis")
    weights = [side.probability for side in (one.first, one.second)]
    assert 0 < weights[1] < weights[0] < 1
    assert one.first.prior > one.second.prior
    assert one.first.corrections == (("MS", "multiple sclerosis"),)
    decision = decided(one)
    assert decision.group == "reading"
    assert decision.term == pytest.approx(log(weights[0] / (weights[1] * second.doubt.share)))
    assert decision.values == tuple(weights)
    assert because(decision) == (
        f"reading the query as “multiple sclerosis” (probability {weights[0]:.2f}), and not as “mitral stenosis” "
        f"(probability {weights[1]:.2f})"
    )
    likely = f"probability {weights[0]:.2f} ({one.first.prior:.2f} before the search)"
    assert f"  read into the query: “MS” as “multiple sclerosis”; {likely}" in described_comparison(one)


def test_a_negation_that_is_set_aside_is_read_into_the_query(index: Index) -> None:
    one = explain(index, "no fever", "W:13")
    assert (one.read_as, one.hit.reason.negated) == ("fever", True)
    assert one.probability > one.prior == 0.75
    (line,) = (line for line in described(one) if line.startswith("read into"))
    assert (
        line
        == f"read into the query: its negation set aside; probability {one.probability:.2f} (0.75 before the search)"
    )
    assert not any(line.startswith("read into") for line in described(explain(index, "fever", "W:13")))
    assert "read into the query: “fevr” as “fever”" in described(explain(index, "fevr", "W:13"))


def test_equal_confidences_are_decided_by_the_rule_for_ties(index: Index) -> None:
    one = compare_hits(index, "shaking", "W:2", "W:3", SearchOptions(signal="lexical"))
    assert (one.difference, dict(one.terms), one.unit) == (0.0, {"lexical": 0.0}, "similarity")
    decision = decided(one)
    assert (decision.group, decision.term) == ("tie", None)
    assert because(decision).endswith(", as their confidences are equal")


@pytest.mark.slow
def test_the_sides_of_features_are_those_of_the_ranking(index: Index) -> None:
    """A signal's decision has the higher value for the better candidate."""
    for query in QUERIES:
        for one in explain_hits(index, query):
            found = one.rival.decision if one.rival else None
            if found and found.feature in FEATURES and found.feature != "size" and found.values:
                better, worse = found.values if found.is_for_first else found.values[::-1]
                is_against = found.feature in ("number_missing", "number_extra", "contradicted", "residual", "inexact")
                is_against |= found.feature in ("qualifier_missing", "qualifier_extra", "abbreviation")
                assert (better < worse) if is_against else (better > worse)
