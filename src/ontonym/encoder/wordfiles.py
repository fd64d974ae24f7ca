"""Files of word vectors: word2vec text and binary, GloVe text, fastText ``.vec``; packed or plain, never unpickled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontonym.encoder.protocol import Vectors
from ontonym.errors import FormatError
from ontonym.files.source import GuardedStream, Source, open_source
from ontonym.text.counting import count

_LONGEST_WORD = 4096
_MOST_NUMBERS = 16_384
_BLOCK = 4096
_FASTTEXT = b"\xba\x16\x4f\x2f"
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_HINT = "Is it a complete file of word vectors? Download or export it again"
_KINDS = "word2vec text or binary, GloVe text or fastText .vec"


@dataclass(frozen=True, slots=True)
class Shape:
    """The header of a file: numbers per vector, words (None if not given), and the encoding."""

    dim: int
    words: int | None
    binary: bool


@dataclass(slots=True)
class WordCounts:
    """Counts of the words of a file: ``read = kept + repeated + unreadable``."""

    read: int = 0
    kept: int = 0
    repeated: int = 0
    unreadable: int = 0


class WordFile:
    """One file of word vectors: `blocks` gives its words; afterwards ``counts`` says how many were kept."""

    def __init__(self, path: Path | str, *, limit: int = 0) -> None:
        self.source: Source = open_source(path)
        self.shape = _sniff(self.source)
        self.limit = limit
        self.counts = WordCounts()

    def blocks(self) -> Iterator[tuple[list[str], Vectors]]:
        """The words in blocks, each word once, with their vectors of shape ``(words, dim)``.

        A repeated word and one that is empty or not UTF-8 are counted and left out. Raises FormatError, with the line
        of a text file, for an invalid vector, and if there are more or fewer words than the header says.
        """
        seen: set[str] = set()
        words: list[str] = []
        rows: list[Vectors] = []
        for word, vector in self._binary() if self.shape.binary else self._text():
            self.counts.read += 1
            if not word:
                self.counts.unreadable += 1
            elif word in seen:
                self.counts.repeated += 1
            else:
                seen.add(word)
                words.append(word)
                rows.append(vector)
                self.counts.kept += 1
            if len(words) == _BLOCK:
                yield words, np.stack(rows)
                words, rows = [], []
            if self.limit and self.counts.kept >= self.limit:
                break
        if words:
            yield words, np.stack(rows)
        if not self.counts.kept:
            raise FormatError(self.source.label, "holds no word", hint=_HINT)

    def _text(self) -> Iterator[tuple[str, Vectors]]:
        shape, found = self.shape, 0
        for number, line in enumerate(self.source.lines(), start=1):
            if (number == 1 and shape.words is not None) or not line.strip():
                continue
            found += 1
            if shape.words is not None and found > shape.words:
                raise self._wrong(f"more words than the {shape.words:,} that its first line says", number)
            yield self._line(line, number)
        if shape.words is not None and found < shape.words:
            raise self._wrong(f"ends after {found:,} of the {shape.words:,} words that its first line says", None)

    def _line(self, line: str, number: int) -> tuple[str, Vectors]:
        dim = self.shape.dim
        parts = _fields(line)
        if len(parts) <= dim:
            raise self._wrong(f"{count(max(len(parts) - 1, 0), 'number')} after the word instead of {dim}", number)
        try:
            with np.errstate(over="ignore"):  # what is too large for 32 bits is infinite, and refused below
                vector = np.array([float(part) for part in parts[-dim:]], dtype=np.float32)
        except ValueError:
            wrong = next(part for part in parts[-dim:] if not _is_number(part))
            raise self._wrong(f"{wrong[:40]!r} is not a number", number) from None
        if not np.isfinite(vector).all():
            raise self._wrong("a vector with a number that is not finite", number)
        word = " ".join(parts[:-dim])
        if len(parts) > dim + 1 and _is_number(parts[-dim - 1]) and _is_number(parts[1]):
            raise self._wrong(f"{count(len(parts) - 1, 'number')} after the word instead of {dim}", number)
        return word, vector

    def _binary(self) -> Iterator[tuple[str, Vectors]]:
        shape, size = self.shape, 4 * self.shape.dim
        assert shape.words is not None  # noqa: S101 (a binary file always says)
        with self.source.open(binary=True) as stream:
            reader = _Reader(stream)
            reader.until(b"\n")
            for number in range(shape.words):
                raw = reader.until(b" ")
                data = reader.exactly(size) if raw is not None else None
                if raw is None or data is None:
                    raise self._wrong(
                        f"ends after {number:,} of the {shape.words:,} words that its first line says", None
                    )
                vector = np.frombuffer(data, dtype="<f4").astype(np.float32)
                if not np.isfinite(vector).all():
                    raise self._wrong(f"word {number + 1:,} has a number that is not finite", None)
                try:
                    yield raw.lstrip(b"\n").decode(), vector
                except UnicodeDecodeError:
                    yield "", vector
            if reader.exactly(2) is not None:  # except for a line break
                raise self._wrong(f"goes on after the {shape.words:,} words that its first line says", None)

    def _wrong(self, problem: str, line: int | None) -> FormatError:
        return FormatError(self.source.label, problem, line=line, hint=_HINT)


class _Reader:
    """Reads a stream up to a mark, or a number of bytes."""

    def __init__(self, stream: GuardedStream) -> None:
        self._stream = stream
        self._held = b""
        self._at = 0

    def until(self, mark: bytes) -> bytes | None:
        """The bytes before the next mark, which is skipped; None if there is none within the length of the longest
        word.
        """
        while (place := self._held.find(mark, self._at, self._at + _LONGEST_WORD)) < 0:
            if len(self._held) - self._at >= _LONGEST_WORD or not self._more():
                return None
        found = self._held[self._at : place]
        self._at = place + 1
        return found

    def exactly(self, size: int) -> bytes | None:
        """The next ``size`` bytes, or None if there are fewer."""
        while len(self._held) - self._at < size:
            if not self._more():
                return None
        found = self._held[self._at : self._at + size]
        self._at += size
        return found

    def _more(self) -> bool:
        data = self._stream.read(1 << 20)
        self._held = self._held[self._at :] + data
        self._at = 0
        return bool(data)


def _sniff(source: Source) -> Shape:
    """The form of a file by its first line: two counts, or a word with its numbers."""
    with source.open(binary=True) as stream:
        head = stream.read(1 << 17)
    _refuse(source, head)
    first, _, rest = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    try:
        fields = _fields(first.decode().rstrip("\r"))
    except UnicodeDecodeError:
        raise FormatError(source.label, f"is none of {_KINDS}", hint=_HINT) from None
    if len(fields) == 2 and all(field.isascii() and field.isdigit() for field in fields):
        return _headed(source, int(fields[0][:20]), int(fields[1][:20]), rest)
    dim = len(fields) - 1
    if dim < 2 or not all(map(_is_number, fields[1:])):
        problem = f"is none of {_KINDS}: its first line is neither a word with numbers nor two counts"
        raise FormatError(source.label, problem, line=1, hint=_HINT)
    if dim > _MOST_NUMBERS:
        raise FormatError(source.label, f"vectors of {dim:,} numbers, more than {_MOST_NUMBERS:,}", line=1, hint=_HINT)
    return Shape(dim, None, binary=False)


def _headed(source: Source, words: int, dim: int, rest: bytes) -> Shape:
    line = rest.partition(b"\n")[0]
    binary = not _is_text(line, dim)
    least = words * (4 * dim + 2 if binary else 2 * dim + 1)
    if not words or not dim or dim > _MOST_NUMBERS:
        problem = f"its first line says {words:,} words of {dim:,} numbers each (1 to {_MOST_NUMBERS:,} can be)"
        raise FormatError(source.label, problem, line=1, hint=_HINT)
    if source.packed.compression == "plain" and least > source.size + words:
        problem = (
            f"its first line says {words:,} words of {dim:,} numbers each, which {source.size:,} bytes cannot hold"
        )
        raise FormatError(source.label, problem, line=1, hint=_HINT)
    return Shape(dim, words, binary)


def _is_text(line: bytes, dim: int) -> bool:
    """Whether the line after the counts is a word with that many numbers, or at least only text."""
    try:
        text = line.decode().rstrip("\r")
    except UnicodeDecodeError:
        return False
    fields = _fields(text)
    if len(fields) > dim and all(map(_is_number, fields[-dim:])):
        return True  # whatever the word is made of
    return text.isprintable() and (len(fields) > dim or (len(fields) > 1 and all(map(_is_number, fields[1:]))))


def _refuse(source: Source, head: bytes) -> None:
    if head.startswith(_FASTTEXT):
        hint = "Give the .vec file that comes with it, or write one: fasttext dump model.bin dict; see fasttext.cc"
        raise FormatError(source.label, "is fastText's own binary form, which no other program reads", hint=hint)
    if head.startswith(_PICKLES):
        hint = "Where you trust it, save it as word2vec text: `vectors.save_word2vec_format(file)` of gensim"
        raise FormatError(
            source.label, "is a pickle, which can run code when opened and is never opened here", hint=hint
        )


def _fields(line: str) -> list[str]:
    # Only blanks and tabs separate fields: words may contain other kinds of space.
    return [field for field in line.replace("\t", " ").split(" ") if field]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
