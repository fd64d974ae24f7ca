"""Concepts matched, beside brute force: what names say put together, who gets whom, and what an interruption leaves."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from made import concept, opened
from ontonym.errors import ArtifactError, InputError, MismatchError, UnknownNameError
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.tasks import search
from ontonym.tasks.match import KnownMappings, MatchOptions, match, matching
from ontonym.tasks.match.rows import proposal_rows
from ontonym.tasks.match.scoring import ScoredPairs, choose
from ontonym.tasks.search import Experiment
from ontonym.types import Correction

OURS = [
    concept("S:1", "kidney failure", "renal failure", "failure of the kidneys"),
    concept("S:2", "cardiac failure", "heart failure", "weak heart"),
    concept("S:3", "lung disease", parents="S:5"),
    concept("S:4", "asthma", "bronchial asthma", parents="S:3"),
    concept("S:5", "disease"),
    concept("S:6", "retired thing", status="retired"),
    concept("T:9", "on both sides"),
]
THEIRS = [
    concept("T:1", "renal failure", "kidney insufficiency"),
    concept("T:2", "heart failure", "congestive heart failure"),
    concept("T:3", "pulmonary disease", "lung disease", parents="T:5"),
    concept("T:4", "asthma", parents="T:3"),
    concept("T:5", "disease"),
    concept("T:6", "acute renal failure", parents="T:1"),
    concept("T:9", "on both sides"),
]


OTHERS = [concept("U:4", "asthma"), concept("U:5", "disease"), concept("U:7", "stroke")]


@contextmanager
def sides(folder, ours=OURS, theirs=THEIRS):
    with opened(folder, ours, theirs) as (source, target):
        build_index([target], folder / "t.index", options=IndexOptions(everyday=False))
        with open_index(folder / "t.index") as index:
            yield source, index


def found_of(made):
    return {(one.id, one.proposed.id) for one in made if one.proposed}


def test_scores_are_those_of_searches_put_together(tmp_path):
    with sides(tmp_path) as (source, index):
        uncalibrated = Experiment(k=10, strategy="OD-T", verbatim=True, calibrated=False)
        scores = {}
        for aggregate in ("max", "mean", "best-three", "reciprocal-rank"):
            made = match(source, index, MatchOptions(aggregate, "best", 0.0, xrefs=False))
            scores[aggregate] = {(one.id, each.id): each for one in made for each in one.candidates}
        for row in np.flatnonzero(source.active).tolist():
            names = source.names(row)
            if source.id(row) == "T:9":
                continue
            answers = [search(index, name, uncalibrated) for name in names]
            for target in {hit.id for hits in answers for hit in hits}:
                given = sorted((hit.confidence for hits in answers for hit in hits if hit.id == target), reverse=True)
                ranks = [place for hits in answers for place, hit in enumerate(hits, 1) if hit.id == target]
                pair = (source.id(row), target)
                assert scores["max"][pair].score == pytest.approx(given[0], abs=1e-5)
                assert scores["mean"][pair].score == pytest.approx(sum(given) / len(names), abs=1e-5)
                assert scores["best-three"][pair].score == pytest.approx(sum(given[:3]) / min(len(names), 3), abs=1e-5)
                assert scores["reciprocal-rank"][pair].score == pytest.approx(
                    sum(1 / rank for rank in ranks) / len(names), abs=1e-5
                )
                assert (scores["max"][pair].found, scores["max"][pair].of) == (len(given), len(names))


def test_the_learned_score_finds_them_and_says_why(tmp_path):
    with sides(tmp_path) as (source, index):
        made = match(source, index)
        assert found_of(made) == {("S:1", "T:1"), ("S:2", "T:2"), ("S:3", "T:3"), ("S:4", "T:4"), ("S:5", "T:5")}
        assert (len(made), made.proposed, made.on_both_sides) == (5, 5, 1)
        one = next(iter(made))
        assert one.proposed is one.candidates[0]
        assert (one.proposed.name, one.proposed.matched, one.proposed.reason.rule) == (
            "renal failure", "renal failure", "exact",
        )  # fmt: skip
        assert [each.score for each in one.candidates] == sorted((each.score for each in one.candidates), reverse=True)
        assert {one.id for one in made.proposals()} == {one.id for one in made if one.proposed}


def test_by_how_many_names_a_candidate_was_found_is_said_where_there_are_several(tmp_path):
    with sides(tmp_path) as (source, index):
        said = {row["subject_id"]: row["other"] for row in proposal_rows(match(source, index))}
        several = {source.id(row) for row in np.flatnonzero(source.active).tolist() if len(source.names(row)) > 1}
        assert {id_ for id_, other in said.items() if "; found by " in other} == several & said.keys() != set()


def test_concepts_of_other_terminologies_are_no_rivals(tmp_path):
    with opened(tmp_path, OURS, THEIRS, OTHERS) as (source, *targets):
        build_index(targets[:1], tmp_path / "one.index")
        build_index(targets, tmp_path / "both.index")
        options, found = MatchOptions(mode="best", threshold=0.0, xrefs=False, structure=False), []
        for name in ("one", "both"):
            with open_index(tmp_path / f"{name}.index") as index:
                found.append({one.id: one for one in match(source, index, options)})
        one, both = found
        scores = {each.id: each.score for each in both["S:4"].candidates}
        assert scores["T:4"] == pytest.approx(one["S:4"].proposed.score, abs=0.02)
        assert scores["U:4"] == pytest.approx(scores["T:4"], abs=0.02)
        assert both["S:4"].proposed.score > 0.9


def test_names_are_not_taken_for_misspelled_ones(tmp_path):
    with sides(tmp_path, [concept("S:1", "asthna")], THEIRS) as (source, index):
        (one,) = match(source, index, MatchOptions("max", "best", 0.0, names="written"))
        assert "read as" not in " ".join(each.reason.detail for each in one.candidates)


@pytest.mark.slow
def test_several_processes_find_the_same(tmp_path):
    with sides(tmp_path) as (source, index):
        one, two = match(source, index), match(source, index, jobs=2)
        assert list(one) == list(two)


def test_an_interrupted_match_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    monkeypatch.setattr(matching, "_KEPT_AT_ONCE", 2)
    with sides(tmp_path) as (source, index):
        keep = tmp_path / "out.unfinished"
        seen = []

        def interrupted(done):
            seen.append(done)
            if len(seen) == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            match(source, index, keep=keep, progress=interrupted)
        assert sorted(path.name for path in keep.iterdir()) == ["000000.npz", "of.txt"]
        seen.clear()
        asked = []
        whole = matching.CandidateFinder.__call__

        def counted(self, batch):
            asked.extend(batch)
            return whole(self, batch)

        monkeypatch.setattr(matching.CandidateFinder, "__call__", counted)
        again = match(source, index, keep=keep, resume=True, progress=seen.append)
        assert (sum(seen), len(asked), keep.exists()) == (5, 3, False)
        assert list(again) == list(match(source, index))


def test_what_was_kept_is_of_this_match_and_whole_or_begun_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(matching, "_KEPT_AT_ONCE", 2)
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    with sides(tmp_path) as (source, index):
        keep = tmp_path / "out.unfinished"
        whole = list(match(source, index))
        stopped = iter([0, 0, 0])
        with pytest.raises(StopIteration):
            match(source, index, keep=keep, progress=lambda done: next(stopped))
        with pytest.raises(MismatchError, match="with other options"):
            match(source, index, MatchOptions(k=3), keep=keep, resume=True)
        (keep / "000000.npz").write_bytes((keep / "000000.npz").read_bytes()[:100])
        assert list(match(source, index, keep=keep, resume=True)) == whole
        keep.mkdir()
        (keep / "of.txt").write_text("something else")
        (keep / "000000.npz").write_bytes(b"not ours")
        (keep / "notes.txt").write_text("mine")
        assert list(match(source, index, keep=keep)) == whole
        assert [path.name for path in keep.iterdir()] == ["notes.txt"]


def test_a_full_disk_is_told_with_the_place(tmp_path, monkeypatch):
    def full(*_args, **_arrays):
        raise OSError("12 requested and 3 written")  # as numpy says it

    monkeypatch.setattr(np, "savez", full)
    with (
        sides(tmp_path) as (source, index),
        pytest.raises(ArtifactError, match=r"out\.unfinished: cannot be written: No"),
    ):
        match(source, index, keep=tmp_path / "out.unfinished")
        (tmp_path / "file").touch()
        with pytest.raises(InputError, match="cannot be written"):
            match(source, index, keep=tmp_path / "file" / "out.unfinished")


def test_what_is_known_is_not_asked_for_and_what_is_denied_no_candidate(tmp_path):
    with sides(tmp_path) as (source, index):
        known = KnownMappings({"S:3": frozenset({"T:2"})}, frozenset({("S:1", "T:1")}))
        made = match(source, index, known=known)
        assert "S:3" not in {one.id for one in made}
        assert "T:1" not in {each.id for one in made if one.id == "S:1" for each in one.candidates}
        assert "T:2" not in {target for _, target in found_of(made)}
        best = match(source, index, MatchOptions(mode="best"), known)
        assert ("S:2", "T:2") in found_of(best)


def test_what_is_on_both_sides_may_be_the_match_of_another(tmp_path):
    ours = [concept("T:1", "renal failure"), concept("S:1", "renal failure")]
    with sides(tmp_path, ours) as (source, index):
        assert found_of(match(source, index)) == {("S:1", "T:1")}


@pytest.mark.slow
def test_sides_that_cannot_be_matched(tmp_path):
    with sides(tmp_path) as (_, index):
        with pytest.raises(InputError, match="both sides are the same"):
            match(index.terminologies[0], index)
        with (
            opened(tmp_path / "empty", [concept("E:1", "gone", status="retired")]) as (empty,),
            pytest.raises(InputError, match="no active concept with a name"),
        ):
            match(empty, index)
        with (
            opened(tmp_path / "same", [concept("T:1", "renal failure")]) as (same,),
            pytest.raises(InputError, match="every id is in"),
        ):
            match(same, index)


def test_a_match_against_the_hierarchies_is_flagged(tmp_path):
    ours = [concept("S:1", "asthma", parents="S:2"), concept("S:2", "lung disease", parents="S:3"),
            concept("S:3", "disease")]  # fmt: skip
    theirs = [concept("T:1", "asthma"), concept("T:2", "lung disease", parents="T:1"), concept("T:3", "disease")]
    with sides(tmp_path, ours, theirs) as (source, index):
        made = {one.id: one.proposed for one in match(source, index, MatchOptions("max", threshold=0.5))}
        assert {id_: one.turned for id_, one in made.items()} == {"S:1": 1, "S:2": 0, "S:3": 0} or {
            id_: one.turned > 0 for id_, one in made.items()
        } == {"S:1": True, "S:2": True, "S:3": False}


# Choosing ------------------------------------------------------------------------------------------------------------

TABLE = np.array([[0.9, 0.8, 0.0], [0.95, 0.0, 0.0], [0.0, 0.3, 0.6], [0.0, 0.0, 0.6]])


def chosen(table, mode, threshold, taken=()):
    """The pairs (row, column) chosen of a table of scores in which 0 is no candidate."""
    sources, targets = np.nonzero(table)
    order = np.lexsort((targets, -table[sources, targets], sources))
    sources, targets = sources[order], targets[order]
    pairs = ScoredPairs(sources, targets, table[sources, targets], np.isin(targets, taken))
    kept = choose(pairs, mode, threshold)
    return set(zip(sources[kept].tolist(), targets[kept].tolist(), strict=True))


@pytest.mark.parametrize(
    ("mode", "threshold", "expected"),
    [
        ("best", 0.5, {(0, 0), (1, 0), (2, 2), (3, 2)}),
        ("mutual", 0.5, {(1, 0), (2, 2)}),  # of equal ones the first
        ("one-to-one", 0.5, {(0, 1), (1, 0), (2, 2)}),
        ("one-to-one", 0.0, {(0, 1), (1, 0), (2, 2)}),
        ("best", 0.7, {(0, 0), (1, 0)}),
        ("mutual", 0.96, set()),
        ("one-to-one", 0.96, set()),
    ],
)
def test_who_gets_whom(mode, threshold, expected):
    found = chosen(TABLE, mode, threshold)
    if mode == "one-to-one":  # 2 or 3: both are as good
        found = {(2 if one == 3 else one, other) for one, other in found}
    assert found == expected


@pytest.mark.parametrize("seed", range(12))
def test_an_assignment_is_the_best_there_is(seed):
    generator = np.random.default_rng(seed)
    table = np.round(generator.random((9, 7)) * (generator.random((9, 7)) < 0.4), 3)
    found = chosen(table, "one-to-one", 0.2)
    worth = np.where(table >= 0.2, table, 0.0)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    total = sum(worth[one, other] for one, other in found)
    assert total == pytest.approx(worth[rows, columns].sum(), abs=0.02)  # leaving one out costs a thousandth at most
    assert len({one for one, _ in found}) == len({other for _, other in found}) == len(found)
    assert all(table[one, other] >= 0.2 for one, other in found)


@pytest.mark.parametrize("mode", ["mutual", "one-to-one"])
def test_a_target_that_is_taken_is_not_given_again(mode):
    assert 0 not in {other for _, other in chosen(TABLE, mode, 0.5, taken=[0])}


def test_nobody_gets_anybody_where_there_are_no_pairs():
    for mode in ("best", "mutual", "one-to-one"):
        assert chosen(np.zeros((2, 2)), mode, 0.5) == set()


def test_options_are_checked():
    with pytest.raises(UnknownNameError, match="learned, max, mean, reciprocal-rank"):
        MatchOptions("median")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="best, mutual, one-to-one"):
        MatchOptions(mode="all")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="between 0 and 1"):
        MatchOptions(threshold=2)
    with pytest.raises(InputError, match="at least one candidate"):
        MatchOptions(k=0)
    with pytest.raises(InputError, match="weighs all signals, but only dense"):
        MatchOptions(signal="dense")


TITLES = [
    concept("T:1", "inguinal hernia without obstruction"),
    concept("T:2", "inguinal hernia with obstruction"),
    concept("T:3", "type 2 diabetes mellitus"),
    concept("T:4", "rheumatoid arthritis"),
    concept("T:5", "fever"),
]
CODES = [
    concept("L:1", "inguinal hernia w/o obstruction"),
    concept("L:2", "T2DM"),
    concept("L:3", "reumatoid arthritis"),
    concept("L:4", "no fever"),
]


def firsts_of(made):
    return {one.id: one.candidates[0] for one in made if one.candidates}


def test_a_list_of_codes_is_read_as_a_search_reads_it(tmp_path):
    with sides(tmp_path, CODES, TITLES) as (source, index):
        made = match(source, index, MatchOptions(mode="best"))
        first = firsts_of(made)
        assert {id_: one.id for id_, one in first.items()} == {"L:1": "T:1", "L:2": "T:3", "L:3": "T:4", "L:4": "T:5"}
        assert (first["L:2"].name, first["L:2"].reason.correction) == ("T2DM", Correction.EXPANDED)
        assert first["L:2"].reason.detail == "read as “type 2 diabetes mellitus”: the same text"
        (hit, *_) = search(index, "reumatoid arthritis", Experiment(calibrated=False))
        assert first["L:3"].score <= hit.confidence, "no surer than its correction"
        (proposed,) = [one.proposed for one in made if one.id == "L:4"]
        assert proposed is None or proposed.predicate == "skos:relatedMatch"
        written = firsts_of(match(source, index, MatchOptions(mode="best", names="written")))
        assert "read as" not in " ".join(one.reason.detail for one in written.values())
        assert "L:2" not in written or written["L:2"].score < first["L:2"].score


@pytest.mark.parametrize("names", ["read", "written"])
@pytest.mark.parametrize(
    ("asked", "found"),
    [("Loud cough", "T:11"), ("Loud cough NOS", "T:11"), ("Sore thumb", "T:2"), ("Sore thumb NOS", "T:21")],
)
def test_a_heading_is_no_rival_of_the_code_below_it(tmp_path, asked, found, names):
    titles = [
        concept("T:1", "Loud cough"), concept("T:11", "Loud cough", parents="T:1"),
        concept("T:2", "Sore thumb"), concept("T:21", "Thumb trouble", "Sore thumb NOS", parents="T:2"),
    ]  # fmt: skip
    with sides(tmp_path, [concept("L:1", asked)], titles) as (source, index):
        (made,) = match(source, index, MatchOptions(mode="best", names=names))
        assert made.proposed is not None
        assert made.proposed.score > 0.9
        if names == "read" or "NOS" not in asked:
            assert made.proposed.id == found
        assert len({one.id for one in made.candidates[:2]}) == 2, "both can be chosen in a review"


def test_groups_leave_it_a_list(tmp_path):
    """Chapters say nothing of the codes in them: the words tell what is broader, as they do without chapters."""
    part, group = concept("L:9", "acute fever", parents="L:90"), concept("L:90", "signs")
    with sides(tmp_path, [*CODES, part, group], TITLES) as (source, index):
        made = match(source, index, MatchOptions(mode="best"))
        assert (source.hierarchy.edge_count, source.hierarchy.has_levels, made.options.names) == (1, False, "read")
        assert (firsts_of(made)["L:9"].id, firsts_of(made)["L:9"].predicate) == ("T:5", "skos:broadMatch")
    deeper = [*CODES, part, concept("L:90", "signs", parents="L:91"), concept("L:91", "states")]
    with sides(tmp_path / "deeper", deeper, TITLES) as (source, index):
        made = match(source, index, MatchOptions(mode="best"))
        assert (source.hierarchy.has_levels, made.options.names) == (True, "written")
        assert (firsts_of(made)["L:9"].id, firsts_of(made)["L:9"].predicate) == ("T:5", "skos:exactMatch")


def test_a_second_name_of_one_code_leaves_it_a_list(tmp_path):
    with sides(tmp_path, [*CODES, concept("L:9", "arthritis", "joint trouble")], TITLES) as (source, index):
        made = match(source, index, MatchOptions(mode="best"))
        assert (firsts_of(made)["L:2"].id, made.options.names) == ("T:3", "read")


@pytest.mark.parametrize("more", [
    [concept("L:9", "arthritis", parents="L:4"), concept("L:10", "gout", parents="L:9")],
    [concept("L:9", "arthritis", "joint trouble", "sore joints", "stiff joints")],
    [concept("L:9", "arthritis", xrefs="X:1")],
])  # fmt: skip
def test_a_terminology_is_searched_for_as_it_is_written(tmp_path, more):
    with sides(tmp_path, [*CODES, *more], TITLES) as (source, index):
        plain = match(source, index, MatchOptions(mode="best"))
        assert "read as" not in " ".join(one.reason.detail for found in plain for one in found.candidates)
        read = firsts_of(match(source, index, MatchOptions(mode="best", names="read")))
        assert read["L:2"].id == "T:3"
