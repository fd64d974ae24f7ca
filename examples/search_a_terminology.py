"""From a release file to answers: import, index, search.

::

    python examples/search_a_terminology.py                             a tiny made-up release
    python examples/search_a_terminology.py hp.obo "heart skips beats"  your own release and words
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym

TINY = """format-version: 1.4
ontology: tiny

[Term]
id: TINY:1
name: Myocardial infarction
synonym: "heart attack" EXACT layperson []

[Term]
id: TINY:2
name: Arrhythmia
synonym: "irregular heartbeat" EXACT layperson []

[Term]
id: TINY:3
name: Bradycardia
synonym: "slow heartbeat" EXACT layperson []
is_a: TINY:2 ! Arrhythmia
"""


def main(release: Path, queries: list[str], folder: Path) -> None:
    """Prints the three best concepts of the release for each query; makes its artifacts in ``folder``."""
    ontonym.build_terminology(ontonym.read_release([release]), folder / "my.terminology")
    with ontonym.open_terminology(folder / "my.terminology") as terminology:
        ontonym.build_index([terminology], folder / "my.index")

    with ontonym.open_index(folder / "my.index") as index:
        for query in queries:
            print(f"\n{query}")
            for hit in ontonym.search(index, query, ontonym.SearchOptions(k=3)):
                print(f"  {hit.confidence:.2f}  {hit.id}  {hit.preferred}  (by {hit.matched!r}: {hit.reason.detail})")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        tiny = Path(temporary) / "tiny.obo"
        tiny.write_text(TINY, encoding="utf-8")
        given, *words = sys.argv[1:] or [str(tiny), "heart attacks", "iregular heart beat", "heart beating slowly"]
        main(Path(given), words, Path(temporary))
