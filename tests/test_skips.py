"""In CI no test is skipped unnoticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "ci", "code"),
    [("set ONTONYM_DATA to x", True, 0), ("no such library", True, 1), ("no such library", False, 0)],
)
def test_a_test_that_nobody_can_run_fails_in_ci(tmp_path: Path, reason: str, ci: bool, code: int) -> None:
    (tmp_path / "test_one.py").write_text(f"import pytest\n\ndef test_a(): pytest.skip({reason!r})\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST"))}
    environment |= {"PYTHONPATH": str(Path(__file__).parent)} | ({"CI": "true"} if ci else {})
    options = ["-p", "skips", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, options), tmp_path],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert ("test_one.py::test_a: Skipped: no such library" in done.stdout) == bool(code)
