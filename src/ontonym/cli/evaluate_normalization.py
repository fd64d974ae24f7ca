"""``ontonym evaluate normalization``: an index against gold corpora."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import cast, get_args

import click

from ontonym.cli.evaluate import Asked, against_option, chosen_signals, encoder_note, give_reports, normalizer
from ontonym.cli.evaluate_rerank import Cost, gains, stage_notes, timed
from ontonym.cli.gold import gold_corpora, gold_notes, gold_options
from ontonym.cli.options import (
    as_written_option,
    at_least,
    document_options,
    json_option,
    precision_option,
    strategy_option,
)
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, check_runs, compare_option, output_option
from ontonym.cli.reranking import opened_reranking, rerank_options
from ontonym.cli.show import count
from ontonym.errors import UnknownNameError
from ontonym.evaluate import (
    BootstrapOptions,
    Lookup,
    NormalizationReport,
    Protocol,
    answer_mentions,
    judge,
)
from ontonym.evaluate.comparison import Comparison
from ontonym.evaluate.corpora import Corpus
from ontonym.evaluate.measures import Ambiguity, CompositeRule, MissingRule, NamesRule, NilRule
from ontonym.evaluate.mistakes import Kinship
from ontonym.index import Index, holdings, open_index
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.tasks.rerank import Reranking
from ontonym.tasks.strategy import check_strategy, modules_of
from ontonym.text.composite import split_composite

DEFAULTS = NormalizeOptions()

EXAMPLES = """\b
Examples:
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt --signal all --ambiguity both
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt --rerank medic.reranker --rerank-depth 5
  ontonym evaluate normalization mesh.index CDR_DevelopmentSet.PubTator.txt --type Chemical --mistakes wrong.tsv
