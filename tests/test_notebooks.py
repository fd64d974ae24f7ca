"""The notebooks run, and what they show is what they have kept; they are notebooks that Jupyter opens."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["encoders", "local_codes", "notes"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_and_shows_what_it_has_kept(path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("scipy")
    notebooks = runner()
    kept = notebooks.read(path)
    made = notebooks.executed(kept)
    assert notebooks.compared(made) == notebooks.compared(kept), "run `python docs/notebooks.py`"
    assert (kept["nbformat"], kept["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in kept["cells"]}) == len(kept["cells"])
    assert sum(bool(cell.get("outputs")) for cell in kept["cells"]) >= 5
    assert all({"metadata", "source", "cell_type"} <= cell.keys() for cell in kept["cells"])


def test_a_changed_output_is_found() -> None:
    notebooks = runner()
    kept = {"cells": [{"cell_type": "code", "source": ["print('a', 0.51)\n", "1 + 1"]}]}
    made = notebooks.executed(kept)
    assert notebooks.compared(made) == [["a #\n", "2"]]
    assert notebooks.compared(kept) == [[]]
    page = notebooks.as_page({"cells": [{"cell_type": "markdown", "source": ["# Title"]}, made["cells"][0]]})
    assert page == "# Title\n\n```python\nprint('a', 0.51)\n1 + 1\n```\n\n```text\na 0.51\n```\n\n```text\n2\n```\n"
