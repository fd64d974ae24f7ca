"""Names of HPO in the words that charts and people put around them: "2 week history of …", "… (L)", "what causes …"."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from itertools import chain
from types import MappingProxyType

import numpy as np

from figures import Bench, Row, Sheet, main, share
from materials import import_embedded, indexed, titled, work_folder
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.store import Terminology
from ontonym.tasks import SearchOptions
from ontonym.tasks.search import found_hits_of

_FRAMES = """
time and course:
    {} for 2 weeks | {} x 3 days | {} x3d | 3 day hx of {} | 2 week history of {} | 1/52 {} | {} today | {} on and
    off | {} since childhood | {} as a child | worsening {} | new onset {} | recurrent {} | intermittent {} |
    persistent {} | ongoing {} | longstanding {} | progressive {} | {} improving | {} resolved | {} - resolved |
    stable {} | {} (stable) | {} 2nd episode | 1st {}
who:
    pt has {} | patient with {} | patient complains of {} | pt c/o {} | 45 yo M with {} | 32F {} | male with {} |
    elderly with {} | child with {} | infant with {} | my {} | I have {} | i think i have {} | suffering from {} |
    feeling {} | got {} | having {}
how sure:
    known {} | known case of {} | k/c/o {} | suspected {} | ?{} | ? {} | possible {} | probable {} | likely {} | r/o
    {} | rule out {} | query {} | concern for {} | worried about {} | evidence of {} | signs of {} | symptoms of {}
    | features of {} | c/w {} | consistent with {} | suggestive of {} | confirmed {} | {} confirmed | diagnosed with
    {} | {} diagnosis | dx {}
care:
    presents with {} | presented to ED with {} | admitted with {} | seen for {} | follow up {} | f/u for {} |
    treated for {} | on treatment for {} | {} on treatment | {} s/p treatment | awaiting surgery for {} | under
    investigation for {} | treatment of {} | how to treat {} | what is {} | what causes {} | help with {} | history
    of {} | h/o {} | PMHx {}
degree and side:
    severe {} | mild {} | moderate {} | bad {} | really bad {} | a bit of {} | slight {} | acute {} | chronic {} |
    {} (L) | {} bilaterally | right {} | left sided {}
asked:
    is it {} | could this be {} | does anyone else have {} | anyone with {} | doctor says i have {} | been told its {} |
    my gp mentioned {} | just diagnosed with {} | afraid i have {} | living with {} | when to see a doctor for {} |
    is {} contagious | can {} kill you | whats {} | {} what is it | {} meaning | {} wiki | {} in adults | {} pls help |
    icd 10 code for {} | icd code {} | {} icd10 | {} code please | hpo term for {} | coding for {} | ddx {} |
    please see re {}
records:
    {} NOS | {}, unspecified | {} NEC | [X]{} | {} (disorder) | {} (finding) | 1. {} | 2) {} | #1 {} | {} #1 | - {}
    | {}. | {}!!! | *{}* | ({}) | {} etc. | re: {} | Dx: {} | {} 2019 | {} (2015) | {} in 05/2018 | R69 - {} | {}
    (R69) | HP:9999999 {} | {} /  | O/E - {}
"""


def _frames() -> dict[str, list[str]]:
    kinds = re.findall(r"^(\w[^:\n]*):\n((?: .*\n)+)", _FRAMES, re.MULTILINE)
    return {kind: [frame.strip() for frame in " ".join(frames.split()).split("|")] for kind, frames in kinds}


FRAMES = MappingProxyType(_frames())
"""The frames around a name, by their kind."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Asks for the same names in every frame, of all signals fused and of the dense one alone."""
    with work_folder() as folder:
        place, _ = import_embedded("hp", folder)
        with indexed([place], folder) as index:
            (terminology,) = index.terminologies
            drawn = _drawn(terminology, chosen.names)
            rows = [_row(index, kind, frames, drawn) for kind, frames in FRAMES.items()]
            rows.append(_row(index, "all", list(chain.from_iterable(FRAMES.values())), drawn))
            protocol = (
                f"{titled([terminology])}; {chosen.names} preferred terms of two or three words in every frame",
                "right first: the name's concept, or one with that name; sure: with a confidence of 0.5 or more too",
                "[low, high]: 95% percentile bootstrap over queries",
            )
    bench.show(Sheet("framed", "Names in the words around them", protocol, rows))


def _drawn(terminology: Terminology, count: int) -> list[int]:
    """The rows of concepts with a plain preferred term, drawn."""
    names = [
        (row, terminology.preferred(row)) for row in range(len(terminology)) if terminology.status(row) == "active"
    ]
    plain = [row for row, name in names if 2 <= len(name.split()) <= 3 and name.replace(" ", "").isalpha()]
    drawn: list[int] = np.random.default_rng(1).choice(plain, size=count, replace=False).tolist()
    return drawn


def _row(index: Index, kind: str, frames: Sequence[str], drawn: Sequence[int]) -> Row:
    (terminology,) = index.terminologies
    asked = [(frame.format(terminology.preferred(row).lower()), row) for frame in frames for row in drawn]
    found: dict[str, list[tuple[bool, float]]] = {}
    for signal in ("fused", "dense"):
        queries = index.signals.queries([text for text, _ in asked])
        first = found_hits_of(index, queries, SearchOptions(k=1, signal=signal))
        found[signal] = [
            (bool(hits) and terminology.id(row) in (hits[0].id, *hits[0].equivalents, *hits[0].ambiguous),
             hits[0].confidence if hits else 0.0)
            for hits, (_, row) in zip(first, asked, strict=True)
        ]  # fmt: skip
    return {
        "around the name": kind,
        "frames": len(frames),
        "n": len(asked),
        "right first": share([right for right, _ in found["fused"]]),
        "sure": share([right and sure >= LIKELIER_RIGHT for right, sure in found["fused"]]),
        "dense alone": share([right for right, _ in found["dense"]]),
    }


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--names", type=int, default=60, metavar="N", help="names that are asked for (default: 60)")


if __name__ == "__main__":
    sys.exit(main("framed", str(__doc__), measure, _options))
