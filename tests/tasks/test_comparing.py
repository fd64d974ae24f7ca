"""Any two concepts compared: the terms add up to the difference of their scores, and what decided is told in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from built import indexed_twice
from ontonym.errors import InputError, UnknownIdError
from ontonym.index import AddedTerm, Index, open_index
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.fuse import preferred_first, undominated
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.tasks import (
    STRATEGIES,
    HitComparison,
    NormalizeOptions,
    SearchOptions,
    compare_hits,
    explain,
    explain_hits,
    explain_mention,
    search,
)
from ontonym.tasks.explain.decisions import OUTSIDE, TERMS, Decision, contrast
from ontonym.tasks.explain.decisiontexts import _SAID, because, decision_line
from ontonym.tasks.explain.texts import TERM_WORDS, described, described_comparison
from ontonym.tasks.search import Experiment, judged_together
from ontonym.text.qualifiers import opposites, said_alone
from ontonym.types import Mention

WARD = """id\tpreferred\tsynonyms\tparents\talternative_ids
W:1\tFracture of left femur\t\t\t
W:2\tFracture of right femur\t\t\t
W:3\tFracture of femur\t\t\t
W:4\tType 1 diabetes mellitus\t\tW:14\t
W:5\tType 2 diabetes mellitus\t\tW:14\t
W:6\tAcute bronchitis\t\t\t
W:7\tBronchitis\t\t\t
W:8\tOther bronchitis\t\t\t
W:9\tGlass Bone Disease\t\t\t
W:10\tGLASS BONE DISEASE\tGBD1\t\t
W:11\tMultiple sclerosis\t\t\t
W:12\tMitral stenosis\tNarrow mitral valve|Tight mitral valve\t\t
W:13\tFever\tPyrexia\t\t
W:14\tDiabetes mellitus\t\t\t
W:15\tChills without fever\t\t\t
W:16\tShaking\t\t\t
W:17\tTrembling\tShaking\t\t
W:18\tMarble fever\tRed fever\t\tW:19
W:19\tRED FEVER\t\t\t
W:20\tLow potassium\t\t\t
W:21\tHigh potassium\t\t\t
"""

OTHER = """format-version: 1.2
ontology: other

[Term]
id: X:1
name: Fever

[Term]
id: X:2
name: Fracture of femur, left side

