"""Results files, and the same results as text, Markdown, LaTeX, pictures and a page."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
from lxml import etree, html

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.page import report_page
from ontonym.evaluate.plots import COLOURS, draw
from ontonym.evaluate.results import (
    Line,
    Marked,
    Plot,
    Results,
    Run,
    Table,
    gathered,
    labelled_files,
    read_results,
    to_bytes,
)
from ontonym.evaluate.significance import Interval
from ontonym.evaluate.tables import best_cells, cell_text, format_table, latex, markdown, text_table

GOOD, BAD = Interval(0.9, 0.85, 0.95), Interval(0.5, 0.4, 0.6)
TABLE = Table(
    "figures", "How good <they> are", ("run", "n", "hits@1", "p_value"),
    (("a & b", 1200, Marked(GOOD, "2/-1"), "<0.001"), ("c|d", 1200, BAD, "")), ("100% of $x_1$",), best="high",
)  # fmt: skip
PLOT = Plot(
    "figures", "Curve", "K", "hits (share)", ("1", "2", "4"),
    (Line("a & b", (BAD, GOOD, GOOD)), Line("c|d", (BAD, None, BAD))), chance=0.5,
)  # fmt: skip
RUN = Run("a", ("q1", "q2"), {"hits@1": np.array([1.0, 0.25])}, ("d1", "d1"), "document", "mention", "ontology")
RESULTS = Results("A <title>", ("about & so on",), (TABLE,), (PLOT,), (RUN,), "ontonym evaluate x 'y z'")


def test_a_table_wider_than_the_terminal_goes_on_below(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["first", "12345678", "x"], ["second", "1", "123456"]]
    whole = format_table(["name", "column", "other"], rows)
    assert whole.splitlines()[0] == "name      column   other"
    monkeypatch.setattr("ontonym.evaluate.tables._terminal", lambda: 20)
    assert format_table(["name", "column", "other"], rows) == (
        "name      column\n----------------\nfirst   12345678\nsecond         1\n\n"
        "name     other\n--------------\nfirst        x\nsecond  123456"
    )
    monkeypatch.setattr("ontonym.evaluate.tables._terminal", lambda: 24)
    assert format_table(["name", "column", "other"], rows) == whole


def test_a_results_file_gives_back_all_there_is(tmp_path):
    (tmp_path / "r.json").write_bytes(to_bytes(RESULTS))
    read = read_results(tmp_path / "r.json")
    assert read.to_dict() == RESULTS.to_dict()
    assert (read.tables, read.plots) == (RESULTS.tables, RESULTS.plots)
    assert read.runs[0].values["hits@1"].tolist() == [1.0, 0.25]
    assert (read.runs[0].groups, read.runs[0].item, read.runs[0].names) == (("d1", "d1"), "mention", "ontology")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not a results file"),
        ('{"ontonym_results": 99}', "version 99"),
        ('{"ontonym_results": 1, "title": "t"}', "was changed"),
    ],
)
def test_what_is_no_results_file_is_told(tmp_path, content, said):
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(FormatError, match=said):
        read_results(tmp_path / "r.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_results(tmp_path / "none.json")


def test_rows_have_as_many_cells_as_columns():
    with pytest.raises(InputError, match="not 2 cells"):
        Table("t", "t", ("a", "b"), (("x",),))


def test_runs_of_one_name_are_told_apart_by_their_files():
    assert [run.name for run in gathered([("x", RESULTS), ("y", RESULTS)])] == ["x:a", "y:a"]
    assert [run.name for run in gathered([("x", RESULTS)])] == ["a"]


def test_files_have_labels_of_their_own():
    files = ["a/one.run", "b/two.run", "c/two.run", "d/three.run", "d/three.txt"]
    labels = ["one", "b/two", "c/two", "d/three.run", "d/three.txt"]
    assert labelled_files([*files, "a/one.run"]) == dict(zip(labels, files, strict=True))


def test_cells_and_plain_text():
    assert cell_text(Marked(GOOD, "2/-1")) == "0.900 [0.850, 0.950] (2/-1)"
    assert cell_text(Interval(0.01, -0.02, 0.04), signed=True) == "+0.010 [-0.020, +0.040]"
    assert [cell_text(cell) for cell in (None, 1234, 0.5, "x")] == ["", "1,234", "0.500", "x"]
    assert text_table(TABLE).splitlines() == [
        "run        n                       hits@1  p_value",
        "--------------------------------------------------",
        "a & b  1,200  0.900 [0.850, 0.950] (2/-1)  <0.001",
        "c|d    1,200         0.500 [0.400, 0.600]",
    ]


def test_the_best_figures_stand_out():
    assert best_cells(TABLE) == {(0, 2)}
    assert best_cells(replace(TABLE, best="low")) == {(1, 2)}
    assert best_cells(replace(TABLE, best="")) == set()
    by_row = Table("t", "t", ("kind", "a", "b", "c"), (("x", GOOD, BAD, GOOD),), best="high", methods="columns")
    assert best_cells(by_row) == {(0, 1), (0, 3)}  # equal ones both


def test_markdown_takes_nothing_for_markup():
    lines = markdown([RESULTS]).splitlines()
    assert lines[0] == r"# A \<title\>"
    assert "| run | n | hits@1 | p\\_value |" in lines
    assert "|---|---:|---:|---|" in lines
    assert r"| a & b | 1,200 | **0.900 \[0.850, 0.950\] (2/-1)** | \<0.001 |" in lines
    assert r"| c\|d | 1,200 | 0.500 \[0.400, 0.600\] |  |" in lines


def test_latex_keeps_the_hyphens_of_an_option():
    assert "give -{}-force, a--b." in latex([replace(RESULTS, about=("give --force, a\N{EN DASH}b",))])


def test_latex_is_escaped_and_labelled_once():
    text = latex([RESULTS, RESULTS])
    assert r"a \& b & 1,200 & \textbf{0.900}$^{2/-1}$ {\scriptsize [0.850, 0.950]} & $<$0.001 \\" in text
    assert r"\caption{How good $<$they$>$ are: A $<$title$>$.}" in text
    small = r"\begin{minipage}{\linewidth}\footnotesize"
    assert f"{small}\nabout \\& so on. 100\\% of \\$x\\_1\\$.\n\\end{{minipage}}\n\\end{{table}}" in text
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:figures", "tab:figures-2"]
    assert r"\begin{tabular}{lrrl}" in text
    assert text.count(r"\begin{") == text.count(r"\end{")


@pytest.mark.slow
@pytest.mark.parametrize("plot", [PLOT, replace(PLOT, ordered=False), replace(PLOT, places=("x", "y", "z"))])
def test_plots_are_svg_and_the_same_each_time(plot):
    picture = draw(plot)
    assert picture == draw(plot)
    root = etree.fromstring(picture.encode())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for colour in COLOURS[:2]:
        assert colour.lower() in picture.lower()


def test_many_methods_are_drawn_each_in_its_own_way():
    lines = tuple(Line(f"method {number}", (BAD, GOOD, BAD)) for number in range(11))
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6})", draw(replace(PLOT, lines=lines))))) >= len(COLOURS)


def test_the_page_is_one_file_that_asks_for_nothing():
    page = report_page([RESULTS, replace(RESULTS, title="Another", plots=(replace(PLOT, key="alone"),))])
    tree = html.fromstring(page)
    assert [one.text for one in tree.findall(".//h1")] == ["A <title>", "Another"]
    assert [one.text for one in tree.findall(".//h2")][:2] == ["How good <they> are", "How to get these figures again"]
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page)
    assert "<script" not in page
    pictures = tree.findall(".//img")
    assert len(pictures) == 2
    svg = base64.b64decode(pictures[0].get("src").removeprefix("data:image/svg+xml;base64,"))
    assert svg.decode() == draw(PLOT)
    assert pictures[0].get("alt") == "Curve: hits (share) by K for a & b, c|d"
    cell = tree.findall(".//td")[2]
    assert (cell.find("b").text, cell.find("sup").text, cell.find("small").text) == (
        "0.900", "2/-1", "[0.850, 0.950]",
    )  # fmt: skip
