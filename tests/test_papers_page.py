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
        "began": "2026-01-01",
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
    for shown in ("0.500", "[0.250, 0.750]", "theirs &lt;b&gt;", "a note", "run me", "by ontonym abc on 2 cores"):
        assert shown in page


def test_only_what_is_not_there_for_this_commit_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = papers.machine()["packages"]["ontonym"]
    kept(tmp_path, "kong", commit)
    kept(tmp_path, "wikiumls", "another")
    asked: list[list[str]] = []

    class Done:
        returncode = 2

    monkeypatch.setattr(papers.subprocess, "run", lambda command, **_: asked.append(command) or Done())
    monkeypatch.setattr(papers, "machine", lambda: {"packages": {"ontonym": commit}})
    assert papers.main(["--only", "kong", "wikiumls", "--folder", str(tmp_path)]) == 1
    assert [Path(command[1]).name for command in asked] == ["wikiumls.py"]
    assert asked[0][-2:] == ["--json", str(tmp_path / "wikiumls.json")]


def test_every_table_is_one_that_its_benchmark_wrote() -> None:
    for tables in papers.TABLES:
        results = ROOT / "benchmarks" / "results" / f"{tables.benchmark}.json"
        if results.is_file():
            assert set(tables.sheets) <= set(json.loads(results.read_text())["tables"])
