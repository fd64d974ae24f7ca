"""HPO's names in other languages searched for: with English names only, with those of more languages, and with some
names of the language asked in; never with the name that is asked for.

With ``--held-out`` only concepts are asked for of which a blind encoder (``recipes/multilingual.py --blind``) has seen
no name but the English ones, in all languages that HPO has, over English names alone.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from figures import Bench, Row, Sheet, main, share
from materials import ChangedRelease, indexed, titled, work_folder
from ontonym.evaluate import BootstrapOptions
from ontonym.index import Index
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
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

MORE = {
    "de": "hp-de.babelon.tsv", "it": "hp-it.babelon.tsv", "pt": "hp-pt.babelon.tsv", "cs": "hp-cs.synonyms.tsv",
}  # fmt: skip
"""The languages asked in too with ``--held-out``."""

HELD_OUT = 5
"""One concept in so many is held out from a blind encoder."""

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
    """Every language asked in, over each setting's own index, or concepts held out."""
    if chosen.held_out:
        measure_held_out(bench, chosen)
        return
    release = read_translations(FILES)
    names = names_by_concept(release)
    rows: list[Row] = []
    again: list[Row] = []
    title = ""
    for language in chosen.languages or FILES:
        asked = draw_names(names, language, chosen.queries)
        for setting in SETTINGS:
            with work_folder() as folder:
                place = folder / "hp.terminology"
                build_terminology(ChangedRelease(release, names_of_setting(setting, language)), place)
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


def measure_held_out(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every language asked in, over English names, for concepts that are held out."""
    release = read_translations({**FILES, **MORE})
    names = {concept: terms for concept, terms in names_by_concept(release).items() if is_held_out(concept)}
    rows: list[Row] = []
    with work_folder() as folder:
        place = folder / "hp.terminology"
        build_terminology(ChangedRelease(release, names_of_setting(SETTINGS[0], "en")), place)
        with indexed([place], folder, chosen.encoder) as index:
            title = titled(index.terminologies)
            for language in chosen.languages or (*FILES, *MORE):
                asked = draw_names(names, language, chosen.queries)
                ranks = {signal: _ranks(index, asked, signal) for signal in SIGNALS}
                rows.append(_row(language, SETTINGS[0], asked, ranks, [True] * len(asked)))
                print(f"{language}: {len(asked):,} names", flush=True)
    protocol = (
        f"{title}; English names only are searched",
        f"asked: {chosen.queries:,} names of a language, one a concept, of the fifth of concepts that is held out: a "
        "blind encoder has seen no name of theirs but the English ones",
        f"encoder: {chosen.encoder}; fusion as shipped with it",
        BootstrapOptions().caption("concept"),
    )
    bench.show(Sheet("held out", "HPO: names in other languages, of concepts held out", protocol, rows))


def is_held_out(concept: str) -> bool:
    """Whether a blind encoder sees no name of a concept but the English ones."""
    return zlib.crc32(concept.encode(), 11) % HELD_OUT == 0


def read_translations(chosen: Mapping[str, str]) -> Release:
    """HPO with its names in every language of these files."""
    files = [data_folder() / "hpo_translations" / file for file in chosen.values()]
    return read_release([*EMBEDDED["hp"].files(), *files], options=ReadOptions(name="hpo"))


def names_by_concept(release: Release) -> dict[str, list[Term]]:
    """The names of every active concept; the files of translations add to what the release says."""
    found: dict[str, list[Term]] = defaultdict(list)
    retired = set()
    for concept in release.concepts():
        found[concept.id] += concept.terms
        if concept.status == "retired":
            retired.add(concept.id)
    return {one: terms for one, terms in found.items() if one not in retired}


def draw_names(names: dict[str, list[Term]], language: str, count: int) -> list[Asked]:
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


def names_of_setting(setting: str, language: str) -> Callable[[Iterable[Concept]], Iterator[Concept]]:
    """The change that leaves a setting's names in the concepts."""

    def change(concepts: Iterable[Concept]) -> Iterator[Concept]:
        for concept in concepts:
            kept = tuple(term for term in concept.terms if _is_kept(setting, language, concept.id, term))
            yield replace(concept, terms=kept)

    return change


def _is_kept(setting: str, language: str, concept: str, term: Term) -> bool:
    if term.language == language != "en":
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
    parser.add_argument("--languages", nargs="+", choices=[*FILES, *MORE], metavar="TAG",
                        help="languages asked in [default: those that the figures of the guide are of; with --held-out "
                        "all]")  # fmt: skip
    parser.add_argument("--encoder", default="default", metavar="DIR", help="another encoder, for example a "
                        "multilingual one")  # fmt: skip
    parser.add_argument("--held-out", action="store_true", help="ask for concepts that a blind encoder has not seen")


if __name__ == "__main__":
    sys.exit(main("translations", " ".join(str(__doc__).split()), measure, _options))
