"""What importing and ``--help`` cost, which names are public, and the help page in the docs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import ontonym
from ontonym.cli import VERBS
from ontonym.cli.evaluate import EVALUATIONS
from ontonym.cli.reference import reference
from ontonym.cli.train import TRAIN
from ontonym.learning.encoders.options import TrainOptions

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "torch", "rich", "lxml", "faiss", "scipy", "orjson")


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=True)


def test_import_is_light():
    loaded = python("-c", "import ontonym, sys; print(*sys.modules)").stdout.split()
    assert not set(HEAVY) & set(loaded)


def test_help_is_light():
    code = "import sys\nfrom ontonym.cli import main\ntry: main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    assert not set(HEAVY) & set(python("-c", code).stdout.split())


@pytest.mark.slow
def test_searching_never_imports_torch():
    code = "import sys, ontonym.cli.search, ontonym.cli.normalize\nprint('torch' in sys.modules)"
    assert python("-c", code).stdout == "False\n"


@pytest.mark.parametrize("name", ontonym.__all__)
def test_public_name(name):
    assert getattr(ontonym, name).__name__ == name


def test_unknown_public_name():
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        ontonym.serach  # noqa: B018


def test_version_is_told(run):
    assert run("--version").stdout == f"ontonym {ontonym.__version__}\n"


@pytest.mark.parametrize("group", [(), ("evaluate",), ("review",), ("benchmark",)], ids=" ".join)
def test_no_arguments_show_the_help(run, group):
    done = run(*group)
    assert done.exit_code == 0
    assert done.stdout == run(*group, "--help").stdout
    assert done.stdout.startswith(f"Usage: {' '.join(('ontonym', *group))} [OPTIONS]")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "verb", [[name] for name in VERBS] + [["evaluate", name] for name in EVALUATIONS], ids=" ".join
)
def test_every_help_has_an_example(run, verb):
    done = run(*verb, "--help")
    assert done.exit_code == 0
    assert f"\n    ontonym {' '.join(verb)}" in done.stdout


def test_every_train_option_is_on_the_command_line():
    assert set(TRAIN.opts) == {field.name for field in fields(TrainOptions)}


def test_the_help_page_is_current():
    assert (ROOT / "docs" / "cli.md").read_text() == reference(), "python -m ontonym.cli.reference > docs/cli.md"
