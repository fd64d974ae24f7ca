"""The dev sets that the ranking is measured on: their queries with gold, and the indexes that are searched."""

from __future__ import annotations

import csv
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from heldout import blind_encoder, exams, hide, source_places
from lessons import CORPORA
from materials import ChangedRelease, import_embedded, kept_index, titled
from ncbi import DEPTH, TASKS, TERMINOLOGIES
from ontonym.benchmark.gold import NAMES, QUESTIONS
from ontonym.evaluate import Protocol, PubTatorCorpus
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.indexes import searched_names, split_of
from ontonym.evaluate.ownterms import corpus_terms
from ontonym.index import Index, IndexOptions, add_terms
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.ontology.embedded import EMBEDDED
from ontonym.store import build_terminology
from ontonym.text.lexicon import shipped_lexicon
from ontonym.types import Mention
from retrieval import GOLD, TARGET, made_gold
from sources import data_folder
from translations import FILES, SETTINGS, draw_names, names_by_concept, names_of_setting, read_translations

HELD_BACK = Path(__file__).resolve().parent / "data" / "held_back.tsv"
"""Queries of our own as people type them, whose answers are counted and not looked at; columns as in user_queries."""

NEWCOMER = Path(__file__).resolve().parent / "data" / "newcomer.tsv"
"""Queries by somebody who had read no list and no query before; their answers were looked at; columns as before."""

SEARCHERS = Path(__file__).resolve().parent / "data" / "searchers.tsv"
"""Queries of several professions, written before anything was searched; then read. "second": written after mending."""

SPECIALTIES = Path(__file__).resolve().parent / "data" / "specialties.tsv"
"""Queries of specialties and situations, written before anything was searched; then read. "second": as before."""

MISSPELLED = Path(__file__).resolve().parent / "data" / "misspelled.tsv"
"""Common misspellings, written down to try the correction of spelling; right is what the right spelling finds."""

LANGUAGES = Path(__file__).resolve().parent / "data" / "languages.tsv"
"""Queries in ten languages; columns as before, the tag is the language. The first 200 were written before anything was
searched, and read while the table of other languages was written. The 72 with "second" were written before they were
searched, with words that the table did not have; then they were read and the table got them too. The 166 with "third"
were written by somebody else, and read while the tables of complaints and of notes were written; the 68 with "fourth"
were asked when all rules were there, and six rows were added after them. So none is blind to the tables as they are.
"""

NEAR_MEDICAL = Path(__file__).resolve().parent / "data" / "near_medical.tsv"
"""Queries that sound medical and that no concept of HPO or ICD-10-CM answers; columns as in user_queries."""

PRESCRIPTIONS = Path(__file__).resolve().parent / "data" / "prescriptions.tsv"
"""Drugs as prescriptions write them, half of them written while their reading was made; columns as in user_queries."""

OTHERS = Path(__file__).resolve().parent / "data" / "other_terminologies.tsv"
"""Queries over terminologies other than those above, written before anything was searched for, with the `SOURCES` that
each is asked of; the other columns as in user_queries. Accepted ids were looked up in the release files.
"""

NIL = "NIL"
"""What the files of queries accept where no concept is right."""

IN_LEXICON = "in the lexicon"
"""The kind of hidden names that are a form of the shipped lexicon by themselves: these are not new to the search."""

TRANSLATED = 300
"""Names asked for, of each language."""


@dataclass(frozen=True, slots=True)
class DevSet:
    """Queries and the indexes that they are asked of, open while the set is.

    ``unit`` is what a document stands for. With ``normalized`` they are also asked as `ontonym normalize` asks by
    default. ``about`` are lines for the protocol.
    """

    title: str
    parts: Sequence[tuple[Index, Iterable[GoldDocument]]]
    protocol: Protocol
    unit: str = "document"
    normalized: bool = False
    about: tuple[str, ...] = ()

    def resolve(self, concept_id: str) -> str | None:
        """The current id of the concept that an id means in one of the indexes, or None."""
        found = (index.resolve(concept_id) for index, _ in self.parts)
        return next((one for one in found if one is not None), None)


