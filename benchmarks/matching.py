"""Terminologies matched to each other, beside equal names alone; learns the weights of the learned score too."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import orjson

from figures import Bench, Cell, Row, Sheet, Target, main, share, target_sheet
from materials import opened, work_folder
from ontonym.arrays import Doubles, Mask, Rows
from ontonym.evaluate import Interval
from ontonym.evaluate.matching import Alignment, evaluate_matching, read_alignment
from ontonym.evaluate.reliability import ece, equal_width
from ontonym.index import Index, build_index, open_index
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology
from ontonym.tasks.match import (
    Learned,
    MatchOptions,
    default_weights,
    learn_weights,
    learned,
    matching,
    scoring,
)
from ontonym.tasks.match.candidates import Candidates
from ontonym.tasks.match.kept import Kept
from ontonym.tasks.match.mediators import SourceNames
from ontonym.tasks.match.options import KnownMappings
from ontonym.text.strings import hash64
from sources import data_folder, import_sources

ScoredPairs = frozenset[tuple[int, int]]

WEIGHTS = Path(learned.__file__).with_name("weights.json")

OLD_HPO = "hpo-2017"
RELEASES: Mapping[str, str] = MappingProxyType({OLD_HPO: "hpo/hp_boqa_2017.obo.gz"})
"""Releases beside those of ``sources.py``: the one that the mapping of HPO and DOID was made of."""

_PISTOIA = "mh_mapping/{}_pistoia.sssom.tsv"
_MONDO = "mondo_sssom/mondo_exactmatch_{}.sssom.tsv"
_CURATED = ("biomappings/positive.sssom.tsv", "biomappings/negative.sssom.tsv")


@dataclass(frozen=True, slots=True)
class Task:
    """Two terminologies and what is known of them.

    ``xrefs`` says whether cross-references are looked at: not where the gold was made of them. ``teaches`` says that
    the shipped weights were learned from its dev half.
    """

    source: str
    target: str
    gold: str
    negatives: str = ""
    xrefs: bool = True
    teaches: bool = False

    @property
    def name(self) -> str:
        """Both sides."""
        return f"{self.source} - {self.target}"


TASKS = (
    Task(OLD_HPO, "doid", _PISTOIA.format("hp_doid"), teaches=True),
    Task("orphanet", "doid", _PISTOIA.format("ordo_doid"), teaches=True),
    Task("efo", "orphanet", _MONDO.format("orphanet"), xrefs=False, teaches=True),
    Task("efo", "mesh", _MONDO.format("mesh"), xrefs=False, teaches=True),
    Task("efo", "icd10cm", _MONDO.format("icd10cm"), xrefs=False),
    Task("mondo", "mesh", _MONDO.format("mesh"), xrefs=False),
    Task("mondo", "orphanet", _MONDO.format("orphanet"), xrefs=False),
    Task("mondo", "icd10cm", _MONDO.format("icd10cm"), xrefs=False),
    Task("doid", "mesh", *_CURATED, xrefs=False),
    Task("uberon", "mesh", *_CURATED, xrefs=False),
)

_PREFIXES = MappingProxyType({"Orphanet": "ORPHA", "orphanet.ordo": "ORPHA", "mesh": "MESH", "uberon": "UBERON"})


@dataclass
class Material:
    """A task's candidates with what is known of them; ``gold`` and ``denied`` are rows and concept numbers."""

    task: Task
    names: SourceNames
    index: Index
    asked: Rows
    found: Candidates
    gold: ScoredPairs
    denied: ScoredPairs
    lost: int
    options: MatchOptions

    def columns(self, *, xrefs: bool) -> learned.Columns:
        """What names and, if so, cross-references say of the candidates."""
        return replace(self.scorer, options=MatchOptions(xrefs=xrefs)).columns(self.found)

    @property
    def scorer(self) -> scoring.MatchScorer:
        """What scores the candidates."""
        return scoring.MatchScorer(self.names.source, self.index, self.options)

    def is_dev(self, rows: Rows) -> Mask:
        """Whether concepts of the source are in the half that may be looked at."""
        return np.asarray([hash64(self.names.source.id(row)) % 2 == 0 for row in rows.tolist()], dtype=np.bool_)


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Finds the candidates of every task, learns weights if that is asked for, and judges the held-out halves."""
    with work_folder(chosen.work) as folder, ExitStack() as stack:
        sources = {one.name: one.path for one in import_sources(folder)} | dict(_releases(folder))
        tasks = [task for task in TASKS if not chosen.task or task.name in chosen.task]
        materials = [_material(task, sources, folder, chosen.jobs, stack) for task in tasks]
        teaching = [one for one in materials if one.task.teaches]
        if chosen.learn:
            told = {stage: one.to_dict() for stage, one in _learned(teaching).items()}
            WEIGHTS.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            default_weights.cache_clear()
        rows: list[Row] = []
        targets: list[Target] = []
        for one in materials:
            others = [other for other in teaching if other is not one]
            rows += _rows(one, _learned(others) if one in teaching and not chosen.task else None)
            targets += _targets(one, rows[-1])
        calibrated = [_calibration(one) for one in materials]
    bench.show(Sheet("matching", "Terminologies matched", _PROTOCOL, rows))
    bench.show(Sheet("calibration", "How true the score is", _CALIBRATION, calibrated))
    bench.show(target_sheet(targets))


_PROTOCOL = (
    "pairs of the mappings whose source is in the held-out half (by a hash of its id); shipped weights were learned "
    "from the dev halves of the tasks marked *, those of 'other tasks only' from the dev halves of the others",
    "judged are the pairs found for held-out sources whose source or target the mappings have (they are partial); "
    "intervals: bootstrap over source concepts",
    "xrefs: whether cross-references were looked at; where the mappings were made of them they were not",
    "equal names: the target with a name equal to most of the source's, best of each source; highest confidence: best "
    "for both sides, from 0.9; ontonym: as it comes (learned, mutual, from 0.3), shipped encoder",
    "denied: found pairs that curators say are wrong",
)


def _releases(folder: Path) -> Iterator[tuple[str, Path]]:
    for name, file in RELEASES.items():
        path = folder / f"{name}.terminology"
        build_terminology(read_release([data_folder() / file]), path)
        yield name, path


def _material(task: Task, sources: Mapping[str, Path], folder: Path, jobs: int, stack: ExitStack) -> Material:
    """The candidates of a task; what was found is kept in the work folder."""
    place = folder / f"{task.target}.index"
    source, target = stack.enter_context(opened([sources[task.source], sources[task.target]]))
    if not place.exists():
        build_index([target], place)
    index = stack.enter_context(open_index(place, terminologies=[sources[task.target]]))
    names, options = SourceNames(source), MatchOptions(xrefs=task.xrefs)
    questions = matching.Questions.of(names, index, options, KnownMappings())
    kept = Kept(
        folder / f"{task.source}-{task.target}.candidates",
        matching.identity(names, index, options, KnownMappings()),
        resume=True,
    )
    began = time.monotonic()
    found = matching.searched(index, questions, options, jobs=jobs, kept=kept)
    print(f"{task.name}: {len(questions.rows):,} concepts in {time.monotonic() - began:.0f} s", flush=True)
    rows = questions.rows
    gold, lost = _pairs(read_alignment(data_folder() / task.gold).same, source, index, rows)
    denied = (
        _pairs(read_alignment(data_folder() / task.negatives).denied, source, index, rows)[0]
        if task.negatives
        else frozenset()
    )
    return Material(task, names, index, rows, found, gold, denied, lost, options)


def _pairs(ids: Iterable[tuple[str, str]], source: Terminology, index: Index, asked: Rows) -> tuple[ScoredPairs, int]:
    """Pairs of ids, whichever way round, as rows and concept numbers; and how many were asked that have none."""
    wanted = frozenset(asked.tolist())
    found, lost = set(), 0
    for ends in ids:
        first, second = map(_id, ends)
        for one, other in ((first, second), (second, first)):
            row, number = source.current(one), index.find(other)
            if row in wanted and row is not None and number is not None:
                found.add((row, number))
                break
        else:
            lost += 1
    return frozenset(found), lost


def _id(id_: str) -> str:
    prefix, colon, local = id_.partition(":")
    return f"{_PREFIXES.get(prefix, prefix)}{colon}{local}"


# Learning ------------------------------------------------------------------------------------------------------------


def _learned(materials: Sequence[Material]) -> Learned:
    """Weights learned from dev halves, with cross-references where they may be looked at, and without them."""
    ways = [(one, xrefs) for one in materials for xrefs in {one.options.xrefs, False}]
    columns = [one.columns(xrefs=xrefs) for one, xrefs in ways]
    names = learn_weights([_sample(one, each) for (one, _), each in zip(ways, columns, strict=True)], "names")
    whole = [
        {**each, **one.scorer.structure(one.found, names.probabilities(each))}
        for (one, _), each in zip(ways, columns, strict=True)
    ]
    structure = learn_weights([_sample(one, each) for (one, _), each in zip(ways, whole, strict=True)], "structure")
    return {"names": names, "structure": structure}


def _sample(one: Material, columns: learned.Columns) -> tuple[learned.Columns, Mask]:
    """The pairs of the dev half that the gold speaks of, and whether it has them."""
    width = one.index.concept_count + 1
    keys = one.found.sources * width + one.found.targets
    same = np.isin(keys, np.asarray([row * width + number for row, number in one.gold]))
    sources, targets = (np.asarray([pair[side] for pair in one.gold]) for side in (0, 1))
    judged = np.isin(one.found.sources, sources) | np.isin(one.found.targets, targets)
    judged &= one.is_dev(one.found.sources)
    return {name: column[judged] for name, column in columns.items()}, same[judged]


# Judging -------------------------------------------------------------------------------------------------------------


def _rows(one: Material, others: Learned | None) -> list[Row]:
    """The task's rows of the table, ours last."""
    found = one.found
    ways: list[tuple[str, Doubles, MatchOptions]] = [
        ("equal names", found.equal + 1e-3 * found.highest, MatchOptions(mode="best", threshold=1.0)),
        ("highest confidence", found.highest.astype(np.float64), MatchOptions(threshold=0.9)),
    ]
    for name, weights in (("ontonym, other tasks only", others), ("ontonym", default_weights())):
        if weights is not None:
            scores = one.scorer.learned_scores(found, weights)
            ways.append((name, scores, MatchOptions()))
    return [_row(one, name, scores, options) for name, scores, options in ways]


