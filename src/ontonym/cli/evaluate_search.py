"""``ontonym evaluate search``, ``baselines`` and ``runs``: how far up the right concepts stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup, command_line, examples, refuse_beside
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, RUNS, SIGNALS, Shown, resamples_option, show
from ontonym.cli.searching import RERANKING, SEARCH, RerankingOptions, opened_reranking
from ontonym.cli.terminal import echo
from ontonym.evaluate.baselines import run_plan
from ontonym.evaluate.measures import MEASURES
from ontonym.evaluate.plan import read_plan
from ontonym.evaluate.results import Evaluation, labelled_files
from ontonym.evaluate.search import SearchEvaluationOptions, evaluate_search, question_texts
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.trec import RunOptions, evaluate_runs, write_trec
from ontonym.files.output import write_lines
from ontonym.index import open_index

CUTOFFS = Opt("Measures of the first K. May be repeated.", "--cutoff", "K", click.IntRange(1))

SEARCH_OPTIONS = OptionGroup(
    SearchEvaluationOptions(),
    signals=SIGNALS,
    measures=Opt(
        f"{', '.join(MEASURES)} (nDCG against the best order of the K answers themselves). May be repeated.",
        "--measure",
        "NAME",
    ),
    cutoffs=CUTOFFS,
    labels=Opt(
        "For mappings: search for every name that the mapped concept has in this terminology, instead of its label in "
        "the file.",
        metavar="TERMINOLOGY",
    ),
    together=Opt(
        "Concept to concept: all names of a mapped concept are one question, each candidate with its best confidence."
    ),
    missing=Opt(
        "Questions whose gold concepts the index lacks: counted as wrong, or left out.",
        type=click.Choice(["wrong", "skip"]),
    ),
    within=SEARCH.opts["within"],
    verbatim=SEARCH.opts["verbatim"],
    seen=Opt(
        "What training has seen, to report zero-shot questions separately: a terminology, a table of texts and ids, a "
        "corpus, or names one a line. May be repeated.",
        metavar="PATH",
    ),
    candidates=Opt(
        "Also measure over the questions for which this run found a right concept at all (normalized recall); with "
        "--rerank, by default, the run that is reranked.",
        "--found-by",
        "RUN",
    ),
    resamples=RESAMPLES,
)

_OF_QUESTIONS = ("labels", "together", "missing", "within")


@click.command("search", epilog=examples(
    "evaluate search hp.index queries.tsv --signal all --compare fused lexical",
    "benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold",
    "evaluate search mesh.index hp-mesh.gold -o report.html -o table.tex",
    "evaluate search mesh.index hp-mesh.gold --together --cutoff 1 --cutoff 64 --trec runs",
    "evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology --rerank hp.reranker",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("gold", metavar="GOLD")
@SEARCH_OPTIONS.as_("options")
@RERANKING.as_("reranking")
@click.option("--write-queries", "queries", metavar="FILE", help="Write the texts, one a line, and stop: what "
              "`ontonym train --exclude` takes, so that no encoder has seen them.")  # fmt: skip
@click.option("--trec", metavar="DIR", help="Write gold, questions and runs as TREC files (qrels.txt, RUN.run).")
@RUNS.as_("shown")
def search(
    *,
    index: str,
    gold: str,
    options: SearchEvaluationOptions,
    reranking: RerankingOptions,
    queries: str | None,
    trec: str | None,
    shown: Shown,
) -> None:
    """Search for texts whose concepts are known, and measure Hits@K, MRR, nDCG@K and recall@K (needs ontonym[eval]).

    GOLD is a table of texts and ids, a folder made by `ontonym benchmark gold`, or a mapping file (SSSOM) between
    another terminology and one of the index, of which what is broader, narrower or related is left out. nDCG gives 3
    for the right concept, 2 for its parents and children, 1 for grandparents, grandchildren, siblings and uncles. By
    overlap degree too: the share of a text's words that the names of its concept have.
    """
    if queries:
        refuse_beside("--write-queries", "index", "gold", *(f"options__{name}" for name in _OF_QUESTIONS))
    second = opened_reranking(reranking)
    shown.check_runs(options.run_names(reranked=second is not None))
    with open_index(index) as opened, Bar("searching") as bar:
        if queries:
            write_lines(queries, question_texts(opened, gold, options))
            return
        found = evaluate_search(opened, gold, options, second=second, progress=bar.stage)
    if not found.unseen:
        *about, encoder = found.results.about
        hint = "for one that has not: --write-queries FILE, then ontonym train --exclude FILE"
        found = replace(found, results=replace(found.results, about=(*about, f"{encoder}; {hint}")))

    def write() -> None:
        if trec:
            write_trec(trec, found.questions, found.gains, found.answers)

    show(found, shown, write=write)


A_PLAN = """

