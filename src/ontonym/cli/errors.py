"""What an exception says on the command line: one line, in the words of the command line, and an exit code.

Below ``cli`` a message names an option as Python does, `` `format=NAME` ``, and what makes an artifact by its function,
`` `build_index()` ``. Here they become the flag and the command.
"""

from __future__ import annotations

import re
from types import MappingProxyType

import click

from ontonym.errors import OntonymError

INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""
OURS = 3

REPORT = "this is a mistake of ontonym's: run again with ONTONYM_DEBUG=1 and report what it prints, with the command"

COMMANDS = MappingProxyType(
    {
        "build_terminology": "import",
        "build_index": "index",
        "build_pages": "index --pages",
        "update_index": "update",
        "add_terms": "add-terms",
        "save_examples": "pairs",
        "train_encoder": "train",
        "train_reranker": "train-reranker",
        "learn_calibration": "calibrate",
        "match": "match",
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
        "columns": "column",
        "concepts": "concept",
        "dialects": "dialect",
        "id_columns": "id-column",
        "iris": "iri",
        "languages": "language",
        "systems": "system",
        "tags": "tag",
        "term_types": "term-type",
        "terms": "term",
        "vocabularies": "vocabulary",
    }
)
"""Flags that are not named as the field is."""

_CALL = re.compile(r"`([a-z_]+)\(\)`")
_FIELD = re.compile(r"`([a-z_]+)=([^`]*)`")


def message_and_code(error: BaseException) -> tuple[str, int]:
    """What an exception says to the user in one line, and its exit code."""
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return "interrupted", INTERRUPTED
    if isinstance(error, click.ClickException):
        return _usage(error), 2
    if isinstance(error, OntonymError) and error.exit_code != OURS:
        return f"error: {in_flags(str(error))}", error.exit_code
    return f"error: {type(error).__name__}: {error}; {REPORT}", OURS


def in_flags(message: str) -> str:
    """A message with flags for fields and commands for functions."""
    named = _CALL.sub(lambda call: f"`ontonym {COMMANDS[call[1]]}`" if call[1] in COMMANDS else call[0], message)
    return _FIELD.sub(lambda field: f"{_flag(field[1])} {field[2]}".rstrip(), named)


def _flag(field: str) -> str:
    return "--" + FLAGS.get(field, field).replace("_", "-")


def _usage(error: click.ClickException) -> str:
    """Click's message on one line, with the command whose help tells more."""
    message = " ".join(error.format_message().split())
    message = message[:1].lower() + message[1:].rstrip(".")
    context = getattr(error, "ctx", None)
    return f"error: {message}" + (f" (try: {context.command_path} --help)" if context is not None else "")
