"""Load on the server, over loopback: operations at fixed rates, look-ups as fast as they go (by wrk), idle connections,
and the memory of its processes in a soak: ``python benchmarks/serve.py INDEX … [--against SRC] [--soak MINUTES]``.

Requests are sent at fixed times, whether or not earlier ones were answered, over connections that are kept, and a time
counts from when its request was due: a server that falls behind is seen. ``--against`` names the ``src`` of another
checkout: its server is measured in turn with this one, minute by minute, since what else runs on a machine changes
times more than most changes do. Processor time hardly depends on that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

from figures import Bench, Row, Sheet, Target, main, target_sheet
from ontonym.index import Index, open_index

LOADS: Mapping[str, int] = {"autocomplete": 200, "search": 50, "concept": 200, "expand": 50}
"""Requests a second."""
WANTED: Mapping[str, tuple[float, float]] = {"autocomplete": (5, 25), "search": (15, 1000)}
"""The milliseconds within which half, and all but one in a hundred, are to be answered."""
LOOKUPS = 2000
IDLE = 1000
DIFFERENT = 5000
CONNECTIONS = 8
SAMPLES = 20
FRESH = 1000
"""Requests at the beginning that loads leave out: their answers were made before, and may be kept."""


@dataclass
class ServedProcess:
    """A running server: where, which process, and the connections to it that are free."""

    name: str
    host: str
    port: int
    pid: int
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)

    def facts(self) -> Iterator[tuple[list[str], str]]:
        """``stat`` and ``status`` of the server's processes."""
        for place in Path("/proc").glob("[0-9]*"):
            try:
                stat = (place / "stat").read_text().rpartition(")")[2].split()
                if self.pid in (int(place.name), int(stat[1])):
                    yield stat, (place / "status").read_text()
            except OSError:
                continue

    def processor(self) -> float:
        """Milliseconds of processor time so far."""
        return sum(int(stat[11]) + int(stat[12]) for stat, _ in self.facts()) * 1000 / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """MB of memory that its processes hold for themselves: files that are mapped do not count."""
        found = (re.search(r"RssAnon:\s+(\d+)", status) for _, status in self.facts())
        return sum(int(one[1]) for one in found if one) // 1000


