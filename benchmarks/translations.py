"""HPO's names in other languages searched for: with English names only, with those of more languages, and with some
names of the language asked in; never with the name that is asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from figures import Bench, Row, Sheet, main, share
from materials import ChangedRelease, indexed, titled, work_folder
from ontonym.evaluate import BootstrapOptions
from ontonym.index import Index
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.release import ReadOptions, Release
from ontonym.store import build_terminology
from ontonym.tasks import SearchOptions, search_many
from ontonym.text.normalization import normalize
from ontonym.types import Concept, Term
from sources import data_folder

FILES = {
    "es": "hp-es.babelon.tsv", "ja": "hp-ja.babelon.tsv", "zh": "hp-zh.babelon.tsv", "fr": "hp-fr.synonyms.tsv",
    "nl": "hp-nl.synonyms.tsv", "tr": "hp-tr.synonyms.tsv",
}  # fmt: skip
"""The languages asked in, and the files of their names."""

SETTINGS = ("English", "and other languages", "and half of its own")
"""What the index has: each has the names of the one before it too."""
SIGNALS = ("fused", "char", "dense")
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A name that no index has and its concept; ``again`` says whether the index of the last setting has another name
    of that concept in the same language.
    """

    text: str
    concept: str
    again: bool


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every language asked in, over each setting's own index."""
    release = _release()
    names = _names(release)
    rows: list[Row] = []
    again: list[Row] = []
    title = ""
    for language in chosen.languages:
        asked = _asked(names, language, chosen.queries)
        for setting in SETTINGS:
            with work_folder() as folder:
                place = folder / "hp.terminology"
                build_terminology(ChangedRelease(release, _kept(setting, language)), place)
                with indexed([place], folder, chosen.encoder) as index:
                    title = titled(index.terminologies)
                    ranks = {signal: _ranks(index, asked, signal) for signal in SIGNALS}
            rows.append(_row(language, setting, asked, ranks, [True] * len(asked)))
            again.append(_row(language, setting, asked, ranks, [one.again for one in asked]))
            print(f"{language}, {setting}: {len(asked):,} names", flush=True)
    protocol = (
        f"{title}; names that its translators call official or candidate, also searched: {', '.join(FILES)}",
        f"asked: of a random half of a language's names {chosen.queries:,}, one a concept, that no other name of the "
        "concept equals in any language; the other half may be in the index",
        f"encoder: {chosen.encoder}, which was trained on English names; fusion as shipped",
        BootstrapOptions().caption("concept"),
    )
    bench.show(Sheet("translations", "HPO: names in six languages, none of them in the index", protocol, rows))
    few = [row for row in again if row["n"]]
    if few:
        title = "HPO: of these, concepts with another name in that language among the other half"
        bench.show(Sheet("another name", title, protocol, few))


def _release() -> Release:
    files = [data_folder() / "hpo_translations" / file for file in FILES.values()]
    return read_release([*EMBEDDED["hp"].files(), *files], options=ReadOptions(name="hpo"))


def _names(release: Release) -> dict[str, list[Term]]:
    """The names of every active concept; the files of translations add to what the release says."""
    found: dict[str, list[Term]] = defaultdict(list)
    retired = set()
    for concept in release.concepts():
        found[concept.id] += concept.terms
        if concept.status == "retired":
            retired.add(concept.id)
    return {one: terms for one, terms in found.items() if one not in retired}


def _asked(names: dict[str, list[Term]], language: str, count: int) -> list[Asked]:
    """At most so many names of the first half, one a concept, in an order that only the hash knows."""
    found = []
    for concept, terms in names.items():
        forms = [normalize(term.text) for term in terms]
        own = [term for term in terms if term.language == language]
        hidden = [term for term in own if _is_hidden(concept, term)]
        single = [term for term in hidden if forms.count(normalize(term.text)) == 1]
        if single:
            asked = min(single, key=lambda term: _draw("which", concept, term.text))
            found.append(Asked(asked.text, concept, len(own) > len(hidden)))
    return sorted(found, key=lambda one: _draw("sample", one.concept, one.text))[:count]


def _kept(setting: str, language: str) -> Callable[[Iterable[Concept]], Iterator[Concept]]:
    """The change that leaves a setting's names in the concepts."""

    def change(concepts: Iterable[Concept]) -> Iterator[Concept]:
        for concept in concepts:
            kept = tuple(term for term in concept.terms if _is_kept(setting, language, concept.id, term))
            yield replace(concept, terms=kept)

    return change


def _is_kept(setting: str, language: str, concept: str, term: Term) -> bool:
    if term.language == language:
        return setting == SETTINGS[2] and not _is_hidden(concept, term)
    return term.language == "en" or setting != SETTINGS[0]


def _is_hidden(concept: str, term: Term) -> bool:
    return _draw("half", concept, term.text) < 0.5


def _draw(what: str, concept: str, text: str) -> float:
    """A number in [0, 1) that is the same on every machine and in every run."""
    digest = hashlib.blake2b(f"{what}\t{concept}\t{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _ranks(index: Index, asked: Sequence[Asked], signal: str) -> list[int]:
    """The rank of each name's concept, from 1; 0 where it is not among the first."""
    options = SearchOptions(k=DEPTH, signal=signal)
    answers = search_many(index, [one.text for one in asked], options)
    return [
        next((rank for rank, hit in enumerate(hits, 1) if hit.id == one.concept), 0)
        for one, hits in zip(asked, answers, strict=True)
    ]


def _row(
    language: str, setting: str, asked: Sequence[Asked], ranks: dict[str, list[int]], counted: Sequence[bool]
) -> Row:
    figures = {
        f"{signal} hits@{depth}": share([0 < rank <= depth for rank, counts in zip(of, counted, strict=True) if counts])
        for signal, of in ranks.items()
        for depth in (1, DEPTH)
        if any(counted)
    }
    return {"language": language, "index": setting, "n": sum(counted), **figures}


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--queries", type=int, default=300, metavar="N", help="names asked for, of each language")
    parser.add_argument("--languages", nargs="+", choices=list(FILES), default=list(FILES), metavar="TAG")
    parser.add_argument("--encoder", default="default", metavar="DIR", help="another encoder, for example a "
                        "multilingual one")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main("translations", " ".join(str(__doc__).split()), measure, _options))