[Term]
id: X:B20.1
name: Cough
"""

QUERIES = [
    "fracture of left femur",
    "broken left femur",
    "type 2 diabetes",
    "diabetes type II",
    "acute bronchitis",
    "bronchitis",
    "bronchitis of sudden onset",
    "glass bones",
    "glass bone disease",
    "MS",
    "no fever",
    "fevr",
    "shaking",
    "red fever",
    "marble",
    "xyzzy",
    "",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("compare")
    terms = [AddedTerm("W:6", "chesty cough", who="ann"), AddedTerm("W:7", "bad chest")]
    indexed_twice(made, {"ward.tsv": WARD, "other.obo": OTHER}, terms)
    return made


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "plain.index") as opened:
        yield opened


@pytest.fixture(scope="module")
def added(folder: Path) -> Iterator[Index]:
    with open_index(folder / "added.index") as opened:
        yield opened


def decided(comparison: HitComparison) -> Decision:
    assert comparison.rival.decision is not None
    return comparison.rival.decision


# --- the terms add up -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_terms_add_up_to_the_difference_for_all_pairs(index: Index) -> None:
    every = tuple(range(index.concept_count))
    for query in QUERIES:
        readings = judged_together(index, index.signals.query(query), SearchOptions(), every)[0].readings
        for first, second in combinations(every, 2):
            one = contrast(index, readings, first, second)
            assert set(one.terms) == set(TERMS) - {"document"}
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
@pytest.mark.parametrize("query", ["broken left femur", "bronchitis of sudden onset", "marble"])
def test_dominance_is_a_term_of_its_own(index: Index, query: str) -> None:
    evidence = evidence_of(index, index.signals.query(query))
    network, raised = scores_of(index, evidence)
    places = [int(place) for place in np.argsort(-raised)[:6]]
    for one, other in combinations(places, 2):
        first, second = (index.id(int(evidence.concepts[place])) for place in (one, other))
        found = compare_hits(index, query, first, second)
        lifted = raised - network
        assert found.terms["dominance"] == pytest.approx(lifted[one] - lifted[other], abs=1e-5)
        features = sum(term for name, term in found.terms.items() if name not in TERMS[-6:])
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
    """Both are found by their names; only how likely each reading is differs, and the kind of name."""
    one = compare_hits(index, "MS", "W:11", "W:12")
    assert (one.first.read_as, one.second.read_as) == ("multiple sclerosis", "mitral stenosis")
    weights = [side.probability for side in (one.first, one.second)]
    assert 0 < weights[1] < weights[0] < 1
    assert one.first.prior > one.second.prior
    assert one.first.corrections == (("MS", "multiple sclerosis"),)
    decision = decided(one)
    assert decision.group == "reading"
    assert decision.term == pytest.approx(log(weights[0] / weights[1]))
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
    with_it, without = (contrast(index, readings, first, second, by) for by in (shift, 0.0))
    assert with_it.terms["document"] == pytest.approx(shift) == pytest.approx(with_it.difference - without.difference)
    assert sum(with_it.terms.values()) == pytest.approx(with_it.difference, abs=1e-6)
    assert exp(with_it.difference) == pytest.approx(moved, rel=1e-3)
    for each in one.candidates:
        assert each.rival is not None or each.hit.id.startswith("X")
        if each.rival and each.rival.decision and each.rival.decision.term is not None and each.rival.lead:
            assert each.rival.decision.is_for_first == (each.rival.lead > 0)


# --- the words --------------------------------------------------------------------------------------------------------


def test_every_term_has_words() -> None:
    assert set(TERM_WORDS) == set(TERMS)
    assert set(_SAID) == {*TERMS, *OUTSIDE}


@pytest.mark.parametrize(
    ("text", "name", "pairs"),
    [
        ("fracture of left femur", "right femur", [("left", "right")]),
        ("high potassium", "Decreased potassium", [("high", "decreased")]),
        ("left and right arm", "right arm", []),
        ("left arm", "arm", []),
        ("no fever", "fever", [("fever", "fever")]),
        ("fever", "Chills without fever", [("fever", "fever")]),
        ("no fever", "Chills without fever", []),
    ],
)
def test_opposites(text: str, name: str, pairs: list[tuple[str, str]]) -> None:
    assert opposites(text, name) == pairs


def test_words_on_which_the_other_text_is_silent() -> None:
    assert said_alone("acute pain of the left arm", "pain of the right arm") == ["acute"]
    assert said_alone("pain", "acute pain") == []
    assert said_alone("severe acute pain", "pain") == ["acute", "severe"]


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (
            Decision("lexical", True, 1.0, ("a", "b"), ("q", "q"), "words", (0.8, 0.5), (), ("heart",), ("beats",)),
            "words (0.80 against 0.50): only “a” has “heart”; only “b” has “beats”",
        ),
        (
            Decision("lexical", False, -1.0, ("a", "b"), ("q", "q"), "query_share", (0.5, 0.8), (), ("heart",), ()),
            "words of the query (0.80 against 0.50): only “a” has “heart”",
        ),
        (
            Decision("lexical", False, -1.0, ("a", "b"), ("q", "q")),
            "words, weighed together with all other evidence",
        ),
        (
            Decision("char", False, -1.0, ("a", "b"), ("q", "q"), "char", (0.5, 0.8)),
            "letters (0.80 against 0.50): “b” is spelled more like the query than “a”",
        ),
        (
            Decision("dense", True, 1.0, ("a", "b"), ("q", "q"), "dense_concept", (0.7, 0.6)),
            "meaning of all its names together (0.70 against 0.60)",
        ),
        (
            Decision("numbers", False, -1.0, ("a 3", "b"), ("q", "q"), "number_extra", (1.0, 0.0), (), ("3",), ()),
            "numbers: “3” in “a 3” is not in the query",
        ),
        (
            Decision("opposites", True, 1.0, ("a", "b"), ("q", "q"), "", None, ("fever",), (), ("Fever",)),
            "either the query or “b” denies “fever”, and the other does not",
        ),
        (
            Decision("qualifiers", True, 1.0, ("a", "b"), ("q", "q"), "qualifier_missing", (0.0, 1.0), ("left",)),
            "“b” says nothing like “left” of the query",
        ),
        (
            Decision("residual", True, 1.0, ("a", "Other b"), ("q", "q"), "residual", (0.0, 1.0)),
            "“Other b” is a class of other things",
        ),
        (
            Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "size", (log(13), log(4))),
            "the number of names (12 against 3)",
        ),
        (Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "inexact", (0.0, 1.0)), "“b” is not an exact synonym"),
        (Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "abbreviation", (0.0, 1.0)), "“b” is only a short form"),
        (Decision("tie", True, None, ("a", "b"), ("q", "q"), "size"), "more names, as their confidences are equal"),
    ],
)
def test_decisions_in_words(decision: Decision, said: str) -> None:
    assert because(decision) == said


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
