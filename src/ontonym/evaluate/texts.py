"""Texts for training, or to be excluded from it: files with one per line or with a text and an id, and gold corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.corpora import detected_format, open_corpus
from ontonym.files.source import open_source
from ontonym.types import NIL


def file_text(path: Path | str) -> str:
    """The text of a small file; raises InputError if it cannot be read, FormatError if it is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text", hint="Convert it with iconv") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def excluded_names(paths: Sequence[str]) -> frozenset[str]:
    """The names in files of one per line, and all mentions of gold corpora, with the parts that these name.

    Raises FormatError for a file that cannot be read as text, InputError for a corpus of several parts.
    """
    names: set[str] = set()
    for path in paths:
        if form := detected_format(path):
            for document in open_corpus(path, format=form.name):
                for gold in document.mentions:
                    names |= {gold.mention.text, *gold.part_texts}
        else:
            names |= {line.strip() for line in open_source(path).lines()}
    return frozenset(names - {""})


def annotated_texts(
    paths: Sequence[str], types: Sequence[str] = (), *, nil: bool = False
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Texts with the concept ids given by annotators, and how many were left out, by reason.

    From files with a text, a tab and an id per line, and from gold corpora: there mentions of several concepts, or
    none, are left out, and each of several ids of one concept gives an entry. With ``nil`` those of none are texts of
    `NIL`. ``types`` keeps only mentions of these types (by default of every type). Raises FormatError for a line
    without a tab, and for a file that cannot be read as text.
    """
    found: list[tuple[str, str]] = []
    left_out: Counter[str] = Counter()
    for path in paths:
        if form := detected_format(path):
            _add_mentions(path, form.name, types, found, left_out, nil=nil)
        else:
            _add_lines(path, found)
    return found, dict(left_out)


def _add_mentions(
    path: str, format: str, types: Sequence[str], found: list[tuple[str, str]], left_out: Counter[str], *, nil: bool
) -> None:
    """Adds the mentions of a corpus with their concepts to ``found``; what has not just one is counted."""
    corpus = open_corpus(path, format=format, types=frozenset(types) or None)
    for document in corpus:
        for gold in document.mentions:
            if gold.nil and nil:
                found.append((gold.mention.text, NIL))
            elif gold.nil:
                left_out["of_no_concept"] += 1
            elif gold.composite or gold.joined:
                left_out["of_several_concepts"] += 1
            else:
                found.extend((gold.mention.text, concept_id) for concept_id in sorted(gold.ids))
    if corpus.counts.malformed:
        left_out["malformed"] += corpus.counts.malformed


def _add_lines(path: str, found: list[tuple[str, str]]) -> None:
    for number, line in enumerate(open_source(path).lines(), 1):
        if not line.strip():
            continue
        text, tab, concept_id = line.partition("\t")
        if not tab or not text.strip() or not concept_id.strip():
            hint = "Give a text and the id of its concept with a tab between, or a gold corpus"
            raise FormatError(path, "not a text and a concept id", line=number, hint=hint)
        found.append((text.strip(), concept_id.strip()))
