"""The page of the papers' tables: what is shown, and what is measured again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
pytest.importorskip("scipy")

import papers  # noqa: E402
import quoted  # noqa: E402

pytestmark = pytest.mark.benchmark


def kept(folder: Path, benchmark: str, commit: str) -> None:
    """Figures as a benchmark writes them."""
    figure = {"value": 0.5, "low": 0.25, "high": 0.75}
    rows = [{"method": "ours", "hits": figure, "n": 7}, {"method": "theirs <b>", "hits": None, "n": 7}]
    sheet = {"title": "Shown", "protocol": ["how"], "rows": rows}
    key = next(one for one in papers.TABLES if one.benchmark == benchmark).sheets[0]
    machine = {"cores": 2, "packages": {"ontonym": commit}}
    shape = {
        "machine": machine,
        "began": "2026-01-01T10:00:00+00:00",
        "tables": {key: sheet},
        "notes": ["a note"],
        "command": "run me",
    }
    (folder / f"{benchmark}.json").write_text(json.dumps(shape))


def test_the_page_has_what_was_measured_and_says_what_was_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, "kong", "abc")
    assert papers.main(["--page", "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "index.html")
    page = (tmp_path / "index.html").read_text()
    assert page.count("not measured yet") == len(papers.TABLES) - 1
    assert f"<h1>{papers.TITLE}</h1>" in page and f"<title>{papers.TITLE}</title>" in page
    assert "measured 2026-01-01 by" in page
    for shown in ("0.500", "[0.250, 0.750]", "theirs &lt;b&gt;", "a note", "run me", "by ontonym abc on 2 cores"):
        assert shown in page


class Started:
    """What stands for the processes of benchmarks: ``asked`` are their commands."""

    def __init__(self, outcome: int) -> None:
        self.outcome = outcome
        self.asked: list[list[str]] = []

    def __call__(self, command: list[str], **_: object) -> Started:
        self.asked.append(command)
        return self

    def wait(self) -> int:
        return self.outcome


def test_a_benchmark_that_ends_without_figures_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def started(command: list[str], *, stdout: BinaryIO, **_: object) -> Started:
        stdout.write(b"begun\nno data at nowhere\n\n")
        stdout.flush()
        return Started(1)  # as one that fell short of what it should show

    monkeypatch.setattr(papers.subprocess, "Popen", started)
    monkeypatch.setattr(papers, "machine", lambda: {"packages": {"ontonym": "abc"}})
    assert papers.main(["--only", "kong", "--folder", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "kong: failed (no data at nowhere) after 0 s" in told
    assert told.endswith("failed: kong\n")


def test_only_what_is_not_there_for_this_commit_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = papers.machine()["packages"]["ontonym"]
    kept(tmp_path, "kong", commit)
    kept(tmp_path, "wikiumls", "another")
    started = Started(2)
    monkeypatch.setattr(papers.subprocess, "Popen", started)
    monkeypatch.setattr(papers, "machine", lambda: {"packages": {"ontonym": commit}})
    assert papers.main(["--only", "kong", "wikiumls", "--folder", str(tmp_path)]) == 1
    assert [Path(command[1]).name for command in started.asked] == ["wikiumls.py"]
    assert started.asked[0][-2:] == ["--json", str(tmp_path / "wikiumls.json")]
    told = capsys.readouterr().err
    assert f"kong: kept, measured by this commit ({commit})" in told and "failed: wikiumls" in told
    assert f"what it says goes to {tmp_path / 'wikiumls.log'}" in told


def test_benchmarks_run_side_by_side_and_an_interruption_ends_them_all(tmp_path: Path) -> None:
    waiting = (
        "import signal, sys, time, pathlib; file = pathlib.Path(sys.argv[-1]); "
        "signal.signal(signal.SIGTERM, lambda *_: (file.with_suffix('.ended').touch(), sys.exit(143))); "
        "file.with_suffix('.begun').touch(); time.sleep(600)"
    )
    runner = (
        "import sys; sys.path.insert(0, 'benchmarks'); import papers; real = papers.subprocess.Popen; "
        f"waiting = [sys.executable, '-c', {waiting!r}]; "
        "papers.subprocess.Popen = lambda command, **how: real([*waiting, command[-1]], **how); "
        "papers.machine = lambda: {'packages': {'ontonym': 'abc'}}; sys.exit(papers.main(sys.argv[1:]))"
    )
    names = ("kong", "wikiumls", "similarity")
    command = [sys.executable, "-c", runner, "--jobs", "2", "--only", *names, "--folder", str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("*.begun"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == papers.INTERRUPTED
    assert len(list(tmp_path.glob("*.begun"))) == len(list(tmp_path.glob("*.ended"))) == 2
    assert [line.split(": ")[1].split(";")[0] for line in told[:2]] == ["begun", "begun"]
    assert len(told) == 3 and told[2].startswith("interrupted; what is done is kept")


def test_every_table_is_one_that_its_benchmark_wrote() -> None:
    for tables in papers.TABLES:
        results = ROOT / "benchmarks" / "results" / f"{tables.benchmark}.json"
        if results.is_file():
            assert set(tables.sheets) <= set(json.loads(results.read_text())["tables"])


def test_the_papers_figures_stand_beside_ours_and_columns_are_of_one_kind() -> None:
    rows = [{"": 1, "ncbi": 0.5, "mean rank": 8.5, "p": 6e-05}, {"": 2, "ncbi": 1, "mean rank": 12, "p": 0.2}]
    sheet = {"title": "Shown", "protocol": [], "rows": rows}
    table = papers.table_of("one", sheet, {"ncbi": (0.8, 0.7), "p": (1.0,)})
    assert table.columns == ("row", "ncbi", "Xu's", "mean rank", "p")
    assert table.rows == ((1, 0.5, 0.8, "8.5", "6e-05"), (2, 1.0, 0.7, "12.0", "0.2"))
    assert [type(row[1]) for row in table.rows] == [float, float]


def test_a_paper_s_own_table_follows_ours_and_a_note_is_shown_once() -> None:
    paper = next(one for one in papers.TABLES if one.benchmark == "retrieval")
    sheet = {
        "title": "Shown",
        "protocol": ["how"],
        "rows": [{"method": {"value": 0.5, "low": 0, "high": 1, "mark": "ns"}}],
    }
    shown = list(papers._shown(paper, {"hits-1": sheet, "overlap-1": {**sheet, "protocol": ["how", "more"]}}))
    assert [table.key for table in shown] == ["hits-1", "hits-1 quoted", "overlap-1"]
    assert [table.notes for table in (shown[0], shown[2])] == [("how",), ("more", "the rest as above")]
    assert isinstance(cell := shown[0].rows[0][0], papers.Marked) and cell.mark == "ns"


def test_the_quoted_figures_are_those_of_the_papers() -> None:
    assert {name: len(figures) for name, figures in quoted.XU.items()} == dict.fromkeys(quoted.XU, 28)
    best = {name: 1 + figures.index(max(figures)) for name, figures in quoted.XU.items()}
    assert best == {"ncbi": 23, "bc5cdr-disease": 25, "bc5cdr-chemical": 27}
    for paper in papers.TABLES:
        for table in paper.quoted:
            assert table.key in map(quoted.quoted_key, paper.sheets)
    for table in (*quoted.NGO, *quoted.KONG):
        figures = [[float(cell) for cell in row[1:] if cell.startswith("0.")] for row in table.rows]
        assert all(0 < figure < 1 for row in figures for figure in row)
    for table in quoted.NGO:
        bm25, triplets = table.rows[-5], table.rows[-1]
        assert all(float(ours) > float(theirs) for ours, theirs in zip(triplets[1:], bm25[1:], strict=True))
