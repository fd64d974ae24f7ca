"""Reports as files, by their endings."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontonym.errors import InputError
from ontonym.evaluate.outputs import write_reports
from ontonym.evaluate.results import Line, Plot, Results, Table, read_results

PLOT = Plot("figures", "Figures", "measure", "share", ("hits@1",), (Line("a", (None,)),))
RESULTS = Results("Searching", ("one release",), (Table("figures", "Figures", ("run", "n"), (("a", 3),)),))


def test_each_ending_gives_its_form(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("r.md", "r.TEX", "r.html", "r.json")]
    write_reports(paths, [RESULTS])
    begin, caption = "# Searching\n\n- one release", r"\caption{Figures: Searching.}"
    assert (tmp_path / "r.md").read_text().startswith(begin)
    table = (tmp_path / "r.TEX").read_text()
    assert caption in table and "one release" in table.split(caption)[1]
    assert "<h1" in (tmp_path / "r.html").read_text()
    assert read_results(tmp_path / "r.json") == RESULTS


def test_plots_are_a_file_each_and_never_replace_each_other(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plotted = Results("Searching", (), (), (PLOT, PLOT))
    write_reports([str(tmp_path / "r.svg")], [plotted])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.figures-2.svg", "r.figures.svg"]


@pytest.mark.parametrize(
    ("name", "results", "message"),
    [
        ("r.pdf", [RESULTS], r"unknown ending. Endings known: \.html \.md \.tex \.svg \.json"),
        ("r.svg", [RESULTS], "there is nothing to plot"),
        ("r.json", [RESULTS, RESULTS], "a results file has one evaluation, not 2"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, name: str, results: list[Results], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_reports([str(tmp_path / name)], results)
    assert not list(tmp_path.iterdir())
