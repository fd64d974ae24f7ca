"""Writes the tables of docs/figures.md that follow from files of results: ``python docs/tables.py``.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``; `TABLES` says what writes which.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

sys.path.append(str(Path(__file__).resolve().parent))
from ages import RESULTS, ROOT
from ages import table as ages_table

PAGE = ROOT / "docs" / "figures.md"

QUERIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ranking-queries": (
            "User queries, HPO with ICD-10-CM",
            "[patients, clinicians, code lists](#the-first-queries)",
        ),
        "held-back": ("Queries held back, HPO with ICD-10-CM", "[of the same kinds, held back](#queries-held-back)"),
        "newcomer": ("A newcomer's queries, HPO with ICD-10-CM", "[by a newcomer](#queries-by-a-newcomer)"),
        "searchers": (
            "Queries of professions, HPO with ICD-10-CM",
            "[of professions](#queries-of-several-professions)",
        ),
        "specialties": ("Queries of specialties, HPO with ICD-10-CM", "[of specialties](#queries-of-specialties)"),
        "misspelled": ("Common misspellings, HPO with ICD-10-CM", "[misspelled](#misspellings)"),
        "others": ("Queries over MeSH, DOID, UBERON and ChEBI", "[over other terminologies](#other-terminologies)"),
        "languages": ("Queries in ten languages, HPO with ICD-10-CM", "[in other languages](#other-languages)"),
    }
)
"""The results of each set of queries: what the set is called there, and in the table."""

_HEAD = (
    "queries", "n", "right first", "among five", "right first by the encoder alone", "right ones that are sure",
    "wrong ones that are sure", "of no concept: not answered", "calibration error",
)  # fmt: skip
_BETWEEN = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """The page with every table as the results are today."""
    return _BETWEEN.sub(lambda found: f"{found[1]}\n{TABLES[found[2]](text)}\n", text)


def queries_table(_: str) -> str:
    """A row for each set of `QUERIES`."""
    rows = [_row(name, title, shown) for name, (title, shown) in QUERIES.items()]
    head = f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n"
    return head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _row(name: str, title: str, shown: str) -> list[str]:
    tables = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["tables"]
    ranked, further, confidence = (
        next(row for row in tables[table]["rows"] if row["set"] == title)
        for table in ("ranking", "ranking further", "ranking confidence")
    )
    without = confidence["n"] - ranked["n"]
    return [
        shown,
        str(ranked["n"]),
        f"**{_share(ranked['fused'])}** {_interval(ranked['fused'])}",
        _share(further["accuracy@5, fused"]),
        _share(ranked["dense"]),
        _share(confidence["right"]),
        _share(confidence["wrong"]),
        f"{round(without * confidence['NIL right']['value'])} of {without}" if without else "",
        _share(confidence["ECE"]),
    ]


def _share(measured: Mapping[str, float]) -> str:
    return f"{measured['value']:.3f}"


def _interval(measured: Mapping[str, float]) -> str:
    return f"[{measured['low']:.3f}, {measured['high']:.3f}]"


TABLES: Mapping[str, Callable[[str], str]] = MappingProxyType({"queries": queries_table, "ages": ages_table})
"""What writes each table, given the page."""


def main() -> int:
    """Writes the page."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