\b
A plan:
  terminology = "doid.terminology"
  [[gold]]
  name = "hpo2doid"
  path = "hp-doid.gold"
  concepts = true
  [[method]]
  name = "BM25"
  kind = "bm25-documents"
  [[method]]
  name = "BERT-CLS"
  kind = "encoder"
  encoder = "BioBERT"
  pooling = "cls"
  [[method]]
  name = "ours"
  kind = "index"
  index = "doid.index"
"""


@click.command("baselines", epilog=examples(
    "evaluate baselines plan.toml --runs work -o report.html -o tables.tex",
) + A_PLAN)  # fmt: skip
@click.argument("plan", metavar="PLAN.toml")
@click.option("--runs", metavar="DIR", help="Where runs (TREC files) and vectors are kept; by default PLAN.runs.")
@resamples_option
@RUNS.as_("shown")
def baselines(*, plan: str, runs: str | None, resamples: int, shown: Shown) -> None:
    """Compare search methods on the same questions: Ngo's tables 1 to 4 and figure 3 (needs ontonym[eval]).

    A plan says which terminology is searched, for which questions, and by which methods: BM25 over names or over
    concept documents, TF-IDF of characters, word vectors, any model by mean, CLS or max, and indexes of ours. Every run
    is kept: a further method or gold only searches what is new, and an interrupted comparison goes on.
    """
    read = read_plan(plan)
    shown.check_runs(read.runs)
    folder = Path(runs) if runs else Path(plan).with_suffix(".runs")
    bootstrap = BootstrapOptions(resamples=resamples)
    with Bar("searching") as bar:
        results, kept = run_plan(read, folder, bootstrap=bootstrap, progress=bar.stage)
    shape = {**replace(results, runs=(), command=command_line()).to_dict(), "kept": kept}
    show(Evaluation(results, shape, bootstrap), shown)
    if not shown.as_json:
        echo(f"runs in {folder}; {kept:,} were there before", err=True)


RUNS_OPTIONS = OptionGroup(
    RunOptions(),
    measures=Opt(
        f"{', '.join(MEASURES)}, or a measure of ir_measures by its name, such as AP@100 or P(rel=3)@5. May be "
        "repeated.",
        "--measure",
        "NAME",
    ),
    cutoffs=CUTOFFS,
    relevant=Opt(
        "The least relevance of a right answer, for hits, mrr and recall; by default the highest in QRELS.",
        metavar="N",
        type=click.IntRange(1),
    ),
    candidates=Opt(
        "Also measure over the questions for which this run found a right answer at all (normalized recall).",
        "--found-by",
        "RUN",
    ),
    resamples=RESAMPLES,
)


@click.command("runs", epilog=examples(
    "evaluate runs qrels.txt mine.run theirs.run --compare mine theirs",
    "evaluate runs qrels.txt *.run --measure ndcg --measure AP@100 -o report.html",
    "evaluate runs qrels.txt bm25.run reranked.run --found-by bm25 --measure recall --cutoff 1 --cutoff 4 --cutoff 64",
))  # fmt: skip
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@RUNS_OPTIONS.as_("options")
@RUNS.as_("shown")
def runs(*, qrels: str, runs: tuple[str, ...], options: RunOptions, shown: Shown) -> None:
    """Measure runs of any search engine against gold (needs ontonym[eval]).

    QRELS has the relevance of each right answer, RUN the answers of an engine, in the formats of TREC. A run is called
    by its file, without the ending. Every question of QRELS counts: one that a run does not answer is wrong. Answers
    are ranked as trec_eval does: by score, equal ones by id, the last first.
    """
    files = labelled_files(runs)
    shown.check_runs(files)
    show(evaluate_runs(qrels, files, options), shown)
