"""How true confidences are, and how well NIL is told: BC5CDR's -1, and concepts taken out of MEDIC."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from figures import Bench, Row, Sheet, Target, main, target_sheet
from materials import ChangedRelease, indexed, work_folder
from ncbi import TASKS
from ontonym.arrays import Doubles, Mask
from ontonym.evaluate import Answer, BootstrapOptions, Interval, Protocol, PubTatorCorpus, answer_mentions, judge
from ontonym.evaluate.calibration import answered_outcomes, cross_fitted, learn_calibration, named_outcomes
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.measures import MissingRule
from ontonym.evaluate.reliability import THRESHOLDS, precision_table, reliability
from ontonym.index import Index
from ontonym.index.calibration import Calibration, ThresholdFigures, way_of
from ontonym.learning.calibration import FitOptions, Outcomes, calibrated
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology
from ontonym.tasks import NormalizeOptions
from ontonym.tasks.search import Experiment
from ontonym.types import Concept
from sources import data_folder

TRAIN = MappingProxyType(
    {"ncbi": "ncbi_disease/NCBItrainset_corpus.txt", "bc5cdr-disease": "bc5cdr/CDR_TrainingSet.PubTator.txt"}
)
"""The train split of each task that is measured."""

NAMES, TRAINED, CROSSED = "names", "train split", "dev split, cross-fitted"
BINS = 10
PRECISION = 0.95
PROMISED = {NAMES: 0.08, CROSSED: 0.03}


@dataclass(frozen=True, slots=True)
class Asked:
    """The uncalibrated answers to a split of a task, and their outcomes."""

    answers: list[Answer]
    outcomes: Outcomes


def thinned(concepts: Iterable[Concept], *, share: float, seed: int) -> Iterator[Concept]:
    """The concepts without a drawn share of them."""
    rng = np.random.default_rng(seed)
    return (concept for concept in concepts if rng.random() >= share)


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Calibrates on names and on the train split, measures on dev: with all of MEDIC, and with a share taken out."""
    bootstrap = BootstrapOptions(resamples=chosen.resamples)
    true_rows: list[Row] = []
    chosen_rows: list[Row] = []
    nil_rows: list[Row] = []
    errors: list[tuple[str, str, float]] = []
    for share in (0.0, chosen.share):
        with work_folder() as folder:
            files = [data_folder() / "medic/medic_06Jul2012.txt"]
            place = folder / "medic.terminology"
            release = read_release(files, options=ReadOptions(name="MEDIC 2012-07"))
            build_terminology(ChangedRelease(release, partial(thinned, share=share, seed=chosen.seed)), place)
            with indexed([place], folder) as index:
                names = _calibration(named_outcomes(index), NAMES, bootstrap)
                for task in chosen.task:
                    train, dev = ask(index, task, TRAIN[task]), ask(index, task, TASKS[task].corpus)
                    learned = {NAMES: names, TRAINED: _calibration(train.outcomes, TRAINED, bootstrap)}
                    nil_rows += nil_table(task, index, train, dev, learned, share, bootstrap)
                    if not share:
                        rows, found = true_table(task, dev.outcomes, learned, bootstrap)
                        true_rows += rows
                        errors += [(task, name, error) for name, error in found.items()]
                        chosen_rows += precision_rows(task, dev.outcomes, learned, bootstrap)
                    print(f"{task}, {share:.0%} of the concepts taken out: asked", flush=True)
    bench.show(Sheet("reliability", "How true the confidence of the first hit is, dev", (
        "all mentions of the split, names of the ontology only; right where any concept of the gold is the first hit",
        f"ECE over {BINS} bins of equal width, or of equally many mentions; lower is better; by chance: the ECE of "
        "perfectly calibrated confidences on as many distinct mentions",
        bootstrap.caption() + "; resampling adds to an ECE, so that its interval lies high",
        "learned from names: questions made of the index's own names, without annotation; their mix was chosen on the "
        "train splits",
    ), true_rows))  # fmt: skip
    bench.show(Sheet("precision", f"A precision of {PRECISION} asked for, dev", (
        "threshold: the least from which on the estimate is that precision on what was learned from; the rest on dev",
        bootstrap.caption(),
    ), chosen_rows))  # fmt: skip
    bench.show(Sheet("nil", "Which mentions have no concept (NIL), dev", (
        "no concept: -1 in the gold (BC5CDR only), and where it says so concepts that MEDIC does not have, or has not "
        f"with {chosen.share:.0%} of its concepts taken out (seed {chosen.seed})",
        "threshold: 0.5 of the probability learned from names; or that with the best F1 on the train split, of the "
        "probability learned there",
        bootstrap.caption(),
    ), nil_rows))  # fmt: skip
    targets = [
        Target(f"ECE on {task} dev, learned from {name}", error, PROMISED[name], "")
        for task, name, error in errors
        if name in PROMISED
    ]
    bench.show(target_sheet(targets))


def ask(index: Index, task: str, corpus: str) -> Asked:
    """A split of a task asked once, without calibration."""
    types = TASKS[task].types
    search = Experiment(k=3, calibrated=False)
    documents = PubTatorCorpus(data_folder() / corpus)
    asked = answer_mentions(documents, normalizer(index, NormalizeOptions(search=search)), types=types)
    answers = [answer for answer in asked if not types or answer.gold.mention.type in types]
    return Asked(answers, answered_outcomes(answers, index.resolve, types))


