"""Every figure that a page quotes is in the results that the page names."""

from __future__ import annotations

import importlib.util
import re
import sys
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

_spec = importlib.util.spec_from_file_location("quotes", ROOT / "docs" / "quotes.py")
assert _spec is not None and _spec.loader is not None
quotes = importlib.util.module_from_spec(_spec)
sys.modules["quotes"] = quotes
_spec.loader.exec_module(quotes)

RESULTS = {
    "one": [(0.8424, 0.7990, 0.8834), (5.65, None, None), (314.07, None, None)],
    "two": [(0.8310, None, None), (2.12, None, None)],
}


def test_every_quoted_figure_is_in_its_results() -> None:
    wrong = [f"{quote.page}:{quote.line} {quote.text}" for quote in quotes.all_quotes() if not quote.right]
    assert wrong == [], "`python docs/quotes.py` lists what holds the other figures"


def test_pages_name_only_results_that_there_are() -> None:
    known = set(quotes.all_results())
    assert {name for quote in quotes.all_quotes() for name in quote.results} <= known


def test_no_page_that_is_written_by_hand_is_left_out() -> None:
    assert {"README.md", "docs/guide.md", "docs/papers.md", "docs/guides/notes.md"} <= set(quotes.PAGES)
    written = {page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert written - set(quotes.PAGES) == {"docs/api.md", "docs/cli.md"}


def test_every_file_of_results_says_when_and_by_which_commit_and_command() -> None:
    rows = [line.split("\t") for line in quotes.ages()]
    assert {name for name, *_ in rows} == set(quotes.all_results()) - {"acceptance", "papers"}
    for name, day, commit, command in rows:
        assert date.fromisoformat(day).year >= 2026, name
        assert re.fullmatch(r"[0-9a-f]{7,}\+?", commit), name
        assert command.startswith("python benchmarks/"), name


@pytest.mark.parametrize(
    "text, held",
    [
        ("**0.842** [0.799, 0.883]", [("one",)]),
        ("0.842 [0.799, 0.884]", [()]),
        ("0.84 and 0.831", [("one",), ("two",)]),
        ("0.832", [()]),
        ("5.7 ms, 5.2 min", [("one",), ("one",)]),
        ("5.8 ms", [()]),
        ("0.842 [0.799,\n0.883]", [("one",)]),
        ("84.2% and 84 percent, 83.1 %", [("one",), ("one",), ("two",)]),
        ("84.3%", [()]),
        ("with 95%\nintervals, 95% confidence intervals", []),
        ("2.1 times, twice as much, twice the work, three times as long", [("two",), ("two",), ("two",), ()]),
        ("given twice, searched three times", []),
        ("`0.111` and Python 3.11, CC BY 4.0", []),
    ],
)
def test_a_figure_is_right_where_results_hold_it(text: str, held: list[tuple[str, ...]]) -> None:
    found = list(quotes.quotes("page.md", f"<!-- results: one, two -->\n{text}", RESULTS))
    assert [quote.held_by for quote in found] == held
    assert all(quote.right == bool(quote.held_by) for quote in found)


def test_a_figure_without_results_needs_a_reason() -> None:
    before, after = quotes.quotes("page.md", "0.842\n<!-- results: none (settings) -->\n0.005", RESULTS)
    assert (before.line, before.right) == (1, False)
    assert (after.line, after.right, after.reason) == (3, True, "settings")


def test_numbers_are_found_at_any_depth() -> None:
    shape = {"a": [{"value": 0.5, "low": 0.4, "high": 0.6, "n": 3}], "b": {"measured": "13.45 s", "c": True, "d": 7}}
    assert list(quotes.numbers(shape)) == [(0.5, 0.4, 0.6), (13.45, None, None), (7, None, None)]
    assert list(quotes.numbers({"protocol": ["20% taken out, 95% intervals"]})) == [(0.2, None, None)]


def test_what_papers_print_is_held_too() -> None:
    theirs = quotes.all_results()["papers"]
    text = "<!-- results: papers -->\n91.36%, 33.4%, 58.5%, 32% (60%), 72%, 91.37%"
    assert [quote.right for quote in quotes.quotes("page.md", text, {"papers": theirs})] == [True] * 6 + [False]
