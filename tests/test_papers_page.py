"""The page of the papers' tables: what is shown, and what is measured again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
pytest.importorskip("scipy")

import papers  # noqa: E402

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
    """What stands for the processes of benchmarks: ``asked`` are their commands, ``ended`` how many were ended."""

    def __init__(self, outcome: int | BaseException) -> None:
        self.outcome = outcome
        self.asked: list[list[str]] = []
        self.ended = 0

    def __call__(self, command: list[str], **_: object) -> Started:
        self.asked.append(command)
        return self

    def wait(self) -> int:
        if isinstance(self.outcome, BaseException) and not self.ended:
            raise self.outcome
        return self.outcome if isinstance(self.outcome, int) else -15

    def terminate(self) -> None:
        self.ended += 1


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
    assert f"4 of 5: kong: kept, measured by this commit ({commit})" in told and "failed: wikiumls" in told


def test_an_interruption_ends_the_benchmark_and_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started = Started(KeyboardInterrupt())
    monkeypatch.setattr(papers.subprocess, "Popen", started)
    monkeypatch.setattr(papers, "machine", lambda: {"packages": {"ontonym": "abc"}})
    assert papers.main(["--only", "kong", "wikiumls", "--folder", str(tmp_path)]) == 130
    assert (len(started.asked), started.ended) == (1, 1)
    begun, ended = capsys.readouterr().err.splitlines()
    assert begun == "4 of 5: kong" and ended.startswith("interrupted; what is done is kept")


def test_every_table_is_one_that_its_benchmark_wrote() -> None:
    for tables in papers.TABLES:
        results = ROOT / "benchmarks" / "results" / f"{tables.benchmark}.json"
        if results.is_file():
            assert set(tables.sheets) <= set(json.loads(results.read_text())["tables"])


def test_the_papers_figures_stand_beside_ours_and_columns_are_of_one_kind() -> None:
    rows = [{"": 1, "search": "O-T", "mean rank": 8.5, "p": 6e-05}, {"": 2, "search": "O-C", "mean rank": 12, "p": 0.2}]
    sheet = {"title": "Shown", "protocol": [], "rows": rows}
    table = papers.table_of("one", sheet, {"theirs": (0.8, 0.7), "not of these rows": (1.0,)})
    assert table.columns == ("row", "search", "mean rank", "p", "theirs")
    assert table.rows == ((1, "O-T", 8.5, "6e-05", 0.8), (2, "O-C", 12.0, "0.2", 0.7))
    assert [type(row[2]) for row in table.rows] == [float, float]


def test_the_quoted_figures_are_one_for_each_row_of_the_papers_table() -> None:
    assert {name: len(quoted) for name, quoted in papers.XU.items()} == dict.fromkeys(papers.XU, 28)
    best = {name: 1 + quoted.index(max(quoted)) for name, quoted in papers.XU.items()}
    assert best == {"Xu's ncbi": 23, "Xu's disease": 25, "Xu's chemical": 27}
