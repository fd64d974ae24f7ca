"""Options that several verbs share, and command-line options made from an options dataclass."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import click
from click.core import ParameterSource

from ontonym.cli.terminal import echo
from ontonym.errors import CheckFailed, InputError, UnknownNameError
from ontonym.serve.show import Summary, to_json
from ontonym.types import SCOPES, Scope

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Command = TypeVar("Command", bound=Callable[..., Any])
Chosen = TypeVar("Chosen", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Opt:
    """How a field of an options dataclass is given on the command line.

    ``flag`` is by default the name of the field; several are separated by a space. ``off`` says that the flag sets a
    field to False. A field that is a tuple may be repeated. ``type`` is needed where the default does not tell it.
    ``nargs`` is how many values the flag takes each time, ``envvar`` the environment variable that stands in for it.
    """

    help: str
    flag: str = ""
    metavar: str | None = None
    type: Any = None
    off: bool = False
    nargs: int = 1
    envvar: str | None = None


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
force_option = click.option("--force", is_flag=True, help="Replace what is there, whatever it is.")


def summarized_as(json: str) -> Callable[[Callable[..., Summary | None]], Callable[..., None]]:
    """Adds ``--json`` to a command that returns a `Summary`, which is printed as JSON or for a person.

    ``json`` is the help of the option. A command that has shown all by itself returns None. Raises CheckFailed where
    the summary has a ``failure``.
    """

    def add(command: Callable[..., Summary | None]) -> Callable[..., None]:
        @wraps(command)
        def call(*args: Any, as_json: bool, **given: Any) -> None:
            summary = command(*args, **given)
            if summary is not None:
                print_summary(summary, as_json=as_json)

        return click.option("--json", "as_json", is_flag=True, help=json)(call)

    return add


def print_summary(summary: Summary, *, as_json: bool) -> None:
    """Prints a summary as JSON or for a person; raises CheckFailed where it has a ``failure``."""
    if as_json:
        echo(to_json(summary.shape), err=summary.stderr)
    else:
        summary.print()
    if summary.failure:
        raise CheckFailed(summary.failure)


summarized = summarized_as("Print JSON.")


resume_training = click.option(
    "--resume",
    is_flag=True,
    help="Where there are checkpoints of another training, stop with an error; without it they are given up. "
    "The same training goes on from its own.",
)
"""``--resume`` of the commands that train with checkpoints."""

EXCLUDE = Opt(
    "Names that must not be seen in training: one a line, or the mentions of a gold corpus. May be repeated.",
    "--exclude",
    "FILE",
)
exclude_from_training = click.option("--exclude", multiple=True, metavar=EXCLUDE.metavar, help=EXCLUDE.help)


def examples(*lines: str) -> str:
    """The end of a command's help: examples, each without the ``ontonym`` that it begins with, or whole with a pipe."""
    whole = (line if "| ontonym" in line else f"ontonym {line}" for line in lines)
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in whole)


def command_line() -> str:
    """The command that runs, in one line that gives the same again."""
    return shlex.join(click.get_current_context().find_root().obj)


LANGUAGES = Opt("Take only names in this language (en, de…). May be repeated; by default all.", "--language", "TAG")
language_option = click.option("--language", multiple=True, metavar="TAG", help=LANGUAGES.help)
JOBS = Opt(
    "Processes that share the work; each opens the index, whose files are in memory once.",
    "--jobs",
    "N",
    click.IntRange(1),
)
jobs_option = click.option("--jobs", default=1, show_default=True, metavar="N", type=JOBS.type, help=JOBS.help)

RAW = Opt(
    "Tables as text: cells as they are, without the apostrophe that keeps a spreadsheet from running what begins with "
    "= + - @.",
    "--raw",
)
"""Of commands that write tables which people open in a spreadsheet."""


