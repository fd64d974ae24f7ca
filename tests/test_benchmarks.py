"""The benchmarks run from end to end on tiny data, and what they share computes what it says."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import annotate
import figures
import heldout
import materials
import mentions
import ncbi
import peers
import queries
import robust
import run
import speed
from ontonym.evaluate import HeldOutSynonyms, HoldOutOptions, Interval
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology
from ontonym.types import Hit, Mention

pytestmark = pytest.mark.benchmark

OBO = """format-version: 1.2
ontology: tiny

[Term]
id: T:1
name: Breast carcinoma
synonym: "Cancer of breast" EXACT []
synonym: "Mammary cancer" EXACT []

[Term]
id: T:2
name: Renal failure
synonym: "Kidney failure" EXACT []
synonym: "Insufficiency of kidneys" EXACT []

[Term]
id: T:3
name: Ataxia
synonym: "Lack of coordination" EXACT []

[Term]
id: T:4
name: Clumsiness
synonym: "Lack of coordination" EXACT []
"""

CORPUS = """1|t|Breast carcinoma and ataxia
1|a|Kidney failure and fever were seen; a mammary tumour was not.
1\t0\t16\tBreast carcinoma\tDisease\tT:1
1\t21\t27\tataxia\tDisease\tT:3
1\t28\t42\tKidney failure\tDisease\tT:2
1\t47\t52\tfever\tDisease\t-1
1\t64\t79\ta mammary tumour\tDisease\tT:9
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.obo"
    path.write_text(OBO, encoding="utf-8")
    return path


@pytest.fixture
def terminology(release: Path, tmp_path: Path) -> Path:
    return materials.import_files([release], tmp_path / "tiny.terminology", ReadOptions(name="tiny"))


@pytest.fixture
def names(terminology: Path) -> peers.Names:
    with materials.opened([terminology]) as terminologies:
        return peers.all_names(terminologies)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))


def tables(file: Path) -> dict[str, Any]:
    return {key: table["rows"] for key, table in json.loads(file.read_text(encoding="utf-8"))["tables"].items()}


def test_a_sheet_shows_counts_figures_and_intervals_under_their_heads() -> None:
    rows = [{"what": "ours", "n": 1200, "p50": Interval(1.5, 1.25, 2.0), "s": None}]
    sheet = figures.Sheet("k", "Title", ("how",), [*rows, {"what": "theirs", "n": 3, "p50": 0.125, "s": 2.0}], 2)
    assert sheet.text().splitlines() == [
        "Title",
        "  how",
        "",
        "what        n                p50     s",
        "------  -----  -----------------  ----",
        "ours    1,200  1.50 [1.25, 2.00]",
        "theirs      3               0.12  2.00",
    ]


@pytest.mark.parametrize(
    ("value", "at_least", "told"),
    [(5.0, False, "MISSED"), (4.9, False, "met"), (5.0, True, "met"), (4.9, True, "MISSED")],
)
def test_a_target_is_met_below_its_limit_or_from_it_on(value: float, at_least: bool, told: str) -> None:
    assert figures.Target("x", value, 5, "ms", at_least).row()[""] == told


def test_a_quantile_lies_in_its_interval() -> None:
    interval = figures.quantile(np.arange(101.0), 0.5)
    assert interval.value == 50
    assert 35 < interval.low < 50 < interval.high < 65


def test_highest_similarities_come_first_and_ties_by_place() -> None:
    row = np.asarray([1, 3, 2, 3, 2, 0], dtype=np.float32)
    assert peers.ranked(row, 3).tolist() == [1, 3, 2]
    assert peers.ranked(row, 10).tolist() == [1, 3, 2, 4, 0, 5]


def test_queries_are_the_same_for_the_same_seed_and_know_every_right_concept(names: peers.Names) -> None:
    asked = queries.draw_queries(names, 8, seed=3)
    assert asked == queries.draw_queries(names, 8, seed=3)
    assert [query.kind for query in asked] == ["exact", "misspelled", "shuffled", "long"] * 2
    shared = [query for query in queries.draw_queries(names, 40, seed=1) if query.text == "Lack of coordination"]
    assert shared
    assert {query.right for query in shared} == {frozenset({"T:3", "T:4"})}


