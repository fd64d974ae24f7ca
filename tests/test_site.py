"""The documentation site builds, strictly and for reading without a network; the tutorial does what it says."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from ontonym.cli import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"(?:Save this as `([^`]+)`[^\n]*:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"<img[^>]+src=[\"']?([^\"' >]+)")
_EXTERNAL = re.compile(
    r"<(?:script|img|iframe|source)[^>]+src=[\"']?(?:https?:)?//"
    r"|<link[^>]+rel=[\"']?(?:stylesheet|preconnect)[^>]+href=[\"']?(?:https?:)?//"
)


def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONTONYM_ENCODER", "static")
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    printed, compared = "", 0
    for name, language, block in _BLOCK.findall(text):
        if name:
            (tmp_path / name).write_text(block, encoding="utf-8")
        elif language == "text":
            assert not_printed(block, printed) == []
            compared += 1
        else:
            printed = python_output(block) if language == "python" else shell_output(block)
    assert compared >= 6
    rows = (tmp_path / "found.csv").read_text(encoding="utf-8-sig").splitlines()
    shown = re.findall(r"^\| (\d) (\|.*) \|$", text, re.MULTILINE)
    assert [row.split(",")[:7] for row in rows[1:]] == [
        [number, *(cell.strip() for cell in cells.split("|")[1:])] for number, cells in shown
    ]
    annotated = (tmp_path / "letter.tsv").read_text(encoding="utf-8")
    assert all(word in annotated for word in ("negated", "uncertain", "family"))
    assert "W1\tHeart attack\tskos:exactMatch\tS:3" in (tmp_path / "ward.sssom.tsv").read_text(encoding="utf-8")


def python_output(block: str) -> str:
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(block, "tutorial", "exec"), names)  # noqa: S102 (our own page)
    names["index"].close()
    return printed.getvalue()


def shell_output(block: str) -> str:
    printed = ""
    for program, *arguments in map(shlex.split, block.splitlines()):
        assert program == "ontonym"
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, f"{arguments}: {done.output}"
        printed += done.stdout
    return printed


def not_printed(shown: str, printed: str) -> list[str]:
    """The lines of a page that were not printed, or not in this order, however they are indented."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    wanted = [" ".join(line.split()) for line in shown.splitlines() if line.strip() not in ("", "…")]
    return [line for line in wanted if line not in lines]


def test_a_line_that_was_not_printed_is_found() -> None:
    assert not_printed("…\na  b\n\nc\n", "x\na b\nc\n") == []
    assert not_printed("c\na b\n", "a b\nc\n") == ["a b"]


def test_links_follow_what_was_split() -> None:
    pages = site()
    made = {
        "guide/a.md": "# A\n## B\n",
        "other.md": "[x](guide.md#b) [y](../README.md) [z](guide.md)\n```\n[k](guide.md)\n```\n",
    }
    text = pages.with_links("other.md", made["other.md"], made | {"guide/index.md": ""}, pages.moved(made))
    assert text == "[x](guide/a.md#b) y [z](guide/index.md)\n```\n[k](guide.md)\n```\n"


def test_the_site_builds_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    site().main(tmp_path / "pages")
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = config.replace("build/site-pages", str(tmp_path / "pages")).replace("build/site", str(tmp_path / "site"))
    (tmp_path / "mkdocs.yml").write_text(config.replace("docs/overrides", str(ROOT / "docs" / "overrides")))
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = sorted((tmp_path / "site").rglob("*.html"))
    assert len(made) > 35
    outside = [page.name for page in made if _EXTERNAL.search(page.read_text(encoding="utf-8"))]
    assert outside == [], "they load something from elsewhere"
    pictures = [(page, src) for page in made for src in _PICTURE.findall(page.read_text(encoding="utf-8"))]
    assert {"demo.svg", "page.png", "icon.svg"} <= {Path(src).name for _, src in pictures}
    places = [tmp_path / "site" / src[1:] if src.startswith("/") else page.parent / src for page, src in pictures]
    assert [place for place in places if not place.is_file()] == [], "pictures that are not there"
