"""Commands of ontonym without a process of their own, which would load all libraries again (torch: seconds)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ontonym.cli import main


def run_in_this_process(
    command: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None, check: bool = False, **more: Any
) -> Any:
    """Runs a command as ``subprocess.run`` does; one of ontonym in this process, which has loaded all that it needs."""
    program, *words = command[2:]
    if (command[1], program) != ("-m", "ontonym"):
        return subprocess.run(command, cwd=cwd, env=env, check=check, **more)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(cwd or Path.cwd())
        done = CliRunner().invoke(main, words, obj=("ontonym", *words), env=env)
    return subprocess.CompletedProcess(command, done.exit_code, done.stdout, done.stderr)