def test_a_misspelling_changes_one_place_inside_a_word(names: peers.Names) -> None:
    rng = np.random.default_rng(0)
    written = {queries.KINDS["misspelled"]("Ataxia", "", rng) for _ in range(200)}
    assert {"Atxia", "Attaxia", "Aatxia"} <= written
    assert all(abs(len(word) - 6) <= 1 and word[0] == "A" for word in written)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["word TF-IDF (scikit-learn)", "char TF-IDF 1-5 (scikit-learn)", "BM25 (bm25s)"])
def test_a_peer_ranks_concepts_and_names_the_others_that_share_the_name(name: str, names: peers.Names) -> None:
    for module in peers.PEERS[name].needs:
        pytest.importorskip(module)
    ask = peers.normalizer(peers.PEERS[name].fit(names.texts), names)
    kidney, nothing, shared = ask([Mention("kidney failure"), Mention(""), Mention("lack of coordination")])
    assert (kidney[0].id, kidney[0].matched) == ("T:2", "Kidney failure")
    assert list(nothing) == []
    assert (shared[0].id, shared[0].ambiguous) == ("T:3", ("T:4",))


def test_peers_that_are_not_installed_are_told_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    offer = peers.Offer(lambda names: pytest.fail("fitted"), ("no_such_module",))
    monkeypatch.setattr(peers, "PEERS", {"nobody": offer})
    told: list[str] = []
    assert list(peers.fit_peers(["a"], ["nobody"], told.append)) == []
    assert told == ["nobody skipped: not installed (no_such_module)"]


def test_a_run_is_judged_under_every_rule(tmp_path: Path) -> None:
    corpus = tmp_path / "tiny_dev.txt"
    corpus.write_text(CORPUS, encoding="utf-8")

    def hit(id_: str, *others: str) -> Hit:
        return Hit(id_, "", "", "synonym", "exact", "", "", 1.0, 1.0, ambiguous=others)

    answers = {
        "Breast carcinoma": [hit("T:1")],
        "ataxia": [hit("T:4", "T:3")],
        "Kidney failure": [hit("T:1"), hit("T:2")],
    }
    reports = ncbi.judged(
        ncbi.TASKS["ncbi"],
        lambda mentions: [answers.get(mention.text, []) for mention in mentions],
        lambda id_: id_ if id_ in {"T:1", "T:2", "T:3", "T:4"} else None,
        "tiny",
        corpus,
    )
    strict, lenient = reports["strict"], reports["lenient"]
    assert strict.n == 4
    assert strict.measures["accuracy@1"].value == 0.25
    assert strict.measures["mrr"].value == pytest.approx((1 + 0.5) / 4)
    assert lenient.measures["accuracy@1"].value == 0.5
    assert strict.protocol.split == "dev"


def test_normalization_shows_every_signal_under_every_rule(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny_dev.txt").write_text(CORPUS.replace("Kidney failure and", "Kidney failure (KF) and"), "utf-8")
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path))
    monkeypatch.setattr(ncbi, "TASKS", {"tiny": ncbi.Task("Tiny", "tiny_dev.txt", (), "tiny")})
    monkeypatch.setattr(
        ncbi,
        "TERMINOLOGIES",
        {"tiny": lambda folder: materials.import_files([release], folder / "tiny.terminology", ReadOptions(name="t"))},
    )
    monkeypatch.setattr(ncbi, "PEERS", {})
    file = tmp_path / "ncbi.json"
    bench = figures.Bench("ncbi", "", {})
    ncbi.measure(bench, argparse.Namespace(task=["tiny"], encoder=[], fresh=False, minilm=False))
    figures.write_json(file, bench.to_dict())
    shown = tables(file)
    runs = ["fused, shipped encoder", "dense alone, shipped encoder", "lexical alone", "char alone"]
    assert [row["what ranks"] for row in shown["tiny strict"]] == runs
    assert [row["n"] for row in shown["tiny other rules"]] == [4] * 4
    assert shown["tiny strict"][0]["accuracy@1"]["value"] == 0.75
    assert shown["tiny other rules"][0]["accuracy@1 as written"]["value"] == 0.75


