"""``ontonym evaluate similarity``: how well encoders, word vectors and plain spelling tell similar names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ontonym.artifact import MANIFEST
from ontonym.benchmark.sets import SimilaritySet, open_sets
from ontonym.cli.evaluate import command_line, command_note
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, output_option, write_outputs
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console
from ontonym.encoder import open_encoder
from ontonym.encoder.vectors import VectorsEncoder
from ontonym.errors import InputError
from ontonym.evaluate.alike import SPELLINGS, Alike, Remembered, alike_by_encoder, measures_of
from ontonym.evaluate.graded import GradedSet, read_graded
from ontonym.evaluate.results import Results
from ontonym.evaluate.separation import ALPHA
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.similarity import BCA, Evaluated, Figures, evaluate_similarity, tables_of
from ontonym.evaluate.tables import format_table
from ontonym.evaluate.texts import excluded_names
from ontonym.text.normalization import normalize

EXAMPLES = """\b
Examples:
  ontonym evaluate similarity hp.sets --encoder default --encoder ./MiniLM --encoder edit -o report.html
  ontonym evaluate similarity UMNSRS-sim.csv MayoSRS.csv --encoder default --encoder bm25 --encoder char
  ontonym evaluate similarity hp.sets --set hard.levenshtein --encoder hp.encoder --names hidden.txt
  ontonym evaluate similarity hp.sets --encoder glove.txt --measure fJ --all-measures --json
  ontonym evaluate similarity mesh.sets --encoder ./SapBERT --most 20000
"""

Pairs = GradedSet | SimilaritySet


@click.command("similarity", epilog=EXAMPLES)
@click.argument("sets", nargs=-1, required=True, metavar="SETS|FILE…")
@click.option("--encoder", multiple=True, default=("default", "edit"), show_default=True, metavar="NAME",
              help=f"An encoder folder, a model, a file of word vectors, or spelling alone: {', '.join(SPELLINGS)}. "
              "May be repeated.")  # fmt: skip
@click.option("--set", "wanted", multiple=True, metavar="WORDS", help="Only sets of a folder whose name has this, such "
              "as hard.levenshtein. May be repeated.")  # fmt: skip
@click.option("--measure", default="", metavar="NAME", help="Compare by this measure: cos, r, rho or tau; for word "
              "vectors avg_ or pair_ before it, fJ or mJ.  [default: cos, avg_cos]")  # fmt: skip
@click.option("--all-measures", is_flag=True, help="Show every measure of every encoder, not only the one they are "
              "compared by.")  # fmt: skip
@click.option("--names", metavar="FILE", help="Only similar pairs whose names are both in this file, one a line, such "
              "as those that training did not see; and the dissimilar pairs that go with them.")  # fmt: skip
@click.option("--most", type=click.IntRange(0), default=0, metavar="N", help="Pairs of a set of similar and dissimilar "
              "names, drawn where there are more (0: all): for encoders that are slow.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Which pairs.")
@click.option("--resamples", type=click.IntRange(1), default=BCA.resamples, show_default=True,
              help="Resamples of the bootstrap on graded pairs.")  # fmt: skip
@output_option
@json_option
def command(
    *, sets: tuple[str, ...], encoder: tuple[str, ...], wanted: tuple[str, ...], measure: str, all_measures: bool,
    names: str | None, most: int, seed: int, resamples: int, outputs: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Measure how well methods tell names that mean the same (needs ontonym[eval]).

    SETS is a folder made by `ontonym benchmark build`: accuracy at the best threshold and area under the ROC curve.
    FILE is a list of pairs that people graded (UMNSRS, MayoSRS, MiniMayoSRS, Hliaoutakis, Bio-SimLex, Bio-SimVerb,
    EHR-RelB layouts, or two terms and a number): Spearman's correlation. After each figure: how many of the other
    methods it is significantly better and, behind a minus, worse than. Only pairs that all methods can represent
    count.
    """
    check_outputs(outputs)
    only = {normalize(name) for name in excluded_names([names])} if names else None
    read = [_drawn(_restricted(pairs, only), most, seed) for place in sets for pairs in _read(place, wanted)]
    bootstrap = replace(BCA, resamples=resamples)
    found: list[Evaluated] = []
    with Bar("measuring", total=len(read)) as bar:
        methods = {label: _method(name, measure, every=all_measures) for label, name in labelled(encoder).items()}
        for number, pairs in enumerate(read):
            bar.stage(pairs.name, number, len(read))
            similarities = {name: ask(pairs.first, pairs.second) for name, ask in methods.items()}
            found.append(evaluate_similarity(pairs, similarities, bootstrap))
    titles = ", ".join(Path(place).name for place in sets)
    about = [f"only similar pairs whose names are both in {names}"] if names else []
    about += [f"at most {most:,} pairs of a set, drawn (seed {seed})"] if most else []
    results = Results(
        f"Telling similar names in {titles}", tuple(about), *tables_of(found, bootstrap), command=command_line()
    )
    write_outputs(outputs, [results])
    if as_json:
        click.echo(to_json({"sets": [one.to_dict() for one in found], "bootstrap": bootstrap.caption("pair")}))
        return
    out = console()
    for graded in (True, False):
        some = [one for one in found if one.graded == graded]
        if some:
            out.print(_table(some), soft_wrap=True)
            out.print(_caption(some, bootstrap), style="dim", soft_wrap=True)
            out.print()
    for line in about:
        out.print(line, style="dim", soft_wrap=True)
    out.print(command_note(), style="dim", soft_wrap=True)


