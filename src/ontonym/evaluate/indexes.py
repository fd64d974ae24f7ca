"""Evaluates an index on gold corpora: each of its signals, second stages and search strategies, mention by mention."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.corpora import Corpus
from ontonym.evaluate.goldids import refuse_foreign_corpora
from ontonym.evaluate.measures import Ambiguity, CompositeRule, MissingRule, NamesRule, NilRule, Protocol
from ontonym.evaluate.mistakes import Lookup, Relative
from ontonym.evaluate.normalization import Answer, MentionHits, NormalizationReport, Normalize, answer_mentions, judge
from ontonym.evaluate.normalizationruns import Cost, NormalizationRuns, compare
from ontonym.evaluate.significance import BootstrapOptions, few_units
from ontonym.index import Index, holdings
from ontonym.tasks import SIGNALS, Normalization, NormalizeOptions, Reranking, normalize
from ontonym.tasks.rerank import SIGNAL as RERANKER
from ontonym.tasks.strategy import check_strategy, modules_of
from ontonym.text.composite import split_composite
from ontonym.text.counting import count, first_few
from ontonym.types import Hit, Mention, Progress, no_progress, staged

RERANKED = " reranked"
"""The suffix of the name of a run with a second stage."""

FOREIGN = 0.95
"""From which share on of its mentions a type counts as none of the terminology's."""

_DEEPEST_MEASURE = 10
_REASONS = 5
_SPLITS = MappingProxyType({"train": r"train", "dev": r"dev|valid", "test": r"test"})


@dataclass(frozen=True, slots=True)
class CorpusEvaluationOptions:
    """How an index is searched, and the rules by which its answers are judged (see `Protocol`).

    Each of ``signals`` is a run of its own, judged under one rule for ambiguous names or ``both``. ``threshold`` is the
    confidence below which the answer is NIL, in [0, 1]. ``split`` is the name of the data in reports; empty takes it
    from the file names. ``depth`` is the number of answers that are judged, at least 10.
    """

    signals: tuple[str, ...] = ("fused",)
    types: tuple[str, ...] = ()
    composite: CompositeRule = "any"
    ambiguity: Ambiguity | Literal["both"] = "strict"
    nil: NilRule = "out"
    threshold: float = 0.0
    missing: MissingRule = "wrong"
    split: str = ""
    depth: int = _DEEPEST_MEASURE
    resamples: int = BootstrapOptions().resamples

    def __post_init__(self) -> None:
        if self.depth < _DEEPEST_MEASURE:
            raise InputError(f"`depth=` must be at least {_DEEPEST_MEASURE}, not {self.depth}")
        chosen_signals(self.signals)

    @property
    def rules(self) -> tuple[Ambiguity, ...]:
        """The rules for ambiguous names."""
        return get_args(Ambiguity) if self.ambiguity == "both" else (self.ambiguity,)

    def run_names(self, *, reranked: bool) -> list[str]:
        """The names of the runs, in order."""
        stages = ("", RERANKED) if reranked else ("",)
        return [
            _run_name(f"{signal}{stage}", rule, self.rules)
            for signal in chosen_signals(self.signals)
            for stage in stages
            for rule in self.rules
        ]


def chosen_signals(signals: Sequence[str]) -> tuple[str, ...]:
    """The named signals, each once; ``all`` stands for every one. Raises UnknownNameError for another name."""
    valid = ("all", *SIGNALS)
    for name in signals:
        if name not in valid:
            raise UnknownNameError("signal", name, valid)
    return tuple(SIGNALS) if "all" in signals else tuple(dict.fromkeys(signals))


def normalizer(index: Index, options: NormalizeOptions) -> Normalize:
    """A function from mentions to the candidates of each and of its parts, best first; none for NIL.

    Without a threshold in the options nothing is NIL that is like some name.
    """
    options = options.answering_all()

    def ask(mentions: Sequence[Mention]) -> Iterable[MentionHits]:
        for answer in normalize(index, mentions, options):
            yield MentionHits(_fitting(answer), [_fitting(part) for part in answer.parts])

    return ask


def _fitting(answer: Normalization) -> Sequence[Hit]:
    return answer.candidates if answer.id is not None else ()


