"""The figures that pages quote, each with the results that it comes from, and how old those are.

``python docs/quotes.py`` lists them.

A comment ``<!-- results: NAME, NAME -->`` in a page says that the figures after it are in the files
``benchmarks/results/NAME.json``, and ``<!-- results: none (why) -->`` that they were measured otherwise; ``papers`` are
the figures that papers print, `benchmarks/quoted.py`.

A figure is a share (0.842), with or without its interval ([0.799, 0.883]), a percentage (38%, but for that of
intervals), a number with a unit of time or of memory, or a ratio (2.1 times, twice as many). It is right where the
results hold it, as far as it is rounded; a percentage also where they write it.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
ACCEPTANCE = ROOT / "src" / "ontonym" / "tasks" / "annotation" / "acceptance.json"

GENERATED = ("docs/api.md", "docs/cli.md", "docs/python.md")

PAGES = (
    "README.md",
    *sorted(
        page for place in (ROOT / "docs").rglob("*.md") if (page := place.relative_to(ROOT).as_posix()) not in GENERATED
    ),
    "src/ontonym/encoder/MODEL_CARD.md",
    "packages/ontonym-contextual/MODEL_CARD.md",
    "packages/ontonym-multilingual/MODEL_CARD.md",
)
"""The pages whose figures are held to the results: all that are written by hand."""

UNITS: Mapping[str, Sequence[float]] = MappingProxyType(
    {
        "": (1.0,),
        "ms": (1.0, 1e-3),
        "s": (1.0,),
        "min": (60.0,),
        "MB": (1.0,),
        "GB": (1e3,),
        "times": (1.0,),
    }
)
"""What a figure with a unit may be in the results: seconds or milliseconds, megabytes, and ratios."""

RATIOS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, name in enumerate("twice three four five six seven eight nine ten eleven twelve".split(), 2)
    }
)
"""Ratios in words: *twice*, and *three times*."""

_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_COMMENT = re.compile(r"<!-- results: (.+?) -->")
_MEASURED = re.compile(rf"({_NUMBER}) (ms|s|min|MB|GB|times)")
_PERCENT = re.compile(rf"({_NUMBER})\s?%(?! intervals?)")
_SHARE = re.compile(r"0\.\d+")
_FENCE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(
    rf"(?<![\w.,/:@+-])(?:"
    rf"(?P<sure>{_NUMBER}) \[(?P<low>{_NUMBER}),\s(?P<high>{_NUMBER})\]"
    rf"|(?P<measured>{_NUMBER})\s(?P<unit>ms|s|min|MB|GB|times)\b"
    rf"|(?P<percent>{_NUMBER})\s?(?:%|percent\b|per\scent\b)(?!\s+(?:\w+\s+)?intervals?\b)"
    rf"|(?P<ratio>(?i:twice|(?:{'|'.join([*RATIOS][1:])})\stimes))(?=\s(?:as|the)\s)"
    rf"|(?P<share>[-+]?[01]\.\d\d+)(?!\w|%|\.\d))"
)

Numbers: TypeAlias = tuple[float, float | None, float | None]
"""A figure of the results with the ends of its interval, None where it has none."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A figure on a page: its line, its text, the results that must hold it, and those that do (none: it is wrong).

    ``reason`` says why a figure has no results; then nothing is compared.
    """

    page: str
    line: int
    text: str
    results: tuple[str, ...]
    held_by: tuple[str, ...]
    reason: str = ""

    @property
    def right(self) -> bool:
        """Whether the results hold the figure, or the page says why there are none."""
        return bool(self.held_by or self.reason)


def quotes(page: str, text: str, results: Mapping[str, Sequence[Numbers]]) -> Iterator[Quote]:
    """Every figure of a page in its order; ``results`` are the numbers of every file of results by its name."""
    text = _FENCE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text).replace("**", "")
    sources: tuple[str, ...] = ()
    reason = ""
    for found in re.finditer(f"{_COMMENT.pattern}|{_FIGURE.pattern}", text):
        if named := found[1]:
            reason = named.removeprefix("none").strip(" ()") if named.startswith("none") else ""
            sources = () if reason else tuple(part.strip() for part in named.split(","))
            continue
        line = text.count("\n", 0, found.start()) + 1
        held = tuple(name for name in sources if any(_is(found, numbers) for numbers in results.get(name, ())))
        yield Quote(page, line, " ".join(found[0].split()), sources, held, reason)


def _is(found: re.Match[str], numbers: Numbers) -> bool:
    value, low, high = numbers
    if found["sure"]:
        if low is None or high is None:
            return False
        return _rounds(value, found["sure"]) and _rounds(low, found["low"]) and _rounds(high, found["high"])
    if found["measured"]:
        return any(_rounds(value / factor, found["measured"]) for factor in UNITS[found["unit"]])
    if found["percent"]:
        return _rounds(100 * value, found["percent"])
    if found["ratio"]:
        return _rounds(value, str(RATIOS[found["ratio"].lower().split()[0]]))
    return _rounds(value, found["share"])


def _rounds(value: float, shown: str) -> bool:
    decimals = len(shown.partition(".")[2])
    return abs(value - float(shown.replace(",", ""))) <= 0.5 * 10**-decimals + 1e-9


def numbers(shape: Any) -> Iterator[Numbers]:
    """Every number of a file of results."""
    if isinstance(shape, dict):
        if {"value", "low", "high"} <= set(shape):
            yield shape["value"], shape["low"], shape["high"]
            return
        for part in shape.values():
            yield from numbers(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from numbers(part)
    elif isinstance(shape, int | float) and not isinstance(shape, bool):
        yield shape, None, None
    elif isinstance(shape, str) and (measured := _MEASURED.fullmatch(shape)):
        yield float(measured[1].replace(",", "")) * UNITS[measured[2]][0], None, None
    elif isinstance(shape, str):
        for percent in _PERCENT.findall(shape):
            yield float(percent.replace(",", "")) / 100, None, None


def all_results() -> dict[str, list[Numbers]]:
    """The numbers of the tables of every file in ``benchmarks/results``, by its name without ``.json``.

    ``acceptance`` is what was measured of likely mentions when the shipped file was learned, ``papers`` what papers
    print.
    """
    found = {
        place.stem: list(numbers(json.loads(place.read_text(encoding="utf-8"))["tables"]))
        for place in sorted(RESULTS.glob("*.json"))
    }
    acceptance = json.loads(ACCEPTANCE.read_text(encoding="utf-8"))["measured"]
    return found | {"acceptance": list(numbers(acceptance)), "papers": list(_of_papers())}


def _of_papers() -> Iterator[Numbers]:
    """Every figure in `benchmarks/quoted.py`."""
    spec = importlib.util.spec_from_file_location("quoted", ROOT / "benchmarks" / "quoted.py")
    assert spec is not None and spec.loader is not None  # noqa: S101 (it is a file of ours)
    quoted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(quoted)
    yield from numbers([list(figures) for figures in quoted.XU.values()])
    for table in (*quoted.NGO, *quoted.SCHULZ, *quoted.KONG, *quoted.RAHIMI):
        yield from ((float(cell), None, None) for row in table.rows for cell in row if _SHARE.fullmatch(str(cell)))


def ages() -> Iterator[str]:
    """A line for every file of results: when it was measured, by which commit, and with which command.

    A commit with ``+`` had changes that were not committed.
    """
    for place in sorted(RESULTS.glob("*.json")):
        shape = json.loads(place.read_text(encoding="utf-8"))
        commit = shape["machine"]["packages"]["ontonym"]
        yield f"{place.stem}\t{shape['began'][:10]}\t{commit}\t{shape['command']}"


def all_quotes() -> Iterator[Quote]:
    """Every figure of `PAGES`."""
    results = all_results()
    for page in PAGES:
        yield from quotes(page, (ROOT / page).read_text(encoding="utf-8"), results)


def main() -> int:
    """Prints every figure with what holds it, and the age of the results; 1 where one is not held."""
    wrong = 0
    for quote in all_quotes():
        source = ", ".join(quote.held_by) or quote.reason or f"NOT in {', '.join(quote.results) or 'any named results'}"
        print(f"{quote.page}:{quote.line}\t{quote.text}\t{source}")
        wrong += not quote.right
    print("\nresults\tmeasured\tcommit\tcommand", *ages(), sep="\n")
    print(f"{wrong} figures that no results hold" if wrong else "every figure is in its results", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
