"""Whether a change of the code left the answers of an index as they were: recorded by one tree, compared in another."""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from ontonym.errors import InputError, OntonymError
from ontonym.index import Index, open_index
from ontonym.tasks import NormalizeOptions, SearchOptions, normalize, search
from ontonym.types import Mention
from peers import all_names
from queries import draw_queries

OPTIONS = (
    SearchOptions(),
    SearchOptions(k=40),
    SearchOptions(strategy="OD-T"),
    SearchOptions(strategy="O-C"),
    SearchOptions(signal="lexical"),
    SearchOptions(signal="char"),
    SearchOptions(signal="dense"),
    SearchOptions(verbatim=True),
)
"""How each query is searched for, in turn; the first one for half of them."""

CLOSE = 1e-6
"""Confidences and similarities that differ by less are reported, but are no failure."""


def measure(chosen: argparse.Namespace) -> int:
    """Records the answers, or compares them; 1 if one differs by more than `CLOSE`."""
    with open_index(chosen.index) as index:
        began = time.perf_counter()
        lines = [orjson.dumps(answer) for answer in _answers(index, _texts(index, chosen))]
        print(f"{len(lines):,} answers in {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if chosen.record:
        chosen.record.write_bytes(b"\n".join(lines) + b"\n")
        return 0
    return _compared(chosen.against.read_bytes().splitlines(), lines)


def _texts(index: Index, chosen: argparse.Namespace) -> list[str]:
    asked = [query.text for query in draw_queries(all_names(index.terminologies), chosen.queries, seed=7)]
    if chosen.texts:
        with chosen.texts.open(encoding="utf-8", newline="") as file:
            asked += [row[0] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]
    return asked


def _answers(index: Index, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(texts):
        options = OPTIONS[number // 8 % len(OPTIONS)] if number % 2 else OPTIONS[0]
        hits = [asdict(hit) for hit in search(index, text, options)]
        yield {"query": text, "options": repr(options), "hits": hits}
    mentions = [Mention(id=str(number), text=text) for number, text in enumerate(texts)]
    for answer in normalize(index, mentions, NormalizeOptions()):
        yield {"mention": answer.mention.text, "hits": [asdict(hit) for hit in answer.candidates], "id": answer.id}


def _compared(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    if len(before) != len(now):
        raise InputError(f"{len(before):,} answers were recorded, but there are {len(now):,} now")
    largest, close, different = 0.0, 0, 0
    for one, other in zip(before, now, strict=True):
        if one == other:
            continue
        apart = _apart(orjson.loads(one), orjson.loads(other))
        largest, close, different = max(largest, apart), close + (apart < CLOSE), different + (apart >= CLOSE)
        if apart >= CLOSE and different <= 5:
            print(f"- {one.decode()}\n+ {other.decode()}")
    print(
        f"{len(now):,} answers: {len(now) - close - different:,} the same, {close:,} with numbers up to {largest:.2g} "
        f"apart, {different:,} different"
    )
    return int(different > 0)


def _apart(one: Any, other: Any) -> float:
    """The largest difference of a number in two answers; infinite if they differ in anything else."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return max((_apart(one[key], other[key]) for key in one), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(_apart, one, other), default=0.0)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    return 0.0 if one == other else float("inf")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--queries", type=int, default=2000, help="how many, drawn from the names (default: 2000)")
    parser.add_argument("--texts", type=Path, help="a TSV file whose first column has more queries")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, help="write the answers to this file")
    what.add_argument("--against", type=Path, help="compare the answers with those of this file")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(measure(_parser().parse_args()))
    except OntonymError as error:
        sys.exit(f"same_answers: {error}")
