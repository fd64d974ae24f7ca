"""What commands may replace: the one rule, for every output of every command.

An output that is there already is replaced only where the same command line wrote it and nobody changed it since, or
with ``--force`` (``written.py`` remembers what was written). Commands that know better what is the same thing made
again (`import`, `get`, `index`), and those that have a rule of their own for their state files (`review start`,
`review merge`), are left out.
"""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from ontonym.cli.terminal import echo
from ontonym.cli.written import remembered, seal, why_not_replaced
from ontonym.errors import InputError

OUTPUTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "match": ("--candidates",),
        "carry": ("--look",),
        "pairs": ("--tsv",),
        "calibrate": ("--plot",),
        "diff": ("--affected",),
        "evaluate normalization": ("--mistakes",),
        "evaluate annotation": ("--mistakes", "--page"),
        "evaluate search": ("--trec", "--write-queries"),
        "evaluate heldout": ("--write-names",),
    }
)
"""Further options that name an output, beside ``-o`` of every command."""

BESIDE: Mapping[str, tuple[str, ...]] = MappingProxyType({"train": (".html",)})
"""Endings of what else is written beside the output of a command: the page of a training."""

OWN_RULE = ("import", "get", "index", "review start", "review merge")
"""Commands that decide themselves what they replace."""

TO_STDOUT = ("export", "export-mappings", "normalize", "annotate", "terms")
"""Commands whose output ``-`` is standard output."""

_ADDED = {
    "--force": "Replace what is there, whatever it is.",
    "--dry-run": "Say what would be written and what it would replace, and stop.",
}

OWN_FOLDERS = ("normalize", "annotate")
"""Commands whose job over a folder of files goes on where it ended, and never mixes answers of two jobs."""

_CHOSEN = "ontonym.cli.overwriting"
"""Where the context has which of the options that were added are given."""
_GUARDED = "keeps_to_the_rule"
_SILENT = frozenset(("--force", "--dry-run", "--resume", "--json"))
"""Flags that change nothing about what is made."""
_WRITE_JSON = ("normalize", "annotate", "terms")
"""Commands whose outputs are JSON with ``--json``, which elsewhere says how results are printed."""


def guard(command: click.Command, path: str) -> list[click.Option]:
    """Has a command with outputs keep to the rule, and gives the options ``--force`` and ``--dry-run`` that it got."""
    flags = {"--output", *OUTPUTS.get(path, ())}
    outputs = [one for one in command.params if isinstance(one, click.Option) and set(one.opts) & flags]
    if not outputs or command.callback is None or hasattr(command.callback, _GUARDED):
        return []
    if path in OWN_RULE:
        command.callback = _naming_outputs(command.callback, outputs)
        return []
    taken = {flag for one in command.params for flag in one.opts}
    added = [click.Option([flag], is_flag=True, expose_value=False, callback=_noted, help=text)
             for flag, text in _ADDED.items() if flag not in taken]  # fmt: skip
    command.params += added
    inner = command.callback

    @wraps(inner)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        context = click.get_current_context()
        given = _given(context, outputs)
        _check_places(given, named=path not in TO_STDOUT)
        places = [place for _, value in given for place in _places(value)]
        places += [place.with_name(place.name + ending) for place in places for ending in BESIDE.get(path, ())]
        places = [one for one in places if path not in OWN_FOLDERS or not one.is_dir()]
        chosen, maker = context.meta.get(_CHOSEN, frozenset()), _maker(context)
        if "--dry-run" in chosen:
            _announce(places, maker)
            return None
        if not chosen and not context.params.get("dry_run"):
            for place in places:
                _check_replaced(place, maker)
        with remembered(places, maker):
            return inner(*args, **kwargs)

    setattr(guarded, _GUARDED, True)
    command.callback = guarded
    return added


def _naming_outputs(inner: Callable[..., Any], outputs: Sequence[click.Option]) -> Callable[..., Any]:
    """A command that decides itself what it replaces, once its outputs have names."""

    @wraps(inner)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        _check_named(_given(click.get_current_context(), outputs))
        return inner(*args, **kwargs)

    setattr(guarded, _GUARDED, True)
    return guarded


def _given(context: click.Context, outputs: Sequence[click.Option]) -> list[tuple[click.Option, Any]]:
    return [(one, context.params.get(one.name or "")) for one in outputs]


def _check_places(given: Sequence[tuple[click.Option, Any]], *, named: bool) -> None:
    """InputError where two outputs are one place, where one is ``-`` that has to be ``named``, and for a file that
    cannot be written.
    """
    from ontonym.files.output import check_writable

    _check_different(given)
    if named:
        _check_named(given)
    for place in [place for one, value in given if _is_file(one) for place in _places(value)]:
        check_writable(place)


def _check_named(given: Sequence[tuple[click.Option, Any]]) -> None:
    """InputError where an output is ``-``: what is written there is no stream."""
    from ontonym.files.output import STDOUT

    if any(STDOUT in map(str, value if isinstance(value, tuple) else [value]) for _, value in given):
        raise InputError(f"{STDOUT}: standard output cannot hold this; give the name of what is written")


def _check_different(given: Sequence[tuple[click.Option, Any]]) -> None:
    """InputError where two outputs are one place: the second would replace the first."""
    named: dict[Path, str] = {}
    for option, value in given:
        for place in _named(value):
            flag = max(option.opts, key=len)
            other = named.setdefault(place.resolve(), flag)
            if other != flag:
                raise InputError(f"{place}: is named by {other} and by {flag}, which would replace each other")


def _noted(context: click.Context, option: click.Parameter, given: bool) -> None:
    if given:
        context.meta[_CHOSEN] = context.meta.get(_CHOSEN, frozenset()) | set(option.opts)


def _is_file(option: click.Option) -> bool:
    """Whether an option always names a file, whose folder must be there; the folder of an artifact is made."""
    return (option.metavar or "").startswith("FILE")


def _named(value: Any) -> Iterator[Path]:
    """The places that an option names."""
    from ontonym.files.output import STDOUT

    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str | Path) and str(one) not in ("", STDOUT):
            yield Path(one)


def _places(value: Any) -> Iterator[Path]:
    """The places that are written for an option; a plot ``NAME.svg`` is written as ``NAME.PLOT.svg``."""
    for place in _named(value):
        yield place
        if place.suffix == ".svg" and place.parent.is_dir():
            yield from sorted(place.parent.glob(f"{glob.escape(place.stem)}.*.svg"))


def _check_replaced(place: Path, maker: str) -> None:
    """InputError where something is at a place that the same command line did not write, or that was changed since."""
    why = why_not_replaced(place, maker)
    if why:
        raise InputError(f"{place}: is there already, and {why}: give another place, or `force=` to replace it")


def _announce(places: Sequence[Path], maker: str) -> None:
    for place in places:
        why = why_not_replaced(place, maker)
        there = f"replaces what is there only with --force: it {why}" if why else "replaces what it made before"
        echo(f"would write {place}" + (f"; {there}" if seal(place) else ""))


def _maker(context: click.Context) -> str:
    """What stands for the command line that runs, in the folder where it runs."""
    silent = _SILENT - {"--json"} if context.command.name in _WRITE_JSON else _SILENT
    told = [str(Path.cwd()), *(one for one in context.find_root().obj or () if one not in silent)]
    return hashlib.sha256(json.dumps(told).encode(errors="surrogatepass")).hexdigest()
