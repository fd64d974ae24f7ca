"""Evaluates a normalizer on a gold corpus: asks once for every mention, then judges the answers under a protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.errors import InputError
from ontonym.evaluate.corpora import GoldDocument, GoldMention, has_type
from ontonym.evaluate.measures import (
    NORMALIZATION_MEASURES,
    CompositeRule,
    Protocol,
    Resolve,
    check_cutoffs,
    composite_rank,
    gold_rank,
    nil_rank,
    per_mention,
)
from ontonym.evaluate.mistakes import Lookup, Mistake, mistake, write_mistakes
from ontonym.evaluate.nil import NilReport, nil_report
from ontonym.evaluate.significance import BootstrapOptions, Interval, clusters, mean_interval
from ontonym.text.counting import count
from ontonym.types import Advance, Hit, Mention


@dataclass(frozen=True, slots=True)
class MentionHits:
    """A normalizer's result for a mention; ``parts`` are the hits of each part if it split the mention."""

    hits: Sequence[Hit]
    parts: Sequence[Sequence[Hit]] = ()


Normalize = Callable[[Sequence[Mention]], Iterable[Sequence[Hit] | MentionHits]]
"""Returns the hits of each mention, best first, in the order of the mentions; no hits means that no concept fits."""

SplitMention = Callable[[str], Sequence[str]]
"""Returns the names that a composite mention stands for."""

SKIPS = ("other type", "no concept", "composite", "missing from terminology")
"""The reasons for which a protocol leaves a mention out, in the order in which they are checked."""

