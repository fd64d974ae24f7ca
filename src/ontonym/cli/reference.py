"""Every ``--help`` as one page: ``python -m ontonym.cli.reference > docs/cli.md``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ontonym.cli import main
from ontonym.cli.lazy import LazyGroup

WIDTH = 88

HEAD = """# The command line

Every command with its options, as `--help` prints it. Exit codes: 0 done; 1 the command ran, and the answer is no; 2
something you can fix, said in one line; 3 a mistake of ontonym's; 130 interrupted.

This page is made by `python -m ontonym.cli.reference > docs/cli.md`.
"""


def reference() -> str:
    """The page."""
    return "\n".join([HEAD, *_sections(main, None, "ontonym")])


def _sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    context = click.Context(command, parent=parent, info_name=name, terminal_width=WIDTH, **command.context_settings)
    yield f"## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
    if isinstance(command, LazyGroup):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None  # noqa: S101
            yield from _sections(found, context, below)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
