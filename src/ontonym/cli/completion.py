"""``ontonym completion``: commands, options and files completed by bash, zsh and fish."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from ontonym.cli.options import examples, summarized
from ontonym.cli.terminal import echo
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.output import written_file
from ontonym.files.user import home_folder
from ontonym.serve.show import Summary

SHELLS = ("bash", "zsh", "fish")
_PROGRAM = "ontonym"
_MARK = "# completion of ontonym"


@dataclass(frozen=True, slots=True)
class CompletionPlace:
    """Where a shell finds its completion: ``script`` holds it, and ``start``, if any, the ``line`` that loads it."""

    script: Path
    start: Path | None = None
    line: str = ""


def completion_place(shell: str) -> CompletionPlace:
    """Where the completion of a shell goes, by the environment of the user."""
    home = home_folder()
    if shell == "fish":
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return CompletionPlace(settings / "fish" / "completions" / f"{_PROGRAM}.fish")
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / _PROGRAM / f"completion.{shell}"
    if shell == "bash":
        return CompletionPlace(data, home / ".bashrc", f'[ -f "{data}" ] && . "{data}"  {_MARK}')
    start = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
    load = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }"
    return CompletionPlace(data, start, f'[[ -f "{data}" ]] && {{ {load}; . "{data}" }}  {_MARK}')


def completion_script(shell: str) -> str:
    """The script that a shell loads."""
    from ontonym.cli import main

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 (click has all of SHELLS)
    source = found(main, {}, _PROGRAM, f"_{_PROGRAM.upper()}_COMPLETE").source_vars()
    return found.source_template % source


@click.command("completion", epilog=examples(
    "completion --install",
    "completion zsh --install --dry-run",
    "completion bash > ~/complete-ontonym",
))  # fmt: skip
@click.argument("shell", required=False, metavar="[bash|zsh|fish]")
@click.option("--install", is_flag=True, help="Install it for your user: new shells have it.")
@click.option("--dry-run", is_flag=True, help="With --install: say what would be written, and write nothing.")
@summarized
def command(*, shell: str | None, install: bool, dry_run: bool) -> Summary | None:
    """Have your shell complete commands, options and names of files; by default the shell that SHELL names.

    Without --install the script is printed.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    if not shell:
        raise InputError(f"the environment does not say which shell you use: name one of {', '.join(SHELLS)}")
    if shell not in SHELLS:
        raise UnknownNameError("shell", shell, SHELLS)
    if not install:
        if dry_run:
            raise InputError("--dry-run says what --install would write: give --install too")
        echo(completion_script(shell), end="")
        return None
    place = completion_place(shell)
    written = _installed(shell, place, dry_run=dry_run)
    shape = {"shell": shell, "written": [str(path) for path in written], "dry_run": dry_run}
    verb = "would be written" if dry_run else "written"
    lines = [f"{path}: {verb}" for path in written] or [f"{place.script}: current already"]
    return Summary(shape, lines=lines if dry_run else [*lines, f"new {shell} shells complete ontonym"])


def _installed(shell: str, place: CompletionPlace, *, dry_run: bool) -> list[Path]:
    """Writes what is not there yet, and gives the files."""
    script, written = completion_script(shell), list[Path]()
    if not place.script.is_file() or place.script.read_text(encoding="utf-8") != script:
        written.append(place.script)
        if not dry_run:
            place.script.parent.mkdir(parents=True, exist_ok=True)
            with written_file(place.script) as out:
                out.write(script.encode())
    if place.start is not None:
        before = place.start.read_text(encoding="utf-8", errors="surrogateescape") if place.start.is_file() else ""
        if place.line not in before.splitlines():
            written.append(place.start)
            if not dry_run:
                with place.start.open("a", encoding="utf-8") as out:
                    out.write(f"{'' if before.endswith(chr(10)) or not before else chr(10)}{place.line}\n")
    return written
