"""What is known of pairs beside names: hierarchies, cross-references, borrowed names; and what all of it weighs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from made import concept, opened
from ontonym.errors import ArtifactError, InputError
from ontonym.index import build_index, open_index
from ontonym.tasks.match import KnownMappings, MatchOptions, Weights, default_weights, learn_weights, match
from ontonym.tasks.match.learned import STAGES
from ontonym.tasks.match.mediators import SourceNames
from ontonym.tasks.match.references import SharedReferences, on_both_sides
from ontonym.tasks.match.related import Matches, related_match
from ontonym.tasks.match.structure import STRUCTURE_FEATURES, Anchors, Hierarchies, structure_features


def random_concepts(prefix, count, generator):
    """Concepts of which each may be below any before it, with references drawn from a few."""
    made = []
    for number in range(count):
        parents = " ".join(f"{prefix}:{other}" for other in range(number) if generator.random() < 0.25)
        xrefs = " ".join(f"{'XY'[int(one) % 2]}:{one}" for one in generator.integers(0, 8, generator.integers(0, 3)))
        made.append(concept(f"{prefix}:{number}", f"{prefix} {number}", parents=parents, xrefs=xrefs))
    return made


@pytest.mark.parametrize("seed", range(6))
def test_what_hierarchies_and_references_say_beside_brute_force(tmp_path, seed):
    generator = np.random.default_rng(seed)
    with opened(tmp_path, random_concepts("A", 9, generator), random_concepts("B", 8, generator)) as (ours, theirs):
        sources, targets = (axis.ravel() for axis in np.meshgrid(np.arange(9), np.arange(8), indexing="ij"))
        drawn = generator.permutation(9)[:5].tolist(), generator.permutation(8)[:5].tolist()
        known = list(zip(*drawn, strict=True))
        anchors = Anchors.of(np.array([one for one, _ in known]), np.array([other for _, other in known]), (9, 8))
        columns = structure_features(
            sources, targets, anchors, Hierarchies([ours], sources), Hierarchies([theirs], targets)
        )
        to, back = dict(known), {other: one for one, other in known}
        above = [set(ours.hierarchy.ancestors(row).tolist()) for row in range(9)]
        above_theirs = [set(theirs.hierarchy.ancestors(row).tolist()) for row in range(8)]
        for place, (one, other) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            mates = [to[each] for each in above[one] if each in to]
            back_mates = [back[each] for each in above_theirs[other] if each in back]
            parents = [to[each] for each in ours.hierarchy.parents(one).tolist() if each in to]
            children = [to[each] for each in ours.hierarchy.children(one).tolist() if each in to]
            counts = (
                sum(each in above_theirs[other] for each in mates),
                sum(each not in above_theirs[other] for each in mates),
                sum(each not in above[one] for each in back_mates),
                sum(each in above_theirs[other] for each in parents),
                sum(each not in above_theirs[other] for each in parents),
                sum(other in above_theirs[each] for each in children),
                sum(other not in above_theirs[each] for each in children),
                sum(other in above_theirs[each] for each in mates) + sum(one in above[each] for each in back_mates),
            )
            told = [columns[name][place] for name in STRUCTURE_FEATURES]
            assert told == pytest.approx(np.log1p(counts))
        _check_references(ours, theirs, sources, targets)


def _check_references(ours, theirs, sources, targets):
    shared = SharedReferences.between(ours, [theirs])
    columns = shared.features(sources, targets)
    mine, other = ([set(one.concept(row).xrefs) | {one.id(row)} for row in range(len(one))] for one in (ours, theirs))
    for place, (row, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        having = {each: sum(each in refs for refs in other) for each in mine[row] & other[target]}
        weight = min(sum(1 / count for count in having.values() if count <= 3), 1)
        assert columns["xref_shared"][place] == pytest.approx(weight)
        alike = {each[0] for each in mine[row]} & {each[0] for each in other[target]}
        assert columns["xref_differs"][place] == (bool(alike) and weight == 0)
        assert (target in shared.of(row).tolist()) == (weight > 0)


def test_a_reference_brings_a_candidate_that_no_name_brings(tmp_path):
    ours = [concept("S:1", "gravel", xrefs="X:7"), concept("S:2", "asthma")]
    theirs = [concept(f"T:{number}", f"gravel road {number}") for number in range(60)]
    theirs.append(concept("T:99", "nephrolithiasis", xrefs="X:7"))
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            one = next(iter(match(source, index, MatchOptions(k=3))))
            assert "T:99" in {each.id for each in one.candidates}
            without = next(iter(match(source, index, MatchOptions(k=3, xrefs=False))))
            assert "T:99" not in {each.id for each in without.candidates}


def test_ids_on_both_sides_are_told_but_not_retired_or_alternative_ones(tmp_path):
    ours = [concept("A:1", "one"), concept("A:2", "two"), concept("A:3", "three"), concept("B:1", "other")]
    theirs = [
        concept("A:1", "one"),
        concept("A:2", "two", status="retired"),
        concept("B:2", "x", alternative_ids="A:3"),
    ]
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            rows, numbers = on_both_sides(source, index)
            assert (rows.tolist(), numbers.tolist()) == ([0], [0])


MEDIATOR = [
    concept("M:1", "cervical vertebra 2", "axis", "epistropheus", xrefs="S:1"),
    concept("M:2", "lower limb", "leg and foot", "inferior limb"),
    concept("M:3", "shared", "never", xrefs="S:3"),
    concept("M:4", "shared too", "never either", xrefs="S:3"),
]


def test_names_are_borrowed_from_who_knows_the_concept(tmp_path):
    ours = [concept("S:1", "C2"), concept("S:2", "Lower limb", "leg"), concept("S:3", "shared"), concept("S:4", "none")]
    with opened(tmp_path, ours, MEDIATOR) as (source, mediator):
        names = SourceNames(source, [mediator])
        assert [name.text for name in names.of(0)] == ["C2", "cervical vertebra 2", "axis", "epistropheus"]
        assert [name.text for name in names.of(1)] == ["Lower limb", "leg", "leg and foot", "inferior limb"]
        assert [name.text for name in names.of(2)] == ["shared"]  # two of the mediator say they know it
        assert [name.text for name in names.of(3)] == ["none"]
        for number, text, language in (*names.of(0), *names.of(1)):
            assert (names.text(number), names.language(number)) == (text, language)
            assert names.lender(number) == ("" if text in {"C2", "Lower limb", "leg"} else "t1")
        with pytest.raises(IndexError):
            names.text(99)


def test_a_borrowed_name_finds_and_is_told(tmp_path):
    theirs = [concept("T:1", "epistropheus"), concept("T:2", "atlas"), concept("T:3", "C3 level")]
    with opened(tmp_path, [concept("S:1", "C2")], MEDIATOR, theirs) as (source, mediator, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            (one,) = match(source, index, MatchOptions("max", "best"), via=[mediator])
            assert (one.proposed.id, one.proposed.name, one.proposed.lender) == ("T:1", "epistropheus", "t1")
            (alone,) = match(source, index, MatchOptions("max", "best", threshold=0.6))
            assert alone.proposed is None


def test_what_is_settled_speaks_for_what_is_below_it(tmp_path):
    ours = [concept("S:1", "cold", parents="S:2"), concept("S:2", "odd heading")]
    theirs = [concept("T:1", "cold", parents="T:3"), concept("T:2", "cold", parents="T:4"),
              concept("T:3", "strange chapter"), concept("T:4", "other matter")]  # fmt: skip
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:

            def scores(known):
                (one,) = (one for one in match(source, index, known=known) if one.id == "S:1")
                return {each.id: each.score for each in one.candidates}

            plain = scores(KnownMappings())
            for right, wrong, heading in (("T:2", "T:1", "T:4"), ("T:1", "T:2", "T:3")):
                known = scores(KnownMappings({"S:2": frozenset({heading})}))
                assert known[right] / known[wrong] > plain[right] / plain[wrong]


def test_a_proposal_against_what_is_settled_is_flagged(tmp_path):
    ours = [concept("S:1", "asthma", parents="S:2"), concept("S:2", "other heading")]
    theirs = [concept("T:1", "asthma"), concept("T:2", "strange chapter", parents="T:1")]
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            known = KnownMappings({"S:2": frozenset({"T:2"})})
            (one,) = match(source, index, MatchOptions("max"), known)
            assert (one.proposed.id, one.proposed.turned) == ("T:1", 1)


RELATED_OURS = [
    concept("S:1", "heart disease"), concept("S:2", "strange cardiac matter", parents="S:1"),
    concept("S:3", "very odd matter", parents="S:2"), concept("S:4", "acute glossitis"),
    concept("S:5", "glossitis, granular"), concept("S:6", "glossitis epithelium"), concept("S:7", "anhidrosis"),
]  # fmt: skip
RELATED_THEIRS = [
    concept("T:1", "heart disease"), concept("T:2", "glossitis"), concept("T:3", "localized anhidrosis"),
    concept("T:4", "zoster"),
]  # fmt: skip


def test_what_has_no_match_is_broader_or_narrower_than_something(tmp_path):
    with opened(tmp_path, RELATED_OURS, RELATED_THEIRS) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            options = MatchOptions("max", threshold=0.99, related=True)
            plain = match(source, index, replace(options, related=False))
            assert {one.id: one.proposed.id for one in plain.proposals()} == {"S:1": "T:1"}
            made = match(source, index, options)
            found = {one.id: one.proposed for one in made if one.proposed}
            assert (found["S:1"].predicate, found["S:1"].above) == ("skos:exactMatch", "")
            for id_ in ("S:2", "S:3"):
                assert (found[id_].id, found[id_].predicate, found[id_].above) == ("T:1", "skos:broadMatch", "S:1")
                assert found[id_].score == found["S:1"].score
            assert made.proposed == len(found) == len(list(made.proposals()))
            told = {one.source: one for one in _worded(source, index, options)}
            assert [(one.target, one.predicate) for _, one in sorted(told.items())] == [
                (1, "skos:broadMatch"), (1, "skos:broadMatch"), (2, "skos:narrowMatch"),
            ]  # fmt: skip


DENIED = [
    "no glossitis", "denies glossitis", "ruled out glossitis", "rule out glossitis", "suspected glossitis",
    "never had glossitis", "family history of glossitis", "mother with glossitis", "glossitis, ruled out",
]  # fmt: skip


def test_what_is_denied_or_doubted_or_a_relatives_is_no_kind_of_it(tmp_path):
    names = ["acute glossitis", "glossitis without ulcer", "zoster", *DENIED]
    ours = [concept(f"S:{number + 10}", name) for number, name in enumerate(names)]
    theirs = [concept("T:1", "glossitis"), concept("T:2", "family history of zoster"), concept("T:3", "fever")]
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            options = MatchOptions("max", "best", threshold=1)
            assert {(source.preferred(one.source), one.target, one.predicate)
                    for one in _worded(source, index, options)} == {
                ("acute glossitis", 0, "skos:broadMatch"), ("glossitis without ulcer", 0, "skos:broadMatch"),
            }  # fmt: skip
            found = {one.preferred: {each.id: each.predicate for each in one.candidates}
                     for one in match(source, index, options)}  # fmt: skip
            assert {name: found[name]["T:1"] for name in DENIED} == dict.fromkeys(DENIED, "skos:relatedMatch")
            assert found["zoster"]["T:2"] == "skos:relatedMatch"
            assert found["acute glossitis"]["T:1"] == "skos:broadMatch"


def _worded(source, index, options):
    """What words alone say, however sure."""
    made = match(source, index, replace(options, related=False))
    nothing = Anchors.of(np.empty(0, dtype=int), np.empty(0, dtype=int), (len(source), index.concept_count))
    matches = Matches(nothing, np.zeros(len(source)))
    ours = Hierarchies([source], np.arange(len(source)))
    theirs = Hierarchies(index.terminologies, np.arange(index.concept_count))
    for place, row in enumerate(made.asked.tolist()):
        if source.id(row) != "S:1":
            one = related_match(row, made.pairs_of(place), made.found, made.texts, matches, ours, theirs)
            if one is not None:
                yield one


# What it weighs ------------------------------------------------------------------------------------------------------


def test_the_default_weights_are_those_of_the_features():
    weights = default_weights()
    assert {stage: one.features for stage, one in weights.items()} == dict(STAGES)
    told = weights["names"].to_dict()
    assert Weights.from_dict(told, "names").to_dict() == told
    with pytest.raises(ArtifactError, match="other features"):
        Weights.from_dict(told, "structure")


def test_weights_are_learned_and_each_sample_counts_alike():
    pytest.importorskip("sklearn")
    generator = np.random.default_rng(0)

    def sample(size, sign):
        columns = {name: generator.standard_normal(size) for name in STAGES["names"]}
        return columns, sign * columns["dense"] + 0.1 * generator.standard_normal(size) > 0

    learned = learn_weights([sample(400, 1)], "names")
    columns, same = sample(400, 1)
    assert ((learned.probabilities(columns) > 0.5) == same).mean() > 0.95
    both = learn_weights([sample(100, -1), sample(3_000, 1), sample(100, -1)], "names")
    assert both.weights[STAGES["names"].index("dense")] < 0  # two small samples outweigh a large one
    with pytest.raises(InputError, match="nothing to learn from"):
        learn_weights([(columns, np.ones(400, dtype=bool))], "names")


@pytest.mark.slow
def test_the_score_is_learned_from_what_is_known(tmp_path):
    pytest.importorskip("sklearn")
    words = [f"{one}{two}itis" for one in ("card", "neur", "derm", "gastr", "oste", "myo", "nephr", "hepat")
             for two in ("al", "en", "ob", "ur", "is", "an", "em", "or", "ax", "ol")]  # fmt: skip
    ours = [concept(f"S:{number}", f"acute {word}", f"{word} acuta") for number, word in enumerate(words)]
    theirs = [concept(f"T:{number}", f"sudden {word}") for number, word in enumerate(words)]
    known = KnownMappings({f"S:{number}": frozenset({f"T:{number}"}) for number in range(60)})
    with opened(tmp_path, ours, theirs) as (source, target):
        build_index([target], tmp_path / "t.index")
        with open_index(tmp_path / "t.index") as index:
            plain, learned = match(source, index, known=known), match(source, index, known=known, learn=True)
            assert {one.id for one in learned} == {one.id for one in plain} == {f"S:{n}" for n in range(60, 80)}
            right = {(f"S:{number}", f"T:{number}") for number in range(60, 80)}
            found = {(one.id, one.proposed.id) for one in learned.proposals()}
            assert len(found & right) >= 18 > len({(one.id, one.proposed.id) for one in plain.proposals()} & right)
            with pytest.raises(InputError, match="only 1 of the known mappings"):
                match(source, index, known=KnownMappings({"S:1": frozenset({"T:1"})}), learn=True)


def test_what_two_terminologies_share_is_read_once_and_anew_for_others(tmp_path):
    ours = [concept("A:1", "one", xrefs="X:1"), concept("S:2", "two")]
    theirs = [concept("B:1", "one", xrefs="X:1"), concept("S:2", "two")]
    with opened(tmp_path, ours, theirs, theirs[1:]) as (source, target, other):
        once = SharedReferences.between(source, [target])
        assert SharedReferences.between(source, [target]) is once
        assert once.of(0).tolist() == [0]
        assert SharedReferences.between(source, [other]).of(0).tolist() == []
        assert SharedReferences.between(target, [source]).of(1).tolist() == [1]
