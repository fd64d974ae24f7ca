"""A hint for who gave an index in another place than the command has it."""

from __future__ import annotations

from functools import wraps
from typing import Any

import click

from ontonym.errors import InputError


def hint_order(command: click.Command) -> None:
    """Has a command with an index among its arguments say their order, where the index was given as another one."""
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    inner = command.callback
    if inner is None or len(arguments) == 1 or not any(map(_takes_index, arguments)):
        return

    @wraps(inner)
    def hinting(*args: Any, **kwargs: Any) -> Any:
        try:
            return inner(*args, **kwargs)
        except InputError as error:
            index = _misplaced(arguments, kwargs)
            if not index:
                raise
            order = " ".join((click.get_current_context().command_path, *(one.metavar or "" for one in arguments)))
            raise InputError(f"{index} is an index, given in another's place: the order is {order}") from error

    command.callback = hinting


def _takes_index(argument: click.Argument) -> bool:
    return "index" in (argument.metavar or "").lower()


def _misplaced(arguments: list[click.Argument], given: dict[str, Any]) -> str:
    """The index that another argument was given, where none that takes one has one; else empty."""
    misplaced = ""
    for one in arguments:
        value = given.get(one.name or "")
        found = [place for place in (value if isinstance(value, tuple) else (value,)) if _is_index(place)]
        if found and _takes_index(one):
            return ""
        misplaced = misplaced or next(iter(found), "")
    return misplaced


def _is_index(place: Any) -> bool:
    from ontonym.artifact import read_manifest

    try:
        return read_manifest(place).kind == "index"
    except (InputError, OSError, TypeError, ValueError):
        return False