def test_finds_are_judged_by_place_and_concept(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_dev.txt").write_text(CORPUS.replace(" was not.", ", ataxia."), "utf-8")
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path))
    monkeypatch.setattr(annotate, "TASKS", {"tiny": ncbi.Task("Tiny", "tiny_dev.txt", (), "tiny")})
    monkeypatch.setattr(
        annotate,
        "TERMINOLOGIES",
        {"tiny": lambda folder: materials.import_files([release], folder / "tiny.terminology", ReadOptions(name="t"))},
    )
    bench = figures.Bench("annotate", "", {})
    annotate.measure(bench, argparse.Namespace(task=["tiny"]))
    place, both, concept = (
        [row[name] for name in ("found", "gold")] + [row[name].value for name in ("precision", "recall", "F1")]
        for row in bench.sheets[0].rows
    )
    # ataxia is found twice and annotated once; "a mammary tumour" has a wrong place in the corpus, its concept counts
    assert place == both == [4, 3, 0.75, 1.0, 6 / 7]
    assert concept == [3, 4, 1.0, 0.75, 6 / 7]


def test_mentions_are_counted_a_second_and_terms_come_and_go(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpus.txt").write_text(CORPUS, encoding="utf-8")
    monkeypatch.setattr(mentions, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(mentions, "CORPORA", ("corpus.txt", "corpus.txt"))
    monkeypatch.setattr(mentions, "ANNOTATED", "corpus.txt")
    monkeypatch.setattr(mentions, "PEERS", ())
    monkeypatch.setattr(mentions, "TERMS", 6)
    monkeypatch.setattr(mentions, "DRAWN", 8)
    monkeypatch.setattr(mentions, "generated_release", lambda *_: release)
    monkeypatch.setattr(
        mentions, "medic", lambda folder: materials.import_files([release], folder / "a.terminology", ReadOptions())
    )
    file = tmp_path / "out" / "mentions.json"
    given = ["--json", str(file), "--encoder", "static", "--strategy", "names", "added-then-all", "--jobs", "1"]
    assert figures.main("mentions", "", mentions.measure, mentions._options, given) == 0
    shown = tables(file)
    assert [row["strategy"] for row in shown["medic"]] == ["names", "added-then-all"]
    assert all(row["static /s"] > 0 for row in (*shown["medic"], *shown["generated"]))
    assert [(row["of"], row["as expected"]) for row in shown["terms"]] == [(6, 6), (6, 6)]
    assert len(shown["targets"]) == 3


def test_a_peer_is_asked_the_long_forms_that_the_passage_defines() -> None:
    asked: list[str] = []

    def ask(mentions: Sequence[Mention]) -> list[list[Hit]]:
        asked.extend(mention.text for mention in mentions)
        return [[] for _ in mentions]

    mentions = [Mention("KF", passage="Kidney failure (KF) was seen."), Mention("KF", passage="")]
    run = ncbi.peer_run(ask)
    run(True)(mentions)
    run(False)(mentions)
    assert asked == ["Kidney failure", "KF", "KF", "KF"]


def test_held_out_names_are_gone_and_searched(release: Path, tmp_path: Path) -> None:
    held_out = HeldOutSynonyms(HoldOutOptions(fraction=0.5, seed=2))
    place = tmp_path / "reduced.terminology"
    build_terminology(materials.ChangedRelease(read_release([release]), held_out.reduce), place)
    assert held_out.eligible == 6
    assert 0 < len(held_out.queries) < 6
    with materials.opened([place]) as terminologies:
        left = set(peers.all_names(terminologies).texts)
    bench = figures.Bench("heldout", "", {})
    reports = heldout.search_hidden(place, tmp_path, held_out, "default", bench)
    assert {"fused", "lexical alone", "char alone", "dense alone"} <= set(reports)
    assert all(report.n == len(held_out.queries) for report in reports.values())
    assert "Breast carcinoma" in left


def test_speed_measures_everything_it_promises(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def imported(name: str, folder: Path) -> tuple[Path, float]:
        return materials.import_files([release], folder / f"{name}.terminology", ReadOptions(name=name)), 0.5

    monkeypatch.setattr(speed, "import_embedded", imported)
    file = tmp_path / "out" / "speed.json"
    given = ["--json", str(file), "--queries", "8", "--terminology", "tiny", "--no-peers"]
    assert figures.main("speed", "", speed.measure, speed._options, given) == 0
    shown = tables(file)
    assert shown["build"][0] | {"MB on disk": 0} == {
        "step": "import tiny", "concepts": 4, "names": 10, "seconds": 0.5, "MB on disk": 0,
    }  # fmt: skip
    assert [row["n"] for row in shown["search"]] == [8, 2, 2, 2, 2]
    assert shown["search"][1]["found"]["value"] == 1.0
    assert 20 < shown["processes"][-1]["peak MB"] < 2000
    assert len(shown["targets"]) == 6
    assert "$ python benchmarks/speed.py --json" in capsys.readouterr().out


@pytest.mark.slow
def test_a_killed_import_and_index_leave_whole_artifacts(release: Path, tmp_path: Path) -> None:
    file = tmp_path / "robust.json"
    given = ["--json", str(file), "--times", "1", "--release", str(release), "--query", "ataxia", "--answer", "T:3"]
    assert figures.main("robust", "", robust.measure, robust._options, given) == 0
    rows = tables(file)["robust"]
    assert [row["command"] for row in rows] == ["ontonym import", "ontonym index"]
    assert [row["broken"] for row in rows] == [0, 0]


def test_a_wrong_answer_or_a_refusal_after_a_kill_counts_as_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = robust.Scene("index", (), tmp_path, tmp_path, "ataxia", "T:3")

    def answered(code: int, out: str, err: str = "") -> str:
        done = subprocess.CompletedProcess((), code, out, err)
        monkeypatch.setattr(robust, "ontonym", lambda *arguments: done)
        return robust._search_problem(scene)

    assert answered(0, '{"hits": [{"id": "T:3"}]}') == ""
    assert answered(0, '{"hits": [{"id": "T:1"}]}') == "search: T:1 instead of T:3"
    assert answered(0, '{"hits": []}') == "search: nothing instead of T:3"
    assert answered(2, "", "damaged\n") == "search: exit 2: damaged"


def test_what_the_user_can_mend_ends_with_2_and_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["--release", str(tmp_path / "absent.obo")]
    assert figures.main("robust", "", robust.measure, robust._options, given) == 2
    assert "absent.obo" in capsys.readouterr().err


def test_run_knows_every_script_and_refuses_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert all((Path(run.HERE) / f"{name}.py").is_file() for name in run.BENCHMARKS)
    with pytest.raises(SystemExit, match="2"):
        run.main(["sped"])
    assert (
        "no benchmark sped: there are speed, ncbi, mentions, annotation, annotate, notes, ranking, framed, unlisted, "
        in capsys.readouterr().err
    )


def test_a_benchmark_without_its_data_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path / "nowhere"))
    assert run.run_one("ncbi", tmp_path).startswith(f"skipped: no data at {tmp_path / 'nowhere'}: ")


@pytest.mark.slow
def test_scale_makes_names_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import scale

    real = [["Breast carcinoma", "Cancer of breast"], ["Renal failure"], ["Acute viral hepatitis"]]
    monkeypatch.setattr(scale, "_real", lambda folder: real)
    monkeypatch.setattr(scale, "OPENS", 1)
    asked = ["--names", "40", "--queries", "8", "--memory", "1G", "--folder", str(tmp_path / "made"),
             "--kept", str(tmp_path / "kept.jsonl"), "--json", str(tmp_path / "scale.json")]  # fmt: skip
    assert figures.main("scale", "", scale.measure, scale._options, asked) in (0, 1)
    (row,) = json.loads((tmp_path / "scale.json").read_text())["tables"]["scale"]["rows"]
    assert row["names asked for"] == 40 >= row["names"] > 25
    assert row["index peak MB"] > 10 and row["search p50 ms"] > 0 and row["meaning p50 ms"] > 0
    lines = (tmp_path / "made/40/MRCONSO.RRF").read_text().splitlines()
    assert len(lines) == 40
    names = [line.split("|")[14] for line in lines]
    assert names[:4] == ["Breast carcinoma", "Cancer of breast", "Renal failure", "Acute viral hepatitis"]
    assert len(set(names)) > 20
    index = (tmp_path / "made/40-1.index/manifest.json").stat().st_mtime_ns
    assert figures.main("scale", "", scale.measure, scale._options, [*asked, "--again"]) in (0, 1)
    assert (tmp_path / "made/40-1.index/manifest.json").stat().st_mtime_ns == index  # only asked again
