"""Hidden names of HPO, ranked by the shipped weights and by weights that have learned from no name of HPO.

The encoder is blind to the hidden names, and to the share of all names from which the weights may learn.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from default_encoder import LEARN, LEARN_FROM, is_unseen
from figures import Bench, Sheet, main, report_rows
from heldout import TITLES, blind_encoder, exams, hide, search_fused, source_places
from materials import indexed, work_folder
from ontonym.evaluate import HoldOutOptions
from ontonym.index.fuse import write_fusion
from ontonym.learning.ranking import learn_weights
from ontonym.learning.samples import draw_samples
from ontonym.store import open_terminology

WITHOUT_HPO = tuple(name for name in LEARN_FROM if name not in ("hpo", "efo"))
"""What the weights learn from here: EFO has HPO's classes inside."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Learns weights from the other terminologies, and searches for each set of hidden names by both."""
    places, sets = source_places(), exams(chosen.seed)
    with work_folder(chosen.work) as folder:
        hidden = {name: folder / f"{name}.terminology" for name in sets}
        for name, held_out in sets.items():
            hide(held_out, hidden[name])
        encoder = chosen.encoder
        if encoder is None:
            unseen = {query.text for held_out in sets.values() for query in held_out.queries}
            for place in places.values():
                with open_terminology(place) as terminology:
                    unseen |= {text for text in terminology.term_texts() if is_unseen(text)}
            encoder = blind_encoder(sorted(unseen)).path
        samples = []
        options = replace(LEARN, queries=chosen.queries)
        for name in WITHOUT_HPO:
            with indexed([places[name]], folder, encoder) as index:
                samples += draw_samples(index, is_unseen, options)
            bench.note(f"{name}: {len(samples):,} queries so far")
        fusion, figures = learn_weights(samples, options)
        bench.note(f"learned: {figures}")
        for name, held_out in sets.items():
            reports = {}
            with indexed([hidden[name]], folder, encoder) as index:
                reports["the shipped weights"] = search_fused(index, held_out)
                write_fusion(index.path, fusion)
                reports["weights without HPO"] = search_fused(index.refreshed(), held_out)
            protocol = (
                reports["the shipped weights"].protocol.caption(),
                f"dense: an encoder that has not seen the hidden names ({encoder})",
                f"weights without HPO: learned from {len(samples):,} queries made of names of {', '.join(WITHOUT_HPO)}",
                reports["the shipped weights"].bootstrap.caption("concept"),
            )
            bench.show(Sheet(name, f"{TITLES[name]}, by both weights", protocol, report_rows(reports)))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=HoldOutOptions().seed, help="which names are hidden")
    parser.add_argument("--encoder", metavar="DIR", help="one that was trained without these names (default: train it)")
    parser.add_argument("--queries", type=int, default=LEARN.queries, help="made from each terminology")
    parser.add_argument("--work", metavar="DIR", help="keep terminologies and indexes here")


if __name__ == "__main__":
    sys.exit(main("otherweights", str(__doc__), measure, _options))