@dataclass(frozen=True)
class Loaded:
    """What a load came to: milliseconds of each request, how many failed, processor time of each in milliseconds."""

    times: Sequence[float]
    failed: int
    processor: float

    def row(self, what: str, of: str, memory: int) -> Row:
        """The load as a row of a table."""
        return {
            "load": what, "server": of, "p50 ms": float(np.quantile(self.times, 0.5)),
            "p99 ms": float(np.quantile(self.times, 0.99)), "processor ms": self.processor,
            "requests": len(self.times), "failed": self.failed, "MB": memory,
        }  # fmt: skip


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Serves each index in turn, loads its servers, and shows what came of it."""
    targets = [target for place in chosen.index for target in _measured(bench, chosen, place)]
    bench.show(target_sheet(targets))
    return all(one.met for one in targets)


def _measured(bench: Bench, chosen: argparse.Namespace, place: str) -> list[Target]:
    with open_index(place) as index:
        paths = {name: _paths(index, name) for name in (*LOADS, "lookup")}
        number, size = index.name_count, f"{index.name_count:,} names"
        title = f"{size}, {index.concept_count:,} concepts, {chosen.workers} worker(s)"
    trees = {"this": str(Path(__file__).resolve().parent.parent / "src")}
    trees |= {"other": chosen.against} if chosen.against else {}
    load = f"load average of the minute before: {os.getloadavg()[0]:.2f}; where it is over 1, compare processor time"
    protocol = (
        f"{title}; {chosen.seconds:g} s each after a start of 3 s; at most {DIFFERENT:,} different requests of each "
        "kind, drawn with a fixed seed: autocomplete the beginnings of one to three words of a name, search a name",
        "times from when a request was due; one client process on the same machine; processor time of the server only",
        load,
    )

    def show(key: str, what: str, lines: Sequence[str], rows: Sequence[Row]) -> None:
        bench.show(Sheet(f"{key}-{number}", f"{what}, {size}", lines, rows, digits=2))

    targets: list[Target] = []
    with ExitStack() as stack:
        servers = [stack.enter_context(_serving(name, tree, place, chosen.workers)) for name, tree in trees.items()]
        alone = asyncio.run(_one_by_one(servers, paths, chosen.requests))
        show("alone", "One request after the other", (protocol[0], load), alone)
        if chosen.seconds:
            rows = asyncio.run(_all_loads(servers, paths, chosen.seconds))
            show("loads", "Requests at a fixed rate", protocol, rows)
            targets += _targets(rows, size)
            looked = [_looked_up(server, paths["lookup"], chosen.seconds) for server in servers if shutil.which("wrk")]
            if looked:
                show("lookups", f"$lookup by wrk over {CONNECTIONS} connections", [load], looked)
                rate = float(str(looked[0]["requests/s"]))
                targets.append(Target(f"$lookup, {size}", rate, LOOKUPS, "/s", at_least=True))
        if chosen.soak and place == chosen.index[0]:
            soaked = asyncio.run(_soak(servers[0], paths, 60 * chosen.soak))
            show("soak", f"Memory in {chosen.soak:g} minutes of all of it", [load], soaked)
    return targets


@contextmanager
def _serving(name: str, tree: str, index: str, workers: int) -> Iterator[ServedProcess]:
    command = [sys.executable, "-m", "ontonym", "serve", index, "--port", "0", "--no-access-log"]
    command += ["--workers", str(workers)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": tree}) as process:
        try:
            said = process.stderr.readline() if process.stderr else ""
            place = urlsplit(next(word for word in said.split() if word.startswith("http://")))
            yield ServedProcess(name, place.hostname or "", place.port or 0, process.pid)
        finally:
            process.terminate()


def _targets(rows: Sequence[Row], size: str) -> Iterator[Target]:
    for row in rows:
        name = str(row["load"]).partition(",")[0]
        if row["server"] == "this":
            yield Target(f"{row['load']}, {size}: failed", float(str(row["failed"])), 1, "requests")
            for at, limit in zip(("p50 ms", "p99 ms"), WANTED.get(name, ()), strict=False):
                yield Target(f"{row['load']}, {size}: {at}", float(str(row[at])), limit, "ms")


# Loads ------------------------------------------------------------------------------------------------------------


async def _all_loads(servers: Sequence[ServedProcess], paths: Mapping[str, Sequence[str]], seconds: float) -> list[Row]:
    rows: list[Row] = []
    for name, rate in LOADS.items():
        for server in servers:
            await _loaded(server, paths[name][-rate * 3 :], rate, 3)
            found = await _loaded(server, paths[name][FRESH:], rate, seconds)
            await _drained(server)
            rows.append(found.row(f"{name}, {rate}/s", server.name, server.resident()))
    for server in servers:
        idle = [await asyncio.open_connection(server.host, server.port) for _ in range(IDLE)]
        found = await _loaded(server, paths["autocomplete"][FRESH:], 200, min(seconds, 10))
        rows.append(found.row(f"autocomplete, 200/s, {IDLE:,} idle", server.name, server.resident()))
        for _, writer in idle + server.free:
            writer.close()
        server.free.clear()
    return rows


async def _one_by_one(servers: Sequence[ServedProcess], paths: Mapping[str, Sequence[str]], count: int) -> list[Row]:
    """Each kind of request over one connection, one after the other, the servers in turn."""
    rows: list[Row] = []
    for server in servers:
        await _until_ready(server)
    for name in (*LOADS, "lookup"):
        for server in servers:
            asked = paths[name][: count + count // 4]
            for path in asked[count:]:
                await _asked(server, path)
            before, times = server.processor(), []
            for path in asked[:count]:
                began = time.perf_counter()
                await _asked(server, path)
                times.append(1000 * (time.perf_counter() - began))
            done = Loaded(times, 0, (server.processor() - before) / len(times))
            rows.append(done.row(name, server.name, server.resident()))
    for server in servers:  # each run of the loop has connections of its own
        for _, writer in server.free:
            writer.close()
        server.free.clear()
    return rows


async def _drained(server: ServedProcess) -> None:
    """Waits until a server has nothing to do any more: what clients gave up is still computed."""
    for _ in range(120):
        before = server.processor()
        await asyncio.sleep(0.5)
        if server.processor() - before < 50:
            return


async def _until_ready(server: ServedProcess) -> None:
    for _ in range(600):
        try:
            if await _asked(server, "/health") == 200:
                return
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server did not start")


async def _loaded(server: ServedProcess, paths: Sequence[str], rate: int, seconds: float) -> Loaded:
    """Requests at a fixed rate."""
    times: list[float] = []
    failed = 0

    async def one(due: float, path: str) -> None:
        nonlocal failed
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        try:
            good = await asyncio.wait_for(_asked(server, path), 30) == 200
        except (OSError, EOFError, TimeoutError, ValueError):
            good = False
        times.append(1000 * (time.perf_counter() - due))
        failed += not good

    before, began = server.processor(), time.perf_counter() + 0.1
    count = int(rate * seconds)
    await asyncio.gather(*(one(began + number / rate, paths[number % len(paths)]) for number in range(count)))
    return Loaded(times, failed, (server.processor() - before) / count)


async def _asked(server: ServedProcess, path: str) -> int:
    """The status of the answer to a request; the connection is kept for another one."""
    kept = bool(server.free)
    reader, writer = server.free.pop() if kept else await asyncio.open_connection(server.host, server.port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
    except BaseException as error:
        writer.close()
        if kept and isinstance(error, EOFError | ConnectionError):  # the server closed it since nobody used it
            return await _asked(server, path)
        raise
    server.free.append((reader, writer))
    return int(head.split(b" ", 2)[1])


def _looked_up(server: ServedProcess, paths: Sequence[str], seconds: float) -> Row:
    """As many look-ups as a few connections can ask for, one after the other, by wrk."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "paths.lua"
        listed = ",".join(map(json.dumps, paths))
        script.write_text(
            f"local paths, i = {{{listed}}}, 0\n"
            "request = function() i = i + 1; return wrk.format('GET', paths[i % #paths + 1]) end\n"
        )
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s", "--latency", "-s", str(script)]
        before = server.processor()
        said = subprocess.run(
            [*command, f"http://{server.host}:{server.port}"], capture_output=True, text=True, check=True
        ).stdout
    count = int(_said(r"(\d+) requests in", said))
    unit = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        f"p{share} ms": float(_said(rf"{share}%\s+([\d.]+)", said)) * unit[_said(rf"{share}%\s+[\d.]+(\w+)", said)]
        for share in (50, 99)
    }
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return {
        "server": server.name, "requests/s": float(_said(r"Requests/sec:\s+([\d.]+)", said)), **times,
        "processor ms": (server.processor() - before) / max(count, 1), "failed": int(bad[1]) if bad else 0,
    }  # fmt: skip


