"""Dask: real workers give what this process gives, go on where one is killed, and say what is wrong."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ontonym
from built import SMALL, imported, random_encoder
from ontonym.distributed.dask import DaskWorkers, workers_on
from ontonym.distributed.encoding import SharedEncoder
from ontonym.encoder import open_encoder
from ontonym.errors import InputError, MismatchError, UnknownNameError
from ontonym.index import AddedTerm, Index, add_terms, open_index
from ontonym.tasks import annotate_texts, normalize
from ontonym.tasks.answer import NormalizeOptions
from ontonym.tasks.normalize import normalize_groups
from ontonym.types import Mention
from warded import NOTE, OTHER, TEXTS, WARD

dask = pytest.importorskip("distributed", reason="no Dask here: pip install 'ontonym[dask]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

MENTIONS = [Mention(text, f"{number}") for number, text in enumerate(t for t in TEXTS * 40 if t and t.strip())]


@contextmanager
def two_workers() -> Iterator[Any]:
    with (
        dask.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        dask.Client(cluster, set_as_default=False) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers() as opened:
        yield opened


@pytest.fixture
def address(client: Any) -> str:
    return f"dask://{client.scheduler.address.removeprefix('tcp://')}"


def test_workers_answer_as_this_process_does(index: Index, address: str) -> None:
    with workers_on(address) as workers:
        assert [*normalize(index, MENTIONS, jobs=workers)] == [*normalize(index, MENTIONS)]
        groups = [[Mention("DM", passage=note), Mention("toxicity", passage=note)] for note in (NOTE, OTHER) * 20]
        assert [*normalize_groups(index, groups, jobs=workers, at_once=4)] == [*normalize_groups(index, groups)]
        assert [*annotate_texts(index, [NOTE, OTHER] * 9, jobs=workers)] == [*annotate_texts(index, [NOTE, OTHER] * 9)]


def test_the_python_functions_take_a_place_or_a_client(ward: Path, address: str, client: Any) -> None:
    texts = [one.text for one in MENTIONS]
    alone = ontonym.normalize(ward, texts)
    assert ontonym.normalize(ward, texts, on=address) == alone
    assert list(ontonym.normalize(ward, iter(texts), on=client)) == alone
    with ontonym.open(ward) as opened:
        frame = pytest.importorskip("pandas").DataFrame({"words": texts})
        assert opened.normalize(frame, column="words", on=client).equals(opened.normalize(frame, column="words"))
        assert opened.annotate([NOTE, OTHER], on=client) == opened.annotate([NOTE, OTHER])


def test_matching_gives_the_same(ward: Path, tmp_path: Path, client: Any) -> None:
    (source,) = imported(tmp_path, {"local.csv": "id,name\nL:1,carcinoma of breast\nL:2,hepatitis b\nL:3,gout\n"})
    assert ontonym.match(source, ward, on=client) == ontonym.match(source, ward)
    assert [one.id for one in ontonym.match(source, ward, on=client).proposals] == ["L:1", "L:2"]


def test_an_index_whose_names_workers_encoded_is_the_same(tmp_path: Path, client: Any) -> None:
    place = random_encoder(tmp_path / "a.encoder", SMALL)
    names = "".join(f"N:{number},name {number} of some thing {number % 77}\n" for number in range(5000))
    (path,) = imported(tmp_path, {"names.csv": f"id,name\n{names}"})
    made = [
        ontonym.build_index(path, tmp_path / name, encoder=place, everyday=False, on=on)
        for name, on in (("here.index", None), ("there.index", client))
    ]
    assert made[0].fingerprint == made[1].fingerprint
    encoder = open_encoder(place)
    texts = [f"text {number}" for number in range(4100)]
    shared = SharedEncoder(encoder, place, DaskWorkers(client))
    assert np.array_equal(shared.encode(texts), encoder.encode(texts))
    assert (shared.dim, shared.fingerprint, shared.is_steady) == (encoder.dim, encoder.fingerprint, encoder.is_steady)


def test_a_killed_worker_loses_nothing(index: Index) -> None:
    with two_workers() as client:
        victim = next(iter(client.run(os.getpid).values()))
        threading.Timer(0.3, os.kill, (victim, signal.SIGKILL)).start()
        workers = DaskWorkers(client)
        found = list(workers.results(index, _slow, range(120)))
        assert [number for number, _ in found] == list(range(120))
        assert victim in {pid for _, pid in found} or len({pid for _, pid in found}) > 1
        assert victim not in client.run(os.getpid).values()


def _slow(index: Index) -> Any:
    import time

    def work(number: int) -> tuple[int, int]:
        time.sleep(0.02)
        return number, os.getpid()

    return work


def test_errors_of_the_user_come_through(index: Index, client: Any, tmp_path: Path) -> None:
    workers = DaskWorkers(client)
    with pytest.raises(UnknownNameError, match="unknown tag 'disorder'"):
        list(normalize(index, MENTIONS, NormalizeOptions(expected=("disorder",)), jobs=workers))
    with pytest.raises(InputError, match="`on=ray://x`: give `dask`"), workers_on("ray://x"):
        pass
    with pytest.raises(InputError, match="leave out `jobs=`"), workers_on("dask://127.0.0.1:1", 2):
        pass


def test_no_scheduler_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.distributed.dask.PATIENCE", 4.0)
    said = r"dask://127\.0\.0\.1:9: no scheduler of Dask answers there"
    with pytest.raises(InputError, match=said), workers_on("dask://127.0.0.1:9"):
        pass


def test_nothing_of_what_dask_logs_is_shown_meanwhile() -> None:
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [one.level for one in loggers]
    with workers_on("dask"):
        assert not any(one.isEnabledFor(logging.ERROR) for one in loggers)
    assert [one.level for one in loggers] == before


def test_a_worker_with_another_index_refuses(client: Any, tmp_path: Path) -> None:
    from built import indexed

    place = indexed(tmp_path, {"ward.csv": WARD}, SMALL)
    with open_index(place) as before:
        add_terms(place, [AddedTerm("W:3", "yellow eyes")])
        with pytest.raises(MismatchError, match=r"a\.index: the index of this worker is"):
            list(normalize(before, MENTIONS, jobs=DaskWorkers(client)))
        with open_index(place) as after:
            (answer,) = normalize(after, [Mention("yellow eyes")], jobs=DaskWorkers(client))
        assert answer.id == "W:3"


def test_the_command_line_on_dask(ward: Path, tmp_path: Path, address: str, run: Any) -> None:
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.csv").write_text("text\n" + "\n".join(text or "" for text in TEXTS))
    normalize = ("normalize", ward, tmp_path / "in/0.csv")
    alone = run(*normalize, "--json")
    shared = run(*normalize, "--json", "--on", address)
    assert (shared.exit_code, shared.stdout, shared.stderr) == (0, alone.stdout, alone.stderr)
    done = run("normalize", ward, tmp_path / "in", "-o", tmp_path / "out", "--on", address, "--part", "2/2")
    assert done.exit_code == 0
    assert "2 files, part 2/2 of 4 = 2 done now + 0 done before; " in done.stderr
    rest = run("normalize", ward, tmp_path / "in", "-o", tmp_path / "out", "--on", "dask")
    assert "4 files = 2 done now + 2 done before; " in rest.stderr
    single = run(*normalize, "-o", tmp_path / "single.csv")
    assert single.exit_code == 0
    assert {path.read_text() for path in (tmp_path / "out").glob("*.csv")} == {(tmp_path / "single.csv").read_text()}
    wrong = run(*normalize, "--on", "ray://x")
    assert (wrong.exit_code, wrong.stderr.count("--on ray://x: give `dask`")) == (2, 1)
    part = run(*normalize, "--part", "1/2")
    assert (part.exit_code, part.stderr.count("--part is a part of the files of a folder")) == (2, 1)


def test_a_worker_and_then_the_client_are_killed(ward: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    names = [f"{number:02}.csv" for number in range(30)]
    for name in names:
        (source / name).write_text("\n".join(["text", *(f"breast carcinoma {name} {row}" for row in range(25)), ""]))
    with two_workers() as client:
        place = f"dask://{client.scheduler.address.removeprefix('tcp://')}"
        command = [
            sys.executable, "-m", "ontonym", "normalize", str(ward), str(source), "-o", str(target), "--on", place,
        ]  # fmt: skip
        running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _wait(lambda: len(list(target.glob("_job/done/*.json"))) >= 4)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        _wait(lambda: len(list(target.glob("_job/done/*.json"))) >= 8)
        assert running.poll() is None, "it goes on without the worker"
        running.kill()
        running.wait()
        assert len(list(target.glob("_job/done/*.json"))) < len(names)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "30 files = " in done.stderr
    rows = [line.split(",")[0] for name in names for line in (target / name).read_text().splitlines()[1:]]
    assert Counter(rows) == Counter(f"breast carcinoma {name} {row}" for name in names for row in range(25))
    assert {path.name for path in target.iterdir()} == {"_job", *names}


def _wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < until
        time.sleep(0.005)
