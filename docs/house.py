"""The layout of the code: its law (layers.toml), the map of it that readers see, and what it measures.

``python docs/house.py`` writes the map into the docstring of the package and into CONTRIBUTING.md;
``python docs/house.py --measure [SOURCE]`` prints lines and files of each room, the longest chain of imports, cycles
between files, and public names that stand for several things.
"""

from __future__ import annotations

import argparse
import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
LAW = ROOT / "layers.toml"

_DYNAMIC = ("import_module", "__import__")


@dataclass(frozen=True)
class Room:
    """A room, the number of its layer from 0 at the ground, and what it is."""

    name: str
    layer: int
    what: str


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


def rooms(law: Path = LAW) -> dict[str, Room]:
    """The rooms by name, from the ground up."""
    layers = tomllib.loads(law.read_text(encoding="utf-8"))["layer"]
    return {name: Room(name, number, what) for number, layer in enumerate(layers) for name, what in layer.items()}


# The code --------------------------------------------------------------------------------------------------------


@cache
def modules(source: Path = SOURCE) -> dict[str, Path]:
    """Every module of the package by dotted name; a package goes by its own name, without ``__init__``."""
    found = {}
    for path in sorted((source / "ontonym").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(source: Path = SOURCE) -> tuple[Import, ...]:
    """Every import of every module, those inside functions included; ``from package import name`` gives both joined.

    Where a module calls ``import_module``, every string in it that is the name of a module of ours is an import too.
    """
    return tuple(_all_imports(modules(source)))


def _all_imports(known: Mapping[str, Path]) -> Iterator[Import]:
    for module, path in known.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        tree = parsed(path)
        for node, at_once in _import_nodes(tree, at_once=True):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            else:
                above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                targets = [f"{base}.{alias.name}" for alias in node.names]
            for target in targets:
                yield Import(module, target, node.lineno, at_once)
        named = any(word in path.read_text(encoding="utf-8") for word in _DYNAMIC)
        if named and any(_name_of(node) in _DYNAMIC for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and node.value in known and node.value != module:
                    yield Import(module, node.value, node.lineno, at_once=False)


def _name_of(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _import_nodes(node: ast.AST, *, at_once: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, at_once
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _import_nodes(child, at_once=at_once and not later and not typing_only)


@cache
def room_names(source: Path = SOURCE) -> frozenset[str]:
    """The rooms that are there: files and folders of the package."""
    return frozenset(module.split(".")[1] for module in modules(source) if "." in module)


def room_of(name: str, source: Path = SOURCE) -> str:
    """The room a dotted name of ours lies in: ``ontonym.store.open`` in ``store``; a name of the package itself in
    ``__init__``.
    """
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in room_names(source) else "__init__"


def arrows(source: Path = SOURCE) -> dict[str, set[str]]:
    """Which modules of ours each module imports."""
    known = modules(source)
    found: dict[str, set[str]] = {module: set() for module in known}
    for each in imports(source):
        target = each.target
        while target and target not in known:
            target = target.rpartition(".")[0]
        if target and target != each.module:
            found[each.module].add(target)
    return found


def cycles(source: Path = SOURCE) -> list[list[str]]:
    """The modules that import each other in a loop, those of each loop together (Tarjan's strong components)."""
    graph = arrows(source)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for target in graph[module]:
            if target not in number:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], number[target])
        if low[module] == number[module]:
            place = stack.index(module)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for module in graph:
        if module not in number:
            visit(module)
    return found


def longest_chain(source: Path = SOURCE) -> list[str]:
    """The longest way from import to import; loops are gone through once."""
    graph = arrows(source)
    best: dict[str, list[str]] = {}
    under: set[str] = set()

    def chain(module: str) -> list[str]:
        if module in best:
            return best[module]
        under.add(module)
        below = [chain(target) for target in sorted(graph[module]) if target not in under]
        under.discard(module)
        best[module] = [module, *max(below, key=len, default=[])]
        return best[module]

    return max((chain(module) for module in graph), key=len)


def recurring_names(source: Path = SOURCE) -> dict[str, list[str]]:
    """Public names of classes and types that several modules define, with these modules."""
    owners: dict[str, list[str]] = defaultdict(list)
    for module, path in modules(source).items():
        for name in _defined_types(parsed(path)):
            owners[name].append(module)
    return {name: found for name, found in sorted(owners.items()) if len(found) > 1}


def _defined_types(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        name = ""
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        if name[:1].isupper() and not name.isupper():
            yield name


# What readers see ------------------------------------------------------------------------------------------------


def pages(law: Path = LAW) -> dict[Path, str]:
    """The files that show the map, as they must be."""
    layers: dict[int, list[Room]] = defaultdict(list)
    for room in rooms(law).values():
        layers[room.layer].append(room)
    shown = [layer for layer in layers.values() if not layer[0].name.startswith("__")]
    width = max(len(room.name) for layer in shown for room in layer)
    listed = [f"    {room.name:<{width}}  {room.what}" for layer in shown for room in layer]
    table = [f"| `ontonym.{room.name}` | {room.what} |" for layer in shown for room in layer]
    head = ["| room | what it is |", "|---|---|"]
    line = " <\n".join(", ".join(f"`{room.name}`" for room in layer) for layer in shown)
    package, guide = SOURCE / "ontonym" / "__init__.py", ROOT / "CONTRIBUTING.md"
    says, told = package.read_text(encoding="utf-8"), guide.read_text(encoding="utf-8")
    told = _between(told, "<!-- layers -->\n", "<!-- end -->", f"{line}\n")
    return {
        package: _between(says, "Imports only point down this list::\n\n", "\n\nThe names below", "\n".join(listed)),
        guide: _between(told, "<!-- rooms -->\n", "<!-- end -->", "\n".join([*head, *table, ""])),
    }


def _between(whole: str, begin: str, end: str, text: str) -> str:
    before, _, rest = whole.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{text}{end}{after}"


def measures(source: Path = SOURCE) -> Iterator[str]:
    """What the house measures, as lines of text."""
    known = modules(source)
    sizes: dict[str, list[int]] = defaultdict(list)
    for module, path in known.items():
        sizes[room_of(module, source)].append(len(path.read_text(encoding="utf-8").splitlines()))
    for room, lines in sorted(sizes.items()):
        yield f"{room:<12}{sum(lines):>8,} lines{len(lines):>5} files"
    everything = [number for lines in sizes.values() for number in lines]
    yield f"{'all':<12}{sum(everything):>8,} lines{len(everything):>5} files"
    importers: dict[str, int] = defaultdict(int)
    for targets in arrows(source).values():
        for target in targets:
            importers[target] += 1
    alone = sum(importers[module] == 1 for module, path in known.items() if path.name != "__init__.py")
    yield f"modules with one importer: {alone}"
    chain = longest_chain(source)
    yield f"longest chain of imports: {len(chain)}: {' > '.join(chain)}"
    yield from _listed("cycles between files", (", ".join(loop) for loop in cycles(source)))
    yield from _listed("public names that recur", (f"{n}: {', '.join(m)}" for n, m in recurring_names(source).items()))


def _listed(title: str, items: Iterable[str]) -> Iterator[str]:
    found = list(items)
    yield f"{title}: {len(found)}"
    yield from (f"  {item}" for item in found)


def main() -> None:
    """Writes the map, or prints the measures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--measure", nargs="?", const=str(SOURCE), metavar="SOURCE", help="print what SOURCE measures")
    asked = parser.parse_args()
    if asked.measure:
        print("\n".join(measures(Path(asked.measure))))
        return
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