@dataclass(slots=True)
class Materials:
    """Where indexes are made, the encoder they are made with, and the one for names that it must not have seen."""

    folder: Path
    encoder: str = "default"
    blind: str = ""
    sources: dict[str, Path] = field(default_factory=dict)

    def read_sources(self) -> dict[str, Path]:
        """The imported terminologies of the shipped encoder, by name."""
        self.sources = self.sources or source_places()
        return self.sources


class Unseen:
    """The encoder for hidden names: the given one, the measured one, or one trained without all of the hidden names."""

    def __init__(self, materials: Materials) -> None:
        self._materials = materials

    @cached_property
    def place(self) -> str:
        """Where it is; the shipped encoder has seen the names, so another is trained where none is kept."""
        if self._materials.blind or self._materials.encoder != "default":
            return self._materials.blind or self._materials.encoder
        return str(blind_encoder(sorted(self._hidden())).path)

    def described(self, names: Iterable[str]) -> str:
        """A line for the protocol, given the names that are asked for."""
        digests = {names_digest(names), names_digest(self._hidden())}
        seen = "trained without the hidden names" if unseen_digest(self.place) in digests else "may have seen the names"
        return f"encoder: {Path(self.place).name}, {seen}"

    def _hidden(self) -> set[str]:
        if not self._names:
            for name, held_out in exams().items():
                hide(held_out, self._materials.folder / f"{name}.terminology")
                self._names |= {query.text for query in held_out.queries}
            for name in GOLD:
                place = made_gold(name, self._materials.read_sources(), self._materials.folder)
                self._names |= set((place / NAMES).read_text(encoding="utf-8").splitlines())
        return self._names

    @cached_property
    def _names(self) -> set[str]:
        return set()


# Corpora ---------------------------------------------------------------------------------------------------------


