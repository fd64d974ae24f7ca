"""A shared index in PostgreSQL or Milvus beside the same index in a folder: equal answers, time, processor time, trips.

Give it a running server; the index is loaded where it is not there yet.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from figures import Bench, Row, Sheet, main, share
from ontonym.index import Index, open_index
from ontonym.index.shared.address import address_of
from ontonym.index.shared.loading import load_index
from ontonym.index.shared.opening import backend_of
from ontonym.index.shared.postgres.storage import PostgresStorage
from ontonym.tasks import search
from ontonym.types import Hit
from peers import all_names
from queries import draw_queries

FIRST = 10
_TITLES = {"postgresql": "PostgreSQL", "milvus": "Milvus"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers of one index, with the seconds by the clock and the processor seconds of the client for each."""

    hits: Sequence[Sequence[Hit]]
    seconds: Sequence[float]
    processor: Sequence[float]

    @property
    def ids(self) -> list[list[str]]:
        """The ids of the first ten of each answer."""
        return [[hit.id for hit in hits[:FIRST]] for hits in self.hits]


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Loads what is missing, asks both in turn, and compares; False if fewer answers are equal than were promised."""
    address = address_of(chosen.url)
    if address is None:
        raise SystemExit("--url: give postgresql://HOST/DATABASE/INDEX or milvus://HOST/DATABASE/INDEX")
    with open_index(chosen.index) as local:
        began = time.perf_counter()
        loaded = load_index(local, address)
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        with open_index(chosen.url) as shared:
            opening = time.perf_counter() - began
            count = chosen.warm + chosen.queries
            drawn = [one.text for one in draw_queries(all_names(local.terminologies), count, seed=chosen.seed)]
            for text in drawn[: chosen.warm]:
                search(local, text)
                search(shared, text)
            texts = drawn[chosen.warm :]
            folder, database, server, trips = _asked(local, shared, texts)
            how = "was there" if loaded.was_there else f"loaded in {seconds:.0f} s"
            protocol = (
                f"{local.name_count:,} names of {local.releases}; {how}, opened in {opening:.2f} s",
                f"{len(texts)} queries, distinct, each asked once of both in turn, after {chosen.warm} others; load "
                f"{os.getloadavg()[0]:.1f}",
            )
            times = [
                _row("folder", folder, 0.0, 0.0),
                _row(_TITLES[address.scheme], database, server / len(texts), trips / len(texts)),
            ]
            bench.show(Sheet("times", "milliseconds a query", protocol, times, digits=1))
            bench.show(Sheet("equal", "answers equal to the folder's", protocol, _equal(folder, database)))
            recall = [_recall(local, shared, texts)]
            bench.show(Sheet("recall", "first 50 names by meaning of the folder that are found", protocol, recall))
    equal = share([a == b for a, b in zip(folder.ids, database.ids, strict=True)])
    return bool(equal.value >= chosen.least)


def _asked(local: Index, shared: Index, texts: Sequence[str]) -> tuple[Asked, Asked, float, float]:
    """The answers of both indexes, the processor seconds of the server, and how many times it was asked."""
    held: dict[str, tuple[list[Any], list[float], list[float]]] = {"local": ([], [], []), "shared": ([], [], [])}
    storage = backend_of(shared.signals).storage
    asked: Any = getattr(storage, "database" if isinstance(storage, PostgresStorage) else "server")
    method = "together" if isinstance(storage, PostgresStorage) else "call"
    trips, ask = 0, getattr(asked, method)

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal trips
        trips += 1
        return ask(*given, **named)

    for index in (local, shared):
        search(index, "fever")  # opens what is opened at the first search
    setattr(asked, method, counted)
    before = _server_seconds()
    for text in texts:
        for name, index in (("local", local), ("shared", shared)):
            hits, seconds, processor = held[name]
            began, worked = time.perf_counter(), time.process_time()
            hits.append(search(index, text))
            seconds.append(time.perf_counter() - began)
            processor.append(time.process_time() - worked)
    return Asked(*held["local"]), Asked(*held["shared"]), _server_seconds() - before, trips


def _server_seconds() -> float:
    """The processor seconds of waiting sessions of PostgreSQL and of Milvus servers on this machine; 0 elsewhere."""
    seconds = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if (command.startswith(b"postgres: ") and b"idle" in command) or b"/milvus\0run\0" in command:
                used = (process / "stat").read_text().rpartition(")")[2].split()
                seconds += (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return seconds


def _row(name: str, asked: Asked, server: float, trips: float) -> Row:
    clock = 1e3 * np.array(asked.seconds)
    return {
        "index": name,
        "p50": round(float(np.quantile(clock, 0.5)), 2),
        "p99": round(float(np.quantile(clock, 0.99)), 2),
        "processor, client": round(1e3 * float(np.mean(asked.processor)), 2),
        "processor, server": round(1e3 * server, 2),
        "questions": round(trips, 2),
    }


def _equal(folder: Asked, database: Asked) -> list[Row]:
    pairs = list(zip(folder.ids, database.ids, strict=True))
    kinds = {
        "first ten, in order": [a == b for a, b in pairs],
        "first ten, in any order": [set(a) == set(b) for a, b in pairs],
        "first": [a[:1] == b[:1] for a, b in pairs],
    }
    return [{"what": name, "share": share(outcomes)} for name, outcomes in kinds.items()]


def _recall(local: Index, shared: Index, texts: Sequence[str]) -> Row:
    own, theirs, found = local.signals.ontology.dense, shared.signals.ontology.dense, []
    for query in local.signals.queries(texts[:300]):
        expected = set(own.nearest(query.vector, 50).rows.tolist())
        found.append(len(expected & set(theirs.nearest(query.vector, 50).rows.tolist())) / max(len(expected), 1))
    return {"recall": round(float(np.mean(found)), 4), "queries": len(found)}


def options(parser: argparse.ArgumentParser) -> None:
    """What is compared."""
    parser.add_argument("--index", type=Path, required=True, help="the index in a folder")
    parser.add_argument("--url", required=True, help="where it is shared, postgresql://… or milvus://…")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--warm", type=int, default=0, help="other queries, asked before")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--least", type=float, default=0.97, help="the share of equal first tens that is promised")


if __name__ == "__main__":
    raise SystemExit(main("shared", __doc__ or "", measure, options))