class OptionGroup(Generic[Chosen]):
    """Command-line options made from a dataclass: ``@GROUP.as_("options")`` gives the command one such object.

    The fields named are options, with the values of ``defaults`` shown as their defaults; the others keep these.
    """

    def __init__(self, defaults: Chosen, /, **opts: Opt) -> None:
        self.defaults = defaults
        self.opts = opts
        unknown = opts.keys() - {field.name for field in fields(defaults)}
        if unknown:
            raise TypeError(f"{type(defaults).__name__} has no field {', '.join(sorted(unknown))}")

    def but(self, *chosen: str, defaults: Chosen | None = None, **changed: Opt) -> OptionGroup[Chosen]:
        """The options of the fields ``chosen``, all where none is named, with other ``defaults`` or texts."""
        opts = {**self.opts, **changed}
        kept = {field: opt for field, opt in opts.items() if not chosen or field in chosen or field in changed}
        return OptionGroup(self.defaults if defaults is None else defaults, **kept)

    def as_(self, name: str) -> Callable[[Command], Command]:
        """The decorator that adds the options, and passes the dataclass made from them as the argument ``name``."""

        def add(command: Command) -> Command:
            @wraps(command)
            def call(*args: Any, **given: Any) -> Any:
                values = {field: given.pop(f"{name}__{field}") for field in self.opts}
                return command(*args, **given, **{name: self._made(values)})

            decorated: Any = call
            for field, opt in reversed(self.opts.items()):
                decorated = self._option(f"{name}__{field}", field, opt)(decorated)
            return cast(Command, decorated)

        return add

    def given(self, name: str) -> dict[str, Any]:
        """The fields that were typed on the command line, with their values."""
        context = click.get_current_context()
        typed = [
            field for field in self.opts if context.get_parameter_source(f"{name}__{field}") != ParameterSource.DEFAULT
        ]
        return {field: self._value(field, context.params[f"{name}__{field}"]) for field in typed}

    def _made(self, values: Mapping[str, Any]) -> Chosen:
        return replace(self.defaults, **{field: self._value(field, value) for field, value in values.items()})

    def _value(self, field: str, value: Any) -> Any:
        return not value if self.opts[field].off else value

    def _option(self, parameter: str, field: str, opt: Opt) -> Callable[[Command], Command]:
        default = getattr(self.defaults, field)
        flags = (opt.flag or f"--{field.replace('_', '-')}").split()
        if opt.off:
            return click.option(*flags, parameter, is_flag=True, default=not default, help=opt.help)
        if isinstance(default, bool):
            return click.option(
                *flags, parameter, is_flag=True, default=default, show_default="/" in opt.flag, help=opt.help
            )
        settings: dict[str, Any] = {"help": opt.help, "metavar": opt.metavar, "type": opt.type, "envvar": opt.envvar}
        if opt.nargs != 1:
            settings["nargs"] = opt.nargs
        if isinstance(default, tuple):
            settings |= {"multiple": True, "default": default, "show_default": bool(default)}
        elif default is not None:
            settings |= {"default": default, "show_default": default != ""}
        return click.option(*flags, parameter, **settings)


def refuse_without(needed: str, *parameters: str) -> None:
    """Raises InputError for those of the parameters that were typed, as they do nothing without what is ``needed``.

    Those of an `OptionGroup` are called ``group__field``.
    """
    _refuse(typed_flags(*parameters), f"without {needed}: give that too, or leave")


def refuse_with(given: str, *parameters: str) -> None:
    """Raises InputError for those of the parameters that were typed, as they do nothing with what is ``given``.

    Parameters are called as in `refuse_without`.
    """
    _refuse(typed_flags(*parameters), f"with {given}: leave")


def typed_flags(*parameters: str) -> list[str]:
    """The flags of those of the parameters that were typed; they are called as in `refuse_without`."""
    context = click.get_current_context()
    return [
        (parameter.opts if context.params[parameter.name] is not False else parameter.secondary_opts)[-1]
        for parameter in context.command.params
        if parameter.name in parameters and context.get_parameter_source(parameter.name) != ParameterSource.DEFAULT
    ]


def refuse_beside(option: str, *used: str) -> None:
    """Raises InputError for what was typed but ``option`` and the parameters ``used``: it does one thing only.

    Parameters are called as in `refuse_without`.
    """
    context = click.get_current_context()
    idle = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.expose_value  # not those that every command with outputs has
        and parameter.name not in used
        and option not in parameter.opts
        and context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
    ]
    _refuse(idle, f"beside {option}, which does one thing only: leave")


def _refuse(idle: Sequence[str], why: str) -> None:
    """Raises InputError for flags that do nothing, if there are any; ``why`` ends with *leave*."""
    if idle:
        do, it = ("do", "them") if len(idle) > 1 else ("does", "it")
        raise InputError(f"{' and '.join(idle)} {do} nothing {why} {it} out")


def wanted_languages(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The languages of ``--language``: none, which stands for every one, where ``all`` is among them."""
    return () if "all" in tags else tags


def wanted_scopes(names: tuple[Scope, ...]) -> tuple[Scope, ...]:
    """The scopes of ``--scope``; UnknownNameError lists the valid ones."""
    for name in names:
        if name not in SCOPES:
            raise UnknownNameError("scope", name, SCOPES)
    return names
