"""Explanations of hits in a small terminology, worked out by hand; the shares against all orders of the signals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, log
from pathlib import Path

import numpy as np
import pytest

from built import indexed_twice
from ontonym.errors import InputError, UnknownIdError
from ontonym.index import AddedTerm, Index, open_index
from ontonym.index.evidence import FEATURES
from ontonym.index.fuse import PREFERRED
from ontonym.index.scan import Scan
from ontonym.tasks import (
    SIGNALS,
    STRATEGIES,
    Explanation,
    NormalizeOptions,
    SearchOptions,
    explain,
    explain_answer,
    explain_hits,
    explain_mention,
    normalize,
    search,
    why_nil,
)
from ontonym.tasks.explain import Named
from ontonym.tasks.explain.shapley import GROUPS as LIFTED
from ontonym.tasks.explain.sharedwords import Words
from ontonym.tasks.explain.texts import described, described_mention, described_nil
from ontonym.types import Mention

HUMAN = """format-version: 1.2
ontology: human

[Term]
id: H:0
name: Anything wrong

[Term]
id: H:1
name: Disorder of heart
is_a: H:0

[Term]
id: H:2
name: Heart attack
synonym: "Myocardial infarction" EXACT []
is_a: H:1

[Term]
id: H:3
name: Heart failure
is_a: H:1

[Term]
id: H:31
name: Acute heart failure
synonym: "Heart giving up" EXACT layperson []
is_a: H:3

[Term]
id: H:4
name: Cold
synonym: "Common cold" EXACT []
is_a: H:0

[Term]
id: H:5
name: Low temperature
synonym: "Cold" EXACT []

[Term]
id: H:6
name: Haemorrhage, Cerebral
is_a: H:0

[Term]
id: H:7
name: obsolete Dropsy
is_obsolete: true
replaced_by: H:3
alt_id: H:70
"""

MOUSE = """format-version: 1.2
ontology: mouse

[Term]
id: M:1
name: Whisker loss

[Term]
id: M:2
name: Tail loss
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explain")
    terms = [AddedTerm("H:31", "pump gave out", who="ann"), AddedTerm("H:3", "weak pump")]
    indexed_twice(made, {"human.obo": HUMAN, "mouse.obo": MOUSE}, terms)
    return made


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "plain.index") as opened:
        yield opened


@pytest.fixture(scope="module")
def added(folder: Path) -> Iterator[Index]:
    with open_index(folder / "added.index") as opened:
        yield opened


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

TO_HEART_FAILURE = {
    "H:31": ("parent", 1, ("H:3",)),
    "H:1": ("child", 1, ("H:1",)),
    "H:0": ("descendant", 2, ("H:0",)),
    "H:2": ("sibling", 2, ("H:1",)),
    "H:4": ("kin", 3, ("H:0",)),
    "H:5": ("unrelated", None, ()),
}


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


# --- NIL -------------------------------------------------------------------------------------------------------------


def test_what_is_missing_to_the_threshold(index: Index) -> None:
    query = "failure of xyzzy"
    (best, *_) = search(index, query)
    nil = why_nil(index, query, 0.99)
    assert nil is not None
    assert (nil.rule, nil.threshold, nil.confidence, nil.unknown) == (
        "below the threshold",
        0.99,
        best.confidence,
        ("xyzzy",),
    )
    assert nil.missing == pytest.approx(0.99 - best.confidence)
    assert nil.none is not None
    assert nil.others is not None
    assert nil.none + nil.others + nil.confidence == pytest.approx(1, abs=1e-4)
    every = index.fusion.confidences(index.signals.evidence(index.signals.query(query), Scan("OD")).features)
    assert nil.none / nil.others == pytest.approx((1 - every.sum()) / (every.sum() - every.max()), rel=1e-3)
    assert why_nil(index, query, best.confidence) is None


def test_nothing_to_find(index: Index) -> None:
    for text in ("", "?!"):
        nil = why_nil(index, text, 0.5)
        assert nil is not None
        assert nil.rule == "no words"
        assert described_nil(nil) == ["it has no letter and no digit"]
    nil = why_nil(index, "xyzzy Qwrt", options=SearchOptions(signal="lexical"))
    assert nil is not None
    assert (nil.rule, nil.unknown, nil.none) == ("nothing like it", ("xyzzy", "Qwrt"), None)
    assert described_nil(nil) == ["nothing resembles it", "in no name: xyzzy, Qwrt"]


def test_a_mention_with_an_abbreviation_that_its_document_defines(index: Index) -> None:
    mention = Mention("acute HF", passage="Heart failure (HF) is bad, acute HF is worse.")
    one = explain_mention(index, mention)
    assert (one.id, one.lookup, dict(one.abbreviations), one.nil) == (
        "H:31",
        "acute Heart failure",
        {"HF": "Heart failure"},
        None,
    )
    assert one.candidates[0].text == "acute Heart failure"
    assert described_mention(one) == ["“HF” means “Heart failure” in this document"]
    plain = explain_mention(index, mention, NormalizeOptions(abbreviations=False))
    assert (plain.lookup, dict(plain.abbreviations)) == ("acute HF", {})


def test_a_mention_that_is_nil(index: Index) -> None:
    one = explain_mention(index, Mention("failure of xyzzy"), NormalizeOptions(threshold=0.96))
    best = one.candidates[0].hit
    assert one.id is None
    assert one.nil == why_nil(index, "failure of xyzzy", 0.96)
    first, _, last = described_mention(one)
    missing = 0.96 - best.confidence
    assert first == (
        f"{best.preferred} ({best.id}) comes nearest with {best.confidence:.2f}, {missing:.2f} below the threshold 0.96"
    )
    assert last == "in no name: xyzzy"


