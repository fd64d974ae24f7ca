"""``--rerank`` of search, normalize and evaluate, and ``train-reranker --export onnx``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from ontonym.artifact import read_manifest
from ontonym.cli import main
from ontonym.evaluate.normalizationruns import Cost

pytestmark = pytest.mark.training

CORPUS = """1|t|Cardiac attack and fits
1|a|with high body temperature
1\t0\t14\tCardiac attack\tDisease\tT:3
1\t19\t23\tfits\tSign\tT:6
1\t29\t50\thigh body temperature\tSign\tT:5
"""
DOUBTFUL = "fluttering heart attack"


@pytest.fixture(scope="module")
def told(tiny: Path, tmp_path_factory: pytest.TempPathFactory, tiny_bert: Callable[..., Path]) -> tuple[Path, dict]:
    """A reranker with its forms, and what its making printed."""
    folder = tmp_path_factory.mktemp("reranker")
    base = tiny_bert(folder / "bert", ["heart", "fever", "seizure", "beats", "body", "temperature"])
    arguments = [
        "train-reranker", tiny / "tiny.index", "--base", base, "-o", folder / "tiny.reranker", "--tokens", 32,
        "--groups", 8, "--batch", 4, "--epochs", 2, "--dev", 4, "--split", "50/50/0", "--threads", 1,
        "--export", "onnx",
    ]  # fmt: skip
    done = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert done.exit_code == 0, done.output
    return folder / "tiny.reranker", json.loads(done.stdout)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "tiny_dev.txt"
    path.write_text(CORPUS)
    return path


def test_the_forms_are_told(told: tuple[Path, dict], run, tiny: Path) -> None:
    place, shape = told
    assert [form["name"] for form in shape["onnx"]] == ["torch", "float32", "int8"]
    assert shape["onnx"][1]["farthest"] < 1e-5
    assert shape["onnx"][1]["same"] == 1
    assert shape["onnx"][0]["figures"] == shape["dev"]["reranked"]
    assert shape["fingerprint"] == read_manifest(place, "reranker").fingerprint
    assert shape["weight"] == shape["content"]["weight"]
    assert shape["dev"]["mixed"]["n"] == shape["dev"]["search"]["n"] > 0


@pytest.mark.usefixtures("wide")
def test_the_forms_are_told_in_words(run, tiny: Path, tmp_path: Path, told: tuple[Path, dict]) -> None:
    done = run(
        "train-reranker", tiny / "tiny.index", "--base", told[0], "-o", tmp_path / "next.reranker", "--tokens", 32,
        "--groups", 4, "--batch", 4, "--epochs", 1, "--dev", 0, "--split", "100/0/0", "--threads", 1,
        "--export", "onnx",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "pairs/s" in lines["torch"]
    assert "the same one first in 100.0%" in lines["float32"]
    assert "from torch's" in lines["int8"]
    assert "weight" not in lines


def test_search_reranks(run, tiny: Path, told: tuple[Path, dict]) -> None:
    arguments = ["search", tiny / "tiny.index", DOUBTFUL, "--json"]
    plain = json.loads(run(*arguments).stdout)["hits"]
    done = run(*arguments, "--rerank", told[0], "--rerank-depth", 2, "--rerank-weight", 100_000, "--rerank-below", 1)
    assert done.exit_code == 0, done.output
    hits = json.loads(done.stdout)["hits"]
    read = [hit for hit in hits if "rerank" in hit["signals"]]
    assert {hit["id"] for hit in read} == {hit["id"] for hit in plain[:2]}
    best = max(read, key=lambda hit: hit["signals"]["rerank"])
    assert hits[0]["id"] == best["id"]
    both = run(*arguments[:-1], "--rerank", told[0], "--rerank-below", 1, "--explain")
    assert (both.exit_code, "leave out --rerank" in both.stderr) == (2, True)
    both = run(*arguments[:-1], "--rerank", told[0], "--compare", "T:1", "T:2")
    assert (both.exit_code, "--compare explains the order of the search" in both.stderr) == (2, True)
    untouched = run(*arguments, "--rerank", told[0], "--rerank-below", 0)
    assert json.loads(untouched.stdout)["hits"] == plain


def test_normalize_reranks(run, tiny: Path, told: tuple[Path, dict], tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"{DOUBTFUL}\nfits\n{DOUBTFUL}\n")
    arguments = [
        "normalize",
        tiny / "tiny.index",
        tmp_path / "in.txt",
        "--rerank",
        told[0] / "onnx" / "model_int8.onnx",
    ]
    done = run(*arguments, "--rerank-depth", 3, "--rerank-below", 0.97)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [sum("rerank" in hit["signals"] for hit in row["candidates"]) for row in rows] == [3, 0, 3]
    assert rows[1]["id"] == "T:6"
    assert rows[0]["candidates"] == rows[2]["candidates"]


def test_evaluation_prints_gain_and_cost(run, tiny: Path, told: tuple[Path, dict], corpus: Path) -> None:
    arguments = ["evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", 50, "--rerank", told[0]]
    options = ["--rerank-depth", 4, "--rerank-weight", 0.25]
    done = run(*arguments, *options)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert any(line.startswith("fused reranked - fused") for line in lines)
    told_how = "reranked: the foremost 4 candidates where the best has another name and is less sure than 0.9, weight "
    assert any(line.startswith(f"{told_how}0.25, reranker ") for line in lines)
    assert any(line.startswith("cost of fused: ") and "read" not in line for line in lines)
    assert any(line.startswith("cost of fused reranked: ") and "% of the mentions read" in line for line in lines)
    shape = json.loads(run(*arguments, *options, "--signal", "fused", "--signal", "char", "--ambiguity", "both",
                           "--json").stdout)  # fmt: skip
    names = ["fused strict", "fused lenient", "char strict", "char lenient"]
    assert [(gain["run"], gain["against"]) for gain in shape["gains"]] == [
        (name.replace(" ", " reranked ", 1), name) for name in names
    ]
    for gain in shape["gains"]:
        runs = [shape["runs"][gain[side]]["measures"]["accuracy@1"]["value"] for side in ("run", "against")]
        assert gain["differences"]["accuracy@1"]["value"] == pytest.approx(runs[0] - runs[1])
    costs = shape["costs"]
    assert list(costs) == ["fused", "fused reranked", "char", "char reranked"]
    assert costs["fused"]["read"] == 0 < costs["fused reranked"]["read"] < costs["fused"]["mentions"] == 3
    assert costs["fused"]["mentions_per_second"] > 0


def test_evaluation_of_unread_mentions_gains_nothing(run, tiny: Path, told: tuple[Path, dict], corpus: Path) -> None:
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", 50, "--rerank", told[0],
               "--rerank-below", 0, "--json")  # fmt: skip
    shape = json.loads(done.stdout)
    assert shape["costs"]["fused reranked"]["read"] == 0
    difference = shape["gains"][0]["differences"]["mrr"]
    assert (difference["value"], difference["p"]) == (0, 1)


def test_the_cost_in_words() -> None:
    cost = Cost(mentions=200, read=50, seconds=4.0, processor=5.0)
    assert (
        cost.describe("x") == "cost of x: 50.0 mentions/s, 25.0 ms of a processor for each, 25.0% of the mentions read"
    )


def test_search_with_an_onnx_form_never_imports_torch(tiny: Path, told: tuple[Path, dict]) -> None:
    code = (
        "import sys; from ontonym.cli import main\n"
        f"main(['search', {str(tiny / 'tiny.index')!r}, {DOUBTFUL!r}, '--rerank', {str(told[0])!r}, "
        "'--rerank-below', '0.97', '--json'], "
        "standalone_mode=False)\nassert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert '"rerank":' in done.stdout


@pytest.mark.parametrize("verb", ["search", "normalize", "evaluate"])
def test_what_the_user_can_mend(run, tiny: Path, told: tuple[Path, dict], corpus: Path, verb: str) -> None:
    arguments = {
        "search": ["search", tiny / "tiny.index", DOUBTFUL],
        "normalize": ["normalize", tiny / "tiny.index", corpus],
        "evaluate": ["evaluate", "normalization", tiny / "tiny.index", corpus],
    }[verb]
    for options, message in (
        (["--rerank", "nowhere"], "nowhere: no such reranker; make one with `ontonym train-reranker`"),
        (["--rerank", tiny / "tiny.index"], "is an index, but a reranker was expected"),
        (["--rerank", told[0], "--rerank-depth", 1], "the depth of reranking is 1"),
        (["--rerank", told[0], "--rerank-weight", -1], "the reranker's weight is -1"),
        (["--rerank", told[0], "--rerank-below", 2], "reranking below a confidence of 2"),
        (["--rerank-depth", 5], "say how to rerank: give --rerank DIR"),
    ):
        done = run(*arguments, *options)
        assert done.exit_code == 2
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
