"""Everyday phrases that no list has: each is hidden from the index and the encoder and asked for, so that what people
say in their own words is measured, and not what somebody wrote down. Over HPO with ICD-10-CM."""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from figures import Bench, Row, Sheet, main, share
from heldout import blind_encoder
from materials import import_embedded, indexed, titled, work_folder
from ontonym.arrays import Doubles
from ontonym.evaluate import Interval
from ontonym.evaluate.reliability import ece, equal_width
from ontonym.index import Index, IndexOptions
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.everyday import everyday_names
from ontonym.tasks.search import Experiment, search
from ontonym.text.normalization import canonical, tokens

SIGNALS = MappingProxyType(
    {"fused": "all signals", "dense": "dense alone", "char": "char alone", "lexical": "lexical alone"}
)
_DEPTH = 10
_SHARES = 1000
_BINS = 10


@dataclass(frozen=True, slots=True)
class _Phrase:
    text: str
    rows: tuple[int, ...]
    accepted: frozenset[str]


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Asks for phrases that neither index nor encoder know, of all signals fused and of each alone."""
    texts = drawn(chosen.share)
    encoder = chosen.encoder or blind_encoder(texts).path
    with work_folder() as folder:
        places = [import_embedded(name, folder)[0] for name in ("hp", "icd10cm")]
        with indexed(places, folder, encoder, IndexOptions()) as index:
            phrases = [one for text in texts if (one := _phrase(index, text))]
            rows = [_row(index, signal, phrases) for signal in SIGNALS]
            protocol = (
                f"{titled(index.terminologies)}, encoder {chosen.encoder or 'trained without the phrases'}",
                f"{chosen.share:.0%} of the everyday phrases, those of an indexed concept",
                "right: a concept that the phrase leads to when it is there, or the same in the other terminology; "
                "sure: with a confidence of 0.5 or more",
                "[low, high]: 95% percentile bootstrap over phrases",
            )
    bench.show(Sheet("unlisted", "Everyday phrases that are in no list", protocol, rows))


def drawn(part: float) -> list[str]:
    """So large a part of all everyday phrases, drawn by their checksum."""
    phrases = dict.fromkeys(text for _, said in everyday_names() for text in said)
    return [text for text in phrases if zlib.crc32(canonical(text).encode(), 11) % _SHARES < part * _SHARES]


def _phrase(index: Index, text: str) -> _Phrase | None:
    """The phrase with its name rows and the concepts that have it as an everyday name; None where there are none."""
    if not (everyday := index.signals.everyday):
        return None
    concepts = everyday.part.names.concepts[everyday.part.names.spelled(tokens(text))].tolist()
    accepted = frozenset(index.id(concept) for concept in concepts)
    return _Phrase(text, tuple(index.signals.spelled(tokens(text)).tolist()), accepted) if accepted else None


def _row(index: Index, signal: str, phrases: Sequence[_Phrase]) -> Row:
    first, among, confidences = [], [], []
    for phrase in phrases:
        hits = search(index, phrase.text, Experiment(k=_DEPTH, signal=signal, hidden=phrase.rows))
        right = [not phrase.accepted.isdisjoint((hit.id, *hit.equivalents)) for hit in hits]
        first.append(bool(right) and right[0])
        among.append(any(right))
        confidences.append(hits[0].confidence if hits else 0.0)
    is_right, sure = np.asarray(first), np.asarray(confidences)
    is_fused = signal == "fused"
    return {
        "what ranks": SIGNALS[signal],
        "n": len(phrases),
        "right first": share(first),
        f"among {_DEPTH}": share(among),
        "of the right ones sure": _sure(sure[is_right]) if is_fused else None,
        "of the wrong ones sure": _sure(sure[~is_right]) if is_fused else None,
        "calibration error": ece(sure, is_right, equal_width(sure, _BINS)) if is_fused else None,
    }


def _sure(confidences: Doubles) -> Interval | None:
    return share((confidences >= LIKELIER_RIGHT).tolist()) if len(confidences) else None


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--encoder", help="as for `ontonym index` (default: one trained without the phrases)")
    parser.add_argument("--share", type=float, default=0.03, metavar="S", help="part of the phrases (default: 0.03)")


if __name__ == "__main__":
    sys.exit(main("unlisted", str(__doc__), measure, _options))
