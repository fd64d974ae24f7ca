"""Every ``--help`` as one page: ``python -m ontonym.cli.reference > docs/cli.md``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import click

from ontonym.cli import main
from ontonym.cli.lazy import HelpAll, LazyGroup, full_help
from ontonym.cli.terminal import echo

WIDTH = 88

HEAD = """# The command line

Every command with all its options, as `--help-all` prints them: those of every day first, which `--help` shows alone,
then the others by theme. [Options](options.md) has what each option means. Exit codes: 0 done; 1 the command ran, and
the answer is no; 2 something you can fix, said in one line; 3 a mistake of ontonym's; 130 interrupted. With `--json`,
errors are JSON too, on standard error: `{"error": "…", "exit_code": 2}`.

`ontonym completion --install` has bash, zsh or fish complete commands, options and names of files.

This page is made by `python -m ontonym.cli.reference > docs/cli.md`.
"""


def reference() -> str:
    """The page."""
    return "\n".join([HEAD, *_sections(main, None, "ontonym")])


def _sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    context = click.Context(command, parent=parent, info_name=name, terminal_width=WIDTH, **command.context_settings)
    with ExitStack() as stack:
        for option in command.params:
            if isinstance(option, HelpAll):
                stack.enter_context(option.shown())
        yield f"## {context.command_path}\n\n```text\n{_visible(full_help(context))}\n```\n"
    if isinstance(command, LazyGroup):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None  # noqa: S101 (every verb is in the table)
            yield from _sections(found, context, below)


def _visible(text: str) -> str:
    """The text without click's mark of a paragraph that is not wrapped, which it leaves in where nothing follows."""
    return text.replace("\b", "")


if __name__ == "__main__":
    echo(reference(), end="")
