"""The law of the layers: imports only point down, and searching never loads what only training or drawing needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"

LAYERS: tuple[tuple[str, ...], ...] = (
    ("types", "errors", "arrays", "checksums", "artifact"),
    ("text", "files"),
    ("documents", "ontology"),
    ("store",),
    ("encoder",),
    ("index",),
    ("tasks",),
    ("learning",),
    ("benchmark",),
    ("evaluate",),
    ("serve", "distributed"),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
"""The rooms from the ground up. A room imports from its own layer and from those before it."""

LIGHT_ROOMS = ("index", "tasks", "serve")
LIGHT_ENCODERS = ("protocol", "static", "onnx", "mixing")
ENCODER_DOOR = ("open_encoder", "is_name", "DEFAULT")
"""What the light rooms may know of ``ontonym.encoder``: these modules, and these names of the package itself."""

LATE: dict[str, tuple[str, ...]] = {
    "torch": ("ontonym.learning.encoders.trainable", "ontonym.learning.encoders.trainer"),
    "transformers": ("ontonym.learning.encoders.trainer",),
    "sentence_transformers": (),
    "onnxruntime": (),
    "onnx": (),
    "tokenizers": (),
    "scipy": (),
    "sklearn": (),
    "statsmodels": (),
    "matplotlib": (),
    "faiss": (),
    "rich": ("ontonym.cli.screen.dialogs", "ontonym.cli.screen.lists", "ontonym.cli.screen.panel"),
    "textual": ("ontonym.cli.screen.app", "ontonym.cli.screen.dialogs", "ontonym.cli.screen.lists"),
    "numba": ("ontonym.benchmark.edits",),
    "spacy": ("ontonym.tasks.spacy",),
}
"""Packages that are slow to import or optional, and the modules that may import them before they are called."""


@dataclass(frozen=True)
class Import:
    """One import: who imports what, where, and whether that happens as soon as the module is imported."""

    module: str
    target: str
    line: int
    at_once: bool

    @property
    def where(self) -> str:
        """The importing module and line, as shown in a message."""
        return f"{self.module}:{self.line}"


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by dotted name; a package goes by its own name, without ``__init__``."""
    found = {}
    for path in sorted((source / "ontonym").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(source: Path) -> Iterator[Import]:
    """Every import of every module, those inside functions included; ``from package import name`` gives both joined."""
    for module, path in modules(source).items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node, at_once in _walk(tree, at_once=True):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            else:
                above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                targets = [f"{base}.{alias.name}" for alias in node.names]
            for target in targets:
                yield Import(module, target, node.lineno, at_once)


def _walk(node: ast.AST, *, at_once: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, at_once
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _walk(child, at_once=at_once and not later and not typing_only)


def room(name: str, known: dict[str, Path]) -> str:
    """The room a dotted name of ours lies in: ``ontonym.store.open`` in ``store``; a name of the package itself in
    ``__init__``.
    """
    first = ".".join(name.split(".")[:2])
    ours = first != "ontonym" and any(module == first or module.startswith(f"{first}.") for module in known)
    return first.partition(".")[2] if ours else "__init__"


def layer(of: str) -> int | None:
    """The number of the layer a room lies in, from 0 at the ground."""
    return next((number for number, rooms in enumerate(LAYERS) if of in rooms), None)


def unknown_rooms(source: Path) -> list[str]:
    """A message for every room that no layer has."""
    known = modules(source)
    rooms = {room(name, known) for name in known}
    return [
        f"ontonym/{name} is in no layer: put it into LAYERS in tests/test_layers.py, and into docs/index.md"
        for name in sorted(rooms)
        if layer(name) is None
    ]


def upward(source: Path) -> list[str]:
    """A message for every import that points up."""
    known = modules(source)
    found = []
    for each in imports(source):
        if each.target.partition(".")[0] != "ontonym":
            continue
        own, other = room(each.module, known), room(each.target, known)
        own_layer, other_layer = layer(own), layer(other)
        if own_layer is not None and other_layer is not None and other_layer > own_layer:
            found.append(
                f"{each.where} imports {each.target}, but {own} lies below {other}: take what is needed as an "
                f"argument, or move what both need down to {own} or below"
            )
    return found


def heavy_encoders(source: Path) -> list[str]:
    """A message for every import of an encoder that the light rooms must not know."""
    known = modules(source)
    allowed = {f"ontonym.encoder.{name}" for name in (*LIGHT_ENCODERS, *ENCODER_DOOR)}
    return [
        f"{each.where} imports {each.target}: {', '.join(LIGHT_ROOMS)} see only ontonym.encoder.{{"
        f"{', '.join(LIGHT_ENCODERS)}}} and {', '.join(ENCODER_DOOR)}, so that searching never loads torch"
        for each in imports(source)
        if room(each.module, known) in LIGHT_ROOMS
        and each.target.startswith("ontonym.encoder")
        and ".".join(each.target.split(".")[:3]) not in allowed
    ]


def too_early(source: Path) -> list[str]:
    """A message for every slow or optional package that is imported as soon as a module is."""
    return [
        f"{each.where} imports {each.target} at module level: move the import into the function that needs it, or list "
        f"the module under {each.target.partition('.')[0]!r} in LATE in tests/test_layers.py if it is itself imported "
        "late"
        for each in imports(source)
        if each.at_once
        and each.target.partition(".")[0] in LATE
        and each.module not in LATE[each.target.partition(".")[0]]
    ]


LAWS = (unknown_rooms, upward, heavy_encoders, too_early)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_package_keeps(law) -> None:
    broken = law(SOURCE)
    assert not broken, "\n".join(broken)


def test_the_modules_are_found() -> None:
    assert {"ontonym", "ontonym.types", "ontonym.store.open", "ontonym.index"} <= modules(SOURCE).keys()


@pytest.mark.parametrize("module", ["ontonym", "ontonym.tasks", "ontonym.evaluate"])
def test_importing_loads_nothing_slow(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {list(LATE)!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [], (
        f"import {module} loads them; `python -X importtime -c 'import {module}'` tells who"
    )


TREE = {
    "__init__.py": "def __getattr__(name):\n    from ontonym.tasks import search\n    return search\n",
    "types.py": "",
    "errors.py": "",
    "store/__init__.py": "from ontonym import types\nfrom ontonym.store.open import find\n",
    "store/open.py": "def find():\n    from .. import errors\n",
    "encoder/__init__.py": "def open_encoder(path):\n    from ontonym.encoder import static\n",
    "encoder/static.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n",
    "encoder/transformer.py": "def load():\n    import torch\n",
    "tasks/__init__.py": "from ontonym.encoder import open_encoder, static\n",
    "tasks/search.py": "from ontonym.encoder.static import StaticEncoder\n",
    "cli/__init__.py": "import ontonym\n",
}


def planted(tmp_path: Path, **files: str) -> Path:
    """A small package that keeps every law, with ``files`` (``room__name``) put over it."""
    over = {f"{name.replace('__', '/')}.py": text for name, text in files.items()}
    for name, text in (TREE | over).items():
        path = tmp_path / "ontonym" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_lawful_tree_passes(law, tmp_path: Path) -> None:
    assert law(planted(tmp_path)) == []


@pytest.mark.parametrize(
    ("law", "files", "message"),
    [
        (unknown_rooms, {"helpers__all": ""}, "ontonym/helpers is in no layer"),
        (upward, {"types": "import ontonym.store.open"}, "ontonym.types:1 imports ontonym.store.open, but types lies"),
        (upward, {"store__open": "def f():\n    from ontonym.tasks import search"}, "ontonym.store.open:2 imports"),
        (upward, {"store__open": "from ..tasks import search"}, "store lies below tasks"),
        (upward, {"store__open": "from ontonym import search"}, "store lies below __init__"),
        (upward, {"errors": "if TYPE_CHECKING:\n    from ontonym.cli import main"}, "errors lies below cli"),
        (heavy_encoders, {"tasks__search": "from ontonym.encoder import train_static"}, "encoder.train_static: index"),
        (heavy_encoders, {"tasks__search": "import ontonym.encoder.transformer"}, "ontonym.encoder.transformer: index"),
        (heavy_encoders, {"index__dense": "def f():\n    from ..encoder import train"}, "ontonym.index.dense:2"),
        (too_early, {"encoder__static": "import torch.nn"}, "ontonym.encoder.static:1 imports torch.nn at module"),
        (too_early, {"store__open": "try:\n    from scipy import stats\nexcept ImportError:\n    pass"}, "scipy.stats"),
        (too_early, {"store__open": "class Table:\n    import rich"}, "ontonym.store.open:2 imports rich at module"),
    ],
)
def test_a_broken_law_is_found(law, files: dict[str, str], message: str, tmp_path: Path) -> None:
    (found,) = law(planted(tmp_path, **files))
    assert message in found