"""

_REASONS = 5
_RERANKED = " reranked"
_SPLITS = MappingProxyType({"train": r"train", "dev": r"dev|valid", "test": r"test"})


@click.command("normalization", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@click.option("--signal", multiple=True, default=("fused",), show_default=True, metavar="NAME",
              help="fused, lexical, char, dense, or all. May be repeated.")  # fmt: skip
@strategy_option
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only mentions of this type. May be repeated.")
@click.option("--composite", default="any", show_default=True, metavar="RULE", help="Mentions of several concepts: any "
              "(one right part is enough), all (split, every part must be right), found (the same, split as "
              "normalized), skip.")  # fmt: skip
@click.option("--ambiguity", default="strict", show_default=True, metavar="RULE", help="NamesRule that concepts share: "
              "strict (the very concept), lenient (one that has the matched name too), both.")  # fmt: skip
@click.option("--nil", default="out", show_default=True, metavar="RULE",
              help="Mentions with no concept: out (not counted), in (right when nothing is answered).")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), metavar="T", help="Confidence below which nothing is "
              f"answered; by default 0 with --nil out, {DEFAULTS.threshold:g} with --nil in.")  # fmt: skip
@precision_option
@as_written_option
@rerank_options
@document_options
@click.option("--missing", default="wrong", show_default=True, metavar="RULE",
              help="Gold concepts that the terminology lacks: wrong, skip, nil (like mentions with no concept, takes "
              "--nil in).")  # fmt: skip
@gold_options
@click.option("--depth", type=int, default=10, show_default=True, help="Answers looked at for each mention.")
@click.option("--resamples", type=int, default=BootstrapOptions().resamples, show_default=True,
              help="Resamples of the bootstrap.")  # fmt: skip
@compare_option
@against_option
@click.option("--mistakes", metavar="FILE", help="Write every wrong answer of the first run, with the gold concept's "
              "rank, as TSV.")  # fmt: skip
@output_option
@json_option
def command(
    *,
    index: str,
    corpus: tuple[str, ...],
    signal: tuple[str, ...],
    strategy: str,
    types: tuple[str, ...],
    composite: str,
    ambiguity: str,
    nil: str,
    threshold: float | None,
    precision: float | None,
    as_written: bool,
    rerank: str | None,
    rerank_depth: int | None,
    rerank_weight: float | None,
    rerank_below: float | None,
    no_document: bool,
    whole: bool,
    missing: str,
    format_: str | None,
    prefix: str | None,
    split: str,
    depth: int,
    resamples: int,
    compared: tuple[tuple[str, str], ...],
    against: float | None,
    outputs: tuple[str, ...],
    mistakes: str | None,
    as_json: bool,
) -> None:
    """Normalize the mentions of gold corpora with an index, and measure accuracy@1, @5, @10 and MRR.

    With --rerank every signal runs without and with the second stage, and what that gains and costs is printed.
    """
    at_least("depth", depth, 10)
    check_outputs(outputs)
    ambiguities = get_args(Ambiguity) if ambiguity == "both" else (ambiguity,)
    corpora = gold_corpora(corpus, format=format_, prefix=prefix, split=split)
    second = opened_reranking(rerank, rerank_depth, rerank_weight, rerank_below)
    stages = (None, second) if second else (None,)
    signals = chosen_signals(signal)
    check_runs(compared, [_name(one, stage, rule, ambiguities) for one in signals for stage in stages
                          for rule in ambiguities])  # fmt: skip
    with open_index(index) as opened:
        protocols = [
            Protocol(
                data=", ".join(Path(path).name for path in corpus),
                split=split or told_split(corpus),
                terminology=opened.releases,
                names=searched_names(opened, strategy),
                types=types,
                ambiguity=cast(Ambiguity, rule),
                composite=cast(CompositeRule, composite),
                nil=cast(NilRule, nil),
                missing=cast(MissingRule, missing),
                depth=depth,
            )
            for rule in ambiguities
        ]
        _refuse_unknown(corpora, types)
        if threshold is None:
            threshold = DEFAULTS.threshold if nil == "in" else 0.0
        asked = [
            NormalizeOptions(
                threshold=threshold,
                abbreviations=not as_written,
                document=not no_document,
                composites=not whole and composite != "all",  # there the gold says what to split
                search=SearchOptions(k=depth, strategy=strategy, signal=name),
                precision=precision,
                reranking=stage,
            )
            for name in signals
            for stage in stages
        ]
        reports, costs = _measure(opened, corpora, protocols, asked, BootstrapOptions(resamples=resamples))
        notes = [*_notes(corpora, asked[0].least(opened)), *_calibration(opened), *_reading(asked)]
        notes.append(f"strategy: {strategy}")
        notes += stage_notes(second, costs) if second else []
        notes += [*_added(opened), encoder_note(opened)]
        title = f"Normalizing {protocols[0].data} with {opened.releases}"
        wanted = Asked(as_json, outputs, compared, against)
        costs = costs if second else {}
        give_reports(reports, wanted, title=title, gained=_gains(reports), costs=costs, notes=notes)
        if mistakes:
            first = next(iter(reports.values()))
            written = first.write_mistakes(mistakes, Lookup(_preferred(opened), _kinship(opened)))
            click.echo(f"{count(written, 'mistake')} written to {mistakes}", err=True)


def searched_names(index: Index, strategy: str) -> NamesRule:
    """What a strategy searches in an index, in the words of a protocol."""
    check_strategy(strategy)
    sources = {module.source for module in modules_of(index, strategy)}
    if sources == {"D"}:
        return "added terms"
    return "ontology+added terms" if index.signals.added and sources != {"O"} else "ontology"


def _calibration(index: Index) -> list[str]:
    """What confidences were calibrated on: a threshold means something else without."""
    if index.calibration is None:
        return []
    facts = index.calibration.facts
    return [f"calibrated on: {facts.get('data', 'unknown')}"]


def _added(index: Index) -> list[str]:
    """Where added terms come from, most of them first: a figure that they lift must say so."""
    reasons = Counter(one.term.why or "no reason given" for one in holdings(index))
    listed = ", ".join(f"{number:,} {why}" for why, number in reasons.most_common(_REASONS))
    return [f"added terms: {listed}{', …' * (len(reasons) > _REASONS)}"] if reasons else []


def _measure(
    index: Index,
    corpora: Sequence[Corpus],
    protocols: Sequence[Protocol],
    asked: Sequence[NormalizeOptions],
    bootstrap: BootstrapOptions,
) -> tuple[dict[str, NormalizationReport], dict[str, Cost]]:
    """Each signal asked once and judged under every protocol, and what asking took."""
    reports: dict[str, NormalizationReport] = {}
    costs: dict[str, Cost] = {}
    first = protocols[0]
    for options in asked:
        run = _name(options.search.signal, options.reranking)
        with Bar(f"normalizing, {run}") as bar:
            answers, costs[run] = timed(
                answer_mentions(
                    chain.from_iterable(corpora),
                    normalizer(index, options),
                    types=first.types,
                    split=split_composite if first.composite == "all" else None,
                    depth=first.depth,
                    progress=bar.advance,
                )
            )
        rules = [protocol.ambiguity for protocol in protocols]
        for protocol in protocols:
            name = _name(options.search.signal, options.reranking, protocol.ambiguity, rules)
            reports[name] = judge(answers, protocol, resolve=index.resolve, bootstrap=bootstrap)
    return reports, costs


def _name(signal: str, second: Reranking | None, rule: str = "", rules: Sequence[str] = ()) -> str:
    """What a run is called; by its rule for ambiguous names where there are several."""
    return f"{signal}{_RERANKED if second else ''}{f' {rule}' if len(rules) > 1 else ''}"


def _gains(reports: Mapping[str, NormalizationReport]) -> list[Comparison]:
    """What the second stage changed in each run that has one."""
    return gains([(name, name.replace(_RERANKED, "")) for name in reports if _RERANKED in name], reports)


def _refuse_unknown(corpora: Sequence[Corpus], types: Sequence[str]) -> None:
    """A type that no mention has would silently leave nothing to measure."""
    if not types:
        return
    found = {gold.mention.type for document in chain.from_iterable(corpora) for gold in document.mentions}
    known = found | {part for kind in found for part in kind.split(",")}
    for name in types:
        if name not in known:
            raise UnknownNameError("mention type", name, known)


def told_split(paths: Sequence[str]) -> str:
    """train, dev or test where every file's name says the same, else ``as given``."""
    said = {
        next((split for split, words in _SPLITS.items() if re.search(words, Path(path).name, re.IGNORECASE)), "")
        for path in paths
    }
    return said.pop() if len(said) == 1 and "" not in said else "as given"


