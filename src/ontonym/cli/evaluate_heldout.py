"""``ontonym evaluate heldout``: hide synonyms of a terminology, index what is left, and search for the hidden names."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.evaluate_normalization import SIGNALS
from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.cli.reports import COMPARED, Shown, resamples_option, show_runs
from ontonym.evaluate import HoldOutOptions
from ontonym.evaluate.heldout import HIDDEN_KINDS, evaluate_hidden_names, hidden_names
from ontonym.evaluate.indexes import chosen_signals
from ontonym.evaluate.report import format_by_type
from ontonym.files.output import written_file

EXAMPLES = """\b
Examples:
  ontonym evaluate heldout hp.obo
  ontonym evaluate heldout hp.terminology --signal fused --fraction 0.05
  ontonym evaluate heldout hp.terminology --kind lay --fraction 1
  ontonym evaluate heldout hp.terminology --names hidden.txt
  ontonym train hp.terminology --base none --exclude hidden.txt -o blind.encoder
  ontonym evaluate heldout hp.terminology --encoder blind.encoder
"""

OPTIONS = OptionGroup(
    HoldOutOptions(),
    fraction=Opt("Share of the exact synonyms to hide."),
    seed=Opt("Which ones."),
    kind=Opt(f"Hide only names of this kind: {', '.join(HIDDEN_KINDS)}.", metavar="KIND"),
    language=Opt("Hide only names in this language.", metavar="TAG"),
)


@click.command("heldout", epilog=EXAMPLES)
@click.argument("release", nargs=-1, required=True, metavar="RELEASE…|TERMINOLOGY")
@click.option("--encoder", default="default", show_default=True, metavar="ENCODER", help="An encoder folder, or "
              "default for the one that comes with ontonym.")  # fmt: skip
@click.option("--signal", multiple=True, default=("all",), show_default=True, metavar="NAME", help=SIGNALS.help)
@OPTIONS.as_("options")
@resamples_option
@click.option("--names", "names_file", metavar="FILE", help="Write the hidden names, one a line, and stop: what "
              "`ontonym train --exclude` takes.")  # fmt: skip
@COMPARED.as_("shown")
def command(
    *,
    release: tuple[str, ...],
    encoder: str,
    signal: tuple[str, ...],
    options: HoldOutOptions,
    resamples: int,
    names_file: str | None,
    shown: Shown,
) -> None:
    """Hide some synonyms, search for them, and measure how often their concept comes first (Hits@1) or in ten.

    The overlap degree is the share of a hidden name's words that the names left to its concept have.
    """
    shown.check_runs(chosen_signals(signal))
    if names_file:
        names = hidden_names(release, options)
        with written_file(names_file) as stream:
            stream.write("".join(f"{name.text}\n" for name in names).encode())
        click.echo(f"{len(names):,} hidden names written to {names_file}", err=True)
        return
    with Bar("hiding synonyms") as bar:
        runs = evaluate_hidden_names(
            release, options, encoder=encoder, signals=signal, resamples=resamples, progress=bar.stage
        )
    notes = runs.notes
    if runs.warning:
        hint = "For a blind encoder: --names FILE, then ontonym train --base none --exclude FILE"
        notes = (f"{runs.warning}. {hint}", *notes)
    if len(runs.reports) > 1 and not shown.as_json:
        notes = (*(f"{format_by_type(runs.reports, measure)}\n" for measure in ("hits@1", "hits@10")), *notes)
    show_runs(replace(runs, notes=notes), shown)