def evaluate_index(
    index: Index,
    corpora: Sequence[Corpus],
    options: CorpusEvaluationOptions,
    *,
    normalizing: NormalizeOptions,
    second: Reranking | None = None,
    progress: Progress = no_progress,
) -> NormalizationRuns:
    """Normalizes the mentions of gold corpora and judges the answers of each signal under each rule.

    ``normalizing`` says how mentions are normalized, except for signal, threshold and number of candidates. With
    ``second`` every signal runs without and with it, and the runs show its gain and cost. Raises InputError if no
    mention is left or the index has none of the gold ids, UnknownNameError for a type that no mention has.
    """
    protocols = [
        Protocol(
            data=data_name(corpora),
            split=options.split or split_of(corpora),
            terminology=index.releases,
            names=searched_names(index, normalizing.search.strategy),
            types=options.types,
            ambiguity=rule,
            composite=options.composite,
            nil=options.nil,
            missing=options.missing,
            depth=options.depth,
        )
        for rule in options.rules
    ]
    _refuse_unknown_types(corpora, options.types)
    refuse_foreign_corpora(corpora, index)
    asked = _run_options(options, normalizing, second)
    reports: dict[str, NormalizationReport] = {}
    costs: dict[str, Cost] = {}
    for one in asked:
        name = f"{one.search.signal}{RERANKED if one.reranking else ''}"
        answers, costs[name] = _timed(answers_of(index, corpora, one, protocols[0], f"normalizing, {name}", progress))
        for protocol in protocols:
            reports[_run_name(name, protocol.ambiguity, options.rules)] = judge(
                answers, protocol, resolve=index.resolve, bootstrap=BootstrapOptions(resamples=options.resamples)
            )
    first = next(iter(reports.values()))
    pairs = [(name, name.replace(RERANKED, "")) for name in reports if RERANKED in name]
    return NormalizationRuns(
        reports,
        title=f"Normalizing {protocols[0].data} with {index.releases}",
        notes=(
            *_notes(index, corpora, asked),
            *_missing(first),
            *few_units(first.n if first.unit == "mention" else len({*first.documents}), first.unit),
            *_stage_notes(second, costs),
            *_added_terms(index),
            encoder_note(index),
        ),
        gains=tuple(one for name, plain in pairs for one in compare({plain: reports[plain], name: reports[name]})),
        costs=costs if second else {},
    )


def _run_options(
    options: CorpusEvaluationOptions, normalizing: NormalizeOptions, second: Reranking | None
) -> list[NormalizeOptions]:
    """The normalization options of each run."""
    return [
        replace(
            normalizing,
            threshold=options.threshold,
            composites=normalizing.composites and options.composite != "all",  # there the gold determines how to split
            search=replace(normalizing.search, k=options.depth, signal=signal),
            reranking=stage,
        )
        for signal in chosen_signals(options.signals)
        for stage in ((None, second) if second else (None,))
    ]


def answers_of(
    index: Index,
    corpora: Sequence[Corpus],
    options: NormalizeOptions,
    protocol: Protocol,
    stage: str,
    progress: Progress,
) -> Iterator[Answer]:
    """The answers of an index to the mentions of corpora, as the protocol judges them; ``stage`` names the progress."""
    return answer_mentions(
        chain.from_iterable(corpora),
        normalizer(index, options),
        types=protocol.types,
        split=split_composite if protocol.composite == "all" else None,
        depth=protocol.depth,
        progress=staged(progress, stage),
    )


def _timed(answers: Iterable[Answer]) -> tuple[list[Answer], Cost]:
    """All answers, and the time they took."""
    began, worked = time.perf_counter(), time.process_time()
    found = list(answers)
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    lists = [hits for answer in found for hits in (answer.hits, *answer.parts)]
    read = sum(any(RERANKER in hit.signals for hit in hits) for hits in lists)
    return found, Cost(len(lists), read, seconds, processor)


def _run_name(run: str, rule: str, rules: Sequence[str]) -> str:
    """The name of a run; with its rule for ambiguous names if there are several."""
    return f"{run} {rule}" if len(rules) > 1 else run


def data_name(corpora: Sequence[Corpus]) -> str:
    """A common name of corpora."""
    return ", ".join(corpus.path.name for corpus in corpora)


def _refuse_unknown_types(corpora: Sequence[Corpus], types: Sequence[str]) -> None:
    """Raises an error for an unknown type, which would silently leave nothing to measure."""
    if not types:
        return
    found = {gold.mention.type for document in chain.from_iterable(corpora) for gold in document.mentions}
    known = found | {part for kind in found for part in kind.split(",")}
    for name in types:
        if name not in known:
            raise UnknownNameError("mention type", name, known)


def split_of(files: Iterable[Corpus | Path | str]) -> str:
    """train, dev or test if the names of all files say the same, else ``as given``."""
    names = [Path(one).name if isinstance(one, (Path, str)) else one.path.name for one in files]
    found = {
        next((split for split, words in _SPLITS.items() if re.search(words, name, re.IGNORECASE)), "") for name in names
    }
    return found.pop() if len(found) == 1 and "" not in found else "as given"


