"""What the docs point at exists: files, headings, modules and their names, targets of make, options of commands."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import click
import pytest

from ontonym.cli import main

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_DOTTED = re.compile(r"\bontonym(?:\.[A-Za-z_]\w*)+")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_MAKE = re.compile(r"\bmake ([a-z]+)\b(?=[`\n ]*(?:`|$|  ))", re.MULTILINE)
_PATH = re.compile(r"\b(?:src|tests|examples|benchmarks|docs)/[\w./-]+\.(?:py|md)\b")
_CODE_FILE = re.compile(r"`((?:[a-z]\w*/)+\w+\.(?:py|tsv|json))`(?: \(((?:`\w+`(?:, )?)+)\))?")
"""A file in code, and the names in parentheses after it."""
_COMMAND = re.compile(r"^ontonym (.+)$", re.MULTILINE)


def name(page: Path) -> str:
    """The page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def anchors(text: str) -> set[str]:
    """The anchors that the headings of a page make, as GitHub makes them."""
    prose = _FENCE.sub("", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(prose)}


def dead_links(page: Path, text: str) -> list[str]:
    """The relative links of a page whose file or heading is not there."""
    dead = []
    for link in _LINK.findall(_FENCE.sub("", text)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


def unknown_names(text: str) -> list[str]:
    """The dotted names of ours in a page that are neither a module nor a name in one."""
    return sorted(found for found in set(_DOTTED.findall(text)) if not _exists(found))


def _exists(dotted: str) -> bool:
    try:
        importlib.import_module(dotted)
    except ImportError:
        above, _, attribute = dotted.rpartition(".")
        return bool(above) and _exists(above) and hasattr(importlib.import_module(above), attribute)
    return True


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_modules_exist(page: Path) -> None:
    assert unknown_names(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = {path for path in _PATH.findall(text) if not re.search(r"[A-Z]{3}", path)}
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_files_and_names_of_the_contributors_guide_exist() -> None:
    found = _CODE_FILE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert ("index/fuse.py", "`undominated`, `preferred_first`") in found
    for path, names in found:
        if re.search(r"[A-Z]{3}", path):  # stands for a file to be written
            continue
        file = next((file for file in (ROOT / path, ROOT / "src" / "ontonym" / path) if file.exists()), None)
        assert file is not None, path
        for each in re.findall(r"\w+", names):
            defined = rf"^\s*(?:def |class )?{each}\b"
            assert re.search(defined, file.read_text(encoding="utf-8"), re.MULTILINE), f"{each} in {path}"


_ROOMS = ("text", "files", "ontology", "store", "encoder", "index", "tasks", "learning", "benchmark", "evaluate", "cli")


@pytest.mark.parametrize("room", _ROOMS)
def test_a_room_says_what_each_of_its_files_is_for(room: str) -> None:
    folder = ROOT / "src" / "ontonym" / room
    described = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    listed = re.findall(r"``(\w+)``", described.partition("Where to look")[2])
    files = [one.stem for one in folder.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()]
    assert sorted(listed) == sorted(set(files) - {"__init__"})


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(_MAKE.findall(page.read_text(encoding="utf-8"))) <= targets


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_blocks_parse(page: Path) -> None:
    for language, block in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            ast.parse(block)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_shown_commands_and_options_exist(page: Path) -> None:
    shown = [line for _, block in _FENCE.findall(page.read_text(encoding="utf-8")) for line in _COMMAND.findall(block)]
    for line in shown:
        command: click.Command | None = main
        words = line.split()
        context = click.Context(main)
        while isinstance(command, click.Group) and words:
            verb = words.pop(0)
            command = command.get_command(context, verb)
            context = click.Context(command or main, context, verb)
        assert command is not None, f"ontonym {line}: no such command"
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {
            "--help"
        }
        used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert used <= known, f"ontonym {line}"


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "# A page\n[here](#a-page) [gone](gone.md) [no](#nowhere) `ontonym.types.Concept` `ontonym.typos.Concept`\n"
    page.write_text(text, encoding="utf-8")
    assert dead_links(page, text) == ["gone.md", "#nowhere"]
    assert unknown_names(text) == ["ontonym.typos.Concept"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_list_of_contents_has_every_part(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    contents = r"^(?:- |\|[^|\n]+\| )\[([^\]]+)\]\(#[^)]+\)(?=$|[:,]| \|)"  # a list, or the second column of a table
    listed = re.findall(contents, text.partition("\n## ")[0], re.MULTILINE)
    assert listed in ([], re.findall(r"^## (.+)$", text, re.MULTILINE))