_BATCH_MENTIONS = 1024
_FIRST_RIGHT = "accuracy@1"
_AROUND = 60
"""Characters of context before and after a mention."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A normalizer's answer to one gold mention; ``parts`` are the hits of each split part of a composite.

    ``found`` are the hits of the parts that the normalizer itself found, whatever the gold says; empty for none.
    ``context`` is the text around the mention with the mention between ``[[`` and ``]]``.
    """

    gold: GoldMention
    hits: tuple[Hit, ...]
    parts: tuple[tuple[Hit, ...], ...] = ()
    context: str = ""
    found: tuple[tuple[Hit, ...], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NormalizationReport:
    """The figures of one run under one protocol.

    ``mentions_read == n + sum(skipped.values())``. ``measures`` are means over the ``n`` evaluated mentions, in [0, 1],
    higher is better; ``by_type`` the same for each mention type with its number of mentions. ``ranks``, ``documents``
    and ``keys`` have one entry for each evaluated mention, in the order of the corpus, so that runs can be paired.
    ``lenient`` is accuracy@1 under the lenient rule for ambiguous names, by type and for all mentions (an empty key),
    or empty if accuracy@1 is not measured. ``unit`` is what the bootstrap draws. ``nil`` is given if mentions without a
    concept count. ``wrong`` keeps the answers whose rank is not 1, for ``mistakes``.
    """

    protocol: Protocol
    bootstrap: BootstrapOptions
    unit: str
    mentions_read: int
    skipped: Mapping[str, int]
    measures: Mapping[str, Interval]
    by_type: Mapping[str, tuple[int, Mapping[str, Interval]]]
    ranks: Ints
    documents: tuple[str, ...]
    keys: tuple[str, ...]
    lenient: Mapping[str, Interval] = field(default_factory=dict)
    nil: NilReport | None = None
    wrong: tuple[tuple[Answer, int], ...] = field(repr=False, default=())
    resolve: Resolve = field(repr=False, default=lambda id_: id_)

    @property
    def n(self) -> int:
        """The number of evaluated mentions."""
        return len(self.ranks)

    def to_dict(self) -> dict[str, Any]:
        """``{"protocol", "n", "measures": {name: {"value", "low", "high"}}, …}`` as JSON values.

        It also has ``interval`` (how low and high were computed), ``mentions`` (read, evaluated, skipped by rule) and
        ``by_type``.
        """
        return {
            "protocol": self.protocol.to_dict(),
            "n": self.n,
            "measures": {name: interval.to_dict() for name, interval in self.measures.items()},
            **({"lenient": {_FIRST_RIGHT: self.lenient[""].to_dict()}} if self.lenient else {}),
            "interval": {
                "method": self.bootstrap.method,
                "confidence": self.bootstrap.confidence,
                "unit": self.unit,
                "resamples": self.bootstrap.resamples,
                "seed": self.bootstrap.seed,
            },
            **({} if self.nil is None else {"nil": self.nil.to_dict()}),
            "mentions": {"read": self.mentions_read, "evaluated": self.n, "skipped": dict(self.skipped)},
            "by_type": {
                kind: {
                    "n": n,
                    "measures": {name: interval.to_dict() for name, interval in measures.items()},
                    **({"lenient": {_FIRST_RIGHT: self.lenient[kind].to_dict()}} if self.lenient else {}),
                }
                for kind, (n, measures) in self.by_type.items()
            },
        }

    def missing(self) -> list[GoldMention]:
        """The evaluated mentions that are wrong because the terminology has none of their gold ids."""
        golds = [answer.gold for answer, _ in self.wrong]
        return [gold for gold in golds if not gold.nil and not any(known_parts(gold, self.resolve))]

    def mistakes(self, lookup: Lookup | None = None) -> Iterator[Mistake]:
        """Every evaluated mention whose first answer was wrong, in the order of the corpus.

        ``lookup`` names gold concepts and gives the relation of the answered concept to them in the hierarchy.
        """
        lookup = lookup or Lookup()
        for answer, rank in self.wrong:
            rule = self.protocol.composite
            parts = answer.parts if rule == "all" else answer.found if rule == "found" else ()
            yield mistake(answer.gold, answer.hits, rank, self.resolve, lookup, parts=parts, context=answer.context)

    def write_mistakes(self, path: Path | str, lookup: Lookup | None = None) -> int:
        """Writes the mistakes as a TSV sorted for reading (see ``mistakes.write_mistakes``); returns their number."""
        return write_mistakes(path, self.mistakes(lookup))


def evaluate_normalization(
    documents: Iterable[GoldDocument],
    normalize: Normalize,
    protocol: Protocol,
    *,
    resolve: Resolve,
    split: SplitMention | None = None,
    measures: Sequence[str] = NORMALIZATION_MEASURES,
    bootstrap: BootstrapOptions | None = None,
) -> NormalizationReport:
    """The report of ``normalize`` over a corpus: every mention asked once and judged under ``protocol``.

    ``resolve`` maps gold and answered ids to one form. ``split`` is for composites under the rule ``all``, by default
    ``text.composite.split_composite``; mentions are split only if the gold has several parts, as in Xu and Sung et al.
    To judge one run under several protocols use ``answer_mentions`` and ``judge``.
    """
    if protocol.composite == "all" and split is None:
        from ontonym.text.composite import split_composite

        split = split_composite
    answers = answer_mentions(documents, normalize, types=protocol.types, split=split, depth=protocol.depth)
    return judge(answers, protocol, resolve=resolve, measures=measures, bootstrap=bootstrap)


def answer_mentions(
    documents: Iterable[GoldDocument],
    normalize: Normalize,
    *,
    types: Sequence[str] = (),
    split: SplitMention | None = None,
    depth: int = 10,
    progress: Advance | None = None,
) -> Iterator[Answer]:
    """The answer to every mention, in order, asked in batches of whole documents.

    Mentions of types other than ``types`` (if given) are not asked and come with no hits. With ``split``, composite
    mentions are also asked part by part. Raises InputError if ``normalize`` gives too few or too many answers.
    """
    batch: list[tuple[GoldMention, str]] = []
    for document in documents:
        text = document.text
        batch += [(gold, marked_context(text, gold.mention)) for gold in document.mentions]
        if len(batch) >= _BATCH_MENTIONS:
            yield from _answer_batch(batch, normalize, types, split, depth)
            if progress is not None:
                progress(len(batch))
            batch = []
    yield from _answer_batch(batch, normalize, types, split, depth)
    if progress is not None and batch:
        progress(len(batch))


def _answer_batch(
    batch: Sequence[tuple[GoldMention, str]],
    normalize: Normalize,
    types: Sequence[str],
    split: SplitMention | None,
    depth: int,
) -> Iterator[Answer]:
    """The answers to a batch of mentions with their contexts; the normalizer gets them and their parts in one call."""
    asked = [_asked(gold, split) if not types or has_type(gold.mention.type, types) else [] for gold, _ in batch]
    queries = list(chain.from_iterable(asked))
    found = [_found(answer, depth) for answer in normalize(queries)] if queries else []
    if len(found) != len(queries):
        answers, mentions = count(len(found), "answer"), count(len(queries), "mention")
        raise InputError(f"the normalizer gave {answers} to {mentions}; it must give one each")
    following = iter(found)
    for (gold, context), own in zip(batch, asked, strict=True):
        whole, *parts = list(islice(following, len(own))) or [((), ())]
        yield Answer(gold, whole[0], tuple(hits for hits, _ in parts), context, whole[1])


def _asked(gold: GoldMention, split: SplitMention | None) -> list[Mention]:
    """What to ask for a mention: itself, and with ``split`` the parts of a composite one."""
    parts = split(gold.mention.text) if split is not None and gold.composite else ()
    return [
        gold.mention,
        *(
            replace(gold.mention, text=part, id=f"{gold.mention.id}#{number}", start=None, end=None)
            for number, part in enumerate(parts, 1)
        ),
    ]


def _found(answer: Sequence[Hit] | MentionHits, depth: int) -> tuple[tuple[Hit, ...], tuple[tuple[Hit, ...], ...]]:
    """The first hits of a mention, and those of the parts it was split into."""
    found = answer if isinstance(answer, MentionHits) else MentionHits(answer)
    return tuple(found.hits[:depth]), tuple(tuple(hits[:depth]) for hits in found.parts)


def judge(
    answers: Iterable[Answer],
    protocol: Protocol,
    *,
    resolve: Resolve,
    measures: Sequence[str] = NORMALIZATION_MEASURES,
    bootstrap: BootstrapOptions | None = None,
    unit_name: str = "document",
) -> NormalizationReport:
    """The report of answers under a protocol. Keeps the answers that were wrong, for ``mistakes``.

    ``unit_name`` is what ``Mention.document`` holds, if that is not a document. Raises InputError if the protocol
    leaves no mention, if a measure needs more answers than ``protocol.depth``, and if composites were not asked part by
    part under the rule ``all``.
    """
    check_cutoffs(measures, protocol.depth)
    options = bootstrap or BootstrapOptions()
    lenient = replace(protocol, ambiguity="lenient")
    skipped: Counter[str] = Counter()
    ranks: list[int] = []
    lenient_ranks: list[int] = []
    kept: list[Mention] = []
    wrong: list[tuple[Answer, int]] = []
    nils: list[tuple[bool, bool]] = []
    for answer in answers:
        outcome = rank_answer(answer, protocol, resolve)
        if isinstance(outcome, str):
            skipped[outcome] += 1
            continue
        ranks.append(outcome)
        loosely = rank_answer(answer, lenient, resolve)
        lenient_ranks.append(loosely if isinstance(loosely, int) else outcome)
        kept.append(answer.gold.mention)
        nils.append((has_no_concept(answer.gold, protocol, resolve), answered_nothing(answer, protocol)))
        if outcome != 1:
            wrong.append((answer, outcome))
    if not ranks:
        raise _nothing_left(skipped)
    documents = tuple(mention.document for mention in kept)
    table = np.array(ranks, dtype=np.int64)
    loose = np.array(lenient_ranks, dtype=np.int64)
    kinds = np.array([mention.type for mention in kept], dtype=object)
    chosen = {"": np.ones(len(table), dtype=np.bool_), **{str(one): kinds == one for one in sorted({*kinds} - {""})}}
    figures = {kind: _measure(table, documents, measures, options, mask) for kind, mask in chosen.items()}
    first = [_FIRST_RIGHT] if _FIRST_RIGHT in measures else []
    loosely_right = {kind: _measure(loose, documents, first, options, mask) for kind, mask in chosen.items()}
    return NormalizationReport(
        protocol=protocol,
        bootstrap=options,
        unit="mention" if clusters(documents, options) is None else unit_name,
        mentions_read=len(ranks) + skipped.total(),
        skipped={rule: skipped[rule] for rule in SKIPS if skipped[rule]},
        measures=figures[""],
        by_type={kind: (int(chosen[kind].sum()), row) for kind, row in figures.items() if kind},
        ranks=table,
        documents=documents,
        keys=tuple(f"{mention.id}\t{mention.text}" for mention in kept),
        lenient={kind: row[_FIRST_RIGHT] for kind, row in loosely_right.items() if row},
        nil=nil_report(nils, documents, options) if protocol.nil == "in" else None,
        wrong=tuple(wrong),
        resolve=resolve,
    )


def _nothing_left(skipped: Counter[str]) -> InputError:
    """The error for data of which the rules skip every mention."""
    why = ", ".join(f"{skipped[rule]:,} {rule}" for rule in SKIPS if skipped[rule])
    return InputError(
        f"no mention is left to evaluate, of {skipped.total():,}{f' ({why})' * bool(why)}: choose other data, or "
        "other rules for types, NIL, composites and missing concepts"
    )


def rank_answer(answer: Answer, protocol: Protocol, resolve: Resolve) -> int | str:
    """The gold concept's rank under the protocol (0: not found), or the rule of ``SKIPS`` that leaves it out."""
    gold = answer.gold
    if protocol.types and not has_type(gold.mention.type, protocol.types):
        return "other type"
    if gold.nil:
        return "no concept" if protocol.nil == "out" else nil_rank(answer.hits)
    if gold.composite and protocol.composite == "skip":
        return "composite"
    parts = known_parts(gold, resolve)
    judged = _judged_parts(answer, protocol.composite)
    every = gold.composite and judged is not None
    if protocol.missing != "wrong" and (not all(parts) if every else not any(parts)):
        return "missing from terminology" if protocol.missing == "skip" else int(answered_nothing(answer, protocol))
    lenient = protocol.ambiguity == "lenient"
    if judged is None:
        anything = frozenset().union(*parts)
        return gold_rank(answer.hits, anything, resolve, lenient=lenient, depth=protocol.depth)
    return composite_rank(judged, parts, resolve, lenient=lenient, depth=protocol.depth)


def _judged_parts(answer: Answer, rule: CompositeRule) -> tuple[tuple[Hit, ...], ...] | None:
    """The hits by part that a composite rule judges, or None if it judges the mention's own."""
    if rule == "found" and (answer.gold.composite or answer.found):
        return answer.found or (answer.hits,)
    if rule != "all" or not answer.gold.composite:
        return None
    if not answer.parts:
        raise InputError("the composite rule 'all' needs answers by part: give a splitter to answer_mentions")
    return answer.parts


def has_no_concept(gold: GoldMention, protocol: Protocol, resolve: Resolve) -> bool:
    """Whether a mention counts as one without a concept: by its gold, or under ``missing: nil`` if its concept is
    missing.
    """
    if gold.nil or protocol.missing != "nil":
        return gold.nil
    parts = known_parts(gold, resolve)
    by_parts = gold.composite and protocol.composite in {"all", "found"}
    return not all(parts) if by_parts else not any(parts)


def answered_nothing(answer: Answer, protocol: Protocol) -> bool:
    """Whether the answer was NIL: for the mention, or for some part of it if parts are judged."""
    judged = None if answer.gold.nil else _judged_parts(answer, protocol.composite)
    return not answer.hits if judged is None else not all(judged)


def known_parts(gold: GoldMention, resolve: Resolve) -> list[frozenset[str]]:
    """The ids of every part that has a concept, as the terminology knows them; empty sets if it has none."""
    return [frozenset(known for id_ in part if (known := resolve(id_)) is not None) for part in gold.parts if part]


def _measure(
    ranks: Ints,
    documents: Sequence[str],
    measures: Sequence[str],
    options: BootstrapOptions,
    chosen: Mask,
) -> dict[str, Interval]:
    rows = clusters([document for document, take in zip(documents, chosen, strict=True) if take], options)
    return {name: mean_interval(per_mention(name, ranks[chosen]), rows, options) for name in measures}


def marked_context(text: str, mention: Mention) -> str:
    """The mention between ``[[`` and ``]]`` with the text around it on one line."""
    if mention.start is None or mention.end is None:
        return f"[[{mention.text}]]"
    before = text[max(0, mention.start - _AROUND) : mention.start]
    after = text[mention.end : mention.end + _AROUND]
    left = "…" if mention.start > _AROUND else ""
    right = "…" if mention.end + _AROUND < len(text) else ""
    marked = f"{left}{before}[[{text[mention.start : mention.end]}]]{after}{right}"
    return " ".join(marked.split())