def _read(place: str, wanted: Sequence[str]) -> Iterator[Pairs]:
    path = Path(place)
    if not path.is_dir():
        yield read_graded(path)
        return
    if not (path / MANIFEST).is_file() and (files := sorted(path.glob("*.txt")) + sorted(path.glob("*.csv"))):
        raise InputError(f"{path}: no folder of sets; for graded pairs give its files: {path / files[0].name} …")
    some = [pairs for pairs in open_sets(path) if not wanted or any(words in pairs.name for words in wanted)]
    if not some:
        raise InputError(f"{path}: no set whose name has {' or '.join(wanted)}")
    yield from some


def _restricted(pairs: Pairs, only: set[str] | None) -> Pairs:
    """The pairs whose names are both among some, with the dissimilar ones that go with them."""
    if only is None:
        return pairs
    some = pairs.restricted(only)
    if not len(some):
        raise InputError(f"{pairs.name}: no pair whose names are both in the file of names")
    return some


def _drawn(pairs: Pairs, most: int, seed: int) -> Pairs:
    return pairs.drawn(most, seed) if most and isinstance(pairs, SimilaritySet) else pairs


def labelled(names: Sequence[str]) -> dict[str, str]:
    """Methods by the last part of their names, where that tells them apart."""
    different = list(dict.fromkeys(names))
    short = [name if name in SPELLINGS else Path(name).name for name in different]
    return dict(zip(short if len(set(short)) == len(short) else different, different, strict=True))


def _method(name: str, measure: str, *, every: bool) -> Callable[[Sequence[str], Sequence[str]], Alike]:
    """What gives the similarities of pairs by a method, the measure that it is compared by first."""
    if name in SPELLINGS:
        return lambda first, second: {name: SPELLINGS[name](first, second)}
    opened = open_encoder(name)
    if not isinstance(opened, VectorsEncoder):
        opened = Remembered(opened)
    chosen = measure or measures_of(opened)[0]
    measures = tuple(dict.fromkeys((chosen, *(measures_of(opened) if every else ()))))
    return lambda first, second: alike_by_encoder(opened, first, second, measures)


def _table(found: Sequence[Evaluated]) -> str:
    """A row for each set and measure, a column for each method."""
    methods = list(found[0].figures)
    several = any(len(measures) > 1 for one in found for measures in one.figures.values())
    head = [*(("set", "measure") if several else ("set",)), "pairs", *methods]
    rows = []
    for one in found:
        pairs = f"{one.n:,}" if one.n == one.pairs else f"{one.n:,} of {one.pairs:,}"
        named = list(dict.fromkeys(name for measures in one.figures.values() for name in measures))
        for name in named if several else [""]:
            cells = [_cell(one.figures[method].get(name) if several else one.headline(method)) for method in methods]
            rows.append([one.name, *([name] if several else []), pairs, *cells])
    return format_table(head, rows)


def _cell(figures: Figures | None) -> str:
    if figures is None:
        return ""
    value = figures.value
    area = "" if figures.auc is None else f", {figures.auc.value:.3f}"
    standing = f" ({figures.standing})" if figures.standing and str(figures.standing) else ""
    return f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]{area}{standing}"


def _caption(found: Sequence[Evaluated], bootstrap: BootstrapOptions) -> str:
    if found[0].graded:
        figure = f"Spearman's correlation; {bootstrap.caption('pair')}"
        test = "intervals of differences"
    else:
        figure = "accuracy at the threshold that is best on these pairs [exact binomial 95% interval], area under the "
        figure += "ROC curve"
        test = "McNemar's test"
    return (
        f"{figure}\n(better than n/-worse than m) of the other methods: {test} at {ALPHA} with Bonferroni's "
        "correction; only pairs whose terms all methods can represent"
    )
