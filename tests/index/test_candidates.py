from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from negatives import ALL_TRAIN, HEART, numbers, owners, random_index, unfit
from ontonym.errors import InputError, UnknownNameError
from ontonym.index.scan import Scan
from ontonym.learning.equivalents import Equivalents
from ontonym.learning.recipes.split import SPLITS
from ontonym.learning.rerankers.candidates import CandidateOptions, make_groups
from ontonym.learning.rerankers.groups import groups_digest
from ontonym.text.normalization import normalize

# Equivalents -------------------------------------------------------------------------------------------------------


def test_kin_is_what_means_the_same_is_above_or_mapped(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    equivalents = Equivalents(index)
    assert equivalents.of(index.number("T:3")).tolist() == numbers(index, "1", "2", "3")
    assert equivalents.of(index.number("T:3"), ancestors=False).tolist() == numbers(index, "3")
    assert equivalents.of(index.number("T:4")).tolist() == numbers(index, "1", "2", "4", "6")  # cross-referenced
    assert equivalents.of(index.number("T:6")).tolist() == numbers(index, "1", "2", "4", "6")  # and so in return
    assert equivalents.same(index.number("T:6")).tolist() == numbers(index, "4", "6")


def test_kin_goes_through_all_terminologies(workshop) -> None:
    first = workshop.terminology("t", *HEART)
    second = workshop.terminology(
        "u", "id: U:1\nname: state", "id: U:2\nname: acute heart disorder\nis_a: U:1", "id: U:3\nname: another"
    )
    index = workshop.index(first, second)
    acute, twin, state = index.number("T:3"), index.number("U:2"), index.number("U:1")
    equivalents = Equivalents(index)
    assert equivalents.same(acute).tolist() == [acute, twin]
    assert equivalents.of(acute).tolist() == sorted([*numbers(index, "1", "2", "3"), twin, state])
    assert equivalents.of(twin).tolist() == equivalents.of(acute).tolist()


# Groups ------------------------------------------------------------------------------------------------------------


def test_a_group_by_hand(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    made = make_groups(index, CandidateOptions(depth=8, groups=50, dev=0, shares=ALL_TRAIN))
    by_query = {group.query[0]: group for group in made.of("train")}
    assert len(by_query) == 10  # every name of a concept with two; none is shared
    group = by_query["acute cardiac disorder"]
    assert group.candidates[group.positive] == ("acute heart disorder",)
    others = {candidate for place, candidate in enumerate(group.candidates) if place != group.positive}
    assert others == {
        ("chronic heart disorder", "chronic cardiac disorder"),
        ("lung disorder", "pulmonary disorder"),
        ("heart disorder of long standing",),
        ("cardiac disorder in acute form", "acute cardiac state"),
    }  # neither of its ancestors
    with_ancestors = make_groups(index, CandidateOptions(depth=8, groups=50, dev=0, shares=ALL_TRAIN, ancestors=True))
    group = next(g for g in with_ancestors.of("train") if g.query == ("acute cardiac disorder",))
    assert {("disorder",), ("heart disorder", "cardiac disorder")} <= set(group.candidates)


def test_every_concept_is_asked_for_before_one_is_asked_for_again(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    groups = make_groups(index, CandidateOptions(depth=3, groups=5, dev=0, shares=ALL_TRAIN)).of("train")
    names = {name for group in groups for name in (*group.query, *group.candidates[group.positive])}
    assert len(groups) == 5
    assert len(names) == 10
    assert {len(group.candidates) for group in groups} == {3}


def test_the_right_one_is_put_in_where_search_did_not_bring_it(workshop) -> None:
    index = workshop.index(
        workshop.terminology(
            "t",
            'id: T:1\nname: zzz\nsynonym: "alpha beta gamma" EXACT []',
            *(f"id: T:{number}\nname: alpha beta gamma {number}{number}" for number in range(2, 9)),
        )
    )
    options = CandidateOptions(depth=4, groups=2, dev=0, shares=ALL_TRAIN, signal="lexical")
    grouped = make_groups(index, options)
    (group,) = (group for group in grouped.of("train") if group.query == ("alpha beta gamma",))
    assert group.positive == 3
    assert group.candidates[3] == ("zzz",)
    assert grouped.described["right one not brought"] == {"train": 2, "others": 0}


def test_dev_stays_as_search_has_it(workshop) -> None:
    """Ancestors compete there, and a right one that search did not bring is a miss."""
    index = workshop.index(workshop.terminology("t", *HEART))
    options = CandidateOptions(depth=3, judged=7, groups=10, dev=10, shares=(0.5, 0.5, 0.0), seed=1)
    grouped = make_groups(index, options)
    assert {len(group.candidates) for group in grouped.of("dev")} == {6, 7}  # one of two that mean the same is left out
    assert {len(group.candidates) for group in grouped.of("train")} == {3}
    for group in grouped.of("dev"):
        evidence = index.signals.evidence(
            index.signals.query(group.query[0]), Scan(hidden=index.signals.names.spelled(group.query[0].split()))
        )
        sure = index.fusion.confidences(evidence.features)
        best = index.preferred(int(evidence.concepts[sure.argmax()]))
        assert best in group.candidates[0] or group.query == (best,)
        assert any("disorder" in candidate for candidate in group.candidates)


def test_several_names_are_asked_with_together(workshop) -> None:
    index = workshop.index(
        workshop.terminology(
            "t",
            'id: T:1\nname: one\nsynonym: "two" EXACT []\nsynonym: "three" EXACT []\nsynonym: "one and two" EXACT []',
            'id: T:2\nname: two and three\nsynonym: "one with three" EXACT []',
        )
    )
    groups = make_groups(index, CandidateOptions(depth=2, groups=9, dev=0, shares=ALL_TRAIN, hidden=3)).of("train")
    assert [len(group.query) for group in groups] == [3]
    (group,) = groups
    assert {*group.query, *group.candidates[group.positive]} == {"one", "two", "three", "one and two"}


def test_a_name_that_others_have_is_not_asked_with_and_makes_no_negative(workshop) -> None:
    index = workshop.index(
        workshop.terminology(
            "t",
            'id: T:1\nname: cold injury\nsynonym: "cold" EXACT []\nsynonym: "frostbite" EXACT []',
            'id: T:2\nname: common cold\nsynonym: "Cold" EXACT []\nsynonym: "coryza" EXACT []',
            'id: T:3\nname: cold sore\nsynonym: "fever blister" EXACT []',
        )
    )
    groups = make_groups(index, CandidateOptions(depth=9, groups=99, dev=0, shares=ALL_TRAIN)).of("train")
    assert {group.query[0] for group in groups} == {
        "cold injury", "frostbite", "common cold", "coryza", "cold sore", "fever blister",
    }  # fmt: skip
    for group in groups:
        assert sum("cold" in map(str.lower, candidate) for candidate in group.candidates) == (
            2 if group.query[0] in ("cold sore", "fever blister") else 1
        )


def test_excluded_names_are_nowhere(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    options = CandidateOptions(depth=8, groups=50, dev=50, shares=(0.5, 0.5, 0.0), seed=1)
    grouped = make_groups(index, options, exclude=["Acute Cardiac Disorders", "lung disorder"])
    told = {
        alias
        for split in SPLITS
        for group in grouped.of(split)
        for side in (group.query, *group.candidates)
        for alias in side
    }
    assert "pulmonary disorder" in told
    assert not told & {"acute cardiac disorder", "lung disorder"}
    assert grouped.described["options"]["exclude"] == 2


@pytest.mark.slow
def test_equal_input_gives_equal_groups(workshop, words: Callable[[int, int], list[str]]) -> None:
    index = random_index(workshop, words, 3)
    options = CandidateOptions(depth=5, groups=30, dev=10, test=10, shares=(0.6, 0.2, 0.2))
    first, again, other = (make_groups(index, replace(options, seed=seed)) for seed in (0, 0, 1))
    for split in SPLITS:
        assert groups_digest(first.of(split)) == groups_digest(again.of(split)) != groups_digest(other.of(split))
    assert first.described == again.described


def test_nothing_to_ask(workshop) -> None:
    index = workshop.index(workshop.terminology("t", "id: T:1\nname: one", "id: T:2\nname: two"))
    with pytest.raises(InputError, match="no group to train on: a concept needs two names or more"):
        make_groups(index)


def test_wrong_options() -> None:
    with pytest.raises(UnknownNameError, match=r"signal 'bm25'.*char, dense, fused, lexical"):
        CandidateOptions(signal="bm25")
    with pytest.raises(InputError, match="`depth=` must be at least 2, not 1"):
        CandidateOptions(depth=1)


@pytest.mark.slow
@examples(8)
@given(seed=st.integers(0, 10_000), hidden=st.integers(1, 2), signal=st.sampled_from(["fused", "lexical", "dense"]))
def test_no_right_answer_is_a_negative_and_nothing_leaks(workshop, words, seed: int, hidden: int, signal: str) -> None:
    index = random_index(workshop, words, seed)
    options = CandidateOptions(
        depth=6, groups=40, dev=8, test=8, hidden=hidden, signal=signal, shares=(0.6, 0.2, 0.2), seed=seed
    )
    grouped = make_groups(index, options)
    having = owners(index)
    concepts: dict[str, set[int]] = {}
    for split in SPLITS:
        concepts[split] = set()
        for group in grouped.of(split):
            (right,) = having[normalize(group.query[0])]  # an unambiguous question
            concepts[split].add(right)
            assert len(group.query) == hidden
            assert len(group.candidates) <= (options.depth if split == "train" else options.judged)
            asked = {normalize(name) for name in group.query}
            aliases = [{normalize(alias) for alias in candidate} for candidate in group.candidates]
            assert not any(asked & candidate for candidate in aliases)
            if split == "train":
                assert group.positive >= 0
                wrong = unfit(index, right)
                for place, candidate in enumerate(aliases):
                    possible = set.intersection(*(having[alias] for alias in candidate))
                    if place == group.positive:
                        assert right in possible
                    else:
                        assert possible - wrong
                        assert not any(right in having[alias] for alias in candidate)
    meanings = Equivalents(index).meanings
    for one, other in pairwise([*SPLITS, "train"]):
        assert not {meanings[c] for c in concepts[one]} & {meanings[c] for c in concepts[other]}
    judged = {normalize(name) for split in ("dev", "test") for group in grouped.of(split) for name in group.query}
    seen = {normalize(name) for g in grouped.of("train") for side in (g.query, *g.candidates) for name in side}
    assert not judged & seen
