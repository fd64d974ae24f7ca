"""Marks in src/ontonym/text/everyday.tsv the clinical names that open terminologies hold apart from others of the row.

``python benchmarks/lexicon/everyday.py [FOLDER]`` imports the terminologies into FOLDER, unless they are there. A name
with a ``~`` is one to find a concept by, where a terminology has none of the names before it; but it is no name of
that concept, as *obstructive sleep apnea* is none of *sleep apnea*. Marks that are there are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from ontonym.store import Terminology
from ontonym.text.normalization import normalize
from sources import ROOT, import_sources

LIST = ROOT / "src" / "ontonym" / "text" / "everyday.tsv"
MARK = "~"


def main() -> None:
    """Reads the list, looks every name up, and writes the list with its marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path.home() / ".cache" / "ontonym" / "training")
    lines = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()]
    written = [clinical.split("|") for clinical, _ in lines]
    rows = [[name.removeprefix(MARK) for name in names] for names in written]
    together, apart = verdicts(rows, import_sources(parser.parse_args().folder))
    marked = [
        "|".join(MARK * (old != name or apart[row, name] >= max(together[row, name], 1)) + name for old, name in pairs)
        for row, pairs in enumerate(zip(old, new, strict=True) for old, new in zip(written, rows, strict=True))
    ]
    LIST.write_text(
        "".join(f"{names}\t{said}\n" for names, (_, said) in zip(marked, lines, strict=True)), encoding="utf-8"
    )
    print(f"{sum(names.count(MARK) for names in marked):,} of {sum(map(len, rows)):,} names are marked")


def verdicts(
    rows: list[list[str]], terminologies: list[Terminology]
) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int]]:
    """How many terminologies hold each name but the first of a row together with another one of it, and how many apart.

    It is compared with the first name of the row, or with all where a terminology does not have that.
    """
    wanted = {normalize(name) for names in rows for name in names}
    together: dict[tuple[int, str], int] = defaultdict(int)
    apart: dict[tuple[int, str], int] = defaultdict(int)
    for terminology in terminologies:
        owners = _owners(terminology, wanted)
        for row, names in enumerate(rows):
            held = {name: found for name in names if (found := owners.get(normalize(name)))}
            for name in names[1:]:
                others = [held[names[0]]] if names[0] in held else [held[one] for one in held if one != name]
                if name in held and others:
                    same = any(held[name] & other for other in others)
                    (together if same else apart)[row, name] += 1
    return together, apart


def _owners(terminology: Terminology, wanted: set[str]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for row in range(len(terminology)):
        if terminology.active[row]:
            for term in terminology.concept(row).terms:
                form = normalize(term.text)
                if form in wanted and term.language == "en" and term.scope == "exact":
                    found[form].add(row)
    return found


if __name__ == "__main__":
    main()
