"""What an exception says on the command line: one line, in the words of the command line, and an exit code.

Below ``cli`` a message names an option as Python does, `` `format=NAME` ``, and what makes an artifact by its function,
`` `build_index()` ``. Here they become the flag and the command.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

import click

from ontonym.errors import ArtifactError, OntonymError, UnknownIdError, without_password

INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""
OURS = 3

_REFUSED = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EMFILE,
    errno.ENFILE, errno.ENOMEM, errno.ENAMETOOLONG, errno.ELOOP,
)  # fmt: skip
"""What the operating system refuses and the user can change."""

REPORT = "this is a mistake of ontonym's: run again with ONTONYM_DEBUG=1 and report what it prints, with the command"

COMMANDS = MappingProxyType(
    {
        "build_terminology": "import",
        "build_index": "index",
        "build_pages": "index --pages",
        "update": "update",
        "add_terms": "add-terms",
        "pairs": "pairs",
        "train": "train",
        "train_reranker": "train-reranker",
        "calibrate": "calibrate",
        "match": "match",
        "export_mappings": "export-mappings",
        "carry": "carry",
        "search": "search",
        "start_review": "review start",
        "build_sets": "benchmark build",
        "build_gold": "benchmark gold",
        "build_splits": "benchmark pages",
        "write_sheets": "benchmark study",
        "evaluate_search": "evaluate search",
        "evaluate_strategies": "evaluate strategies",
    }
)
"""The command that does what a function does."""

FLAGS = MappingProxyType(
    {
        "associations": "association",
        "columns": "column",
        "concepts": "concept",
        "dialects": "dialect",
        "id_columns": "id-column",
        "iris": "iri",
        "keep": "dry-run",
        "languages": "language",
        "predicates": "predicate",
        "relations": "relation",
        "sets": "set",
        "systems": "system",
        "tags": "tag",
        "term_types": "term-type",
        "terms": "term",
        "types": "type",
        "vocabularies": "vocabulary",
    }
)
"""Flags that are not named as the field is, and are no option of an `OptionGroup`, which knows its own."""

_NO_MEMORY = ("can't start new thread", "failed to map segment from shared object")
"""What Python and the system's loader say where there is no memory for a thread or a library."""

_LOOP = "Symlink loop from "
"""What Python before 3.13 says of a path that it cannot follow."""

_CALL = re.compile(r"`([a-z_]+)\(\)`")
_FIELD = re.compile(r"`([a-z_]+)=([^`]*)`")
_LISTED = re.compile(r'"([^"]*)"')


def message_and_code(error: BaseException, command: click.Command | None = None) -> tuple[str, int]:
    """What an exception of a command says to the user in one line, and its exit code."""
    if isinstance(error, click.Abort) or _is_interruption(error):
        return "interrupted", INTERRUPTED
    if isinstance(error, click.ClickException):
        return _usage(error), 2
    if isinstance(error, OntonymError) and error.exit_code != OURS:
        return f"error: {without_password(in_flags(str(error), command))}{_words_for(error)}", error.exit_code
    if isinstance(error, RuntimeError) and str(error).startswith(_LOOP):
        error = OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(error).removeprefix(_LOOP).strip("'"))
    if isinstance(error, MemoryError) or any(said in str(error) for said in _NO_MEMORY):
        return "error: there is not enough memory for this: give it less at once, or more memory", 2
    if isinstance(error, OSError) and error.errno in _REFUSED:
        where = error.filename if isinstance(error.filename, str) else "standard output"
        return f"error: {where}: cannot be read or written: {error.strerror}", 2
    return without_password(f"error: {type(error).__name__}: {error}; {REPORT}"), OURS


