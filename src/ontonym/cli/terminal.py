"""What commands print: the only place from which text goes to the terminal, beside the console of `serve.show`."""

from __future__ import annotations

import sys

import click

from ontonym.text.visible import visible


def echo(text: str = "", *, err: bool = False, end: str = "\n") -> None:
    """Prints text, its control characters shown and not sent; to stderr with ``err``."""
    click.echo(visible(text) + end, file=sys.stderr if err else None, nl=False)
