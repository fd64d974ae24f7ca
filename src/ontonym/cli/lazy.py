"""Groups of commands that are imported one by one, when they are called, and help that shows everyday options first."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.shell_completion import CompletionItem

from ontonym.cli.everyday import EVERYDAY, OWN_THEMES, RENAMED, THEMES
from ontonym.cli.order import hint_order
from ontonym.cli.overwriting import guard
from ontonym.cli.terminal import echo
from ontonym.errors import InputError, UnknownNameError

COMMAND = "ontonym.cli.command"
"""Where the context has the command that runs."""

MOST = 12
"""The options that ``--help`` shows at most, ``-h`` among them."""

_NAMES = ("NAME", "TAG", "ID", "WORDS", "TEXT", "TYPE", "PREFIX", "URL", "VERDICT")
"""What stands for a name in help, not for a file."""


class HelpAll(click.Option):
    """``--help-all``: shows the options too that ``--help`` leaves out, which are ``rest``."""

    def __init__(self, rest: Sequence[click.Option]) -> None:
        super().__init__(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, hidden=not rest,
            help=f"Show {len(rest)} more options and exit.",
        )  # fmt: skip
        self.rest = rest
        for option in rest:
            option.hidden = True

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Shows every option in a block, and not this one."""
        kept = [(option, option.hidden) for option in (*self.rest, self)]
        try:
            for option, _ in kept:
                option.hidden = option is self
            yield
        finally:
            for option, hidden in kept:
                option.hidden = hidden


def _show_all(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        assert isinstance(option, HelpAll)  # noqa: S101 (its own callback)
        echo(full_help(context))
        context.exit()


def full_help(context: click.Context) -> str:
    """The help of a command with all its options: those of every day first, the others by theme."""
    command = context.command
    more = next((one for one in command.params if isinstance(one, HelpAll)), None)
    if more is None or not more.rest:
        return context.get_help()
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    with more.shown():
        options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        themed = {flag: title for title, flags in THEMES.items() for flag in flags.split()}
        themed |= OWN_THEMES.get(_path(context.parent, context.info_name or "") if context.parent else "", {})
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *THEMES)}
        for option in options:
            theme = next((themed[flag] for flag in option.opts if flag in themed), "Options")
            record = option.get_help_record(context)
            if record is not None:
                groups[theme if option in more.rest else "Options"].append(record)
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
    command.format_epilog(context, formatter)
    return formatter.getvalue().rstrip("\n")


class LazyGroup(click.Group):
    """A group whose commands are imported when one is called; its own help needs only ``table``.

    The table has for each command where it is, ``MODULE:NAME`` or a module whose ``command`` it is, and its help in
    one line.
    """

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.table = table

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments; without any the help is printed."""
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None where the table has no such name."""
        if cmd_name not in self.table:
            return None
        module, _, name = self.table[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name or "command")
        assert isinstance(command, click.Command)  # noqa: S101 (the table names commands)
        if not any(isinstance(param, HelpAll) for param in command.params):
            path = _path(ctx, cmd_name)
            _name_numbers(command)
            hint_order(command)
            seldom = guard(command, path)
            _fold(command, EVERYDAY.get(path, ""), seldom)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; the error for an unknown one lists them all."""
        if args[0] not in self.table and args[0].lstrip("/-") in _ASKING:
            meant = f"{ctx.find_root().command_path} --version" if "v" in args[0] else f"{ctx.command_path} --help"
            raise InputError(f"unknown command {args[0]!r}. Did you mean {meant}?")
        if args[0] not in self.table and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], self.table)
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[COMMAND] = command
        renamed = RENAMED.get(_path(ctx, name or ""), {})
        return name, command, [_renamed(one, renamed) for one in rest]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in self.table.items()])


_ASKING = ("help", "h", "?", "version")
"""What other programs take for --help and --version, behind a slash or alone."""


def _path(context: click.Context, name: str) -> str:
    """The names of the groups below the main one and of the command, such as ``evaluate search``."""
    names = [name]
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)


def _renamed(argument: str, renamed: Mapping[str, str]) -> str:
    flag, equals, value = argument.partition("=")
    return f"{renamed.get(flag, flag)}{equals}{value}"


def _name_numbers(command: click.Command) -> None:
    """Has help call numbers N and NUMBER, and not by click's types (INTEGER RANGE)."""
    for one in command.params:
        if one.metavar is None and isinstance(one.type, click.types.IntParamType):
            one.metavar = "N"
        elif one.metavar is None and isinstance(one.type, click.types.FloatParamType):
            one.metavar = "NUMBER"


def _fold(command: click.Command, everyday: str, seldom: Sequence[click.Option]) -> None:
    """Hides the options that are not among the everyday ones, if these are named, or where they are too many those
    that are ``seldom`` needed, and adds ``--help-all``.
    """
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    rest = [one for one in options if everyday and not set(one.opts) & set(everyday.split())]
    command.params.append(HelpAll(rest or [one for one in seldom if len(options) >= MOST]))
    for param in command.params:
        if type(param.type) is click.types.StringParamType and (param.metavar or "").strip("[].…") not in _NAMES:
            param._custom_shell_complete = _files


def _files(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell completes names of files itself."""
    return [CompletionItem(incomplete, type="file")]
