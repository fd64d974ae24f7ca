"""``ontonym evaluate normalization``, ``strategies`` and ``heldout``: gold mentions and hidden names."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.gold import GOLD
from ontonym.cli.options import Opt, OptionGroup, examples, refuse_beside, summarized
from ontonym.cli.progress import Bar
from ontonym.cli.reports import (
    COMPARED,
    RESAMPLES,
    SIGNALS,
    TYPES,
    Shown,
    command_note,
    resamples_option,
    show_runs,
)
from ontonym.cli.searching import NORMALIZE, RERANKING, SEARCH, RerankingOptions, opened_reranking
from ontonym.cli.terminal import echo
from ontonym.evaluate import HoldOutOptions
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.evaluate.heldout import HIDDEN_KINDS, evaluate_hidden_names, hidden_names
from ontonym.evaluate.indexes import CorpusEvaluationOptions, chosen_signals, evaluate_index, lookup_in
from ontonym.evaluate.normalizationruns import format_by_type
from ontonym.evaluate.strategies import StrategyOptions, evaluate_strategies
from ontonym.files.output import write_lines
from ontonym.index import open_index
from ontonym.index.amend import keep_strategy
from ontonym.serve.show import Summary
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.tasks.search import TIES
from ontonym.text.counting import count

COMPOSITE = Opt(
    "Mentions of several concepts: any (one right part is enough), all (split, every part must be right), found (the "
    "same, split as normalized), skip.",
    metavar="RULE",
)

NIL_RULE = Opt("Mentions with no concept: out (not counted), in (right when nothing is answered).", metavar="RULE")

NORMALIZATION_OPTIONS = OptionGroup(
    CorpusEvaluationOptions(),
    signals=SIGNALS,
    types=TYPES,
    composite=COMPOSITE,
    ambiguity=Opt(
        "Which concept is right: strict (the very concept), lenient (also one that has the matched name too, or a "
        "duplicate record of the concept), both. For people, accuracy@1 is always shown by both.",
        metavar="RULE",
    ),
    nil=NIL_RULE,
    threshold=Opt("The confidence below which nothing is answered.", metavar="T", type=click.FloatRange(0, 1)),
    missing=Opt(
        "Gold concepts that the terminology lacks: wrong, skip, nil (like mentions with no concept; needs --nil in).",
        metavar="RULE",
    ),
    depth=Opt("Answers looked at for each mention."),
    resamples=RESAMPLES,
)


@click.command("normalization", epilog=examples(
    "evaluate normalization medic.index NCBIdevelopset_corpus.txt",
    "evaluate normalization medic.index NCBIdevelopset_corpus.txt --signal all --ambiguity both",
    "evaluate normalization medic.index NCBIdevelopset_corpus.txt --rerank medic.reranker --rerank-depth 5",
    "evaluate normalization mesh.index CDR_DevelopmentSet.PubTator.txt --type Chemical --mistakes wrong.tsv",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@NORMALIZATION_OPTIONS.as_("options")
@SEARCH.but("strategy", "verbatim").as_("search")
@NORMALIZE.but("precision", "abbreviations", "document", "composites").as_("normalizing")
@RERANKING.as_("reranking")
@GOLD.as_("choice")
@click.option("--mistakes", metavar="FILE", help="Write every wrong answer of the first run, with the gold concept's "
              "rank, as TSV.")  # fmt: skip
@COMPARED.as_("shown")
def normalization(
    *,
    index: str,
    corpus: tuple[str, ...],
    options: CorpusEvaluationOptions,
    search: SearchOptions,
    normalizing: NormalizeOptions,
    reranking: RerankingOptions,
    choice: CorpusChoice,
    mistakes: str | None,
    shown: Shown,
) -> None:
    """Normalize the mentions of gold corpora with an index, and measure accuracy@1, @5, @10 and MRR.

    With --rerank every signal runs without and with the second stage, and what that gains and costs is printed.
    """
    corpora = open_corpora(corpus, choice)
    second = opened_reranking(reranking)
    shown.check_runs(options.run_names(reranked=second is not None))
    with open_index(index) as opened, Bar("normalizing") as bar:
        runs = evaluate_index(
            opened,
            corpora,
            replace(options, split=choice.split),
            normalizing=replace(normalizing, search=search),
            second=second,
            progress=bar.stage,
        )

        def write() -> None:
            if mistakes:
                written = runs.first.write_mistakes(mistakes, lookup_in(opened))
                echo(f"{count(written, 'mistake')} written to {mistakes}", err=True)

        show_runs(runs, shown, write=write)


STRATEGIES_OPTIONS = OptionGroup(
    StrategyOptions(),
    signal=Opt("What ranks.", metavar="NAME"),
    types=TYPES,
    composite=COMPOSITE,
    nil=NIL_RULE,
    verbatim=SEARCH.opts["verbatim"],
    abbreviations=NORMALIZE.opts["abbreviations"],
    ties=Opt(
        "Which of several concepts with an equally near name comes first: by a rule, under which added terms do, "
        "or at random, as in Xu.",
        type=click.Choice(TIES),
    ),
    seed=Opt("What is drawn with --ties random."),
    resamples=RESAMPLES,
)


@click.command("strategies", epilog=examples(
    "evaluate strategies medic.index NCBIdevelopset_corpus.txt",
    "evaluate strategies medic.index CDR_DevelopmentSet.PubTator.txt --type Disease --signal dense --no-keep",
    "normalize medic.index notes.csv --strategy tuned",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@STRATEGIES_OPTIONS.as_("options")
@click.option("--keep/--no-keep", default=True, show_default=True, help="Keep the best in the index, as the strategy "
              "tuned.")  # fmt: skip
@GOLD.as_("choice")
@summarized
def strategies(
    *, index: str, corpus: tuple[str, ...], options: StrategyOptions, keep: bool, choice: CorpusChoice
) -> Summary:
    """Try every search strategy on a dev set, and keep the best in the index as --strategy tuned.

    The best has the highest accuracy@1 (strict; by default all parts of a composite must be right, Xu section 4.3); of
    equal ones, the one that is asked first in Xu's table 4. Its figure on this dev set is too good for other texts: it
    was chosen here.
    """
    corpora = open_corpora(corpus, choice, options.types)
    with open_index(index) as opened, Bar("searching") as bar:
        tried = evaluate_strategies(opened, corpora, replace(options, split=choice.split), progress=bar.stage)
    notes = [tried.verdict]
    if keep:
        keep_strategy(index, tried.best, tried.facts)
        notes.append(f"kept: --strategy tuned is {tried.best} in {index} from now on")
    notes += [tried.encoder, command_note()]
    runs = {name: report.to_dict() for name, report in tried.reports.items()}
    shape = {"best": tried.best, "kept": keep, "runs": runs, "notes": notes}
    return Summary(shape, lines=[f"{tried.text}\n", *notes])


HELDOUT_OPTIONS = OptionGroup(
    HoldOutOptions(),
    fraction=Opt("Share of the exact synonyms to hide."),
    seed=Opt("Which ones."),
    kind=Opt(f"Hide only names of this kind: {', '.join(HIDDEN_KINDS)}.", metavar="KIND"),
    language=Opt("Hide only names in this language.", metavar="TAG"),
)


@click.command("heldout", epilog=examples(
    "evaluate heldout hp.obo",
    "evaluate heldout hp.terminology --signal fused --fraction 0.05",
    "evaluate heldout hp.terminology --kind lay --fraction 1",
    "evaluate heldout hp.terminology --write-names hidden.txt",
    "train hp.terminology --base none --exclude hidden.txt -o blind.encoder",
    "evaluate heldout hp.terminology --encoder blind.encoder",
))  # fmt: skip
@click.argument("release", nargs=-1, required=True, metavar="RELEASE…|TERMINOLOGY")
@click.option("--encoder", default="default", show_default=True, metavar="ENCODER", help="An encoder folder, or "
              "default for the one that comes with ontonym.")  # fmt: skip
@click.option("--signal", multiple=True, default=("all",), show_default=True, metavar="NAME", help=SIGNALS.help)
@HELDOUT_OPTIONS.as_("options")
@resamples_option
@click.option("--write-names", "names_file", metavar="FILE", help="Write the hidden names, one a line, and stop: what "
              "`ontonym train --exclude` takes.")  # fmt: skip
@COMPARED.as_("shown")
def heldout(
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
    if names_file:
        refuse_beside("--write-names", "release", *(f"options__{name}" for name in HELDOUT_OPTIONS.opts))
    shown.check_runs(chosen_signals(signal))
    if names_file:
        names = hidden_names(release, options)
        write_lines(names_file, (name.text for name in names))
        echo(f"{count(len(names), 'hidden name')} written to {names_file}", err=True)
        return
    with Bar("hiding synonyms") as bar:
        runs = evaluate_hidden_names(
            release, options, encoder=encoder, signals=signal, resamples=resamples, progress=bar.stage
        )
    notes = runs.notes
    if runs.warning:
        hint = "For a blind encoder: --write-names FILE, then ontonym train --base none --exclude FILE"
        notes = (f"{runs.warning}. {hint}", *notes)
    parted = ("hits@1", "hits@10") if len(runs.reports) > 1 else ()
    by_overlap = [f"{format_by_type(runs.reports, measure)}\n" for measure in parted]
    show_runs(replace(runs, notes=notes), shown, beside=by_overlap)
