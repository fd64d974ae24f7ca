"""Writes a generated release and prints what it wrote: ``python -m benchmarks.releases rf2 OUT …``."""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .draws import Draws
from .grammar import Namer
from .package import Written
from .rf2 import write_extension, write_rf2
from .rrf import write_rrf
from .rrf_files import PART
from .rxnorm import write_rxnorm
from .world import Options


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and gives the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.concepts < 1 or given.release < 1 or not 0 <= given.changed <= 1 or not 0 <= given.seed < 2**31:
        parser.error("--concepts and --release start at 1, --changed lies in [0, 1], --seed in [0, 2**31)")
    started = time.perf_counter()
    try:
        releases = _WRITERS[given.format](given)
    except ValueError as error:
        parser.error(str(error))
    for written in releases:
        print(written.path)
        for name, rows in written.rows.items():
            print(f"  {rows:>12,} {name}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter() - started:.1f} s, {peak:,.0f} MiB at most")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.releases", description=__doc__)
    formats = parser.add_subparsers(dest="format", required=True)
    rf2 = formats.add_parser("rf2", help="SNOMED CT's RF2")
    _common(rf2, concepts=520_000)
    _wording(rf2, "--names", "--words")
    rf2.add_argument("--retired", type=float, default=160 / 520, help="share retired by release 1 (default: 160/520)")
    rf2.add_argument("--full", action="store_true", help="write the view Full too")
    rf2.add_argument("--delta", action="store_true", help="write the view Delta too")
    rf2.add_argument("--no-snapshot", action="store_true", help="leave the view Snapshot out")
    rf2.add_argument("--extension", type=int, nargs="?", const=10_000, default=0, metavar="CONCEPTS",
                     help="write a German extension too, with so many concepts of its own (10,000)")  # fmt: skip
    rrf = formats.add_parser("rrf", help="the UMLS in Rich Release Format")
    _common(rrf, concepts=4_500_000)
    _wording(rrf, "--words")
    rrf.add_argument("--names", dest="rows", type=int, default=0, help="rows of MRCONSO (default: 10 for 3 concepts)")
    rrf.add_argument("--relations", type=int, default=0, help="rows of MRREL (default: 80 for 9 concepts)")
    rxnorm = formats.add_parser("rxnorm", help="RxNorm in Rich Release Format")
    _common(rxnorm, concepts=20_000)
    for each in (rrf, rxnorm):
        each.add_argument("--split", type=int, nargs="?", const=PART, default=0, metavar="BYTES",
                          help=f"write compressed parts of so many bytes before compression ({PART:,})")  # fmt: skip
    return parser


def _common(parser: argparse.ArgumentParser, *, concepts: int) -> None:
    parser.add_argument("out", type=Path, help="folder to write into")
    parser.add_argument("--concepts", type=int, default=concepts, help=f"concepts of release 1 (default: {concepts:,})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", type=int, default=1, help="number of the release (default: 1)")
    parser.add_argument("--changed", type=float, default=0.01, help="share renamed with each release (default: 0.01)")
    parser.add_argument("--zip", action="store_true", help="pack the release into a zip")


def _wording(parser: argparse.ArgumentParser, *flags: str) -> None:
    parser.add_argument(*flags, dest="words", choices=("grammar", "open"), default="grammar",
                        help="names from the grammar, or real ones from the open data (ONTONYM_DATA)")  # fmt: skip


def _names(given: argparse.Namespace) -> Namer | None:
    if given.words == "grammar":
        return None
    from .opennames import OpenNames

    try:
        return OpenNames(Draws(given.seed))
    except FileNotFoundError as error:
        raise SystemExit(str(error)) from error


def _write_rf2(given: argparse.Namespace) -> list[Written]:
    options = Options(given.concepts, given.seed, given.release, given.changed, given.retired)
    views = tuple(
        view
        for view, wanted in (("Snapshot", not given.no_snapshot), ("Full", given.full), ("Delta", given.delta))
        if wanted
    )
    names = _names(given)
    written = [write_rf2(given.out, options, names=names, views=views, zip=given.zip)]
    if given.extension:
        concepts = given.extension
        written.append(write_extension(given.out, options, concepts=concepts, names=names, views=views, zip=given.zip))
    return written


def _write_rrf(given: argparse.Namespace) -> list[Written]:
    options = Options(given.concepts, given.seed, given.release, given.changed)
    return [
        write_rrf(
            given.out, options, names=given.rows, relations=given.relations, namer=_names(given), split=given.split,
            zip=given.zip,
        )
    ]  # fmt: skip


def _write_rxnorm(given: argparse.Namespace) -> list[Written]:
    options = Options(given.concepts, given.seed, given.release, given.changed)
    return [write_rxnorm(given.out, options, split=given.split, zip=given.zip)]


_WRITERS = {"rf2": _write_rf2, "rrf": _write_rrf, "rxnorm": _write_rxnorm}


if __name__ == "__main__":
    sys.exit(main())