PASSAGE = "A common cold again, and in winter acute trouble: heart failure. Her HF was low."


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("text", ["heart", "cold", "low", "failing heart", "xyzzy", ""])
def test_candidates_are_explained_as_the_document_leaves_them(index: Index, text: str, k: int) -> None:
    options = NormalizeOptions(threshold=0.6, search=SearchOptions(k=k))
    (answer,) = normalize(index, [Mention(text, passage=PASSAGE)], options)
    one = explain_answer(index, answer, options)
    assert tuple(each.hit for each in one.candidates) == answer.candidates
    assert [each.rank for each in one.candidates] == list(range(1, len(answer.candidates) + 1))
    if len(answer.candidates) > 1:
        first, second = answer.candidates[:2]
        assert one.candidates[0].rival is not None
        assert one.candidates[0].rival.concept.id == second.id
        assert one.candidates[0].rival.lead == first.confidence - second.confidence
    assert (one.nil is None) == (answer.id is not None)
    if one.nil and one.nil.rule == "below the threshold":
        assert one.nil.confidence == answer.confidence
        assert one.nil.missing == 0.6 - answer.confidence


def test_an_abbreviation_that_is_not_defined_is_taken_for_words_of_the_document(index: Index) -> None:
    one = explain_mention(index, Mention("HF", passage=PASSAGE))
    assert (one.id, one.lookup, one.implied, dict(one.abbreviations)) == ("H:3", "heart failure", "heart failure", {})
    assert described_mention(one) == ["“HF” was taken for “heart failure”"]


def test_each_part_of_a_composite_is_explained(index: Index) -> None:
    one = explain_mention(index, Mention("whisker loss and heart failure"))
    assert (one.id, one.nil, one.candidates) == ("M:1", None, ())
    assert [(part.mention.text, part.id, part.candidates[0].hit.id) for part in one.parts] == [
        ("whisker loss", "M:1", "M:1"),
        ("heart failure", "H:3", "H:3"),
    ]
    assert described_mention(one) == ["it names several, each surer by itself: “whisker loss”, “heart failure”"]
    nil = explain_mention(index, Mention("whisker loss and heart failure"), NormalizeOptions(threshold=1.0))
    assert (nil.id, nil.nil) == (None, None)
    assert [part.nil is not None and part.nil.rule for part in nil.parts] == ["below the threshold"] * 2


# --- in words --------------------------------------------------------------------------------------------------------


def lines(one: Explanation) -> list[str]:
    """What is told without the line of the signals, which the weights decide."""
    return [line for line in described(one) if not line.startswith("signals: ")]


def test_a_hit_in_words(index: Index) -> None:
    one = explain(index, "heart gives up", "H:31")
    first, words, rival, decided = lines(one)
    assert first.startswith("“Heart giving up” (lay term, layperson, human): ")
    assert words == "in both: heart, up; only in the query: gives; only in the name: giving"
    assert one.rival is not None
    assert rival.startswith(f"{abs(one.rival.lead):.2f} ")
    assert f" {one.rival.concept.preferred} ({one.rival.concept.id})" in rival
    assert decided.startswith(f"decided against {one.rival.concept.preferred} by: ")


def test_the_rival_in_words(index: Index) -> None:
    def rival(concept: str) -> str:
        return lines(explain(index, "Heart failure", concept))[-2].partition("Heart failure (H:3)")[2]

    assert {concept: rival(concept) for concept in TO_HEART_FAILURE} == {
        "H:31": ", its parent",
        "H:1": ", its child",
        "H:0": ", 2 steps below it",
        "H:2": ", its sibling under Disorder of heart (H:1)",
        "H:4": ", 3 steps away over Anything wrong (H:0)",
        "H:5": ", with nothing above both",
    }
    *_, behind, decided = lines(explain(index, "Tail loss", "M:1"))
    assert behind.endswith("behind Tail loss (M:2)")
    assert decided == "decided for Tail loss by: “Tail loss” is equal to the query, “Whisker loss” is not"
    assert lines(explain(index, "cold", "H:4"))[-1] == "fits Low temperature (H:5) as well"


def test_equal_words_are_not_listed_again(index: Index) -> None:
    assert lines(explain(index, "Heart Failure", "H:3"))[0] == (
        "“Heart failure” (preferred term, human): the same but for case"
    )
    assert not any(line.startswith("in both") for line in described(explain(index, "Heart Failure", "H:3")))


def test_the_signals_in_words_come_by_their_share(index: Index) -> None:
    one = explain(index, "heart failure now", "H:3")
    (line,) = (line for line in described(one) if line.startswith("signals: "))
    for name, word in (("lexical", "words"), ("char", "letters"), ("dense", "meaning")):
        part = one.parts[name]
        assert (f"{word} {part.share:.0%} ({part.similarity:.2f})" in line) == (part.share >= 0.01)
    for_it, _, against = line.partition("; against it ")
    assert bool(against) == any((part.lift or 0) < 0 and part.share >= 0.01 for part in one.parts.values())
    told_shares = [int(said.split("%")[0].rsplit(" ", 1)[1]) for said in for_it.split(", ")]
    assert told_shares == sorted(told_shares, reverse=True)


def test_a_believed_added_term_in_words(added: Index) -> None:
    said = described(explain(added, "pump gave out", "H:31"))
    assert said[0] == "“pump gave out” (synonym, added by ann, human): the same text"
    assert "added terms are asked first (D-T), and this is near enough (1.00) to be believed" in said


def test_every_strategy_is_explained(added: Index) -> None:
    for strategy in STRATEGIES:
        for one in explain_hits(added, "weak pump", SearchOptions(strategy=strategy)):
            assert one.module in strategy.split("+")
