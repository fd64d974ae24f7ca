from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import InputError, MismatchError, UnknownNameError
from ontonym.index import Index, IndexOptions, build_index, open_index
from ontonym.index.scan import Scan
from ontonym.learning.equivalents import Equivalents
from ontonym.learning.mining import MiningOptions, mine
from ontonym.learning.recipes import Examples, PoolOptions, RecipeOptions, Texts, find_recipe, make_examples, name_pool
from ontonym.learning.recipes.split import SPLITS
from ontonym.learning.rerankers.candidates import CandidateOptions, make_groups
from ontonym.learning.rerankers.groups import groups_digest
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.text.normalization import normalize
from ontonym.text.strings import Strings
from ontonym.types import Concept

ALL_TRAIN = (1.0, 0.0, 0.0)

HEART = (
    "id: T:1\nname: disorder",
    "id: T:2\nname: heart disorder\nsynonym: \"cardiac disorder\" EXACT []\nis_a: T:1",
    "id: T:3\nname: acute heart disorder\nsynonym: \"acute cardiac disorder\" EXACT []\nis_a: T:2",
    "id: T:4\nname: chronic heart disorder\nsynonym: \"chronic cardiac disorder\" EXACT []\nis_a: T:2\nxref: T:6",
    "id: T:5\nname: lung disorder\nsynonym: \"pulmonary disorder\" EXACT []\nis_a: T:1",
    "id: T:6\nname: heart disorder of long standing\nis_a: T:1",
    "id: T:7\nname: cardiac disorder in acute form\nsynonym: \"acute cardiac state\" EXACT []\nis_a: T:1",
)  # fmt: skip


def numbers(index: Index, *ids: str) -> list[int]:
    return [index.number(f"T:{number}") for number in ids]


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


def random_index(workshop, words: Callable[[int, int], list[str]], seed: int) -> Index:
    """Two terminologies of made-up concepts with shared names, cross-references and several parents."""
    rng = np.random.default_rng(seed)
    names = words(400, seed % 7)
    terminologies = []
    for letter, count in (("T", 40), ("U", 25)):
        stanzas = []
        for number in range(count):
            own = rng.choice(len(names), rng.integers(1, 5), replace=False).tolist()
            lines = [f"id: {letter}:{number}", f"name: {names[own[0]]}"]
            lines += [f'synonym: "{names[name]}" EXACT []' for name in own[1:]]
            lines += [f"is_a: {letter}:{parent}" for parent in {*rng.integers(0, max(number, 1), 2).tolist()} if number]
            if letter == "U" and rng.random() < 0.3:
                lines.append(f"xref: T:{rng.integers(40)}")
            stanzas.append("\n".join(lines))
        terminologies.append(workshop.terminology(f"{letter}{seed}", *stanzas))
    return workshop.index(*terminologies, name=f"index{seed}")


def owners(index: Index) -> dict[str, set[int]]:
    """The concepts that have each name, by its normalized form, read from the terminologies themselves."""
    found: dict[str, set[int]] = {}
    for concept in range(index.concept_count):
        terminology, row = index.locate(concept)
        for term in terminology.concept(row).terms:
            found.setdefault(normalize(term.text), set()).add(concept)
    return found


@lru_cache(maxsize=1)
def records(index: Index) -> list[tuple[Concept, str]]:
    """Every concept, and its preferred name as it is normalized."""
    found = [terminology.concept(row) for terminology in index.terminologies for row in range(len(terminology))]
    return [(concept, normalize(concept.preferred)) for concept in found]


@lru_cache(maxsize=1000)
def unfit(index: Index, concept: int) -> set[int]:
    """What may not be a negative for a concept, worked out one concept at a time."""
    same = {concept}
    while True:  # what means the same, through cross-references and preferred names
        more = set()
        for other, (record, name) in enumerate(records(index)):
            for member in same:
                mine, its_name = records(index)[member]
                if name == its_name or record.id in mine.xrefs or mine.id in record.xrefs:
                    more.add(other)
        if more <= same:
            break
        same |= more
    above, front = set(), list(same)
    while front:
        for parent in records(index)[front.pop()][0].parents:
            number = index.number(parent)
            if number not in above:
                above.add(number)
                front.append(number)
    return same | above


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


# Hard negatives ----------------------------------------------------------------------------------------------------


def synonyms(index: Index, shares: tuple[float, float, float] = ALL_TRAIN, seed: int = 0) -> Examples:
    pool = name_pool(index.terminologies, PoolOptions(languages=(), shares=shares, seed=seed))
    return make_examples(pool, find_recipe("synonyms"), RecipeOptions(seed=seed))


