"""Every loss from every base, on the ontology (O) and with annotated texts (OD), each given as long: which to take."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advice import Figures, advise
from figures import Bench, Cell, Row, Sheet, main
from judging import judge, tasks_of
from lessons import BASES, Arm, Budget, School, Taught, command, missing, teach, untaught
from materials import opened, work_folder
from ncbi import TASKS, TERMINOLOGIES
from ontonym.evaluate import BootstrapOptions, Interval
from ontonym.learning.encoders.losses import LOSSES

AS_IT_IS = "untrained"
"""The loss of a row whose base was not trained."""

DATA = ("O", "OD")

Key = tuple[str, str]
"""Base and loss: a row of the table."""


@dataclass(slots=True)
class Line:
    """A row's figures by task, and its trainings, each for O and OD."""

    figures: dict[str, dict[str, Figures]] = field(default_factory=lambda: {data: {} for data in DATA})
    taught: dict[str, list[tuple[Arm, Taught]]] = field(default_factory=lambda: {data: [] for data in DATA})


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Trains and judges what is not there yet, then shows the table."""
    import torch

    torch.set_num_threads(chosen.threads)
    bases = [base for base in chosen.base if not missing(base)]
    for base in chosen.base:
        if base not in bases:
            bench.note(f"{base} left out: not installed ({BASES[base]})")
    budget = Budget(60 * chosen.minutes, chosen.neighbours, chosen.threads, chosen.seed)
    arms = wanted(chosen.task, bases, chosen.loss, chosen.data)
    lines: dict[Key, Line] = {(base, loss): Line() for base in bases for loss in (AS_IT_IS, *chosen.loss)}
    for terminology in dict.fromkeys(TASKS[task].terminology for task in chosen.task):
        group = [arm for arm in arms if arm.terminology == terminology]
        _group(terminology, group, lines, budget)
    bench.show(table(lines, chosen.task, budget))
    bench.show(trainings(lines, budget))
    for data in chosen.data:
        if line := advise(data, {_named(*key): line.figures[data] for key, line in lines.items()}, chosen.task):
            bench.note(line)


def _named(base: str, loss: str) -> str:
    return f"{base} {loss}" if loss == AS_IT_IS else f"{base} with {loss}"


def wanted(tasks: Sequence[str], bases: Sequence[str], losses: Sequence[str], data: Sequence[str]) -> list[Arm]:
    """The trainings that the tasks ask for: O is one for all tasks of a terminology, OD has each its own corpus."""
    arms = [
        Arm(TASKS[task].terminology, base, loss, corpus)
        for base in bases
        for loss in losses
        for task in tasks
        for corpus in ([""] if "O" in data else []) + ([task] if "OD" in data else [])
    ]
    return list(dict.fromkeys(arms))


def _group(terminology: str, arms: Sequence[Arm], lines: dict[Key, Line], budget: Budget) -> None:
    """Trains and judges all arms of a terminology, and its bases as they are."""
    with work_folder() as folder, opened([TERMINOLOGIES[terminology](folder)]) as (read,):
        school = School(read, folder, budget)
        for base in dict.fromkeys(arm.base for arm in arms):
            encoder = untaught(base, terminology, school)
            lines[base, AS_IT_IS].figures["O"] |= judge(read, encoder, tasks_of(terminology), _kept_beside(encoder))
        for number, arm in enumerate(arms, 1):
            print(f"{terminology} {number}/{len(arms)}: {arm.described()}: ", end="", flush=True)
            taught = teach(arm, school, _say)
            line = lines[arm.base, arm.loss]
            tasks = [arm.corpus] if arm.corpus else tasks_of(terminology)
            found = judge(read, taught.encoder, tasks, _kept_beside(taught.encoder), taught.pace)
            line.figures[arm.data] |= found
            line.taught[arm.data].append((arm, taught))
            told = ", ".join(f"{task} {one.accuracy.value:.3f}" for task, one in found.items())
            print(f"{told}{' (kept)' * taught.kept}", flush=True)


def _kept_beside(encoder: Path) -> Path:
    return encoder.with_name("judged.json")


def _say(text: str) -> None:
    print(text, end=": ", flush=True)


# Sheets ----------------------------------------------------------------------------------------------------------


def table(lines: Mapping[Key, Line], tasks: Sequence[str], budget: Budget) -> Sheet:
    """One row for each base and loss: accuracy of every task from O and from OD, apart, and what training took."""
    rows: list[Row] = []
    for (base, loss), line in lines.items():
        row: dict[str, Cell] = {"base": base, "loss": loss}
        for task in tasks:
            row |= {f"{task} {data}": _accuracy(line.figures[data].get(task)) for data in DATA}
        for data in DATA:
            made = [taught for _, taught in line.taught[data]]
            row[f"s {data}"] = _mean(made, lambda taught: taught.processor)
            row[f"texts/s {data}"] = _mean(made, lambda taught: taught.pace)
        rows.append(row)
    first = {task: one.protocol for line in lines.values() for one_data in line.figures.values()
             for task, one in one_data.items() if task in tasks}  # fmt: skip
    protocol = (
        *(f"{task}: {caption}" for task, caption in first.items()),
        "accuracy@1 of the dense signal alone, mentions as written, the index holds ontology names only; "
        + BootstrapOptions().caption(),
        "O: trained on the names of the terminology; OD: on the train split of the task's corpus too. OD figures have "
        "seen annotated texts: compare them with each other only",
        f"each training was given {budget.seconds:.0f} s of processor time on {budget.threads} thread(s), "
        f"{budget.neighbours} neighbours as hard negatives, seed {budget.seed}, else what ontonym train takes for the "
        "base; s: processor seconds, texts/s: texts encoded for the gradient a processor second, means of the row's "
        "trainings",
    )
    return Sheet("training", "Losses and bases", protocol, rows)


def _accuracy(figures: Figures | None) -> Interval | None:
    return figures.accuracy if figures else None


def _mean(made: Sequence[Taught], what: Callable[[Taught], float]) -> int | None:
    return round(sum(map(what, made)) / len(made)) if made else None


def trainings(lines: Mapping[Key, Line], budget: Budget) -> Sheet:
    """How each encoder was trained."""
    rows: list[Row] = [
        {
            "base": arm.base,
            "loss": arm.loss,
            "learned from": f"{arm.terminology} {arm.data}{f' ({arm.corpus} train)' * bool(arm.corpus)}",
            "recipe": taught.recipe,
            "annotated": taught.aid,
            "texts of annotators": taught.annotated,
            "examples": taught.examples,
            "steps": taught.steps,
            "epochs": taught.epochs,
            "processor s": taught.processor,
            "clock s": taught.seconds,
            "texts": taught.texts,
            "": "kept" if taught.kept else "trained now",
            "again": command(arm, taught, budget),
        }
        for line in lines.values()
        for data in DATA
        for arm, taught in line.taught[data]
    ]
    protocol = (
        "recipes: drawn for softmax and multi-similarity, batches (Xu) for batch-hard, triplets (Ngo) for triplet; "
        "where the terminology has no is-a, every two names of a concept with a mined negative instead",
        "annotated texts: in the batches, one to three names (Xu section 4.2); else as an auxiliary task whose loss is "
        "added (Kong section 6.3), for triplet with a mined negative; mined: a name of another concept that is near "
        "for the shipped encoder",
        "again: the command that gives the same weights on the same kind of machine",
    )
    return Sheet("trainings", "Trainings", protocol, rows, 1)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--loss", nargs="+", choices=list(LOSSES), default=list(LOSSES), help="which losses")
    parser.add_argument("--base", nargs="+", choices=list(BASES), default=list(BASES), help="which base encoders")
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA), help="ontology, or annotated texts too")
    parser.add_argument("--minutes", type=float, default=4.0, help="processor time of each training (default: 4)")
    parser.add_argument("--neighbours", type=int, default=0, help="near concepts drawn into batches (default: 0)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each training (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of every training")


if __name__ == "__main__":
    sys.exit(main("training", str(__doc__), measure, _options))
