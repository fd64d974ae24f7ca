"""What the four working days share: commands run as they are typed, in an empty folder, and the time they take."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self


class Day:
    """A working day in a folder of its own, which is empty at first and gone afterwards."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._kept = TemporaryDirectory()
        self.folder = Path(self._kept.name)
        self.environment = {**os.environ, "ONTONYM_REVIEWER": "anna", "ONTONYM_CACHE": str(self.folder / ".cache")}
        self._began = time.monotonic()
        self.commands = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kept.cleanup()
        if kind is None:
            print(f"\n{self.title}: {self.commands} commands in {time.monotonic() - self._began:.0f} s")

    def write(self, name: str, text: str) -> Path:
        """A file that the user has."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        """A file of the folder."""
        return (self.folder / name).read_text(encoding="utf-8-sig")

    def command(self, line: str) -> list[str]:
        """What runs for a command line of ontonym, or for the lines of a Python script."""
        self.commands += 1
        return [sys.executable, "-m", "ontonym", *shlex.split(line)[1:]]

    def run(self, line: str, code: int = 0) -> str:
        """Runs a command line, shows it, and gives what it printed; ends the day at another exit code."""
        print(f"\n$ {line}")
        return self._run(self.command(line), code)

    def python(self, text: str) -> str:
        """Runs a script in Python, shows it, and gives what it printed."""
        print("\n" + "\n".join(f">>> {line}" for line in text.strip().splitlines()))
        self.commands += 1
        return self._run([sys.executable, "-c", text], 0)

    def _run(self, command: list[str], code: int) -> str:
        done = subprocess.run(  # noqa: S603 (the commands of the day)
            command, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", check=False,
            env={**self.environment, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        said = done.stdout + done.stderr
        print(said if len(said) < 4000 else f"{said[:4000]}…", end="")
        if done.returncode != code:
            raise SystemExit(f"exit code {done.returncode}, not {code}")
        return said


def check(holds: bool) -> None:
    """Ends the day where something is not as it should be, with the line that says what."""
    if not holds:
        raise AssertionError("not as it should be")


def following(said: str) -> str:
    """The command that a command printed as the next one."""
    return next(line.removeprefix("next: ") for line in said.splitlines() if line.startswith("next: "))


def human_phenotype_ontology() -> Path:
    """A release of HPO that a package of PyPI holds: what `ontonym get hpo` downloads where there is a network."""
    from ontonym.ontology.embedded import EMBEDDED

    (file,) = EMBEDDED["hp"].files()
    return file
