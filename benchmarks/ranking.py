"""The ranking on every dev set: all signals fused against each alone, and how far its confidence can be relied on."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

import numpy as np

from devsets import IN_LEXICON, SETS, WITH_MENTIONS, DevSet, Materials, Unseen
from figures import Bench, Cell, Row, Sheet, Target, main, target_sheet
from materials import work_folder
from ncbi import DEPTH
from ontonym.errors import UnknownNameError
from ontonym.evaluate import Answer, BootstrapOptions, Interval, NormalizationReport, answer_mentions, compare, judge
from ontonym.evaluate.calibration import answered_outcomes
from ontonym.evaluate.corpora import GoldDocument, has_type
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.normalization import Normalize, rank_answer
from ontonym.evaluate.reliability import reliability
from ontonym.evaluate.significance import clusters, mean_interval
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.tasks import SIGNALS, NormalizeOptions, SearchOptions, normalize
from ontonym.tasks.answer import Normalization
from ontonym.tasks.rerank import search_many
from ontonym.types import Mention

FIRST, TENTH = "accuracy@1", "accuracy@10"
MEASURES = (FIRST, "accuracy@5", TENTH)
SINGLE = tuple(signal for signal in SIGNALS if signal != "fused")
BINS = 10
NORMALIZED = "normalize"
"""As `ontonym normalize` answers: with the words of the document, and composites in parts."""

ALL_SETS = (*SETS, *WITH_MENTIONS)

LIMITS: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("user-queries", FIRST): 0.72,
        ("user-queries", "abbrev"): 0.80,
        ("user-queries", "local"): 0.73,
        ("user-queries", "polarity"): 0.90,
        ("ncbi", NORMALIZED): 0.875,
        ("bc5cdr-disease", NORMALIZED): 0.85,
        ("ncbi-mentions", NORMALIZED): 0.925,
        ("bc5cdr-disease-mentions", NORMALIZED): 0.925,
        ("lay", FIRST): 0.63,
        ("lay", TENTH): 0.88,
    }
)
"""Promised shares of first answers that are right (or, where it says so, found among ten), by set and figure."""

SURE_LIMITS = MappingProxyType({"right": 0.85, "wrong": 0.10, "NIL right": 0.95})
"""Promised for user queries: the share of right, of wrong, and of queries without a concept (see `Measured`)."""

ECE_LIMIT = 0.04
ECE_PROMISED = ("ncbi", "bc5cdr-disease", "bc5cdr-chemical", "user-queries")
GAIN_LIMIT = 0.01


@dataclass(frozen=True, slots=True)
class Judged:
    """The fused answer to one query: whether its first concept is right, None where none is, and its confidence."""

    right: bool | None
    confidence: float
    kind: str
    unit: str

    @property
    def is_sure(self) -> bool:
        """Whether the answer is given at the default threshold of `ontonym normalize`."""
        return self.confidence >= LIKELIER_RIGHT


@dataclass(frozen=True, slots=True)
class Measured:
    """A dev set measured: the report of each signal, and of `NORMALIZED` where it was asked.

    ``judged`` are the fused answers, ``ece`` the calibration error of their confidences. ``nil`` says for each query
    without a concept whether `ontonym normalize` gives none at its default threshold.
    """

    title: str
    reports: Mapping[str, NormalizationReport]
    judged: Sequence[Judged]
    nil: Sequence[tuple[str, bool]]
    ece: Interval
    about: tuple[str, ...]

    @property
    def best(self) -> str:
        """The signal that is best by itself."""
        return max(SINGLE, key=lambda signal: self.reports[signal].measures[FIRST].value)

    @property
    def gain(self) -> Interval:
        """How much more often the fused ranking is right than the best signal, paired query by query."""
        (found,) = compare({name: self.reports[name] for name in (self.best, "fused")})
        return found.differences[FIRST].difference


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every chosen set: with the names of the ontology only, and with the mentions of the train splits as terms."""
    bootstrap = BootstrapOptions(resamples=chosen.resamples)
    found: dict[str, Measured] = {}
    with work_folder(chosen.work) as folder:
        materials = Materials(folder, chosen.encoder, chosen.blind)
        unseen = Unseen(materials)
        for name in chosen.sets:
            began = time.perf_counter()
            with contextmanager({**SETS, **WITH_MENTIONS}[name])(materials, unseen) as devset:
                print(f"{name}: {time.perf_counter() - began:.0f} s for the index", flush=True)
                found[name] = measured(devset, bootstrap)
            print(f"{name}: {time.perf_counter() - began:.0f} s in all", flush=True)
    for key, title, sets in (
        ("ranking", "Fused against each signal, dev, names of the ontology only", SETS),
        ("mentions", "Fused against each signal, dev, with the mentions of the train split as terms", WITH_MENTIONS),
    ):
        if these := {name: one for name, one in found.items() if name in sets}:
            for sheet in sheets(key, title, these, chosen.encoder, bootstrap):
                bench.show(sheet)
    if "user-queries" in found:
        bench.show(kinds_sheet("kinds", found["user-queries"], _KINDS, bootstrap))
    if "others" in found:
        bench.show(kinds_sheet("others kinds", found["others"], (), bootstrap))
    for one in found.values():
        for line in (one.reports["fused"].protocol.caption(), *one.about, *lexicon_line(one)):
            bench.note(f"{one.title}: {line}")
    bench.show(target_sheet(list(targets(found, bootstrap))))


