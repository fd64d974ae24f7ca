"""Prints the list of all dependencies in requirements.lock, with versions and licences, as CycloneDX 1.6 in JSON.

Licences are those that the installed packages state; a package that is not installed here has its version alone.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)")


def pinned(text: str) -> list[tuple[str, str]]:
    """The names and versions of a lock file, in its order."""
    return [(found[1], found[2]) for line in text.splitlines() if (found := _PINNED.match(line))]


def licence(name: str) -> str:
    """What the installed package of this name states as its licence; empty where it is not installed or states none."""
    try:
        facts = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    stated = facts.get("License-Expression") or ""
    classified = [
        value.rpartition("::")[2].strip() for value in facts.get_all("Classifier") or () if "License ::" in value
    ]
    written = (facts.get("License") or "").strip().split("\n")[0][:100]
    return stated or " AND ".join(one for one in classified if one != "OSI Approved") or written


def bill(lock: str) -> dict[str, Any]:
    """The bill of materials of a lock file."""
    components = []
    for name, version in pinned(lock):
        component: dict[str, Any] = {
            "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name.lower()}@{version}",
        }  # fmt: skip
        if stated := licence(name):
            component["licenses"] = [{"license": {"name": stated}}]
        components.append(component)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "ontonym"}},
        "components": components,
    }


if __name__ == "__main__":
    print(json.dumps(bill((ROOT / "requirements.lock").read_text(encoding="utf-8")), indent=1, ensure_ascii=False))
    sys.exit(0)
