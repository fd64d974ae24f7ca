"""Every figure that a page quotes is in the results that the page names."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def script(name: str) -> Any:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


quotes = script("quotes")
ages = script("ages")
tables = script("tables")

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
    assert written - set(quotes.PAGES) == {"docs/api.md", "docs/cli.md", "docs/python.md"}


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
        ("It is 0.831. And 0.832.", [("two",), ()]),
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


def test_the_tables_of_the_page_are_todays() -> None:
    asked = ["git", "-C", str(ROOT), "rev-parse", "--is-shallow-repository"]
    if subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() != "false":
        pytest.skip("not a whole clone: when things were changed is not known")
    text = tables.PAGE.read_text(encoding="utf-8")
    assert tables.with_tables(text) == text, "`python docs/tables.py` writes them"
    assert all(f"<!-- table: {name} -->" in text for name in tables.TABLES)


def test_a_result_is_older_than_what_was_changed_later() -> None:
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)
    found = list(ages.rows(["ranking-static", "ncbi"], {"one thing": early, "another": late, "a third": late}))
    assert sorted((name, older) for name, _, _, older in found) == [
        ("`ncbi`", "another, a third"), ("`ranking-static`", "another, a third"),
    ]  # fmt: skip
    assert ages.named("<!-- results: b, a -->\n<!-- results: none (why) -->\n<!-- results: a -->") == ["b", "a"]
    assert all((ROOT / place).exists() for place in ages.SHIPPED.values())