def _row(one: Material, name: str, scores: Doubles, options: MatchOptions) -> Row:
    """How one way does on the held-out half."""
    order = np.lexsort((np.arange(len(scores)), -scores, one.found.sources))
    pairs = scoring.ScoredPairs(
        one.found.sources[order], one.found.targets[order], scores[order], np.zeros(len(order), dtype=np.bool_)
    )
    chosen = scoring.choose(pairs, options.mode, options.threshold) & ~one.is_dev(pairs.sources)
    proposed = list(zip(pairs.sources[chosen].tolist(), pairs.targets[chosen].tolist(), strict=True))
    gold = [
        pair
        for pair, dev in zip(one.gold, one.is_dev(np.asarray([row for row, _ in one.gold])), strict=True)
        if not dev
    ]
    report = evaluate_matching(
        _named(proposed), Alignment(frozenset(_named(gold))), negatives=_named(one.denied), partial=True
    )
    return {
        "task": one.task.name + " *" * one.task.teaches,
        "xrefs": "yes" if one.options.xrefs else "no",
        "way": name,
        "pairs": len(gold),
        "found": len(proposed),
        "precision": report.precision,
        "recall": report.recall,
        "F1": report.f1,
        "Hits@1": _hits(pairs, gold, 1),
        "Hits@10": _hits(pairs, gold, 10),
        "denied": report.denied,
    }


