"""``ontonym evaluate search``: how far up the right concept stands, for texts or for concepts that are mapped."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.evaluate_normalization import SIGNALS
from ontonym.cli.options import RERANKING, Opt, OptionGroup, RerankingOptions, opened_reranking
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, RUNS, Shown, show
from ontonym.evaluate.measures import MEASURES
from ontonym.evaluate.search import SearchEvaluationOptions, evaluate_search, search_gold
from ontonym.evaluate.trec import write_trec
from ontonym.files.output import written_file
from ontonym.index import open_index

EXAMPLES = """\b
Examples:
  ontonym evaluate search hp.index queries.tsv --signal all --compare fused lexical
  ontonym benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold
  ontonym evaluate search mesh.index hp-mesh.gold -o report.html -o table.tex
  ontonym evaluate search mesh.index hp-mesh.gold --together --k 1 --k 64 --trec runs
  ontonym evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology --rerank hp.reranker
"""

CUTOFFS = Opt("Measures of the first K. May be repeated.", "--k", "K", click.IntRange(1))

OPTIONS = OptionGroup(
    SearchEvaluationOptions(),
    signals=SIGNALS,
    measures=Opt(f"{', '.join(MEASURES)}. May be repeated.", "--measure", "NAME"),
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
    seen=Opt(
        "What training has seen, to report zero-shot questions separately: a terminology, a table of texts and ids, a "
        "corpus, or names one a line. May be repeated.",
        metavar="PATH",
    ),
    candidates=Opt(
        "Also measure over the questions for which this run found a right concept at all (normalized recall); with "
        "--rerank, by default, the run that is reranked.",
        metavar="RUN",
    ),
    resamples=RESAMPLES,
)


@click.command("search", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("gold", metavar="GOLD")
@OPTIONS.as_("options")
@RERANKING.as_("reranking")
@click.option("--queries", metavar="FILE", help="Write the texts, one a line, and stop: what `ontonym train --exclude` "
              "takes, so that no encoder has seen them.")  # fmt: skip
@click.option("--trec", metavar="DIR", help="Write gold, questions and runs as TREC files (qrels.txt, RUN.run).")
@RUNS.as_("shown")
def command(
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
    another terminology and one of the index. nDCG gives 3 for the right concept, 2 for its parents and children, 1 for
    grandparents, grandchildren, siblings and uncles. By overlap degree too: the share of a text's words that the names
    of its concept have.
    """
    second = opened_reranking(reranking)
    shown.check_runs(options.run_names(reranked=second is not None))
    with open_index(index) as opened, Bar("searching") as bar:
        if queries:
            questions = search_gold(opened, gold, options).questions
            texts = dict.fromkeys(text for question in questions for text in question.texts)
            with written_file(queries) as stream:
                stream.write("".join(f"{text}\n" for text in texts if "\n" not in text).encode())
            return
        found = evaluate_search(opened, gold, options, second=second, progress=bar.stage)
    if trec:
        write_trec(trec, found.questions, found.gains, found.answers)
    if not found.unseen:
        *about, encoder = found.results.about
        hint = "for one that has not: --queries FILE, then ontonym train --exclude FILE"
        found = replace(found, results=replace(found.results, about=(*about, f"{encoder}; {hint}")))
    show(found, shown)
