"""The examples run as they stand, from a folder that is not the repository's, and print what they promise."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from inprocess import run_in_this_process

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent / "examples"
DAYS = EXAMPLES / "days"


NEEDS = {
    "adapt_encoder": "torch", "compare_methods": "bm25s", "evaluate_normalization": "scipy", "link_with_spacy": "spacy",
}  # fmt: skip
"""Examples that need an optional package."""

PROMISES = {
    "search_a_terminology": ("TINY:1  Myocardial infarction", "TINY:2  Arrhythmia", "TINY:3  Bradycardia"),
    "own_table": (
        '{"read": 6, "kept": 5, "skipped": {}, "malformed": 1}',
        "left out: lab.csv:7: expected 5 fields, found 3",
        "sugar in the blood: LAB:GLU Glucose in blood",
        "glycated hemoglobin: LAB:HBA Haemoglobin A1c",
        "kalemia: LAB:K Potassium in serum",
    ),
    "match_terminologies": (
        "LAB:1  DM type 2: skos:exactMatch EX:1 Type 2 diabetes mellitus",
        "LAB:2  High blood pressure: skos:exactMatch EX:2 Hypertension",
        "LAB:3  Renovascular high blood pressure: skos:broadMatch EX:2 Hypertension",
        "LAB:4  Admission: no match",
    ),
    "normalize_mentions": (
        '{"text": "DM type II", "start": 14, "id": "EX:1", "preferred": "Type 2 diabetes mellitus"}',
        '{"text": "short of breath", "start": 56, "id": "EX:3", "preferred": "Dyspnoea"}',
        '{"text": "umbrella", "start": 89, "id": null, "preferred": null}',
    ),
    "compare_methods": (
        "BM25       0.833 [0.500, 1.000] (ns)",
        "Hits@K, concept to concept",
    ),
    "adapt_encoder": ("step 20 of 20: loss 0.", "transferred celestially: Patient deceased"),
    "link_with_spacy": (
        "DM type II: EX:1 Type 2 diabetes mellitus",
        "umbrella: NIL no concept",
        "LBP: EX:4 Hypotension\nLBP: EX:4 Hypotension\nLumbago: EX:5 Low back pain\nLBP: EX:5 Low back pain",
    ),
    "evaluate_normalization": ("Shipped encoder, all signals", "6 mentions read = 5 evaluated + 1 skipped"),
    "days/terminologist": (
        "0.83  30× L02 Chest pain, stabbing, at night  < SG:2 Chest pain",
        "L03 Skipped heart beats: anna: exact SG:4 Palpitations",
        "decided.csv: 9 rows (5 rejected, 3 mapped, 1 with no match)",
        "A terminologist's day: 16 commands in ",
    ),
    "days/engineer": (
        "1 term of users carried over",
        "found.tsv: is there already",
        "An engineer's day: 16 commands in ",
    ),
    "days/researcher": ("hits@1", "part.encoder  (17.0 MB)", "A researcher's day: 12 commands in "),
    "days/server_operator": ("heart doing somersaults: SG:4", "fever: SG:5", "An operator's day: 7 commands in "),
}
"""What each example prints, among other things."""

IN_ONE_PROCESS = {"days/terminologist", "days/engineer", "days/researcher"}
"""Days of many commands: `.ci/run` gives each command a process of its own, and the test does not."""


def test_every_example_is_tested() -> None:
    found = {path.relative_to(EXAMPLES).with_suffix("").as_posix() for path in EXAMPLES.rglob("*.py")}
    assert found - {"days/day"} == PROMISES.keys()
    listed = re.findall(r"^\| \[[^\]]+\]\(([\w/]+)\.py\)", (EXAMPLES / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(PROMISES)


def kept_promises(name: str, printed: str, folder: Path) -> None:
    missing = [line for line in PROMISES[name] if line not in printed]
    assert not missing, printed
    assert not list(folder.iterdir()), "the example left files behind"


@pytest.mark.parametrize("name", sorted(PROMISES.keys() - IN_ONE_PROCESS))
def test_the_example_runs(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kept_promises(name, done.stdout, tmp_path)


@pytest.mark.parametrize("name", sorted(IN_ONE_PROCESS))
def test_the_day_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(DAYS)
    monkeypatch.setattr("day.subprocess", SimpleNamespace(run=run_in_this_process))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    kept_promises(name, printed.getvalue(), tmp_path)
