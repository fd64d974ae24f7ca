"""How well do mentions of an annotated corpus find their concepts? Needs the extra ``eval``.

The corpus is a made-up PubTator file of two documents; with so few mentions the interval is wide, as it should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.evaluate import Protocol, PubTatorCorpus, evaluate_normalization, format_report

CONCEPTS = """\
id\tpreferred\tsynonyms
MESH:X1\tBreast Neoplasms\tbreast cancer|cancer of the breast
MESH:X2\tOvarian Neoplasms\tovarian cancer
MESH:X3\tAtaxia Telangiectasia\tLouis-Bar syndrome
MESH:X4\tAtaxia\tincoordination
"""

CORPUS = """\
1|t|Breast tumours in families.
1|a|Cancers of the breast were seen with ovarian cancer.
1\t0\t14\tBreast tumours\tDisease\tX1
1\t28\t49\tCancers of the breast\tDisease\tX1
1\t65\t79\tovarian cancer\tDisease\tX2

2|t|Ataxia-telangiectasia.
2|a|Patients with ataxia and an unnamed disorder were studied.
2\t0\t21\tAtaxia-telangiectasia\tDisease\tX3
2\t37\t43\tataxia\tDisease\tX4
2\t51\t67\tunnamed disorder\tDisease\t-1
"""


def main(folder: Path) -> None:
    """Evaluates the shipped encoder with all signals; the protocol is printed with the figures."""
    (folder / "concepts.tsv").write_text(CONCEPTS, encoding="utf-8")
    (folder / "corpus.pubtator").write_text(CORPUS, encoding="utf-8")
    ontonym.build_terminology(ontonym.read_release([folder / "concepts.tsv"]), folder / "ex.terminology")
    with ontonym.open_terminology(folder / "ex.terminology") as terminology:
        ontonym.build_index([terminology], folder / "ex.index")

    protocol = Protocol(data="made-up corpus", split="all", terminology="made-up concepts")
    with ontonym.open_index(folder / "ex.index") as index:

        def answer(mentions: Sequence[ontonym.Mention]) -> Iterator[Sequence[ontonym.Hit]]:
            for found in ontonym.normalize(index, mentions, ontonym.NormalizeOptions(threshold=0)):
                yield found.candidates if found.id else ()

        report = evaluate_normalization(
            PubTatorCorpus(folder / "corpus.pubtator"), answer, protocol, resolve=index.resolve
        )
    print(format_report(report, "Shipped encoder, all signals"))
    for wrong in report.mistakes():
        print(wrong)


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
