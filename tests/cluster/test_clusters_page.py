"""Every example of docs/clusters.md runs as it stands, but for the places of the index and of the scheduler."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from built import SMALL, indexed

PAGE = (Path(__file__).parents[2] / "docs/clusters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SEIZURES = "id,name,synonyms\nH:1,Seizure,fits\nH:2,Myocardial infarction,heart attack\n"

SPARK = 'builder.master("local[2]").config("spark.sql.shuffle.partitions", "2")'

pytestmark = [pytest.mark.slow]


def block(having: str) -> str:
    """The one block that has this text."""
    (found,) = [text for _, text in BLOCKS if having in text]
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with hp.index and four files of visits, and ``ontonym`` among the commands."""
    indexed(tmp_path, {"hp.csv": SEIZURES}, SMALL).rename(tmp_path / "hp.index")
    (tmp_path / "visits").mkdir()
    for number in range(1, 5):
        (tmp_path / f"visits/{number}.csv").write_text(f"code,complaint\n{number}1,fits\n{number}2,heart attack\n")
    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "ontonym").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ontonym "$@"\n')
    (commands / "ontonym").chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def run(place: Path, text: str, **environment: str) -> str:
    """What a block prints; bash, or Python by the way it begins."""
    is_python = re.search(r"^(import|from) ", text, re.MULTILINE)
    command = [sys.executable, "-c", text] if is_python else ["bash", "-e", "-c", text]
    done = subprocess.run(
        command, cwd=place, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ids(place: Path) -> dict[str, list[str]]:
    """The ids in each file of answers."""
    return {
        path.name: [line.split(",")[2] for line in path.read_text().splitlines()[1:]]
        for path in sorted((place / "answers").glob("*.csv"))
    }


ALL = {f"{number}.csv": ["H:1", "H:2"] for number in range(1, 5)}


def test_a_job_of_files(place: Path) -> None:
    run(place, block("visits/ -o answers/ --column complaint --jobs 2\n"))
    assert ids(place) == ALL


def test_a_slurm_array(place: Path) -> None:
    script = block("#SBATCH")
    (count,) = re.findall(r"--array=1-(\d+)", script)
    for number in (1, 2, 4):
        run(place, script, SLURM_ARRAY_TASK_ID=f"{number}", SLURM_ARRAY_TASK_COUNT=count)
    assert sorted(ids(place)) == ["1.csv", "2.csv", "4.csv"]
    run(place, script, SLURM_ARRAY_TASK_ID="3", SLURM_ARRAY_TASK_COUNT=count)
    assert ids(place) == ALL


def test_polars(place: Path) -> None:
    polars = pytest.importorskip("polars")
    run(place, block("import polars"))
    found = polars.read_parquet(place / "answers.parquet")
    assert found["ontonym_id"].to_list() == ["H:1", "H:2"] * 4


def test_any_other_engine(place: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run(place, block("normalize_batches("))
    assert parquet.read_table(place / "answers.parquet").column("ontonym_id").to_pylist() == ["H:1", None, "H:1"]


@pytest.fixture
def scheduler(place: Path) -> Iterator[str]:
    """The address of a cluster that is started as the page says, at a free port."""
    pytest.importorskip("distributed", reason="no Dask here: pip install 'ontonym[dask]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = block("dask scheduler").replace("HOST", "127.0.0.1").replace("8786", str(port))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    quiet = {"DASK_DISTRIBUTED__DASHBOARD__LINK": "", "DASK_LOGGING__DISTRIBUTED": "error"}
    running = [
        subprocess.Popen(
            [*line.split(), *(("--dashboard-address", "127.0.0.1:0") if "scheduler" in line else ())],
            cwd=place, env={**os.environ, **quiet}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for line in lines
    ]  # fmt: skip
    try:
        yield f"127.0.0.1:{port}"
    finally:
        for process in running:
            process.kill()  # in good order it takes seconds
        for process in running:
            process.wait(30)


def test_dask(place: Path, scheduler: str) -> None:
    run(place, block("--on dask://HOST:8786").replace("HOST:8786", scheduler))
    assert ids(place) == ALL
    assert (place / "answers.csv").read_text() == (place / "answers/1.csv").read_text()
    assert run(place, block('on="dask://HOST:8786"').replace("HOST:8786", scheduler)) == "['H:1', 'H:2']\n"


def test_spark(place: Path) -> None:
    pytest.importorskip("pyspark", reason="no Spark here: pip install 'ontonym[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java here, which Spark needs")
    parquet = pytest.importorskip("pyarrow.parquet")
    text = block("SparkSession").replace("/data/", f"{place}/").replace("builder", SPARK)
    run(place, text, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    rows = parquet.read_table(place / "answers.parquet").to_pylist()
    assert sorted((row["code"], row["ontonym_id"]) for row in rows) == [
        (f"{number}{row}", f"H:{row}") for number in range(1, 5) for row in (1, 2)
    ]
    assert list(rows[0])[:3] == ["code", "complaint", "ontonym_id"]