def measured(devset: DevSet, bootstrap: BootstrapOptions) -> Measured:
    """The set asked by each signal, and its answers judged."""
    resolve, protocol = devset.resolve, devset.protocol
    answers = {
        signal: searched(devset, signal)
        if devset.unit == "query"
        else asked(
            devset,
            NormalizeOptions(document=False, composites=False, search=SearchOptions(k=DEPTH, signal=signal)),
        )
        for signal in SIGNALS
    }
    if devset.normalized:
        answers[NORMALIZED] = asked(devset, NormalizeOptions(search=SearchOptions(k=DEPTH)))
    reports = {
        name: judge(some, protocol, resolve=resolve, measures=MEASURES, bootstrap=bootstrap, unit_name=devset.unit)
        for name, some in answers.items()
    }
    fused = [answer for answer in answers["fused"] if rank_answer(answer, protocol, resolve) != "other type"]
    outcomes = answered_outcomes(fused, resolve)
    nil = [
        (mention.type, one.id is None)
        for index, documents in devset.parts
        for mention, one in _normalized_nil(index, documents, protocol.types)
    ]
    return Measured(
        devset.title,
        reports,
        [
            Judged(
                None if answer.gold.nil else rank_answer(answer, protocol, resolve) == 1,
                answer.hits[0].confidence if answer.hits else 0.0,
                answer.gold.mention.type,
                answer.gold.mention.document,
            )
            for answer in fused
        ],
        nil,
        reliability(outcomes.confidences, outcomes, BINS, bootstrap).ece,
        devset.about,
    )


def _normalized_nil(
    index: Index, documents: Iterable[GoldDocument], types: Sequence[str]
) -> Iterator[tuple[Mention, Normalization]]:
    """The mentions without a concept, with what `ontonym normalize` says of them."""
    mentions = [gold.mention for document in documents for gold in document.mentions if gold.nil]
    mentions = [one for one in mentions if not types or has_type(one.type, types)]
    return zip(mentions, normalize(index, mentions), strict=True)


def asked(devset: DevSet, options: NormalizeOptions) -> list[Answer]:
    """The answers to all queries of a set."""
    return list(
        chain.from_iterable(
            answer_mentions(documents, normalizer(index, options), types=devset.protocol.types, depth=DEPTH)
            for index, documents in devset.parts
        )
    )


def searched(devset: DevSet, signal: str) -> list[Answer]:
    """The hits that `ontonym search` gives for all queries of a set."""
    options = SearchOptions(k=DEPTH, signal=signal)

    def of(index: Index) -> Normalize:
        return lambda mentions: search_many(index, [mention.text for mention in mentions], options)

    found = (answer_mentions(documents, of(index), depth=DEPTH) for index, documents in devset.parts)
    return list(chain.from_iterable(found))