def told(examples: Examples) -> set[tuple[str, ...]]:
    texts = examples.texts.texts.tolist()
    return {tuple(texts[place] for place in row) for row in examples.table("train").tolist()}


def test_negatives_by_hand(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    mined = mine(index, examples, MiningOptions(nearest=1))
    negatives = {row[:2]: row[2] for row in told(mined)}
    assert set(negatives) == told(examples)
    (pair,) = (pair for pair in negatives if set(pair) == {"acute heart disorder", "acute cardiac disorder"})
    # nearer still are names of its ancestors: heart disorder, cardiac disorder
    anchor = index.encoder.encode([pair[0]])[0]
    fit = ["chronic heart disorder", "chronic cardiac disorder", "lung disorder", "pulmonary disorder",
           "cardiac disorder in acute form", "acute cardiac state"]  # fmt: skip
    assert negatives[pair] == max(fit, key=lambda name: float(index.encoder.encode([name])[0] @ anchor))
    assert mined.described["hard negatives"]["without"] == {"train": 0, "dev": 0, "test": 0}
    assert mined.described["recipe"] == "synonyms"


def test_names_of_concepts_without_pairs_are_negatives_where_allowed(workshop) -> None:
    index = workshop.index(
        workshop.terminology(
            "t",
            'id: T:1\nname: heart failure\nsynonym: "cardiac failure" EXACT []',
            'id: T:2\nname: stone\nsynonym: "calculus" EXACT []',
            "id: T:3\nname: heart failures of old age",
        )
    )
    pool = name_pool(index.terminologies, PoolOptions(languages=()))
    examples = make_examples(pool, find_recipe("synonyms"), RecipeOptions())
    one = MiningOptions(nearest=1)
    assert not any("of old age" in row[2] for row in told(mine(index, examples, one)))
    usable = {split: pool.names_of(split) for split in SPLITS}
    near = {row[2] for row in told(mine(index, examples, one, usable=usable)) if "failure" in row[0]}
    assert near == {"heart failures of old age"}


def test_ceiling_and_skip(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    vectors = {text: index.encoder.encode([text])[0] for text in examples.texts.texts.tolist()}

    def cosines(options: MiningOptions) -> dict[tuple[str, ...], float]:
        return {row[:2]: float(vectors[row[0]] @ vectors[row[2]]) for row in told(mine(index, examples, options))}

    nearest, second = cosines(MiningOptions(nearest=1)), cosines(MiningOptions(nearest=1, skip=1))
    assert all(second[pair] <= nearest[pair] for pair in nearest)
    assert any(second[pair] < nearest[pair] for pair in nearest)
    assert max(nearest.values()) > 0.4
    low = cosines(MiningOptions(nearest=1, ceiling=0.4))
    assert len(low) == len(nearest)
    assert max(low.values()) < 0.41  # int8 rounding


def test_only_where_the_encoder_answers_wrongly(workshop, words) -> None:
    index = random_index(workshop, words, 4)
    examples = synonyms(index)
    every = told(mine(index, examples, MiningOptions(nearest=1)))
    texts = sorted({text for row in every for text in row})
    vectors = dict(zip(texts, index.encoder.encode_names(texts), strict=True))

    def margin(anchor: str, positive: str, negative: str) -> float:
        """How much nearer the negative is; int8 decides what is nearly as near."""
        return float(vectors[anchor] @ vectors[negative] - vectors[anchor] @ vectors[positive])

    wrong = mine(index, examples, MiningOptions(nearest=1, wrong=True))
    taken = told(wrong)
    assert taken <= every
    assert {row for row in every if margin(*row) > 0.02} <= taken
    assert not {row for row in taken if margin(*row) < -0.02}
    assert 0 < len(taken) < len(every)
    assert wrong.described["hard negatives"]["without"]["train"] == len(examples.table("train")) - len(taken)


def test_pairs_without_a_fit_negative_are_left_out_and_counted(workshop) -> None:
    index = workshop.index(
        workshop.terminology("t", "id: T:1\nname: top", 'id: T:2\nname: below\nsynonym: "beneath" EXACT []\nis_a: T:1')
    )
    mined = mine(index, synonyms(index))
    assert mined.table("train").shape == (0, 3)
    assert mined.described["hard negatives"]["without"]["train"] == 1


@pytest.mark.slow
def test_the_same_seed_draws_the_same_negatives(workshop, words) -> None:
    index = random_index(workshop, words, 5)
    examples = synonyms(index)
    first, again, other = (mine(index, examples, MiningOptions(seed=seed)).table("train") for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first[:, :2] == other[:, :2]).all()
    assert (first[:, 2] != other[:, 2]).any()


def test_an_index_of_other_terminologies(workshop) -> None:
    one = workshop.index(workshop.terminology("t", *HEART), name="one")
    other = workshop.index(workshop.terminology("u", *HEART[:5]), name="other")
    with pytest.raises(MismatchError, match="does not have the terminology t of the examples"):
        mine(other, synonyms(one))
    bare = Examples(synonyms(one).texts, synonyms(one).tables)
    with pytest.raises(MismatchError, match="do not say which terminologies they are of"):
        mine(one, bare)


def test_examples_with_negatives_are_refused(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    with pytest.raises(InputError, match="have negatives already"):
        mine(index, mine(index, synonyms(index)))


@pytest.mark.slow
@examples(8)
@given(seed=st.integers(0, 10_000), nearest=st.integers(1, 20), all_names=st.booleans())
def test_no_positive_is_a_hard_negative(workshop, words, seed: int, nearest: int, all_names: bool) -> None:
    index = random_index(workshop, words, seed)
    pool = name_pool(index.terminologies, PoolOptions(languages=(), shares=(0.6, 0.2, 0.2), seed=seed))
    examples = make_examples(pool, find_recipe("synonyms"), RecipeOptions(seed=seed))
    usable = {split: pool.names_of(split) for split in SPLITS} if all_names else None
    mined = mine(index, examples, MiningOptions(nearest=nearest, seed=seed), usable=usable)
    texts, having = mined.texts, owners(index)
    for split in SPLITS:
        names = pool.names_of(split)
        table = mined.table(split)
        assert {tuple(row) for row in table[:, :2].tolist()} <= {tuple(row) for row in examples.table(split).tolist()}
        assert len(table) + mined.described["hard negatives"]["without"][split] == len(examples.table(split))
        for anchor, positive, negative in table.tolist():
            assert names[negative]
            forms = [normalize(texts.texts[place]) for place in (anchor, positive, negative)]
            assert forms[2] not in forms[:2]
            wrong = unfit(index, int(texts.concepts[anchor])) | unfit(index, int(texts.concepts[positive]))
            assert int(texts.concepts[negative]) not in wrong
            assert not having[forms[2]] & {int(texts.concepts[anchor]), int(texts.concepts[positive])}


@pytest.mark.live
def test_negatives_of_hpo(tmp_path: Path) -> None:
    """On a real terminology no negative is a name of the anchor's concept, or of one above it."""
    release = Path(os.environ.get("ONTONYM_DATA", "")) / "hpo" / "hp.obo.gz"
    if not release.exists():
        pytest.skip("set ONTONYM_DATA to the folder that holds hpo/hp.obo.gz")
    build_terminology(read_release([release]), tmp_path / "hp.terminology")
    with open_terminology(tmp_path / "hp.terminology") as terminology:
        build_index([terminology], tmp_path / "hp.index", options=IndexOptions())
        with open_index(tmp_path / "hp.index") as index:
            mined = mine(index, synonyms(index), MiningOptions(nearest=4))
    table = mined.table("train")
    assert len(table) > 10_000
    rng = np.random.default_rng(0)
    with open_terminology(tmp_path / "hp.terminology") as terminology:
        for anchor, _, negative in table[rng.permutation(len(table))[:300]].tolist():
            own, other = (int(mined.texts.concepts[place]) for place in (anchor, negative))
            assert own != other
            assert other not in terminology.hierarchy.ancestors(own).tolist()


def test_texts_beside_names_are_anchors_too(workshop) -> None:
    """Definitions and titles put together are in no index; they find negatives by their vectors."""
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    heart = int(np.flatnonzero(np.array(examples.texts.texts.tolist()) == "lung disorder")[0])
    known = examples.texts
    more = Texts(
        Strings.joined([known.texts, Strings.of(["a disorder of the lung in general"])]),
        np.append(known.concepts, known.concepts[heart]),
        np.append(known.meanings, known.meanings[heart]),
        np.append(known.spellings, known.spellings.max() + 1).astype(np.int32),
    )
    table = np.array([[len(known), heart], *examples.table("train").tolist()], dtype=np.int32)
    mined = mine(index, Examples(more, {"train": table}, examples.described), MiningOptions(nearest=1))
    (row,) = (row for row in told(mined) if "general" in row[0])
    assert row[1] == "lung disorder"
    assert row[2] not in ("pulmonary disorder", "lung disorder", "disorder")
