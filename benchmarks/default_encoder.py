"""Makes what the package ships: the default encoder and the fusion weights, from open terminologies and our own lists.

    python benchmarks/default_encoder.py            (a quarter of an hour on two cores; needs the extras train and demo)

Two trainings by the one command users have, ``ontonym train``, side by side: the encoder itself, and one that has not
seen a seventh of the names, whose cosines the fusion then learns from (not with ``--no-ranking``). Then the encoder is
adapted, by the same command, to the terminologies with everyday names and abbreviations (``wordlists.py``). Learned
from the start, as with ``--words``, these make it sure of what means nothing to a clinic (docs/encoders.md). Seeds and
threads are fixed, so that a second run gives the same weights. With ``--english`` WordNet is one of the lists.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import zlib
from dataclasses import asdict
from pathlib import Path

import orjson

from ontonym.encoder import default_folder
from ontonym.index import build_index, open_index
from ontonym.learning.encoders.options import FROM_SCRATCH
from ontonym.learning.ranking import CONTRADICTION, learn_weights
from ontonym.learning.samples import LearnOptions, Sample, draw_samples
from ontonym.store import Terminology
from ontonym.text.normalization import normalize
from sources import ROOT, import_sources
from wordlists import WORD_OPTIONS, WORD_STEPS, import_word_lists

LEARN_FROM = ("hpo", "mesh", "doid", "efo", "icd10cm", "orphanet")
LEARN = LearnOptions()
FUSION = ROOT / "src" / "ontonym" / "index" / "fusion.json"
_UNSEEN_SHARE = 15


def is_unseen(name: str) -> bool:
    """Whether a name belongs to the share that the blind encoder must not see; the same for all its spellings."""
    return zlib.crc32(normalize(name).encode(), 7) % 100 < _UNSEEN_SHARE


def train(work: Path, terminologies: list[Terminology], output: Path, *options: str) -> subprocess.Popen[bytes]:
    """Starts ``ontonym train`` on terminologies."""
    folders = [str(terminology.path) for terminology in terminologies]
    command = [
        sys.executable,
        "-m",
        "ontonym",
        "train",
        *folders,
        "--shares",
        "100/0/0",
        "--force",
        "-o",
        str(output),
    ]
    command += options
    return subprocess.Popen(command, cwd=work)


def learned_ranking(work: Path, terminologies: list[Terminology], encoder: Path) -> bytes:
    """The file of the weights of the ranking, learned over indexes of several terminologies with this encoder."""
    samples: list[Sample] = []
    for terminology in terminologies:
        if terminology.name not in LEARN_FROM:
            continue
        place = work / f"{terminology.name}-{encoder.stem}.index"
        build_index([terminology], place, encoder=encoder)
        with open_index(place) as index:
            drawn = draw_samples(index, is_unseen, LEARN)
        print(f"{terminology.name:10} {len(drawn):>6,} queries made from its names", flush=True)
        samples += drawn
    fusion, figures = learn_weights(samples, LEARN)
    learned = {"from": list(LEARN_FROM), "queries": len(samples), "options": asdict(LEARN), **figures}
    learned |= {"contradiction": CONTRADICTION}
    print(f"ranking: {figures}")
    return orjson.dumps({**fusion.to_dict(), "learned": learned}, option=orjson.OPT_INDENT_2) + b"\n"


def main() -> None:
    """Runs all steps, or the ones asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "ontonym" / "training")
    parser.add_argument("--steps", type=int, default=FROM_SCRATCH.steps, help="fewer, to try the script")
    parser.add_argument("--words", action="store_true", help="learn the lists from the start, which is not shipped")
    parser.add_argument("--english", action="store_true", help="with WordNet (ONTONYM_WORDNET), which is not shipped")
    parser.add_argument("--no-ranking", action="store_true", help="only the encoders")
    chosen = parser.parse_args()
    work = chosen.work.resolve()
    steps = ("--steps", str(chosen.steps))
    terminologies = import_sources(work)
    with_words = [*terminologies, *import_word_lists(work, terminologies, english=chosen.english)]
    learned = with_words if chosen.words else terminologies
    unseen = work / "unseen.txt"
    names = {text for terminology in learned for text in terminology.term_texts() if is_unseen(text)}
    unseen.write_text("".join(f"{name}\n" for name in sorted(names) if "\n" not in name), encoding="utf-8")
    blind, first = work / "blind.encoder", default_folder() if chosen.words else work / "first.encoder"
    began = time.monotonic()
    both = [
        train(work, learned, blind, "--base", "none", "--exclude", str(unseen), *steps),
        train(work, learned, first, "--base", "none", *steps),
    ]
    if sum(process.wait() for process in both):
        raise SystemExit("a training failed")
    print(f"both trainings, side by side, took {time.monotonic() - began:.0f} s")
    if not chosen.no_ranking:
        FUSION.write_bytes(learned_ranking(work, terminologies, blind))
    few = str(min(WORD_STEPS, chosen.steps))
    if (
        not chosen.words
        and train(work, with_words, default_folder(), "--base", str(first), "--steps", few, *WORD_OPTIONS).wait()
    ):
        raise SystemExit("the training with word lists failed")


if __name__ == "__main__":
    main()