def _said(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"wrk said something else than was expected:\n{text}")
    return found[1]


async def _soak(server: ServedProcess, paths: Mapping[str, Sequence[str]], seconds: float) -> list[Row]:
    """The memory of the server while it is asked for everything at a tenth of the rates."""
    rows: list[Row] = []
    for sample in range(SAMPLES):
        part = {name: every[sample::SAMPLES] for name, every in paths.items()}
        loads = [_loaded(server, part[name], max(rate // 5, 1), seconds / SAMPLES) for name, rate in LOADS.items()]
        done = await asyncio.gather(*loads)
        rows.append(
            {
                "minute": round((sample + 1) * seconds / SAMPLES / 60, 1), "MB": server.resident(),
                "requests": sum(len(one.times) for one in done), "failed": sum(one.failed for one in done),
            }
        )  # fmt: skip
    return rows


# What is asked ----------------------------------------------------------------------------------------------------


def _paths(index: Index, name: str) -> list[str]:
    """Requests of an operation, made from names or concepts that are drawn with a fixed seed."""
    draw = random.Random(0)  # noqa: S311 (no secret)
    if name in ("concept", "lookup"):
        numbers = [draw.randrange(index.concept_count) for _ in range(DIFFERENT)]
        if name == "concept":
            return [f"/api/concept?id={quote(index.id(one))}" for one in numbers]
        return [_lookup(index, one) for one in numbers]
    texts = [index.text(draw.randrange(index.name_count)) for _ in range(DIFFERENT)]
    typed: Callable[[str], str] = (lambda text: text) if name == "search" else lambda text: _typed(text, draw)
    asked = [quote(typed(text)[:200], safe="") for text in texts]
    if name == "expand":
        system = quote(f"{_systems(index)[0]}?fhir_vs", safe="")
        return [f"/r5/ValueSet/$expand?url={system}&count=10&filter={text}" for text in asked]
    return [f"/api/{name}?q={text}" for text in asked]


@lru_cache(maxsize=4)
def _systems(index: Index) -> tuple[str, ...]:
    from ontonym.serve.fhir.terminologycodes import code_systems

    return tuple(code_systems(one)[0].url for one in index.terminologies)


def _lookup(index: Index, concept: int) -> str:
    from ontonym.store.export.fhirproperties import code_of

    system, code = _systems(index)[index.place(concept)], code_of(index.id(concept))
    return f"/r5/CodeSystem/$lookup?system={quote(system, safe='')}&code={quote(code, safe='')}"


def _typed(text: str, draw: random.Random) -> str:
    """What of a name is typed: the beginnings of its first one to three words."""
    words = re.findall(r"\w+", text)[: draw.choice((1, 2, 2, 3))] or ["pain"]
    return " ".join(word[: max(2, draw.randrange(2, 6))] for word in words)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("index", nargs="+", help="indexes, served in turn")
    parser.add_argument("--seconds", type=float, default=20, help="of each load; 0 for none (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=400, help="asked one after the other (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--against", metavar="SRC", help="the src of another checkout, measured in turn")
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES", help="watch memory, of the first index")


if __name__ == "__main__":
    sys.exit(main("serve", __doc__ or "", measure, _options))
