"""The command line: one file per verb, loaded when it is asked for. Errors become one line and an exit code here.

Exit codes: 0 done, 1 the command ran and the answer is no, 2 something the user can fix, 3 a mistake of ours, 130
interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import click

from ontonym.cli.errors import OURS, message_and_code
from ontonym.cli.lazy import LazyGroup

VERBS = MappingProxyType(
    {
        "demo": ("ontonym.cli.demo", "Search two open terminologies, with nothing to prepare."),
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
        "search": ("ontonym.cli.search", "Find the concepts behind words."),
        "normalize": ("ontonym.cli.normalize", "Give every mention of a file its concept."),
        "annotate": ("ontonym.cli.annotate", "Find the mentions of concepts in documents."),
        "match": ("ontonym.cli.match", "Map a terminology to the concepts of an index."),
        "export-mappings": ("ontonym.cli.export:mappings_command", "Write mappings in another standard format."),
        "review": ("ontonym.cli.review", "Decide on the candidates of a matching."),
        "carry": ("ontonym.cli.carry", "Carry mappings over to new releases."),
        "align": ("ontonym.cli.align", "Align a terminology with encyclopedia pages."),
        "benchmark": ("ontonym.cli.benchmark", "Make benchmarks from a terminology itself."),
        "evaluate": ("ontonym.cli.evaluate", "Measure against gold data, with intervals."),
    }
)
"""Every verb, in the order of the work: the module that holds its ``command``, and its help in one line."""

PIPE_CLOSED = 141
"""128 + SIGPIPE: what a program that does not catch it would end with."""


class MainGroup(LazyGroup):
    """``ontonym``: the only place where an exception becomes a message and an exit code."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Runs the command line and exits; ``args`` defaults to those of the process."""
        arguments = list(sys.argv[1:] if args is None else args)
        name = prog_name or "ontonym"
        self._main_shell_completion(extra, name)
        sys.exit(_run(self, arguments, name))


def _run(group: click.Group, arguments: list[str], name: str) -> int:
    try:
        with group.make_context(name, arguments, obj=(name, *arguments)) as context:
            group.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ending:
        return int(ending.exit_code)
    except BrokenPipeError:
        # What is still buffered has no reader, and flushing it at exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (Exception, KeyboardInterrupt) as error:
        message, code = message_and_code(error)
        if code == OURS and os.environ.get("ONTONYM_DEBUG"):
            raise
        click.echo(" ".join(message.split("\n")), err=True)
        return code
    return 0


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        import ontonym

        click.echo(f"ontonym {ontonym.__version__}")
        context.exit()


@click.group(
    "ontonym",
    cls=MainGroup,
    table=VERBS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog="\b\nExamples:\n  ontonym demo\n  ontonym import hp.obo -o hp.terminology\n"
    '  ontonym index hp.terminology -o hp.index\n  ontonym search hp.index "heart skipping beats"',
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
              help="Show the version and exit.")  # fmt: skip
@click.pass_context
def main(context: click.Context) -> None:
    """Find the concept behind any clinical words, in any terminology."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
