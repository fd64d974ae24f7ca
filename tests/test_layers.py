"""The law of the layers (layers.toml): imports only point down and never run in a loop, searching loads nothing that
only training or drawing needs, messages below the command line name none of its flags, docstrings name what exists.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    sys.modules[path.stem] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house = _loaded(ROOT / "docs" / "house.py")
ROOMS = house.rooms()

LIGHT_ROOMS = ("index", "tasks", "serve")
LIGHT_ENCODERS = ("places", "protocol", "static", "onnx", "mixing")
ENCODER_DOOR = ("open_encoder", "is_name", "DEFAULT")
"""What the light rooms may know of ``ontonym.encoder``: these modules, and these names of the package itself."""

LATE: dict[str, tuple[str, ...]] = {
    "torch": (
        "ontonym.learning.trainer",
        "ontonym.learning.encoders.trainable",
        "ontonym.learning.encoders.trainer",
        "ontonym.learning.rerankers.trainer",
    ),
    "transformers": ("ontonym.learning.trainer", "ontonym.learning.rerankers.trainer"),
    "sentence_transformers": (),
    "onnxruntime": (),
    "onnx": (),
    "tokenizers": (),
    "scipy": (),
    "sklearn": (),
    "statsmodels": (),
    "matplotlib": (),
    "asyncpg": (),
    "pymilvus": (),
    "faiss": (),
    "rich": ("ontonym.serve.screen.dialogs", "ontonym.serve.screen.lists", "ontonym.serve.screen.panel"),
    "textual": ("ontonym.serve.screen.app", "ontonym.serve.screen.dialogs", "ontonym.serve.screen.lists"),
    "numba": ("ontonym.benchmark.edits",),
    "spacy": ("ontonym.tasks.spacy.linking", "ontonym.tasks.spacy.spanattributes"),
    "distributed": (),
    "pyspark": (),
    "pyarrow": (),
    "polars": (),
}
"""Packages that are slow to import or optional, and the modules that may import them before they are called."""

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+|`ontonym [a-z-]+")
_FOREIGN = re.compile(r"xmllint|hf download|robot convert")
"""Commands of others that messages recommend."""
_PATH = re.compile(r"(?<![\w/.-])(?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:py|json|html|toml)\b")
_DOTTED = re.compile(r"\bontonym(?:\.[A-Za-z_]\w*)+")


def unknown_rooms(source: Path) -> list[str]:
    """A message for every room that no layer has."""
    known = house.modules(source)
    found = {house.room_of(name, source) for name in known}
    return [f"ontonym/{name} is in no layer: put it into layers.toml" for name in sorted(found - ROOMS.keys())]


def upward(source: Path) -> list[str]:
    """A message for every import that points up."""
    found = []
    for each in house.imports(source):
        if each.target.partition(".")[0] != "ontonym":
            continue
        own, other = (ROOMS.get(house.room_of(name, source)) for name in (each.module, each.target))
        if own is not None and other is not None and other.layer > own.layer:
            found.append(
                f"{each.where} imports {each.target}, but {own.name} lies below {other.name}: take what is needed as "
                f"an argument, or move what both need down to {own.name} or below"
            )
    return found


def loops(source: Path) -> list[str]:
    """A message for every loop of files that import each other."""
    return [
        f"{', '.join(loop)} import each other: move what they share into one that the others import"
        for loop in house.cycles(source)
    ]


def flags_below_the_command_line(source: Path) -> list[str]:
    """A message for every text below ``cli`` that names a flag or a command of ours, docstrings left out."""
    found = []
    for module, path in house.modules(source).items():
        if module.startswith(("ontonym.cli", "ontonym.__main__")) or module == "ontonym":
            continue
        tree = house.parsed(path)
        described = {id(node) for node in _docstrings(tree)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in described:
                continue
            flag = _FLAG.search(node.value)
            if flag and not _FOREIGN.search(node.value):
                found.append(
                    f"{module}:{node.lineno} says {flag[0]!r}: name the option as Python does, `format=NAME`, or the "
                    "function, `build_index()`; ontonym/cli/errors.py shows flags and commands in their place"
                )
    return found


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """What stands alone as a text: docstrings of modules, classes, functions and names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def gone_paths(source: Path) -> list[str]:
    """A message for every file or dotted name of ours that a docstring or a comment names, and that is not there."""
    known = house.modules(source)
    package = source / "ontonym"
    found = []
    for module, path in known.items():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            bases = (package, source, source.parent)
            gone = [named for named in _PATH.findall(line) if not any((base / named).exists() for base in bases)]
            gone += [dotted for dotted in _DOTTED.findall(line) if not _is_there(dotted, known)]
            found += [f"{module}:{number} names {named}, which is not there" for named in gone]
    return found


