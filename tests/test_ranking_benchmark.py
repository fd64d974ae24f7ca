"""The benchmark of the ranking: what it counts as right, sure and NIL, on a tiny terminology."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import devsets
import framed
import materials
import ranking
import unlisted
from ontonym.evaluate import BootstrapOptions, Interval, Protocol
from ontonym.index import Index, IndexOptions
from ontonym.ontology.options import ReadOptions
from ontonym.tasks.search import Experiment, search

pytestmark = pytest.mark.benchmark

OBO = """format-version: 1.2
ontology: tiny

[Term]
id: T:1
name: Breast carcinoma
synonym: "Mammary cancer" EXACT []

[Term]
id: T:2
name: Renal failure

[Term]
id: T:3
name: Ataxia
"""

FEW = BootstrapOptions(resamples=99)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    release = tmp_path / "tiny.obo"
    release.write_text(OBO, encoding="utf-8")
    place = materials.import_files([release], tmp_path / "tiny.terminology", ReadOptions(name="tiny"))
    with materials.kept_index([place], tmp_path) as index:
        yield index


def devset(index: Index) -> devsets.DevSet:
    asked = [
        ("mammary cancer", ("T:1",), "a"),
        ("renal failure", ("T:2",), "b"),
        ("ataxia", ("T:1",), "c"),
        ("quarterly budget", (), "d"),
    ]
    protocol = Protocol(data="four queries", split="dev", terminology="tiny", depth=10)
    return devsets.DevSet("Tiny", [(index, devsets._documents(asked, "kind"))], protocol, "query", normalized=True)


def test_every_signal_is_judged_and_nil_counts_for_the_confidence_only(index: Index) -> None:
    found = ranking.measured(devset(index), FEW)
    assert list(found.reports) == ["fused", "lexical", "char", "dense", "normalize"]
    assert [found.reports[signal].ranks.tolist()[:2] for signal in ("fused", "lexical", "char", "dense")] == [
        [1, 1]
    ] * 4
    assert found.reports["fused"].n == 3
    assert found.reports["fused"].measures["accuracy@1"].value == pytest.approx(2 / 3)
    assert [one.right for one in found.judged] == [True, True, False, None]
    assert [one.is_sure for one in found.judged] == [True, True, True, False]
    assert found.nil == [("kind", True)]
    assert found.gain.value == 0


def test_shares_are_of_the_right_the_wrong_and_those_without_a_concept(index: Index) -> None:
    found = ranking.shares(ranking.measured(devset(index), FEW).judged, FEW)
    figures = {name: share.value for name, share in found.items() if isinstance(share, Interval)}
    assert figures == {"right": 1.0, "wrong": 1.0, "NIL right": 1.0}
    assert ranking.shares([], FEW) == {"right": None, "wrong": None, "NIL right": None}


def test_targets_are_shown_for_the_sets_that_were_measured(index: Index) -> None:
    found = {"ncbi": ranking.measured(devset(index), FEW)}
    shown = {target.what: (target.value, target.met) for target in ranking.targets(found, FEW)}
    assert shown["Tiny, normalize"] == (pytest.approx(2 / 3), False)
    assert shown["fused less the best signal, at worst (ncbi)"] == (0.0, True)
    assert shown["fused less the best signal, mean of 1 sets"] == (0.0, False)


def test_an_index_is_kept_while_terminology_and_encoder_stay(index: Index, tmp_path: Path) -> None:
    made = index.path.stat().st_mtime_ns
    with materials.kept_index([tmp_path / "tiny.terminology"], tmp_path) as again:
        assert again.path == index.path
        assert again.path.stat().st_mtime_ns == made


def test_unknown_sets_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        ranking.main("ranking", "", ranking.measure, ranking._options, ["--sets", "ncbi,nbci"])
    assert "nbci" in capsys.readouterr().err


def test_near_medical_queries_are_thirty_different_ones_without_a_concept() -> None:
    rows = devsets.read_queries(devsets.NEAR_MEDICAL)
    assert len({row["query"].lower() for row in rows}) == len(rows) == 30
    assert {(row["tag"], row["accepted"]) for row in rows} == {("near-medical", devsets.NIL)}
    assert all(row["note"] for row in rows)


def test_every_frame_has_one_place_for_the_name() -> None:
    frames = [frame for kind in framed.FRAMES.values() for frame in kind]
    assert len(set(frames)) == len(frames) == 154
    assert {frame.count("{}") for frame in frames} == {1}
    assert list(framed.FRAMES)[-1] == "records"


def test_names_are_asked_for_in_each_frame(index: Index) -> None:
    (terminology,) = index.terminologies
    row = framed._row(index, "records", ["2) {}", "{} (disorder)"], framed._drawn(terminology, 2))
    assert (row["frames"], row["n"]) == (2, 4)
    assert [row[name].value for name in ("right first", "sure", "dense alone")] == [1, 1, 1]


def test_a_phrase_is_found_without_itself(tmp_path: Path) -> None:
    release = tmp_path / "tiny.obo"
    release.write_text("\n[Term]\nid: M:1\nname: Epistaxis\n\n[Term]\nid: M:2\nname: Nausea\n", encoding="utf-8")
    place = materials.import_files([release], tmp_path / "tiny.terminology", ReadOptions(name="tiny"))
    with materials.indexed([place], tmp_path, options=IndexOptions()) as index:
        phrase = unlisted._phrase(index, "bloody nose")
        assert phrase is not None
        assert phrase.accepted == {"M:1"}
        assert unlisted._phrase(index, "yellow skin") is None
        row = unlisted._row(index, "fused", [phrase])
        assert (row["n"], row["right first"].value) == (1, 1)
        assert search(index, "bloody nose", Experiment(hidden=phrase.rows))[0].matched != "bloody nose"


def test_phrases_are_drawn_by_their_share() -> None:
    few, more = unlisted.drawn(0.01), unlisted.drawn(0.02)
    assert set(few) < set(more)
    assert 500 < len(few) < 1000


def test_prescriptions_are_different_ones_with_ids_of_mesh() -> None:
    rows = devsets.read_queries(devsets.PRESCRIPTIONS)
    assert len({row["query"] for row in rows}) == len(rows) == 99
    assert {row["tag"] for row in rows} == {"dose", "brand or form"}
    assert all(one.startswith("MESH:") for row in rows for one in row["accepted"].split("|"))


@pytest.mark.parametrize(
    "file", [devsets.HELD_BACK, devsets.NEWCOMER, devsets.SEARCHERS, devsets.SPECIALTIES], ids=lambda file: file.stem
)
def test_queries_of_our_own_are_different_ones_with_ids_or_nil(file: Path) -> None:
    rows = devsets.read_queries(file)
    assert len({row["query"] for row in rows}) == len(rows) >= 300
    assert all(row["tag"] and all(row["accepted"].split("|")) for row in rows)
    assert {row["tag"] == "nil" for row in rows if row["accepted"] == devsets.NIL} == {True}


def test_misspellings_are_different_ones_with_ids_and_the_right_spelling() -> None:
    rows = devsets.read_queries(devsets.MISSPELLED)
    assert len({row["query"] for row in rows}) == len(rows) == 138
    assert all(all(row["accepted"].split("|")) and row["note"] != row["query"] for row in rows)


def test_hidden_names_of_the_lexicon_are_told_apart(index: Index) -> None:
    measured = ranking.measured(devset(index), FEW)
    assert list(ranking.lexicon_line(measured)) == []
    one = replace(measured.judged[0], kind=devsets.IN_LEXICON)
    report = measured.reports["fused"]
    known = replace(report, by_type={devsets.IN_LEXICON: (1, report.measures)})
    told = replace(measured, judged=[one, *measured.judged[1:3]], reports={**measured.reports, "fused": known})
    (line,) = ranking.lexicon_line(told)
    assert "of the other 2 names the concept is first for 0.5000" in line