_CALIBRATION = (
    "the best candidate of each held-out source concept that the mappings have: how often it was right, by its score",
    "ECE: mean distance of score and share of right ones over ten bins, weighted, lower is better",
)
_BINS = ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0))


def _calibration(one: Material) -> Row:
    """How often best candidates were right, by score."""
    scores = one.scorer.learned_scores(one.found, default_weights())
    order = np.lexsort((np.arange(len(scores)), -scores, one.found.sources))
    sources, targets, scores = one.found.sources[order], one.found.targets[order], scores[order]
    first = np.concatenate([[True], sources[1:] != sources[:-1]])
    known = np.asarray(sorted({row for row, _ in one.gold}))
    kept = np.flatnonzero(first & np.isin(sources, known))
    kept = kept[~one.is_dev(sources[kept])]
    right = np.asarray([(int(sources[at]), int(targets[at])) in one.gold for at in kept], dtype=np.float64)
    row: dict[str, Cell] = {"task": one.task.name + " *" * one.task.teaches, "n": len(kept)}
    row["ECE"] = ece(scores[kept], right, equal_width(scores[kept], 10))
    for low, high in _BINS:
        here = (scores[kept] >= low) & (scores[kept] < (high if high < 1 else 2))
        row[f"{low:.1f} to {high:.1f}"] = f"{right[here].mean():.2f} of {here.sum():,}" if here.any() else None
    return row


def _named(pairs: Iterable[tuple[int, int]]) -> list[tuple[str, str]]:
    return [(f"source:{row}", f"target:{number}") for row, number in pairs]


def _hits(pairs: scoring.ScoredPairs, gold: Sequence[tuple[int, int]], k: int) -> Interval:
    """The share of gold pairs whose target is among the first k of its source."""
    starts = np.searchsorted(pairs.sources, [row for row, _ in gold])
    ends = np.searchsorted(pairs.sources, [row for row, _ in gold], side="right")
    firsts = [pairs.targets[start : min(start + k, end)] for start, end in zip(starts, ends, strict=True)]
    return share([number in first for (_, number), first in zip(gold, firsts, strict=True)])


_PROMISED = MappingProxyType(
    {
        (f"{OLD_HPO} - doid", "F1"): 0.85,
        ("efo - orphanet", "Hits@1"): 0.90,
        ("efo - orphanet", "Hits@10"): 0.97,
        ("efo - mesh", "Hits@1"): 0.90,
        ("efo - mesh", "Hits@10"): 0.97,
    }
)


def _targets(one: Material, row: Row) -> list[Target]:
    """What was promised of a task, with what its last row has."""
    return [
        Target(f"{name}, {figure}", cell.value, least, "", at_least=True)
        for (name, figure), least in _PROMISED.items()
        if name == one.task.name and isinstance(cell := row[figure], Interval)
    ]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", metavar="DIR", help="keep what is made here, to go on from (default: a new folder)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--task", action="append", choices=[task.name for task in TASKS], metavar="NAME",
                        help="only this one, such as 'doid - mesh'; may be repeated (default: all)")  # fmt: skip
    parser.add_argument("--learn", action="store_true", help="learn the shipped weights anew, and write them")


if __name__ == "__main__":
    sys.exit(main("matching", str(__doc__), measure, _options))