def _is_there(dotted: str, known: dict[str, Path]) -> bool:
    if dotted in known:
        return True
    above, _, name = dotted.rpartition(".")
    if above in known:
        return re.search(rf"\b{name}\b", known[above].read_text(encoding="utf-8")) is not None
    return "." in above and _is_there(above, known)


def heavy_encoders(source: Path) -> list[str]:
    """A message for every import of an encoder that the light rooms must not know."""
    allowed = {f"ontonym.encoder.{name}" for name in (*LIGHT_ENCODERS, *ENCODER_DOOR)}
    return [
        f"{each.where} imports {each.target}: {', '.join(LIGHT_ROOMS)} see only ontonym.encoder.{{"
        f"{', '.join(LIGHT_ENCODERS)}}} and {', '.join(ENCODER_DOOR)}, so that searching never loads torch"
        for each in house.imports(source)
        if house.room_of(each.module, source) in LIGHT_ROOMS
        and each.target.startswith("ontonym.encoder")
        and ".".join(each.target.split(".")[:3]) not in allowed
    ]


def too_early(source: Path) -> list[str]:
    """A message for every slow or optional package that is imported as soon as a module is."""
    return [
        f"{each.where} imports {each.target} at module level: move the import into the function that needs it, or list "
        f"the module under {each.target.partition('.')[0]!r} in LATE in tests/test_layers.py if it is itself imported "
        "late"
        for each in house.imports(source)
        if each.at_once
        and each.target.partition(".")[0] in LATE
        and each.module not in LATE[each.target.partition(".")[0]]
    ]


def recurring_names(source: Path) -> list[str]:
    """A message for every public name of a class or type that several modules define."""
    return [
        f"{name} is defined in {' and '.join(modules)}: give the special one a name that says what it is of"
        for name, modules in house.recurring_names(source).items()
    ]


LAWS = (
    unknown_rooms,
    upward,
    loops,
    recurring_names,
    heavy_encoders,
    too_early,
    flags_below_the_command_line,
    gone_paths,
)


@pytest.fixture(scope="module", autouse=True)
def parsed_once() -> None:
    """All of the package is parsed once, and is on no test's account."""
    house.imports(SOURCE)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_package_keeps(law) -> None:
    broken = law(SOURCE)
    assert not broken, "\n".join(broken)


def test_the_modules_are_found() -> None:
    assert {"ontonym", "ontonym.types", "ontonym.store.open", "ontonym.index"} <= house.modules(SOURCE).keys()


@pytest.mark.parametrize("module", ["ontonym", "ontonym.tasks", "ontonym.evaluate"])
def test_importing_loads_nothing_slow(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {list(LATE)!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [], (
        f"import {module} loads them; `python -X importtime -c 'import {module}'` tells who"
    )


def test_a_search_loads_nothing_that_it_does_not_use() -> None:
    unused = ("ontonym.tasks.annotation", "multiprocessing", "concurrent.futures.process")
    code = f"import sys, ontonym.tasks.search; print(*(name for name in {unused!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


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
        (upward, {"types": "from importlib import import_module\nimport_module('ontonym.store')"}, "types:2 imports"),
        (
            loops,
            {"errors": "import ontonym.types", "types": "def f():\n    import ontonym.errors"},
            "ontonym.errors, ontonym.types import each other",
        ),
        (
            flags_below_the_command_line,
            {"store__open": "raise ValueError('give --format')"},
            "open:1 says '--form",
        ),
        (flags_below_the_command_line, {"store__open": "x = f'run `ontonym index` on {1}'"}, "says '`ontonym index'"),
        (gone_paths, {"store__open": '"""As ``store/shut.py`` does."""'}, "store.open:1 names store/shut.py, which"),
        (gone_paths, {"store__open": "# see ontonym.store.shut"}, "names ontonym.store.shut, which is not there"),
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


@pytest.mark.parametrize("page", house.pages(), ids=lambda page: page.name)
def test_the_map_is_that_of_the_law(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == house.pages()[page], "python docs/house.py"


def test_only_a_real_loop_is_one(tmp_path: Path) -> None:
    once = planted(tmp_path, errors="import ontonym.types", tasks__other="import ontonym.errors, ontonym.types")
    assert house.cycles(once) == []
    chain = ["ontonym.cli", "ontonym", "ontonym.tasks.search", "ontonym.encoder.static"]
    assert house.longest_chain(once) == chain


def test_a_name_that_stands_for_two_things_is_found(tmp_path: Path) -> None:
    two = planted(tmp_path, errors="class Row: ...\nclass _Own: ...", types="Row = int\n_Own = int\nLIMIT = 3")
    assert house.recurring_names(two) == {"Row": ["ontonym.errors", "ontonym.types"]}


def test_no_two_test_files_have_one_name() -> None:
    names = Counter(file.name for file in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == [], "pytest cannot collect both"