def _calibration(outcomes: Outcomes, name: str, bootstrap: BootstrapOptions) -> Calibration:
    learned = learn_calibration(outcomes, {"learned_from": name}, unit="document", bins=BINS, bootstrap=bootstrap)
    return learned.calibration


# Sheets ----------------------------------------------------------------------------------------------------------


def true_table(
    task: str, dev: Outcomes, learned: dict[str, Calibration], bootstrap: BootstrapOptions
) -> tuple[list[Row], dict[str, float]]:
    """One row for each way to calibrate, and their ECE."""
    found: dict[str, Doubles] = {"nothing (raw)": dev.confidences}
    found |= {name: calibrated(dict(one.curves), dev) for name, one in learned.items()}
    found[CROSSED] = cross_fitted(dev, FitOptions())
    rows: list[Row] = []
    errors = {}
    for name, confidences in found.items():
        one = reliability(confidences, dev, BINS, bootstrap)
        errors[name] = one.ece.value
        rows.append({
            "corpus": task, "learned from": name, "n": len(dev), "ECE": one.ece, "ECE, equal mass": one.ece_mass,
            "Brier score": one.brier, "ECE by chance": one.chance,
        })  # fmt: skip
    return rows, errors


def precision_rows(task: str, dev: Outcomes, learned: dict[str, Calibration], bootstrap: BootstrapOptions) -> list[Row]:
    """What the threshold gives on dev that each calibration chooses."""
    rows: list[Row] = []
    for name, one in learned.items():
        threshold = one.threshold(PRECISION)
        table = precision_table(calibrated(dict(one.curves), dev), dev, bootstrap)
        row: ThresholdFigures = next(row for row in table if row.threshold == threshold)
        rows.append({
            "corpus": task, "learned from": name, "threshold": threshold, "answered": row.answered,
            "precision": row.precision and Interval(*row.precision), "recall": row.recall and Interval(*row.recall),
        })  # fmt: skip
    return rows


def nil_table(
    task: str,
    index: Index,
    train: Asked,
    dev: Asked,
    learned: dict[str, Calibration],
    share: float,
    bootstrap: BootstrapOptions,
) -> list[Row]:
    """The no-concept decisions by a threshold of each calibration, under each rule for missing concepts."""
    rules: tuple[MissingRule, ...] = ("nil",) if share else ("wrong", "nil")
    rows: list[Row] = []
    for missing in rules:
        if missing == "wrong" and not any(answer.gold.nil for answer in dev.answers):
            continue
        for name, one in learned.items():
            threshold = 0.5 if name == NAMES else best_threshold(train, one, missing)
            protocol = Protocol(
                TASKS[task].corpus, "dev", "MEDIC", types=TASKS[task].types, nil="in", missing=missing, depth=10
            )
            report = judge(answered_above(dev.answers, one, threshold), protocol, resolve=index.resolve,
                           bootstrap=bootstrap)  # fmt: skip
            nil = report.nil
            assert nil is not None  # noqa: S101 (the protocol counts NIL)
            if not nil.gold:
                continue
            rows.append({
                "corpus": task, "concepts taken out": f"{share:.0%}",
                "no concept": "-1" if missing == "wrong" else "-1 or not in MEDIC", "learned from": name,
                "threshold": threshold, "n": report.n, "NIL": nil.gold, "answered NIL": nil.answered,
                "precision": nil.precision, "recall": nil.recall, "F1": nil.f1,
                "accuracy@1": report.measures["accuracy@1"],
            })  # fmt: skip
    return rows


def answered_above(answers: Iterable[Answer], calibration: Calibration, threshold: float) -> Iterator[Answer]:
    """The answers with no hit where the first one's probability is below a threshold."""
    for answer in answers:
        hits = answer.hits
        sure = bool(hits) and calibration.probability(hits[0].confidence, way_of(hits[0])) >= threshold
        yield replace(answer, hits=hits if sure else ())


def best_threshold(train: Asked, calibration: Calibration, missing: MissingRule) -> float:
    """The threshold with the best F1 of the no-concept decision; of equal ones the least."""
    probabilities = calibrated(dict(calibration.curves), train.outcomes)
    gold = ~train.outcomes.findable if missing == "nil" else _nil(train.answers)
    scores = [_f1(gold, probabilities < threshold) for threshold in THRESHOLDS]
    return THRESHOLDS[int(np.argmax(scores))]


def _nil(answers: Sequence[Answer]) -> Mask:
    return np.array([answer.gold.nil for answer in answers], dtype=np.bool_)


def _f1(gold: Mask, said: Mask) -> float:
    return float(2 * (gold & said).sum() / max(1, gold.sum() + said.sum()))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TRAIN), default=list(TRAIN), help="which corpora")
    parser.add_argument("--share", type=float, default=0.2, help="share of the concepts taken out (default: 0.2)")
    parser.add_argument("--seed", type=int, default=0, help="seed that draws them")
    parser.add_argument("--resamples", type=int, default=BootstrapOptions().resamples, help="of the bootstrap")


if __name__ == "__main__":
    sys.exit(main("calibration", str(__doc__), measure, _options))
