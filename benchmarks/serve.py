"""Load on the server, over loopback alone and bounded in time: autocomplete, search and look-ups at fixed rates, idle
connections, and the memory of the process: ``python benchmarks/serve.py INDEX [--seconds 20] [--workers 1]``.

Requests are sent at fixed times, whether or not earlier ones were answered, and a time counts from when its request was
due: a server that falls behind is seen.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

from ontonym.index import Index, open_index

LOADS = (("autocomplete", 200), ("search", 50), ("concept", 200))
IDLE = 1000


def main() -> None:
    """Starts the server, loads it, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with open_index(given.index) as index:
        paths = {name: _paths(index, name) for name, _ in LOADS}
        print(f"{given.index}: {len(index):,} names, {given.workers} workers")
    command = [sys.executable, "-m", "ontonym", "serve", given.index, "--port", "0", "--no-access-log"]
    command += ["--workers", str(given.workers)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = server.stderr.readline() if server.stderr else ""
            address = next(word for word in said.split() if word.startswith("http://"))
            asyncio.run(_loaded(address, paths, given.seconds, server.pid))
        finally:
            server.terminate()


async def _loaded(address: str, paths: dict[str, list[str]], seconds: float, process: int) -> None:
    place = urlsplit(address)
    host, port = place.hostname or "", place.port or 0
    await _until_ready(host, port)
    for name, rate in LOADS:
        await _rated(host, port, paths[name], rate, min(seconds, 3))  # what is read once
        before = _resident(process)
        times, failed = await _rated(host, port, paths[name], rate, seconds)
        print(_row(f"{name} at {rate}/s", times, failed, before, _resident(process)))
    idle = [await asyncio.open_connection(host, port) for _ in range(IDLE)]
    times, failed = await _rated(host, port, paths["autocomplete"], 200, min(seconds, 10))
    print(_row(f"autocomplete at 200/s, {IDLE:,} idle", times, failed, 0, _resident(process)))
    for _, writer in idle:
        writer.close()


async def _until_ready(host: str, port: int) -> None:
    for _ in range(600):
        try:
            if await _asked(host, port, "/health") == 200:
                return
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server did not start")


async def _rated(host: str, port: int, paths: Sequence[str], rate: int, seconds: float) -> tuple[list[float], int]:
    """The times of requests at a fixed rate, in milliseconds, and how many failed."""
    times: list[float] = []
    failed = 0

    async def one(due: float, path: str) -> None:
        nonlocal failed
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        try:
            good = await asyncio.wait_for(_asked(host, port, path), 30) == 200
        except (OSError, TimeoutError):
            good = False
        times.append(1000 * (time.perf_counter() - due))
        failed += not good

    began = time.perf_counter() + 0.1
    count = int(rate * seconds)
    await asyncio.gather(*(one(began + number / rate, paths[number % len(paths)]) for number in range(count)))
    return times, failed


async def _asked(host: str, port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        head = await reader.readline()
        await reader.read()
        return int(head.split()[1])
    finally:
        writer.close()


def _paths(index: Index, name: str) -> list[str]:
    """Requests of an operation, made from names that are drawn with a fixed seed."""
    draw = random.Random(0)  # noqa: S311 (no secret)
    texts = [index.text(draw.randrange(len(index))) for _ in range(1000)]
    if name == "concept":
        return [f"/api/concept?id={quote(index.id(draw.randrange(index.concept_count)))}" for _ in range(1000)]
    typed: Callable[[str], str] = (lambda text: text) if name == "search" else lambda text: _typed(text, draw)
    return [f"/api/{name}?q={quote(typed(text)[:200])}" for text in texts]


def _typed(text: str, draw: random.Random) -> str:
    """What of a name is typed: the beginnings of its first two or three words."""
    words = re.findall(r"\w+", text)[: draw.choice((1, 2, 2, 3))] or ["pain"]
    return " ".join(word[: max(2, draw.randrange(2, 6))] for word in words)


def _resident(process: int) -> int:
    """MB of memory that the server and its workers hold for themselves."""
    total = 0
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if process in (int(place.name), parent):
                facts = (place / "status").read_text()
                total += int(next(line.split()[1] for line in facts.splitlines() if line.startswith("RssAnon")))
        except (OSError, StopIteration, IndexError):
            continue
    return total // 1000


def _row(what: str, times: list[float], failed: int, before: int, after: int) -> str:
    ordered = sorted(times)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    memory = f"{before} to {after} MB" if before else f"{after} MB"
    return f"{what:<36} p50 {p50:7.1f} ms  p99 {p99:7.1f} ms  {len(times):,} requests, {failed} failed; {memory}"


if __name__ == "__main__":
    main()
