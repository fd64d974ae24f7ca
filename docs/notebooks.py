"""Runs the notebooks of docs/notebooks and keeps their outputs: ``python docs/notebooks.py``; a test runs them again.

A cell runs as Jupyter runs it: what it prints and the value of its last line are its outputs, as HTML where the value
has some. Nothing of Jupyter is needed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

DOCS = Path(__file__).parent
NOTEBOOKS = DOCS / "notebooks"

_NUMBER = re.compile(r"\d+\.\d+")


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is on disk."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells have now; it runs in an empty folder of its own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    number += 1
                    outputs = list(_outputs("".join(cell["source"]), names, number))
                    cells.append({**cell, "execution_count": number, "outputs": outputs})
                else:
                    cells.append(cell)
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 (our own notebooks)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 (cells that we wrote)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None:
        html = value._repr_html_() if hasattr(value, "_repr_html_") else None
        data = {"text/plain": _lines(repr(value)), **({"text/html": _lines(html)} if html else {})}
        yield {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def compared(notebook: dict[str, Any]) -> list[list[str]]:
    """The outputs of each cell as text without the decimals of numbers, which differ between machines."""
    shown = []
    for cell in notebook["cells"]:
        texts = ["".join(one.get("text") or one["data"]["text/plain"]) for one in cell.get("outputs", ())]
        shown.append([_NUMBER.sub("#", text) for text in texts])
    return shown


def as_page(notebook: dict[str, Any]) -> str:
    """A notebook as Markdown for the site: text, code, and outputs below it."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for one in cell["outputs"]:
            html = "".join(one.get("data", {}).get("text/html", ()))
            text = "".join(one.get("text") or one["data"]["text/plain"]).rstrip("\n")
            parts.append(f'<div class="output">\n{html}\n</div>' if html else f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Runs every notebook and writes its outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        made = executed(read(path))
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path.name}: {sum(bool(one.get('outputs')) for one in made['cells'])} cells with outputs")


if __name__ == "__main__":
    sys.exit(main())
