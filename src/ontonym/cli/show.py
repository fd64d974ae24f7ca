"""``ontonym show`` and ``ontonym tree``: looking concepts up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import examples, summarized
from ontonym.cli.searching import PLACE
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.index.shared.places import is_terminology
from ontonym.serve.concepts import SHOWN, concept_summary, roots_shape, tree_shape, tree_summary
from ontonym.serve.show import Summary
from ontonym.store import Terminology, open_terminology
from ontonym.tasks.concepts import find_concept

_source_argument = click.argument("source", metavar="INDEX|TERMINOLOGY")


@contextmanager
def opened_source(source: str, place: IndexPlace) -> Iterator[Index | Terminology]:
    """The index or terminology at a path, open; raises ArtifactError for another artifact."""
    if not is_terminology(source):
        with place.at(source).open() as index:
            yield index
        return
    if place != IndexPlace(Path()):
        raise InputError(f"{source}: is a terminology; --terminology-at, --encoder and --lexicon are for an index")
    with open_terminology(source) as terminology:
        yield terminology


@click.command("show", epilog=examples(
    "show hp.index HP:0001250",
    "show hp.terminology 0001250",
    "show both.index HP:0001250 --json",
))  # fmt: skip
@_source_argument
@click.argument("concept", metavar="ID")
@PLACE.as_("place")
@summarized
def show_command(*, source: str, concept: str, place: IndexPlace) -> Summary:
    """Look a concept up: names by language and kind, definition, parents, children, mappings.

    ID is with or without its prefix or dot. In an index of several terminologies, the same concept in the others is
    named too.
    """
    with opened_source(source, place) as opened:
        return concept_summary(find_concept(opened, concept))


@click.command("tree", epilog=examples(
    "tree hp.index HP:0001250",
    "tree icd10cm.terminology G40 --levels 2",
    "tree hp.terminology",
))  # fmt: skip
@_source_argument
@click.argument("concept", required=False, metavar="[ID]")
@click.option("--levels", type=click.IntRange(0), default=1, show_default=True, metavar="N",
              help="Levels shown below the concept.")  # fmt: skip
@click.option("--each", type=click.IntRange(1), default=SHOWN, show_default=True, metavar="N",
              help="Children shown of each concept.")  # fmt: skip
@PLACE.as_("place")
@summarized
def tree_command(*, source: str, concept: str | None, levels: int, each: int, place: IndexPlace) -> Summary:
    """Show where a concept stands in its hierarchy: all ways from the top down to it, and what is below.

    Without ID, the top of the terminology, or of the first one of an index.
    """
    with opened_source(source, place) as opened:
        if concept is not None:
            return tree_summary(tree_shape(find_concept(opened, concept), levels=levels, most=each))
        first, *others = [opened] if isinstance(opened, Terminology) else opened.terminologies
        notes = [f"this is {first.name}; for {one.name}: ontonym tree {one.path}" for one in others]
        return replace(tree_summary(roots_shape(first, levels=levels, most=each)), notes=notes)
