"""The file of pinned versions: each package once, and everything that the project asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def named(requirement: str) -> str:
    """The name of a requirement, in one spelling."""
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_every_package_is_pinned_once() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pinned = [named(line) for line in lines if line and not line.startswith("#")]
    assert sorted(name for name in set(pinned) if pinned.count(name) > 1) == []


def test_what_the_project_asks_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    installed = (
        *project["dependencies"],
        *(one for name in ("demo", "eval", "train", "onnx", "dev", "oracle") for one in extras[name]),
    )
    pinned = {named(line) for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")}
    assert {named(one) for one in installed} - pinned - {"ontonym"} == set()
