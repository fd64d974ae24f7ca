"""Tries search strategies on a dev set, mention by mention, so that the best can be kept in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.corpora import Corpus
from ontonym.evaluate.indexes import answers_of, chosen_signals, data_name, encoder_note, searched_names, split_of
from ontonym.evaluate.measures import CompositeRule, NilRule, Protocol
from ontonym.evaluate.normalization import NormalizationReport, judge
from ontonym.evaluate.normalizationruns import format_runs
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.index import Index
from ontonym.ranges import check_seed
from ontonym.tasks import STRATEGIES, NormalizeOptions, SearchOptions
from ontonym.tasks.search import TIES, Experiment
from ontonym.types import Progress, no_progress

STRATEGY_MEASURES = ("accuracy@1", "accuracy@5")
"""The measures by which strategies are compared; the first decides."""


LEGEND = (
    "O: the names of the terminology, D: added terms, OD: both; T: each name by itself, C: the mean of a concept's "
    "names; +: the second only where the first finds nothing near enough (Xu, table 4)"
)
"""The names of strategies, explained."""

_WITHOUT_ADDED = "note: no terms were added to this index, so D finds nothing, and OD is O"


@dataclass(frozen=True, slots=True)
class StrategyOptions:
    """How strategies are tried: by one ``signal``; ``split``, ``types``, ``composite`` and ``nil`` are as
    in `CorpusEvaluationOptions`, ``abbreviations`` as in `NormalizeOptions`, ``verbatim`` as in `SearchOptions`.

    ``ties`` is a name of `TIES`: by a fixed rule, in which added terms come first, or at ``random`` by ``seed``, as in
    Xu (section 3.2).
    """

    signal: str = SearchOptions().signal
    types: tuple[str, ...] = ()
    composite: CompositeRule = "all"
    nil: NilRule = "out"
    split: str = ""
    verbatim: bool = False
    abbreviations: bool = True
    ties: str = "rule"
    seed: int = 0
    resamples: int = BootstrapOptions().resamples

    def __post_init__(self) -> None:
        if self.signal == "all":
            raise InputError("`signal=all`: strategies are compared under one signal; name it")
        chosen_signals((self.signal,))
        if self.ties not in TIES:
            raise UnknownNameError("rule for ties", self.ties, TIES)
        check_seed(self.seed)
        if self.seed and self.ties == "rule":
            raise InputError("`seed=` draws among ties, and a rule orders them: give `ties=random` too")


@dataclass(frozen=True, slots=True)
class TriedStrategies:
    """The reports of all strategies on a dev set, the ``best`` one, and ``facts`` to keep with it in the index.

    ``encoder`` names that of the index.
    """

    reports: dict[str, NormalizationReport]
    best: str
    facts: dict[str, Any] = field(default_factory=dict)
    encoder: str = ""

    def __repr__(self) -> str:
        return f"{self.text}\n\n{self.verdict}"

    @property
    def text(self) -> str:
        """The strategies side by side, those that search the same names together, and what their names mean."""
        ordered = sorted(self.reports.items(), key=_names_searched)
        tables = [format_runs(dict(group)) for _, group in groupby(ordered, _names_searched)]
        none_added = self.reports["OD-T"].protocol.names == "ontology"
        return "\n\n".join([*tables, "\n".join([LEGEND, *([_WITHOUT_ADDED] if none_added else [])])])

    @property
    def verdict(self) -> str:
        """A sentence on which strategy is best."""
        measure = STRATEGY_MEASURES[0]
        drawn = f", ties at random, seed {self.facts['seed']}" if "ties" in self.facts else ""
        figure = self.reports[self.best].measures[measure].value
        return f"best on this dev set: {self.best}, {measure} {figure:.3f}{drawn}"


def _names_searched(named: tuple[str, NormalizationReport]) -> str:
    return named[1].protocol.names


def evaluate_strategies(
    index: Index,
    corpora: Sequence[Corpus],
    options: StrategyOptions = StrategyOptions(),
    *,
    progress: Progress = no_progress,
) -> TriedStrategies:
    """Tries every search strategy on a dev set (Xu, table 4); the best has the highest accuracy@1, ties go to the
    first.

    Judged strictly; by default a composite mention is right when each of its parts is (Xu section 4.3). Raises
    InputError if there is no mention.
    """
    reports = {}
    for strategy in STRATEGIES:
        protocol = Protocol(
            data=data_name(corpora),
            split=options.split or split_of(corpora),
            terminology=index.releases,
            names=searched_names(index, strategy),
            types=options.types,
            composite=options.composite,
            nil=options.nil,
        )
        search = Experiment(
            k=protocol.depth, strategy=strategy, signal=options.signal, verbatim=options.verbatim,
            ties=options.ties, seed=options.seed,
        )  # fmt: skip
        asked = NormalizeOptions(
            abbreviations=options.abbreviations, composites=options.composite != "all", search=search
        )
        reports[strategy] = judge(
            answers_of(index, corpora, asked, protocol, f"searching, {strategy}", progress),
            protocol,
            resolve=index.resolve,
            measures=STRATEGY_MEASURES,
            bootstrap=BootstrapOptions(resamples=options.resamples),
        )
    measure = STRATEGY_MEASURES[0]
    best = max(reports, key=lambda name: reports[name].measures[measure].value)
    figure = round(reports[best].measures[measure].value, 4)
    names = [corpus.path.name for corpus in corpora]
    facts = {"signal": options.signal, "data": names, measure: figure}
    if options.ties != "rule":
        facts |= {"ties": options.ties, "seed": options.seed}
    return TriedStrategies(reports, best, facts, encoder_note(index))