def _is_interruption(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an exception: one that is caught while a library is imported becomes its ImportError."""
    seen: list[BaseException] = []  # libraries make chains that come back to where they began
    while error is not None and not any(error is one for one in seen):
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _words_for(error: OntonymError) -> str:
    """What an error adds where words were given for the id of a concept."""
    if not isinstance(error, UnknownIdError) or error.nearest or any(one.isdigit() for one in error.concept_id):
        return ""
    return ". An id is wanted here: `ontonym search` finds the concepts behind words"


def damage_behind(arguments: Iterable[str]) -> ArtifactError | None:
    """The damage of an artifact that a command was given, which explains an error that nobody foresaw; None for none.

    Bits that flipped in the middle of a file are not looked for when it is opened (docs/decisions.md), and do anything.
    """
    from ontonym.index.sources import check_whole
    from ontonym.manifest import MANIFEST

    for argument in arguments:
        path = Path(argument.rpartition("=")[2])
        try:
            if (path / MANIFEST).is_file():
                check_whole(path)
        except ArtifactError as error:
            return error
        except (OSError, ValueError, MemoryError):
            continue
    return None


def in_flags(message: str, command: click.Command | None = None) -> str:
    """A message with flags for fields, those of the command where it has them, and commands for functions."""
    own = _flags_of(command) if command else {}
    named = _CALL.sub(lambda call: f"`ontonym {COMMANDS[call[1]]}`" if call[1] in COMMANDS else call[0], message)
    return _FIELD.sub(lambda field: _flags(own.get(field[1]) or _flag(field[1]), field[2]), named)


def _flags_of(command: click.Command) -> dict[str, str]:
    """The flag of each field of the option groups of a command, whose parameters are called ``group__field``.

    Of a field that several groups have, the flag that is called as it is.
    """
    flags: dict[str, str] = {}
    for one in command.params:
        _, grouped, field = (one.name or "").rpartition("__")
        if grouped and flags.get(field) != _flag(field):
            flags[field] = max(one.opts, key=len)
    return flags


def _flags(flag: str, value: str) -> str:
    """A flag with its value; with each value of a list, as flags are repeated; alone where it is a switch."""
    if value in ("True", "False"):
        return flag
    several = _LISTED.findall(value) if value.startswith("[") else [value]
    return " ".join(f"{flag} {repr(one) if ' ' in one else one}".rstrip() for one in several)


def _flag(field: str) -> str:
    return "--" + FLAGS.get(field, field).replace("_", "-")


def _usage(error: click.ClickException) -> str:
    """Click's message on one line, with the command whose help tells more."""
    context = getattr(error, "ctx", None)
    if context is None:
        return f"error: {_one_line(error.format_message())}"
    command = context.command
    if isinstance(error, click.NoSuchOption):
        message = f"no such option '{error.option_name}'{_option_hint(error.option_name, command)}"
    elif isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        message = f"missing option {_flag_and_value(error.param, context)}"
    else:
        message = _one_line(error.format_message())
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument):
        message += f": {context.command_path} {' '.join(command.collect_usage_pieces(context)[1:])}"
    if "unexpected extra argument" in message and command.name == "annotate":
        message += "; put a text of several words in quotation marks, and several files in one folder"
    return f"error: {message} (try: {context.command_path} --help)"


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return line[:1].lower() + line[1:].rstrip(".")


def _flag_and_value(option: click.Option, context: click.Context) -> str:
    """An option as it is typed: ``-o FILE``."""
    return " ".join(filter(None, (min(option.opts, key=len), option.make_metavar(context))))


def _option_hint(typed: str, command: click.Command) -> str:
    """What may be meant by a flag that a command does not have; empty where nothing is like it."""
    flags = [
        flag for one in command.params if isinstance(one, click.Option) for flag in (*one.opts, *one.secondary_opts)
    ]
    named = {flag.lstrip("-"): flag for flag in flags}
    name = typed.lstrip("-")
    alike = [one for one in named if one.lower() == name.lower() or (len(name) > 1 and one.startswith(name))]
    alike = alike or get_close_matches(name, named)
    if alike:
        return f". Did you mean {' or '.join(named[one] for one in alike)}?"
    if any(one.name == "words" for one in command.params):
        return "; words that begin with - stand last, after --"
    return ""
