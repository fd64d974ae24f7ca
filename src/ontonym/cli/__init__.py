"""The command line: one file per verb, loaded when it is asked for. Errors become one line and an exit code here.

Exit codes: 0 done, 1 the command ran and the answer is no, 2 something the user can fix, 3 a mistake of ours, 130
interrupted.

How a command runs: ``main`` finds its module in `VERBS`; its options become frozen dataclasses (`OptionGroup`), with
which it calls one function of the library; what that gives is made a `Summary` (in ``serve``) and printed, or JSON.

Where to look (a test holds this list to the files):

- every command: ``lazy`` imports it and shows help, ``everyday`` says which options help shows first, ``options`` makes
  options from dataclasses, ``overwriting`` guards outputs by what ``written`` remembers, ``errors`` says what went
  wrong, ``order`` that an index stands in another's place; ``progress``, ``terminal``
- options that several commands share: ``searching``, ``gold``, ``outputs``, ``mapping_outputs``, ``aligning``,
  ``spread``, ``reports``
- releases: ``get``, ``import_release``, ``info``, ``diff``, ``export``, ``update``, ``demo``
- indexes and words: ``index``, ``terms``, ``search``, ``show``, ``normalize``, ``annotate``
- mappings: ``match``, ``review``, ``carry``, ``align``
- learning: ``pairs``, ``train``, ``train_reranker``, ``train_aligner``, ``join``, ``distill``, ``calibrate``,
  ``learn_ranking``
- measuring: ``benchmark``, ``evaluate`` and what it evaluates: ``evaluate_normalization``, ``evaluate_annotation``,
  ``evaluate_search``, ``evaluate_similarity``, ``evaluate_matching``, ``evaluate_report``
- servers: ``serve``, ``mcp``; the shell: ``completion``; the page of all help: ``reference``
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NoReturn

import click

from ontonym.cli.errors import OURS, damage_behind, message_and_code
from ontonym.cli.everyday import GROUPS
from ontonym.cli.lazy import COMMAND, LazyGroup
from ontonym.cli.terminal import echo
from ontonym.memo import collect_seldom

VERBS = MappingProxyType(
    {
        "demo": ("ontonym.cli.demo", "Search two open terminologies, with nothing to prepare."),
        "get": ("ontonym.cli.get", "Download an open terminology from its publisher."),
        "import": ("ontonym.cli.import_release", "Read a release into a terminology."),
        "info": ("ontonym.cli.info", "Tell what an artifact is and what it was made from."),
        "diff": ("ontonym.cli.diff", "Tell what changed between two releases."),
        "export": ("ontonym.cli.export", "Write a terminology to a file that other software reads."),
        "pairs": ("ontonym.cli.pairs", "Make training examples from terminologies."),
        "train": ("ontonym.cli.train", "Train an encoder from the names of terminologies."),
        "train-reranker": ("ontonym.cli.train_reranker", "Train a reranker of an index's candidates."),
        "train-aligner": ("ontonym.cli.train_aligner", "Train a reranker of encyclopedia pages."),
        "join": ("ontonym.cli.join", "Join encoders, so that each finds what the others miss."),
        "distill": ("ontonym.cli.distill", "Fit a static encoder to another one."),
        "index": ("ontonym.cli.index", "Make terminologies searchable."),
        "update": ("ontonym.cli.update", "Bring an index up to a new release."),
        "add-terms": ("ontonym.cli.terms:add_command", "Add your own names of concepts to an index."),
        "remove-terms": ("ontonym.cli.terms:remove_command", "Remove added names from an index."),
        "terms": ("ontonym.cli.terms:list_command", "List the names that were added to an index."),
        "calibrate": ("ontonym.cli.calibrate", "Learn what the confidences of an index are worth."),
        "learn-ranking": ("ontonym.cli.learn_ranking", "Learn how an index weighs its evidence."),
        "search": ("ontonym.cli.search", "Find the concepts behind words."),
        "show": ("ontonym.cli.show:show_command", "Look a concept up."),
        "tree": ("ontonym.cli.show:tree_command", "Show where a concept stands in its hierarchy."),
        "normalize": ("ontonym.cli.normalize", "Give every mention of a file its concept."),
        "annotate": ("ontonym.cli.annotate", "Find the mentions of concepts in documents."),
        "serve": ("ontonym.cli.serve", "Serve indexes: a web page, a JSON API and FHIR."),
        "mcp": ("ontonym.cli.mcp", "Give language models tools that never invent a code."),
        "match": ("ontonym.cli.match", "Map a terminology to the concepts of an index."),
        "export-mappings": ("ontonym.cli.export:mappings_command", "Write mappings in another standard format."),
        "review": ("ontonym.cli.review", "Decide on the candidates of a matching."),
        "carry": ("ontonym.cli.carry", "Carry mappings over to new releases."),
        "align": ("ontonym.cli.align", "Align a terminology with encyclopedia pages."),
        "benchmark": ("ontonym.cli.benchmark", "Make benchmarks from a terminology itself."),
        "evaluate": ("ontonym.cli.evaluate", "Measure against gold data, with intervals."),
        "completion": ("ontonym.cli.completion", "Have your shell complete commands and options."),
    }
)
"""Every verb, in the order of the work: the module that holds its ``command``, and its help in one line."""

_ALL = "ontonym.cli.all"

PIPE_CLOSED = 141
"""128 + SIGPIPE: what a program that does not catch it would end with."""


class MainGroup(LazyGroup):
    """``ontonym``: the only place where an exception becomes a message and an exit code."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Runs the command line and exits; ``args`` defaults to those of the process."""
        arguments = list(sys.argv[1:] if args is None else args)
        collect_seldom()
        name = prog_name or "ontonym"
        self._main_shell_completion(extra, name)
        sys.exit(_run(self, arguments, name))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their groups, and one line of options, so that all of it is seen at once."""
        everything = ctx.meta.get(_ALL, False)
        width = max(map(len, self.table))
        for title, (often, seldom) in GROUPS.items():
            names = [*often.split(), *(seldom.split() if everything else ())]
            rows = [(name.ljust(width), self.table[name][1]) for name in names if name in self.table]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        rest = "" if everything else f"; --help-all: all {len(self.table)} commands"
        formatter.write(f"\n-h, --help: this, and of each command its options{rest}; --version\n")


def _run(group: click.Group, arguments: list[str], name: str) -> int:
    found: dict[str, Any] = {}
    try:
        with group.make_context(name, arguments, obj=(name, *arguments)) as context:
            found = context.meta
            group.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ending:
        return int(ending.exit_code)
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
    except (Exception, KeyboardInterrupt) as error:
        message, code = message_and_code(error, found.get(COMMAND))
        if code == OURS:
            if os.environ.get("ONTONYM_DEBUG"):
                raise
            damage = damage_behind(arguments)
            if damage is not None:
                message, code = message_and_code(damage)
        with suppress(OSError):  # stderr may be on the same full disk
            echo(_said(message, arguments, code), err=True)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        return code
    return 0


def _said(message: str, arguments: Sequence[str], code: int) -> str:
    """An error as it is printed: one line of text, or of JSON for who asked for JSON."""
    line = " ".join(message.split("\n"))
    if "--json" not in arguments:
        return line
    return json.dumps({"error": line.removeprefix("error: "), "exit_code": code}, ensure_ascii=False)


def _drop_output() -> None:
    """Lets go of what is still buffered: it has no reader or no room, and flushing it at exit would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        import ontonym

        echo(f"ontonym {ontonym.__version__}")
        context.exit()


def _print_all(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_ALL] = True
        echo(context.get_help())
        context.exit()


@click.group(
    "ontonym",
    cls=MainGroup,
    table=VERBS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option("--help-all", is_flag=True, expose_value=False, is_eager=True, callback=_print_all,
              help="Show all commands and exit.")  # fmt: skip
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
              help="Show the version and exit.")  # fmt: skip
@click.pass_context
def main(context: click.Context) -> None:
    """Find the concept behind any clinical words, in any terminology."""
    if context.invoked_subcommand is None:
        echo(context.get_help())
