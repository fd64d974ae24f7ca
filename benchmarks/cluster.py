"""Bulk normalization on a cluster: Dask and Spark with two workers against one, and a big job that is killed twice."""

from __future__ import annotations

import argparse
import csv
import logging
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from figures import Bench, Row, Sheet, Target, main, target_sheet
from materials import import_embedded, work_folder
from ontonym.distributed.batches import normalize_batches
from ontonym.distributed.dask import DaskWorkers
from ontonym.errors import InputError, MissingExtraError
from ontonym.index import Index, build_index, open_index
from ontonym.store import open_terminology
from ontonym.tasks import normalize
from ontonym.tasks.columns import ANSWER_COLUMNS, answer_cells
from ontonym.types import Mention
from queries import KINDS

PROMISED = 1.6
FILES = 100

Cells: TypeAlias = tuple[Any, ...]


def drawn_texts(index: Index, count: int, seed: int = 1) -> list[str]:
    """Distinct texts of all kinds of queries in turn, made from names of the index."""
    rng = np.random.default_rng(seed)
    texts: dict[str, None] = {}
    kinds = list(KINDS.values())
    while len(texts) < count:
        name, other = (index.text(int(rng.integers(index.name_count))) for _ in range(2))
        texts[kinds[len(texts) % len(kinds)](name, other, rng)] = None
    return list(texts)


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Runs what was asked for; False where an output differs or a mention is lost or doubled."""
    with work_folder() as folder:
        place = Path(chosen.index).resolve() if chosen.index else _built(folder)
        with open_index(place) as index:
            texts = drawn_texts(index, chosen.mentions)
            began = time.perf_counter()
            local = [answer_cells(one) for one in normalize(index, map(Mention, texts))]
            alone = time.perf_counter() - began
            bench.note(
                f"{len(texts):,} distinct mentions, {index.releases}; one process without a cluster: {alone:.1f} s"
            )
            runs: dict[str, Callable[[], list[Row]]] = {
                "dask": lambda: _dask(index, texts, local, chosen.rounds),
                "spark": lambda: _spark(place, texts, local, chosen.rounds),
            }
            held, targets = True, []
            for name in ("dask", "spark"):
                if name in chosen.parts:
                    rows = runs[name]()
                    bench.show(_sheet(name, rows, chosen.rounds))
                    for column, how in (("s", "by the clock"), ("busiest worker", "processor time of the busiest")):
                        ratio = float(rows[0][column]) / float(rows[1][column])  # type: ignore[arg-type]
                        targets.append(
                            Target(f"{name}, two workers against one, {how}", ratio, PROMISED, "times", True)
                        )
                    held &= all(row["differ"] == 0 for row in rows)
            if targets:
                bench.show(target_sheet(targets))
            if "job" in chosen.parts:
                held &= _job(bench, index, folder, chosen)
    return held


def _built(folder: Path) -> Path:
    places = [import_embedded(name, folder)[0] for name in ("hp", "icd10cm")]
    opened = [open_terminology(place) for place in places]
    build_index(opened, folder / "demo.index", encoder="static")
    return folder / "demo.index"


def _sheet(name: str, rows: Sequence[Row], rounds: int) -> Sheet:
    protocol = (
        f"medians of {rounds} rounds in turn, workers and index open before; a worker is a process with one thread",
        "s, fastest, slowest: seconds by the clock; busiest worker: processor seconds of that process; all: those of "
        "all processes, client and scheduler too; processor seconds suffer less from other work on the machine",
        f"load of the machine at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        "differ: answers (all columns) other than those of one process without a cluster",
    )
    return Sheet(name, f"Normalization on {name}", protocol, rows, digits=2)


@dataclass(slots=True)
class Watch:
    """Seconds by the clock, and of processor time of this process and its children, while a block runs."""

    clock: float = 0.0
    busiest: float = 0.0
    all: float = 0.0
    _began: float = 0.0
    _spent: dict[tuple[int, str], float] = field(default_factory=dict)

    def __enter__(self) -> Watch:
        self._began, self._spent = time.perf_counter(), self._processes()
        return self

    def __exit__(self, *_: object) -> None:
        self.clock = time.perf_counter() - self._began
        taken = {pid: spent - self._spent.get(pid, 0.0) for pid, spent in self._processes().items()}
        self.all = sum(taken.values())
        self.busiest = max((some for (pid, name), some in taken.items() if pid != os.getpid() and name != "java"))

    @staticmethod
    def _processes() -> dict[tuple[int, str], float]:
        import psutil

        here = psutil.Process()
        spent = {}
        for process in (here, *here.children(recursive=True)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                spent[process.pid, process.name()] = times.user + times.system
        return spent


def _row(workers: int, watches: Sequence[Watch], count: int, differ: int) -> Row:
    seconds = [one.clock for one in watches]
    middle = statistics.median(seconds)
    return {
        "workers": str(workers), "s": middle, "fastest": min(seconds), "slowest": max(seconds),
        "mentions/s": count / middle, "busiest worker": statistics.median(one.busiest for one in watches),
        "all": statistics.median(one.all for one in watches), "differ": differ,
    }  # fmt: skip


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("distributed", "dask", "this benchmark") from None
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _dask(index: Index, texts: Sequence[str], local: Sequence[Cells], rounds: int) -> list[Row]:
    watches: dict[int, list[Watch]] = {1: [], 2: []}
    differ = dict.fromkeys(watches, 0)
    for number in range(rounds):
        for workers in sorted(watches, reverse=bool(number % 2)):
            with _cluster(workers) as client:
                shared = DaskWorkers(client)
                list(normalize(index, [Mention(f"warm {at}") for at in range(8 * workers)], jobs=shared, at_once=1))
                with Watch() as watch:
                    found = [answer_cells(one) for one in normalize(index, map(Mention, texts), jobs=shared)]
                watches[workers].append(watch)
            differ[workers] += sum(one != other for one, other in zip(found, local, strict=True))
    return [_row(workers, some, len(texts), differ[workers]) for workers, some in watches.items()]


def _spark(place: Path, texts: Sequence[str], local: Sequence[Cells], rounds: int) -> list[Row]:
    watches: dict[int, list[Watch]] = {1: [], 2: []}
    differ = dict.fromkeys(watches, 0)
    for number in range(rounds):
        for workers in sorted(watches, reverse=bool(number % 2)):
            watch, found = _spark_round(place, texts, workers)
            watches[workers].append(watch)
            differ[workers] += sum(one != other for one, other in zip(found, local, strict=True))
    return [_row(workers, some, len(texts), differ[workers]) for workers, some in watches.items()]


def _spark_round(place: Path, texts: Sequence[str], workers: int) -> tuple[Watch, list[Cells]]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", "spark", "this benchmark") from None
    from ontonym.distributed.spark import normalize as spark_normalize

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "16").config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        warm = spark.createDataFrame([(at, f"warm {at}") for at in range(16)], "id int, text string")
        spark_normalize(warm, place).collect()
        df = spark.createDataFrame(list(enumerate(texts)), "id int, text string").cache()
        df.count()
        with Watch() as watch:
            rows = spark_normalize(df, place).select("id", *ANSWER_COLUMNS).collect()
    finally:
        spark.stop()
    return watch, [tuple(row)[1:] for row in sorted(rows, key=lambda row: int(row["id"]))]


# A job that is killed ------------------------------------------------------------------------------------------------


def _job(bench: Bench, index: Index, folder: Path, chosen: argparse.Namespace) -> bool:
    """A job of files on two workers of Dask; one worker is killed, then the client, and the same command goes on."""
    source, target = folder / "in", folder / "out"
    source.mkdir()
    texts = drawn_texts(index, chosen.distinct, seed=2)
    each = chosen.rows // FILES
    for number in range(FILES):
        rng = np.random.default_rng(number)
        with (source / f"{number:03}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("row", "text"), *(
                (number * each + at, texts[int(place)]) for at, place in enumerate(rng.integers(len(texts), size=each))
            )])  # fmt: skip
    began = time.perf_counter()
    with _cluster(2) as client:
        address = client.scheduler.address.removeprefix("tcp://")
        command = [
            sys.executable, "-m", "ontonym", "normalize", str(index.path), str(source), "-o", str(target),
            "--on", f"dask://{address}",
        ]  # fmt: skip
        running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _wait(target, FILES // 5, running)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        _wait(target, FILES // 2, running)
        running.kill()
        running.wait()
        kept = _done(target)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - began
    lost, doubled, other = _judged(index, target, texts, each * FILES)
    row: Row = {
        "mentions": each * FILES, "distinct": len(texts), "files": FILES, "done at the kill": kept, "s in all": seconds,
        "lost": lost, "doubled": doubled, "other answers": other,
    }  # fmt: skip
    protocol = (
        "one worker killed (SIGKILL) when a fifth of the files was done, the client when half was; the same command "
        "went on",
        f"it said: {done.stderr.strip().splitlines()[0]}",
        "other answers: rows whose columns differ from those of one process without a cluster",
    )
    bench.show(Sheet("job", "A job of files, killed twice", protocol, [row], digits=1))
    return not (lost or doubled or other)


def _done(target: Path) -> int:
    return len(list(target.glob("_job/done/*.json")))


def _wait(target: Path, files: int, running: subprocess.Popen[bytes]) -> None:
    while _done(target) < files:
        if running.poll() is not None:
            raise InputError(f"the job ended before {files} files were done: give it more rows")
        time.sleep(0.02)


def _judged(index: Index, target: Path, texts: Sequence[str], count: int) -> tuple[int, int, int]:
    """Rows that are lost, doubled, and answered in another way than by one process."""
    import pyarrow as pa

    (right,) = normalize_batches(pa.table({"text": list(texts)}).to_batches(), index)
    columns = [right.column(name).to_pylist() for name in ANSWER_COLUMNS]
    known = {
        text: tuple("" if cell is None else str(cell) for cell in row)
        for text, *row in zip(texts, *columns, strict=True)
    }
    seen = np.zeros(count, dtype=np.int64)
    other = 0
    for path in sorted(target.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.reader(stream)
            next(rows)
            for number, text, *cells in rows:
                seen[int(number)] += 1
                other += known.get(text.removeprefix("'"), known.get(text)) != tuple(cells)
    return int((seen == 0).sum()), int((seen > 1).sum()), other


def options(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument(
        "--index", metavar="DIR", help="an index (default: HPO and ICD-10-CM, static encoder, made anew)"
    )
    parser.add_argument("--mentions", type=int, default=4000, help="distinct mentions for Dask and Spark")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is shown")
    parser.add_argument("--rows", type=int, default=1_000_000, help="mentions of the job")
    parser.add_argument("--distinct", type=int, default=4000, help="distinct mentions of the job")
    parser.add_argument("--parts", nargs="+", default=["dask", "spark", "job"], choices=("dask", "spark", "job"))


if __name__ == "__main__":
    sys.exit(main("cluster", __doc__, measure, options))
