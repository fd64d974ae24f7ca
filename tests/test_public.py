"""What users import exists, and every public name says what it is."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import ontonym
from ontonym.cli.errors import COMMANDS

SOURCE = Path(__file__).parent.parent / "src"
MODULES = sorted((SOURCE / "ontonym").rglob("*.py"))

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def undocumented(text: str) -> list[str]:
    """The public names of a module's text that have no docstring, with their lines; the module itself is line 1.

    An overload has that of its function.
    """
    found = _public(ast.parse(text))
    return [f"{line}: {name}" for name, line, node in found if not _is_overload(node) and not ast.get_docstring(node)]


def _is_overload(node: Documented) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in getattr(node, "decorator_list", ()))


def _public(tree: ast.Module) -> Iterator[tuple[str, int, Documented]]:
    yield "the module", 1, tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node.lineno, node
            for member in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member.lineno, member


def exported(path: Path) -> bool:
    """Whether a module says what it exports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = (node.targets for node in tree.body if isinstance(node, ast.Assign))
    annotated = (node.target for node in tree.body if isinstance(node, ast.AnnAssign))
    return any(isinstance(t, ast.Name) and t.id == "__all__" for t in (*(t for ts in targets for t in ts), *annotated))


def dotted(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_public_names_are_documented(path: Path) -> None:
    missing = undocumented(path.read_text(encoding="utf-8"))
    assert not missing, f"write docstrings in {path.relative_to(SOURCE)}: {', '.join(missing)}"


def test_a_missing_docstring_is_found() -> None:
    text = '"""Module."""\nclass A:\n    def f(self): ...\n    def _g(self): ...\n'
    text += '@overload\ndef h(): ...\ndef h():\n    """Gives."""\n'
    assert undocumented(text) == ["2: A", "3: A.f"]


@pytest.mark.parametrize("path", [path for path in MODULES if exported(path)], ids=dotted)
def test_exports_exist_and_are_sorted(path: Path) -> None:
    module = importlib.import_module(dotted(path))
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert not missing
    assert sorted(set(module.__all__)) == sorted(module.__all__)


@pytest.mark.parametrize("name", getattr(ontonym, "__all__", ()))
def test_the_front_door_opens_and_says_what_it_is(name: str) -> None:
    value = getattr(ontonym, name)
    assert name == "__version__" or value.__doc__, name


def test_the_front_door_has_the_main_verbs() -> None:
    verbs = {
        "read_release",
        "build_terminology",
        "open_terminology",
        "build_index",
        "open_index",
        "search",
        "normalize",
    }
    assert verbs <= set(ontonym.__all__)


def test_completion_at_the_front_door_offers_what_is_public() -> None:
    assert {name for name in dir(ontonym) if not name.startswith("__")} == set(ontonym.__all__)


def test_a_wrong_name_at_the_front_door_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="serch"):
        ontonym.serch  # noqa: B018


BY_COMMAND_ALONE = {"build_pages", "build_splits", "write_sheets"}
"""What only the command line does; its messages name the command in their place."""


def test_functions_that_messages_name_are_there_to_be_called() -> None:
    named = {name for path in MODULES for name in re.findall(r"(?<!`)`(\w+)\(\)`(?!`)", path.read_text("utf-8"))}
    assert "calibrate" in named
    assert named - set(ontonym.__all__) == BY_COMMAND_ALONE
    assert set(COMMANDS) - set(ontonym.__all__) == BY_COMMAND_ALONE


@pytest.fixture(scope="module")
def pythondoc() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pythondoc", SOURCE.parent / "docs" / "pythondoc.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_function_is_in_one_task_of_the_python_page(pythondoc: ModuleType) -> None:
    named = [name for names in pythondoc.TASKS.values() for name in names.split()]
    assert sorted(named) == sorted(name for name in ontonym.__all__ if name.islower())


@pytest.mark.slow
def test_the_python_page_is_written(pythondoc: ModuleType) -> None:
    page = pythondoc.page()
    assert pythondoc.PAGE.read_text(encoding="utf-8") == page, "write it with `python docs/pythondoc.py`"
    assert "search(\n    index: Index | Path | str,\n    text: str," in page
    assert "k: int = 10\nstrategy: str = " in page, "options have their fields and defaults"
    assert "confidence: float\nsimilarity: float\n" in page, "and records theirs"
    headings = set(re.findall(r"^###+ (\S+)$", page, re.MULTILINE))
    assert set(ontonym.__all__) <= headings | set(pythondoc.ERRORS)
    assert {"TrainOptions", "HitList", "ConceptList", "IndexHandle.search"} <= headings, "those that functions name"


def test_what_is_to_be_cited_is_this_version() -> None:
    cited = (SOURCE.parent / "CITATION.cff").read_text(encoding="utf-8")
    project = (SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^version: (.+)$", cited) == re.findall(r'(?m)^version = "(.+)"$', project)