def _corpus(task: str, *, trained: bool = False) -> Callable[[Materials, Unseen], Iterator[DevSet]]:
    """A corpus's dev split; with ``trained`` the mentions of the train split are terms of the index."""

    def opened(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
        asked = TASKS[task]
        place = materials.folder / f"{asked.terminology}.terminology"
        if not place.exists():
            TERMINOLOGIES[asked.terminology](materials.folder)
        with ExitStack() as stack:
            index = stack.enter_context(kept_index([place], materials.folder, materials.encoder))
            if trained:
                index = stack.enter_context(_with_mentions(index, task, materials))
            path = data_folder() / asked.corpus
            protocol = Protocol(
                data=path.name,
                split=split_of([str(path)]),
                terminology=titled(index.terminologies),
                names=searched_names(index, "OD-T") if trained else "ontology",
                types=asked.types,
                depth=DEPTH,
            )
            documents = PubTatorCorpus(path, default_prefix="MESH")
            title = f"{asked.title}, train mentions added" if trained else asked.title
            yield DevSet(title, [(index, documents)], protocol, normalized=True)

    return opened


@contextmanager
def _with_mentions(index: Index, task: str, materials: Materials) -> Iterator[Index]:
    """A copy of an index with the mentions of a task's train split as terms."""
    place = materials.folder / f"{task}-mentions.index"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(index.path, place)
    terminologies = [terminology.path for terminology in index.terminologies]
    terms = corpus_terms(str(data_folder() / CORPORA[task]), TASKS[task].types).terms
    add_terms(place, terms, terminologies=terminologies, encoder=materials.encoder)
    from ontonym.index import open_index

    with open_index(place, terminologies=terminologies, encoder=materials.encoder) as opened:
        yield opened


# Names -----------------------------------------------------------------------------------------------------------


def _hidden(name: str, title: str) -> Callable[[Materials, Unseen], Iterator[DevSet]]:
    """Names of HPO that are not in the index."""

    def opened(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
        held_out = exams()[name]
        encoder = unseen.place
        place = materials.folder / f"{name}.terminology"
        hide(held_out, place)
        with kept_index([place], materials.folder, encoder) as index:
            protocol = Protocol(
                data=title,
                split=f"{len(held_out.queries):,} of {held_out.eligible:,} hidden",
                terminology=f"{titled(index.terminologies)} without them",
                depth=DEPTH,
            )
            lexicon = shipped_lexicon()
            documents = [
                document
                for kind in ("", IN_LEXICON)
                for document in _documents(
                    (
                        (query.text, (query.concept_id,), query.concept_id)
                        for query in held_out.queries
                        if (query.text in lexicon) == bool(kind)
                    ),
                    kind,
                )
            ]
            about = (unseen.described(query.text for query in held_out.queries),)
            yield DevSet(title, [(index, documents)], protocol, "concept", about=about)

    return opened


def _translations(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
    """HPO's names in other languages, over the names of all languages but the one asked in."""
    release = read_translations(FILES)
    names = names_by_concept(release)
    with ExitStack() as stack:
        parts = []
        for language in FILES:
            place = materials.folder / f"hpo-{language}.terminology"
            build_terminology(ChangedRelease(release, names_of_setting(SETTINGS[1], language)), place)
            index = stack.enter_context(kept_index([place], materials.folder, materials.encoder))
            asked = draw_names(names, language, TRANSLATED)
            parts.append((index, _documents(((one.text, (one.concept,), one.concept) for one in asked), language)))
        protocol = Protocol(
            data=f"names of HPO in {', '.join(FILES)}",
            split=f"{TRANSLATED} of each",
            terminology=f"{titled(parts[0][0].terminologies)}, names in English and the other languages",
            depth=DEPTH,
        )
        yield DevSet("HPO, names in other languages", parts, protocol, "concept")


def _retrieval(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
    """Names of HPO and Orphanet whose concepts people mapped to DOID."""
    encoder = unseen.place
    sources = materials.read_sources()
    right: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in GOLD:
        lines = (made_gold(name, sources, materials.folder) / QUESTIONS).read_text(encoding="utf-8").splitlines()
        for line in lines[1:]:
            source, text, id_, _ = line.split("\t")
            right[source, text].add(id_)
    with kept_index([sources[TARGET]], materials.folder, encoder) as index:
        protocol = Protocol(
            data="names of HPO and Orphanet",
            split="all that people mapped",
            terminology=titled(index.terminologies),
            depth=DEPTH,
        )
        documents = _documents((text, ids, source) for (source, text), ids in right.items())
        about = (unseen.described(text for _, text in right),)
        yield DevSet("HPO and Orphanet to DOID", [(index, documents)], protocol, "concept", about=about)


# User queries ----------------------------------------------------------------------------------------------------


def _user_queries(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
    """What people type, over the index of the demo."""
    files = [data_folder() / "user_queries" / "dev.tsv", NEAR_MEDICAL]
    yield from _queries("User queries, HPO with ICD-10-CM", files, materials, _demo_places(materials))


def _of_demo(title: str, file: Path) -> Callable[[Materials, Unseen], Iterator[DevSet]]:
    """The same of a file of our own."""

    def made(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
        yield from _queries(f"{title}, HPO with ICD-10-CM", [file], materials, _demo_places(materials))

    return made


def _prescriptions(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
    """What prescriptions write, over MeSH."""
    place = materials.folder / "mesh.terminology"
    if not place.exists():
        TERMINOLOGIES["mesh"](materials.folder)
    yield from _queries("Prescriptions, MeSH", [PRESCRIPTIONS], materials, [place])


def _others(materials: Materials, unseen: Unseen) -> Iterator[DevSet]:
    """What people type, over one terminology at a time: headings of MeSH, DOID, UBERON and ChEBI."""
    rows, sources = read_queries(OTHERS), materials.read_sources()
    names = list(dict.fromkeys(row["terminology"] for row in rows))
    with ExitStack() as stack:
        parts = []
        for name in names:
            index = stack.enter_context(
                kept_index([sources[name]], materials.folder, materials.encoder, IndexOptions())
            )
            parts.append((index, _asked([row for row in rows if row["terminology"] == name], name)))
        protocol = Protocol(
            data=OTHERS.name,
            split="dev",
            terminology=", ".join(titled(index.terminologies) for index, _ in parts) + ", each alone",
            depth=DEPTH,
        )
        yield DevSet("Queries over MeSH, DOID, UBERON and ChEBI", parts, protocol, "query", normalized=True)


def _demo_places(materials: Materials) -> list[Path]:
    """The terminologies of the demo."""
    places = [(name, materials.folder / f"{name}.terminology") for name in EMBEDDED]
    return [place if place.exists() else import_embedded(name, materials.folder)[0] for name, place in places]


def _queries(title: str, files: Sequence[Path], materials: Materials, places: Sequence[Path]) -> Iterator[DevSet]:
    rows = [row for file in files for row in read_queries(file)]
    with kept_index(places, materials.folder, materials.encoder, IndexOptions()) as index:
        protocol = Protocol(
            data=" and ".join(file.name for file in files),
            split="dev",
            terminology=titled(index.terminologies),
            depth=DEPTH,
        )
        documents = [
            document
            for tag in dict.fromkeys(row["tag"] for row in rows)
            for document in _asked([row for row in rows if row["tag"] == tag], tag)
        ]
        yield DevSet(title, [(index, documents)], protocol, "query", normalized=True)


def _asked(rows: Sequence[Mapping[str, str]], kind: str) -> list[GoldDocument]:
    """The documents of some rows of a file of queries."""
    ids = [() if row["accepted"] == NIL else row["accepted"].split("|") for row in rows]
    asked = enumerate(zip(rows, ids, strict=True))
    return _documents(((row["query"], right, f"{kind} {number}") for number, (row, right) in asked), kind)


def read_queries(file: Path) -> list[dict[str, str]]:
    """The rows of a file of queries: query, tag, accepted (ids separated by ``|``, or `NIL`), note, perhaps others."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _documents(asked: Iterable[tuple[str, Iterable[str], str]], kind: str = "") -> list[GoldDocument]:
    """A document for each query: its text, the ids that are right, and what it belongs to when units are drawn."""
    return [
        GoldDocument(unit, text, (GoldMention(Mention(text, f"{kind}{number}", unit, type=kind), (frozenset(ids),)),))
        for number, (text, ids, unit) in enumerate(asked)
    ]


SETS: Mapping[str, Callable[[Materials, Unseen], Iterator[DevSet]]] = MappingProxyType(
    {
        "ncbi": _corpus("ncbi"),
        "bc5cdr-disease": _corpus("bc5cdr-disease"),
        "bc5cdr-chemical": _corpus("bc5cdr-chemical"),
        "lay": _hidden("lay", "HPO, patients' words hidden"),
        "synonyms": _hidden("heldout", "HPO, exact synonyms hidden"),
        "translations": _translations,
        "user-queries": _user_queries,
        "held-back": _of_demo("Queries held back", HELD_BACK),
        "newcomer": _of_demo("A newcomer's queries", NEWCOMER),
        "searchers": _of_demo("Queries of professions", SEARCHERS),
        "specialties": _of_demo("Queries of specialties", SPECIALTIES),
        "misspelled": _of_demo("Common misspellings", MISSPELLED),
        "languages": _of_demo("Queries in ten languages", LANGUAGES),
        "prescriptions": _prescriptions,
        "others": _others,
        "retrieval": _retrieval,
    }
)
"""The dev sets with the names of the ontology only, each a generator that yields it while its indexes are open."""

WITH_MENTIONS = MappingProxyType(
    {f"{task}-mentions": _corpus(task, trained=True) for task in ("ncbi", "bc5cdr-disease")}
)
"""The dev sets with the mentions of their train splits as terms; never in one column with the others."""
