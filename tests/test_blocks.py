"""Every code block of the documentation runs: pages in a small made world, their blocks in the order of the page.

In a ``sh`` block each line of `ontonym` runs in the page's folder; a line that cannot says why in a comment, which
begins with one of `REASONS`. What installs, makes or serves is not run here: the CI does it. A ``python`` block runs
with the names of the blocks before it. Output and files of other programs stand in blocks of another language.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docworld import lay_out
from ontonym.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

ROOT = Path(__file__).parent.parent
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.name not in ("cli.md", "tutorial.md")  # the help itself; tests/test_site.py runs the tutorial
]
REASONS = ("needs ", "runs until ", "takes ")
OTHERS = ("pip", "make", "podman", "curl", "python", "cd", "git", "pipx", "uvx", "printf")
"""Programs that install, make, or ask a server."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVED = re.compile(r"Save this as `([^`]+)`[^\n]*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^(?:ontonym|\.venv/bin/ontonym) ", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def lines_of(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, those over several lines joined, each with its comment."""
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("#"):
            yield "", line[1:].strip()
            continue
        lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters = True, "#"
        words = list(lexer)
        if words:
            found = re.search(r"\s#\s+((?:(?!\s#\s).)*)$", line)
            yield shlex.join(words), found[1] if found else ""


def reason_of(comment: str) -> bool:
    return comment.startswith(REASONS)


def to_run(text: str) -> list[tuple[str, str]]:
    """The blocks of a page that run, with their languages."""
    return [
        (language, block)
        for language, block in _FENCE.findall(text)
        if (language == "python" and not reason_of(block.partition("\n")[0].lstrip("# ")))
        or (language == "sh" and any(True for _ in commands_of(block)))
    ]


def commands_of(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a block that run, each with its comment."""
    skipped = False
    for line, comment in lines_of(block):
        if not line:
            skipped = skipped or reason_of(comment)  # a comment of its own stands for the whole block
        elif not (skipped or reason_of(comment) or shlex.split(line)[0].rpartition("/")[2] in OTHERS):
            yield line, comment


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ONTONYM_CACHE", str(folder.with_name("world-cache")))
        lay_out(folder)
    return folder


@pytest.fixture
def page_folder(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Makes a copy of the world, and goes there."""

    def copied() -> Path:
        folder = tmp_path / "here"
        shutil.copytree(world, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("ONTONYM_ENCODER", "static")
        monkeypatch.setenv("ONTONYM_REVIEWER", "anna")
        return folder

    return copied


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_is_of_a_language(page: Path) -> None:
    for language, block in _FENCE.findall(page.read_text(encoding="utf-8")):
        assert language, f"{name(page)}: a block without a language: {block[:60]!r}"
        assert language in ("sh", "python") or not _PROMPT.search(block), f"{name(page)}: not run: {block[:60]!r}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_run(page: Path, page_folder: Callable[[], Path]) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = to_run(text)
    if not blocks:
        return  # copying the world takes longer than finding that out
    folder = page_folder()
    for file, content in _SAVED.findall(text):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    with contextlib.ExitStack() as stack:
        for language, block in blocks:
            if language == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, name(page), "exec"), names)  # noqa: S102 (our own pages)
            else:
                run_lines(page, block)
        for value in names.values():
            if hasattr(value, "close"):
                stack.callback(value.close)


def run_lines(page: Path, block: str) -> None:
    for line, comment in commands_of(block):
        words = shlex.split(line)
        assert words[0].endswith("ontonym"), f"{name(page)}: {line}"
        done = CliRunner().invoke(main, words[1:], input="fits\n", obj=("ontonym", *words[1:]))
        wanted = 1 if "exit code 1" in comment else 0
        assert done.exit_code == wanted, f"{name(page)}: {line}\n{done.output}"


def test_lines_reasons_and_comments_are_told_apart() -> None:
    block = "ontonym search a.index 'x # y'   # why\n# needs a network\nontonym get hpo \\\n  --force # needs hpo\n"
    assert list(lines_of(block)) == [
        ("ontonym search a.index 'x # y'", "why"), ("", "needs a network"), ("ontonym get hpo --force", "needs hpo"),
    ]  # fmt: skip
    assert list(commands_of(block)) == [("ontonym search a.index 'x # y'", "why")]
    assert to_run(f"```sh\n{block}```\n```python\nprint()\n```\n```python\n# takes days\n```\n```text\nx\n```\n") == [
        ("sh", block), ("python", "print()\n"),
    ]  # fmt: skip
    assert reason_of("needs a network")
    assert not reason_of("why")


def test_a_command_that_fails_is_found(page_folder: Callable[[], Path]) -> None:
    folder = page_folder()
    with pytest.raises(AssertionError, match=r"nowhere\.index"):
        run_lines(ROOT / "README.md", "ontonym search nowhere.index x\n")
    assert (folder / "hp.index").is_dir()
