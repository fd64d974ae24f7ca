"""The benchmarks of the papers' tables run from end to end on tiny data: Kong's recall by task, NIL as a class (Xu)."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import figures
import judging
import kong
import materials
import ncbi
import nil
from built import indexed
from inprocess import run_in_this_process
from ontonym.index import AddedTerm, add_terms, open_index
from ontonym.ontology.options import ReadOptions
from ontonym.types import NIL

pytestmark = pytest.mark.benchmark

CORPUS = """1|t|Kidney failure and hepatic failure
1|a|The heart gave out, and so did the lung.
1\t0\t14\tKidney failure\tDisease\tT:0
1\t19\t34\thepatic failure\tDisease\tT:1
1\t39\t53\theart gave out\tDisease\tT:77
"""

OBO = "\n".join(
    ["format-version: 1.2\nontology: tiny\n", "[Term]\nid: T:99\nname: Failure of an organ\n"]
    + [
        f'[Term]\nid: T:{number}\nname: {organ} failure\nsynonym: "{organ} defect" EXACT []\nis_a: T:99\n'
        for number, organ in enumerate(("Kidney", "Liver", "Lung", "Brain", "Skin", "Spleen"))
    ]
)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A task whose train split is its dev split too; one of its three mentions has a concept that is not there."""
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path))
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tiny_dev.txt").write_text(CORPUS, encoding="utf-8")
    tasks = {"tiny": ncbi.Task("Tiny", "tiny_dev.txt", (), "tiny")}
    for module in (judging, kong, nil):
        monkeypatch.setattr(module, "TASKS", tasks)
    return "tiny"


@pytest.mark.training
def test_kongs_table_and_figure_come_from_one_command(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = tmp_path / "tiny.obo"
    release.write_text(OBO, encoding="utf-8")

    def imported(folder: Path) -> Path:
        return materials.import_files([release], folder / "tiny.terminology", ReadOptions(name="tiny"))

    monkeypatch.setattr(kong, "source_places", lambda: {"tiny": imported(tmp_path)})
    monkeypatch.setattr(kong, "TERMINOLOGIES", {"tiny": imported})
    monkeypatch.setattr(kong, "CORPORA", {"tiny": "tiny_dev.txt"})
    monkeypatch.setattr(kong, "GRAPHS", {"Tiny": ("tiny",)})
    monkeypatch.setattr(kong, "_minilm", lambda bench, folder: {})
    in_process = SimpleNamespace(run=run_in_this_process, PIPE=subprocess.PIPE)
    monkeypatch.setattr(kong, "subprocess", in_process)
    chosen = argparse.Namespace(task=["tiny"], annotated="tiny", base="none", steps=1, seed=0)
    bench = figures.Bench("kong", "", {})
    kong.measure(bench, chosen)
    tables = bench.to_dict()["tables"]
    first, among = tables["table-3"]["rows"]
    methods = ["BM25", "untaught", "Tiny syn", "Tiny graph", "comb"]
    assert list(first) == ["mentions", "recall", *methods]
    assert (first["recall"], among["recall"]) == ("R@1", "R@25")
    assert first["BM25"]["value"] == pytest.approx(1 / 3)  # hepatic failure shares a word with all of them
    assert [among[name]["value"] for name in methods] == pytest.approx([2 / 3] * len(methods))
    assert list(tables["figure-2"]["rows"][0])[2:] == ["annotated texts alone", "with comb as auxiliary"]
    assert "Tiny" in " ".join(tables["figure-2"]["protocol"])
    trained = sorted((tmp_path / "cache").rglob("*.encoder"))
    assert len(trained) == 5
    in_process.run = lambda *_, **__: pytest.fail("trained what was kept")
    capsys.readouterr()
    kong.measure(figures.Bench("kong", "", {}), chosen)
    assert capsys.readouterr().out.count("kept from an earlier run") == len(trained)


def test_a_benchmark_ends_with_one_line_after_ctrl_c_and_writes_its_file_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "new" / "tried.json"

    def interrupted(bench: figures.Bench, chosen: argparse.Namespace) -> None:
        assert figures.main("tried", "", lambda *_: None, arguments=["--json", str(place)]) == 2
        raise KeyboardInterrupt

    assert figures.main("tried", "", interrupted, arguments=["--json", str(place)]) == 130
    locked, ended = capsys.readouterr().err.splitlines()
    assert str(place) in locked and "is writing it now" in locked and ended == "tried: interrupted"
    assert figures.main("tried", "", lambda *_: None, arguments=["--json", str(place)]) == 0
    assert place.is_file()


@pytest.mark.training
def test_a_training_that_was_stopped_goes_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))
    release = tmp_path / "tiny.obo"
    release.write_text(OBO, encoding="utf-8")
    place = materials.import_files([release], tmp_path / "tiny.terminology", ReadOptions(name="tiny"))
    run = materials.subprocess.run
    monkeypatch.setattr(
        materials.subprocess, "run", lambda command, **_: stopped(Path(command[command.index("-o") + 1]))
    )

    def stopped(output: Path) -> object:
        Path(f"{output}.training").mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        materials.trained([place], "none", steps=1)
    monkeypatch.setattr(materials.subprocess, "run", run)
    first, second = (materials.trained([place], "none", steps=1) for _ in range(2))
    assert (first.kept, first.resumed, second.kept, second.resumed) == (False, True, True, True)
    assert second.described().endswith("s, the rest after a stop, kept from an earlier run")
    assert [line.endswith("going on after a stop") for line in capsys.readouterr().out.splitlines()] == [False, True]


def test_a_work_folder_of_a_run_that_was_killed_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path))
    left = materials.bench_folder() / "run-1"
    left.mkdir()
    with materials.work_folder() as first, materials.work_folder() as second:
        assert not left.exists() and first.is_dir() and second.is_dir() and first != second
    assert list(materials.bench_folder().iterdir()) == []


def test_nil_is_found_through_the_train_split(corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nil, "TRAIN", {"tiny": "tiny_dev.txt"})
    rows = "\n".join(f"T:{number},{organ} failure" for number, organ in enumerate(("Kidney", "Hepatic", "Lung")))
    made = indexed(tmp_path, {"t.csv": f"id,name\n{rows}\n"})
    chosen = argparse.Namespace(task="tiny", resamples=10)
    with open_index(made) as index:
        terms = list(nil._terms(index, "tiny"))
        assert terms == [
            AddedTerm("T:0", "Kidney failure"), AddedTerm("T:1", "hepatic failure"), AddedTerm(NIL, "heart gave out"),
        ]  # fmt: skip
        add_terms(made, terms)
        found: dict[tuple[Any, ...], Any] = {
            (row["signal"], row["search"]): row for row in nil._rows(index.refreshed(), "with NIL", chosen)
        }
    assert found["dense", "D-T"]["accuracy@1"].value == found["fused", "D-T+OD-T"]["accuracy@1"].value == 1.0
    assert found["dense", "O-T"]["accuracy@1"].value == pytest.approx(2 / 3)
    assert {row["NIL"] for row in found.values()} == {1}
    assert (found["dense", "OD-T"]["answered NIL"], found["dense", "O-T"]["answered NIL"]) == (1, 0)
