"""Explanations of mentions, those that are NIL among them, and what explanations say in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from built import twice_fixtures
from explained import ADDED, HUMAN, MOUSE, TO_HEART_FAILURE
from ontonym.index import Index
from ontonym.index.everyday import SOURCE
from ontonym.index.scan import Scan
from ontonym.tasks import (
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
from ontonym.tasks.explain.texts import described, described_mention, described_nil, matched
from ontonym.types import Mention

folder, index, added = twice_fixtures({"human.obo": HUMAN, "mouse.obo": MOUSE}, ADDED)


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


def test_a_word_that_is_read_as_several_is_listed_once(index: Index) -> None:
    words = lines(explain(index, "heart can't give up", "H:31"))[1]
    assert words == "in both: heart, up; only in the query: can't, give; only in the name: giving"


def test_an_everyday_name_is_not_called_a_name_of_the_terminology(index: Index) -> None:
    hit = replace(explain(index, "heart gives up", "H:31").hit, source=SOURCE)
    assert matched(hit) == "“Heart giving up” (everyday name)"
    assert matched(hit, origin=True) == "“Heart giving up” (everyday name, human)"


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