def _notes(corpora: Sequence[Corpus], threshold: float) -> list[str]:
    notes = [f"note: nothing is answered below a confidence of {threshold:g}"] if threshold else []
    return notes + gold_notes(corpora)


def _reading(asked: Sequence[NormalizeOptions]) -> list[str]:
    """How mentions were read: what of their documents was used."""
    options = asked[0]
    alone = [one.search.signal for one in asked if one.search.signal != "fused"]
    fused = "" if not alone else f" (fused only, not {', '.join(alone)})"
    written_out = "those that the document defines written out" if options.abbreviations else "none written out"
    context = f"its words choose between near candidates{fused}" if options.document else "not used"
    composites = f"in parts where each is surer than the whole{fused}" if options.composites else "whole"
    return [f"abbreviations: {written_out}", f"document: {context}", f"composites: looked up {composites}"]


def _preferred(index: Index) -> Callable[[str], str | None]:
    def preferred(concept_id: str) -> str | None:
        concept = index.find(concept_id)
        return None if concept is None else index.preferred(concept)

    return preferred


def _kinship(index: Index) -> Callable[[str, str], Kinship | None]:
    """How an answered concept stands to the gold one in the hierarchy of the terminology that has both."""

    def kinship(answered: str, gold: str) -> Kinship | None:
        for terminology in index.terminologies:
            one, other = terminology.find(answered), terminology.find(gold)
            if one is None or other is None or one == other:
                continue
            hierarchy = terminology.hierarchy
            if one in hierarchy.parents(other):
                return "parent"
            if one in hierarchy.children(other):
                return "child"
            if set(hierarchy.parents(one).tolist()) & set(hierarchy.parents(other).tolist()):
                return "sibling"
        return None

    return kinship
