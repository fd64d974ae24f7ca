"""Draws docs/demo.svg, the picture in the README: what `ontonym demo` prints on a terminal of 100 columns."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 100


def main() -> None:
    """Runs the demo twice, so that the second opens at once, and draws the second."""
    environment = os.environ | {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-m", "ontonym", "demo"], env=environment, capture_output=True, check=True
        )
    shown = run.stdout.decode().split("Try next")[0].rstrip()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere)
        console.print(Text("$ make demo", style="bold"))
        console.print(Text.from_ansi(shown))
    drawn = console.export_svg(title="ontonym")
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)  # which load fonts from elsewhere
    Path(__file__).with_name("demo.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
