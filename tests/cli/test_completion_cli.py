"""Completion, asked of the real shells where they are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of its own, with a program called ontonym."""
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "ontonym"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ontonym "$@"\n')
    program.chmod(0o755)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    return home


def shell(name: str, *arguments: str) -> list[str]:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"no {name} here")
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=True, cwd=os.environ["HOME"])
    return done.stdout.splitlines()


def test_bash_completes_commands_options_and_files(home, run):
    (home / ".bashrc").write_text("export MINE=1")
    assert run("completion", "bash", "--install").exit_code == 0
    (home / "hp.index").mkdir()
    asked = (
        'ask() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _ontonym_completion ontonym; '
        'echo "${{COMPREPLY[*]}}"; }}'
    ).format()
    lines = shell("bash", "-c", f". ~/.bashrc; {asked}; ask ontonym nor; ask ontonym normalize --thr; echo $MINE")
    assert lines == ["normalize", "--threshold", "1"]


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_the_other_shells_load_it(home, run, name):
    assert run("completion", name, "--install").exit_code == 0
    if name == "fish":
        found = shell("fish", "-c", "complete --do-complete 'ontonym norm'")
        assert [line.split("\t")[0] for line in found] == ["normalize"]
    else:
        assert shell("zsh", "-ic", "echo $_comps[ontonym]") == ["_ontonym_completion"]


def test_it_is_installed_once_and_a_dry_run_writes_nothing(home, run):
    script, start = home / ".local/share/ontonym/completion.bash", home / ".bashrc"
    tried = json.loads(run("completion", "bash", "--install", "--dry-run", "--json").stdout)
    assert tried == {"shell": "bash", "written": [str(script), str(start)], "dry_run": True}
    assert not script.exists()
    assert not start.exists()
    run("completion", "bash", "--install")
    assert start.read_text().count("completion.bash") == 2
    again = run("completion", "bash", "--install")
    assert again.stdout.startswith(f"{script}: current already")
    assert start.read_text().count("\n") == 1


def test_the_shell_is_that_of_the_user(home, run, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert "complete --no-files --command ontonym" in run("completion").stdout
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "unknown shell 'tcsh'" in run("completion").stderr
    monkeypatch.delenv("SHELL")
    assert "name one of bash, zsh, fish" in run("completion").stderr
