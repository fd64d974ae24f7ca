"""``ontonym evaluate categories``: are names of near categories more alike than names of distant ones."""

from __future__ import annotations

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.cli.reports import SHOWN, Shown, show
from ontonym.errors import InputError
from ontonym.evaluate.alike import MEASURES_BY_NAME
from ontonym.evaluate.categories import CategoryOptions, evaluate_categories
from ontonym.store import open_terminology

EXAMPLES = """\b
Examples:
  ontonym evaluate categories hp.terminology --near HP:0000707 --near HP:0001626 --far HP:0000005
  ontonym evaluate categories snomed.terminology --near SCTID:103693007 --near SCTID:277132007 --far SCTID:410607006 \\
      --encoder default --encoder ./SapBERT --measure cos --measure rho --most 10000
"""


OPTIONS = OptionGroup(
    CategoryOptions(),
    encoders=Opt("An encoder folder, a model, or a file of word vectors. May be repeated.", "--encoder", "NAME"),
    measures=Opt(f"{', '.join(MEASURES_BY_NAME)}. May be repeated.", "--measure", "NAME"),
    most=Opt("Names of a category, drawn where there are more (0: all).", type=click.IntRange(0)),
    seed=Opt("Which ones."),
)


@click.command("categories", epilog=EXAMPLES)
@click.argument("terminology", metavar="TERMINOLOGY")
@click.option("--near", multiple=True, metavar="ID", help="The top concepts of two near categories: give it twice.")
@click.option("--far", required=True, metavar="ID", help="The top concept of a category that is far from both.")
@OPTIONS.as_("options")
@SHOWN.as_("shown")
def command(*, terminology: str, near: tuple[str, ...], far: str, options: CategoryOptions, shown: Shown) -> None:
    """Measure how often a name of a category is at least as similar to one of a far category as to one of a near one.

    This is Schulz's relative overlap O over all triples of names: 0 is perfect, 0.5 is chance.
    """
    if len(near) != 2:
        raise InputError(f"two near categories are compared with a far one: give --near twice, not {len(near)} times")
    with open_terminology(terminology) as opened, Bar("comparing categories") as bar:
        found = evaluate_categories(opened, (near[0], near[1]), far, options, progress=bar.stage)
    show(found, shown, notes=False)