def searched_names(index: Index, strategy: str) -> NamesRule:
    """The names that a strategy searches in an index, in the words of a protocol."""
    check_strategy(strategy)
    sources = {module.source for module in modules_of(index, strategy)}
    if sources == {"D"}:
        return "added terms"
    return "ontology+added terms" if (index.signals.added or index.nil) and sources != {"O"} else "ontology"


# Notes -------------------------------------------------------------------------------------------------------------


def _notes(index: Index, corpora: Sequence[Corpus], asked: Sequence[NormalizeOptions]) -> Iterator[str]:
    """Caveats for the figures: thresholds, what of the corpora was left out, and how mentions were read."""
    options = asked[0]
    if threshold := options.least(index):
        yield f"note: nothing is answered below a confidence of {threshold:g}"
    yield from corpus_notes(corpora)
    if index.calibration is not None:
        yield f"calibrated on: {index.calibration.facts.get('data', 'unknown')}"
    alone = [one.search.signal for one in asked if one.search.signal != "fused"]
    fused = "" if not alone else f" (fused only, not {', '.join(alone)})"
    yield f"abbreviations: {'those that the document defines' if options.abbreviations else 'none'} written out"
    yield f"document: {f'its words choose between near candidates{fused}' if options.document else 'not used'}"
    parts = f"in parts where no concept is that of the whole{fused}" if options.composites else "whole"
    yield f"composites: looked up {parts}"
    yield f"strategy: {options.search.strategy}{', verbatim' * options.search.verbatim}"
    if any(searched_names(index, one.search.strategy) != "added terms" for one in asked):
        yield from _names_beside(index)


def _names_beside(index: Index) -> Iterator[str]:
    """Which names an index has beside those of its terminologies and added terms: everyday ones, or only shortened."""
    held = index.manifest.content.get("statistics", {})
    if held.get("everyday"):
        yield "note: the everyday names that come with ontonym are searched too"
    elif number := held.get("shortened"):
        yield f"note: {count(number, 'shortened name')} searched too (“asthma” of “asthma, unspecified”)"


def _missing(report: NormalizationReport) -> Iterator[str]:
    """How many mentions count as wrong because the terminology has none of their gold ids."""
    if missing := report.missing():
        ids = dict.fromkeys(one for gold in missing for part in gold.parts for one in part)
        yield f"note: {count(len(missing), 'mention')} with no gold id that is in the terminology ({first_few(ids)})"
        lacking = Counter(gold.mention.type for gold in missing)
        foreign = [one for one, (n, _) in report.by_type.items() if one and lacking[one] > FOREIGN * n]
        others = [one for one in report.by_type if one not in foreign]
        if foreign and others:
            yield (
                f"note: the terminology has hardly a concept of the type {', '.join(foreign)}, and each counts as "
                f"wrong: the option type leaves them out ({', '.join(others)})"
            )


def corpus_notes(corpora: Sequence[Corpus]) -> list[str]:
    """What was left out of the corpora, and other caveats for their figures."""
    notes = []
    for corpus in corpora:
        counts = corpus.counts
        if counts.malformed:
            first = counts.examples[0]
            notes.append(f"note: {count(counts.malformed, 'malformed row')} of {corpus.path} left out: {first}")
        notes += [f"note: {corpus.path}: {said}" for said in counts.notes()]
    return notes


def _stage_notes(second: Reranking | None, costs: dict[str, Cost]) -> Iterator[str]:
    """Caveats for the figures of a second stage."""
    if second is None:
        return
    weight = second.reranker.weight if second.weight is None else second.weight
    doubt = f" where the best has another name and is less sure than {second.below:g}" if second.below < 1 else ""
    yield (
        f"reranked: the foremost {count(second.depth, 'candidate')}{doubt}, weight {weight:g}, "
        f"reranker {second.reranker.fingerprint}"
    )
    yield from (cost.describe(name) for name, cost in costs.items())


def _added_terms(index: Index) -> Iterator[str]:
    """The sources of added terms, the largest first, since they may raise figures."""
    reasons = Counter(one.term.why or "no reason given" for one in holdings(index))
    if reasons:
        listed = ", ".join(f"{number:,} {why}" for why, number in reasons.most_common(_REASONS))
        yield f"added terms: {listed}{', …' * (len(reasons) > _REASONS)}"


def encoder_note(index: Index) -> str:
    """The encoder that figures were measured with."""
    return f"encoder: {index.encoder.fingerprint}"


# Mistakes ----------------------------------------------------------------------------------------------------------


def lookup_in(index: Index) -> Lookup:
    """Preferred terms, and the relation of an answered concept to the gold one, from the terminologies of an index."""

    def preferred(concept_id: str) -> str | None:
        concept = index.find(concept_id)
        return None if concept is None else index.preferred(concept)

    def kinship(answered: str, gold: str) -> Relative | None:
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

    return Lookup(preferred, kinship)
