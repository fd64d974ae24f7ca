"""Xu's table 4 on dev: encoders trained on the ontology (O), or on annotated texts too (OD), with all 14 searches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scipy.stats import rankdata, spearmanr

from figures import Bench, Cell, Row, Sheet, main
from judging import light, reported
from lessons import BASES, CORPORA, Arm, Budget, School, missing, teach
from materials import indexed, opened, work_folder
from ncbi import DEPTH, TASKS, TERMINOLOGIES
from ontonym.errors import InputError
from ontonym.evaluate import BootstrapOptions, NormalizationReport
from ontonym.evaluate.ownterms import corpus_terms
from ontonym.index import add_terms
from ontonym.learning.encoders.losses import LOSSES
from ontonym.store import Terminology
from ontonym.tasks import SIGNALS, STRATEGIES, SearchOptions
from ontonym.tasks.search import TIES, Experiment
from sources import data_folder

DATA = ("O", "OD")

PAPER = (
    10.2, 12, 12.6, 13.6, 4.8, 9.4, 3.6, 5, 7.4, 9.8, 2, 3.6, 3.2, 7.6,
    9.8, 9.6, 13.2, 13.4, 8.2, 7.8, 4, 6.4, 4, 7.8, 2.4, 5.2, 3.4, 5.8,
)  # fmt: skip
"""The last column of Xu's table 4, quoted: the mean rank of each search over five corpora, within O and within OD."""

Found = Mapping[tuple[str, str], dict[str, NormalizationReport]]
"""By what was trained on and the search's name: the report of each task."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Trains what is not there yet, adds the train split's mentions as terms, and asks all searches."""
    import torch

    torch.set_num_threads(chosen.threads)
    if missing(chosen.base):
        raise InputError(f"the base {chosen.base} is not installed ({BASES[chosen.base]})")
    budget = Budget(60 * chosen.minutes, 0, chosen.threads, chosen.seed)
    found: dict[tuple[str, str], dict[str, NormalizationReport]] = {
        (data, name): {} for data in DATA for name in STRATEGIES
    }
    for terminology in dict.fromkeys(TASKS[task].terminology for task in chosen.task):
        tasks = [task for task in chosen.task if TASKS[task].terminology == terminology]
        with work_folder() as folder, opened([TERMINOLOGIES[terminology](folder)]) as (read,):
            school = School(read, folder, budget)
            for task in tasks:
                for data in DATA:
                    arm = Arm(terminology, chosen.base, chosen.loss, task if data == "OD" else "")
                    print(f"{arm.described()}: ", end="", flush=True)
                    encoder = teach(arm, school, lambda told: print(told, end=": ", flush=True)).encoder
                    for name, report in searched(task, read, encoder, folder, chosen).items():
                        found[data, name][task] = report
                    print(f"{task} asked", flush=True)
    bench.show(table(found, chosen, budget))
    bench.show(agreement(found, chosen.task))


def searched(
    task: str, terminology: Terminology, encoder: Path, folder: Path, chosen: argparse.Namespace
) -> dict[str, NormalizationReport]:
    """The report of every search, by its name, in an index with the train split's mentions of the task as terms."""
    with indexed([terminology.path], folder, light(encoder, folder)) as opened:
        add_terms(opened.path, corpus_terms(str(data_folder() / CORPORA[task]), TASKS[task].types).terms)
        index = opened.refreshed()
        search = Experiment(k=DEPTH, signal=chosen.signal, ties=chosen.ties, seed=chosen.seed, verbatim=True)
        return {
            name: reported(
                task, index, replace(search, strategy=name), composite="all", written_out=chosen.abbreviations
            )
            for name in STRATEGIES
        }


# Sheets ----------------------------------------------------------------------------------------------------------


def table(found: Found, chosen: argparse.Namespace, budget: Budget) -> Sheet:
    """The rows of Xu's table 4, with our own mean rank of each search within O and within OD."""
    ranks = mean_ranks(found, chosen.task)
    rows: list[Row] = []
    for number, ((data, name), by_task) in enumerate(found.items(), 1):
        row: dict[str, Cell] = {"": number, "train": data, "search": name.replace("+", " + ")}
        row |= {task: by_task[task].measures["accuracy@1"] for task in chosen.task}
        rows.append({**row, "mean rank": ranks[data, name], "Xu's mean rank": PAPER[number - 1]})
    first = found["O", "O-T"]
    words = "abbreviations that a document defines written out" if chosen.abbreviations else "mentions as written"
    protocol = (
        *(f"{task}: {first[task].protocol.caption()}" for task in chosen.task),
        "names: searches over O see the ontology's only, those over D the mentions of the corpus's train split, which "
        "were added as terms: compare rows that search the same",
        f"accuracy@1 of the signal {chosen.signal}, {words}, ties by {chosen.ties}, nothing corrected, sieve at "
        f"{SearchOptions().sieve}; composite mentions right when all their parts are (Xu section 4.3); "
        + BootstrapOptions().caption(),
        f"train: {chosen.base} with {chosen.loss}, {budget.seconds:.0f} s of processor time on {budget.threads} "
        f"thread(s), seed {budget.seed}; OD learns from the train split's mentions too",
        "mean rank: of the 14 searches of a half, over the corpora, 1 is best; Xu's: as published, over five corpora",
    )
    return Sheet("strategies", "Xu's table 4, dev", protocol, rows)


def mean_ranks(found: Found, tasks: Sequence[str]) -> dict[tuple[str, str], float]:
    """The mean over the tasks of each search's rank within O and within OD; equal accuracies share theirs."""
    means: dict[tuple[str, str], float] = {}
    for data in DATA:
        figures = [[-found[data, name][task].measures["accuracy@1"].value for name in STRATEGIES] for task in tasks]
        means |= {
            (data, name): float(rank)
            for name, rank in zip(STRATEGIES, rankdata(figures, axis=1).mean(axis=0), strict=True)
        }
    return means


def agreement(found: Found, tasks: Sequence[str]) -> Sheet:
    """How the order of the searches agrees with the paper's."""
    ours = mean_ranks(found, tasks)
    rows: list[Row] = []
    for half, data in enumerate(DATA):
        mine = [ours[data, name] for name in STRATEGIES]
        theirs = PAPER[half * len(STRATEGIES) : (half + 1) * len(STRATEGIES)]
        by_rank = [name for _, name in sorted(zip(mine, STRATEGIES, strict=True))]
        related = spearmanr(mine, theirs)
        rows.append({
            "train": data, "Spearman's rho with Xu's ranks": float(related.statistic), "p": float(related.pvalue),
            "best three": ", ".join(by_rank[:3]), "worst three": ", ".join(by_rank[-3:]),
        })  # fmt: skip
    return Sheet("agreement", "The order of the searches, ours and the paper's", ("over 14 searches each",), rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base", choices=list(BASES), default="static", help="which base encoder")
    parser.add_argument("--loss", choices=list(LOSSES), default="softmax", help="which loss")
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--signal", choices=list(SIGNALS), default="dense", help="what ranks (default: dense)")
    parser.add_argument("--ties", choices=TIES, default="rule", help="how ties are broken (default: rule)")
    parser.add_argument("--abbreviations", action="store_true", help="write out those that a document defines")
    parser.add_argument("--minutes", type=float, default=4.0, help="processor time of each training (default: 4)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each training (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of every training")


if __name__ == "__main__":
    sys.exit(main("strategies", str(__doc__), measure, _options))