# Sheets ----------------------------------------------------------------------------------------------------------


def sheets(
    key: str, title: str, found: Mapping[str, Measured], encoder: str, bootstrap: BootstrapOptions
) -> Iterator[Sheet]:
    """The accuracy, the further rules and the confidence of some sets."""
    interval = bootstrap.caption("documents, concepts or question")
    protocol = (
        f"encoder: {encoder}; for hidden names and retrieval see the notes",
        "strict: only a concept of the gold is right; mentions: abbreviations that the document defines written out, "
        "without its other words, a composite right with any part; NIL left out",
        f"fused less best: against the best single signal, paired query by query; {interval}",
    )
    yield Sheet(key, title, protocol, [ranking_row(one) for one in found.values()])
    further = (
        "lenient: a concept with the same name, or another record of the same concept, is right too",
        f"{NORMALIZED}: accuracy@1 as `ontonym normalize` answers without a threshold: with the document's words, and "
        "composites in parts; strict",
        interval,
    )
    yield Sheet(f"{key} further", f"{title}: further rules", further, [further_row(one) for one in found.values()])
    sure = (
        f"ECE: expected calibration error of the fused confidence, {BINS} bins of equal width, also over queries "
        "without a concept; lower is better; resampling adds to it, so that its interval lies high",
        f"right, wrong: share of the right, and of the wrong, first answers with a confidence of {LIKELIER_RIGHT} or "
        "more",
        f"NIL right: share of the queries without a concept that have no answer of {LIKELIER_RIGHT} or more",
        interval,
    )
    rows: list[Row] = [
        {"set": one.title, "n": len(one.judged), "ECE": one.ece, **shares(one.judged, bootstrap)}
        for one in found.values()
    ]
    yield Sheet(f"{key} confidence", f"{title}: the confidence", sure, rows)


def ranking_row(one: Measured) -> Row:
    """Accuracy@1 of all signals fused and of each, and the difference to the best of these."""
    gain = one.gain
    return {
        "set": one.title,
        "n": one.reports["fused"].n,
        **{signal: one.reports[signal].measures[FIRST] for signal in SIGNALS},
        "best": one.best,
        "fused less best": gain,
        "": "never worse" if gain.value >= 0 else "WORSE",
    }


def further_row(one: Measured) -> Row:
    """Accuracy at further depths, under the lenient rule, and as `ontonym normalize` answers."""
    fused = one.reports["fused"]
    return {
        "set": one.title,
        **{f"{measure}, {signal}": one.reports[signal].measures[measure]
           for measure in MEASURES[1:] for signal in ("fused", "dense")},
        **{f"lenient, {signal}": one.reports[signal].lenient[""] for signal in SIGNALS},
        NORMALIZED: one.reports[NORMALIZED].measures[FIRST] if NORMALIZED in one.reports else None,
        f"{NORMALIZED}, lenient": one.reports[NORMALIZED].lenient[""] if NORMALIZED in one.reports else None,
        "n": fused.n,
    }  # fmt: skip


_KINDS = (
    "nil: nothing medical, of user_queries; near-medical: our own (benchmarks/data/near_medical.tsv), which sound "
    "medical; both have no concept",
)


def kinds_sheet(key: str, one: Measured, kinds: tuple[str, ...], bootstrap: BootstrapOptions) -> Sheet:
    """Queries by kind; ``kinds`` says what some of these are."""
    rows: list[Row] = []
    for kind in dict.fromkeys(each.kind for each in one.judged):
        these = [each for each in one.judged if each.kind == kind]
        has_concepts = [each.right for each in these if each.right is not None]
        accuracy = {
            f"{measure}, {signal}": one.reports[signal].by_type[kind][1][measure] if has_concepts else None
            for measure in MEASURES[:2]
            for signal in ("fused", "dense")
        }
        said = [float(is_nil) for tag, is_nil in one.nil if tag == kind]
        rows.append({
            "kind": kind, "n": len(these), **accuracy, **shares(these, bootstrap),
            f"NIL right, {NORMALIZED}": mean_interval(np.asarray(said), None, bootstrap) if said else None,
        })  # fmt: skip
    about = (
        *kinds,
        f"right, wrong, NIL right: with a confidence of {LIKELIER_RIGHT} or more, or none, by search; "
        f"{NORMALIZED}: nothing answered by `ontonym normalize` with its default threshold",
        bootstrap.caption("question"),
    )
    return Sheet(key, f"{one.title}, by kind", about, rows)


def lexicon_line(one: Measured) -> Iterator[str]:
    """How many of the hidden names the lexicon has, and how the others are found."""
    if not (known := one.reports["fused"].by_type.get(IN_LEXICON)):
        return
    others = np.asarray([each.right for each in one.judged if each.kind != IN_LEXICON], dtype=np.float64)
    yield (
        f"{known[0]:,} of the names are forms of the lexicon, found first for {known[1][FIRST].value:.3f}; of the "
        f"other {len(others):,} names the concept is first for {others.mean():.4f}"
    )


def shares(judged: Iterable[Judged], bootstrap: BootstrapOptions) -> dict[str, Cell]:
    """The share of right and of wrong answers that are sure, and of NIL ones that are not; None of none."""
    cells: dict[str, Cell] = {}
    judged = list(judged)
    for name, right in (("right", True), ("wrong", False), ("NIL right", None)):
        these = [one for one in judged if one.right is right]
        values = np.asarray([one.is_sure is not (right is None) for one in these], dtype=np.float64)
        rows = clusters([one.unit for one in these], bootstrap)
        cells[name] = mean_interval(values, rows, bootstrap) if these else None
    return cells


def targets(found: Mapping[str, Measured], bootstrap: BootstrapOptions) -> Iterator[Target]:
    """What is promised of the sets that were measured."""
    for (name, figure), limit in LIMITS.items():
        if name in found:
            one = found[name]
            fused = one.reports["fused"]
            value = (
                one.reports[NORMALIZED].measures[FIRST] if figure == NORMALIZED
                else fused.measures[figure] if figure in MEASURES
                else fused.by_type[figure][1][FIRST]
            )  # fmt: skip
            yield Target(f"{one.title}, {figure}", value.value, limit, "", at_least=True)
    if "user-queries" in found:
        sure = shares(found["user-queries"].judged, bootstrap)
        for name, limit in SURE_LIMITS.items():
            share = sure[name]
            if isinstance(share, Interval):
                yield Target(f"user queries, {name}", share.value, limit, "", at_least=name != "wrong")
    for name in ECE_PROMISED:
        if name in found:
            yield Target(f"{found[name].title}, ECE", found[name].ece.value, ECE_LIMIT, "")
    gains = {name: one.gain.value for name, one in found.items() if name in SETS}
    if gains:
        yield Target(
            f"fused less the best signal, at worst ({min(gains, key=lambda name: gains[name])})",
            min(gains.values()), 0.0, "", at_least=True,
        )  # fmt: skip
        mean = sum(gains.values()) / len(gains)
        yield Target(f"fused less the best signal, mean of {len(gains)} sets", mean, GAIN_LIMIT, "", at_least=True)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in ALL_SETS:
            raise argparse.ArgumentTypeError(str(UnknownNameError("set", name, ALL_SETS)))
    return names


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=_names, default=list(ALL_SETS), metavar="A,B", help=f"which of "
                        f"{', '.join(ALL_SETS)} (default: all)")  # fmt: skip
    parser.add_argument("--encoder", default="default", metavar="PLACE", help="another encoder, for all sets")
    parser.add_argument("--blind", default="", metavar="PLACE", help="the encoder for hidden names and retrieval, "
                        "which has not seen them (default: that of --encoder; for the shipped one, one that is trained "
                        "without them and kept in the cache)")  # fmt: skip
    parser.add_argument("--work", metavar="DIR", help="keep the indexes, and use them again while neither code nor "
                        "encoder changes (default: a new folder)")  # fmt: skip
    parser.add_argument("--resamples", type=int, default=BootstrapOptions().resamples, help="of the bootstrap")


if __name__ == "__main__":
    sys.exit(main("ranking", str(__doc__), measure, _options))
