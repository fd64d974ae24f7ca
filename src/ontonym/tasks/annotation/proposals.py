"""Proposes mentions that no name spells: words of a clause that have the roots of a name, in any order, with small
words, modifiers or another member of an enumeration between them.

"His fingers were short and broad" has the roots of *short finger* and of *broad finger*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, groupby, pairwise

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask
from ontonym.index import Index
from ontonym.index.part import IndexPart
from ontonym.index.rootforms import RootForms, root_hash
from ontonym.index.scan import NameSource
from ontonym.memo import Memo
from ontonym.tasks.annotation.gaps import STATES, WORD, Gaps, list_goes_on
from ontonym.tasks.annotation.textreadings import ReadWords, TextReading
from ontonym.text.amounts import MEASURED
from ontonym.text.bodyparts import names_a_part
from ontonym.text.findings import ends_as_finding, has_abnormal_word
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import tokens
from ontonym.text.phraseborders import belongs_after, ends_phrase, says_other
from ontonym.text.pieces import Piece
from ontonym.text.rewordings import is_part_adjective
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordlists import COMMON, ELSEWHERE, FILLERS, GENERIC, MODIFIERS, SMALL
from ontonym.text.wordroots import stem
from ontonym.types import KINDS
from ontonym.wanted import check_wanted

_WIDEST, _MOST_SKIPPED = 7, 3
"""Telling words of the longest stretch in which some are passed over, and the most of those."""
_LONGEST = 9
"""Telling words of the longest name that is looked for."""
_FARTHEST = 14
"""Words, telling or not, between the first and the last of a proposal."""
_BLOCK = 1 << 12  # words from which proposals begin that are looked up together
_MOST_KNOWN = 1 << 16
_ALTERNATIVE = re.compile(rf"(?:,{WORD}{{1,2}}){{1,2}}\s*")
"""What stands between an adjective and its noun where another adjective does: "short[, broad ]thumbs"."""
_BEGINS = frozenset("with had has have having and includes included including showed a an".split())
"""Words after which a phrase begins."""
_OF = re.compile(r"\b(?:of|in|on|at|to|for)\b", re.IGNORECASE)
_WITH = re.compile(r"\s+with\s+(?:(?:the|his|her|their)\s+)?", re.IGNORECASE)
_LINKS = frozenset("to by with for".split())
"""Words that a name may have itself, though they state something elsewhere."""
_HARD = frozenset("delay difficulty problem trouble".split())
"""What one has *with* a thing: "difficulties with speech" state nothing of them."""
_ADJECTIVES = ("al", "ar", "ic", "ary", "ory", "ed", "ous", "ive")
"""Endings of words that qualify what follows them."""
_OF_FINDINGS = ("ic", "ous", "ac", "ive", "opy", "ese", "ia", "ism")
"""Endings of single words that may be a finding by their root: "dysmorphic", "obese", "myopia"."""
_FORMS = frozenset("anatomy appearance configuration contour form morphology shape size structure".split())
"""What may follow the part that has something wrong, and says no more: "abnormal brain morphology"."""
_REGIONS = frozenset("area aspect level part portion region side zone".split())
"""Words that say nothing more of a part of the body than the adjective before them: "in the thoracic region"."""
_NO_FINDINGS = frozenset({"anatomy", "chemical", "procedure", "process"})
_EQUAL, _DERIVED, _GROUPED = 1.0, 0.9, 0.7
"""How near a word is to one of a name: the same, another form of it, or of the same meaning (`wordroots.SAME`)."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of a text that may mean the name ``row``.

    ``pieces`` are the places of the pieces that have the name's roots, ascending. ``closeness``, in (0, 1], is the mean
    over the words: 1 as in the name, less for another form of the word or another word. ``skipped`` counts the words
    in between that the name does not have and that no enumeration explains; ``joined`` says that an enumeration does.
    ``stated`` says that a verb or the like lies between, as in "ears were low-set".
    """

    pieces: tuple[int, ...]
    row: int
    closeness: float
    skipped: int = 0
    joined: bool = False
    stated: bool = False

    @property
    def rank(self) -> tuple[float, ...]:
        """Higher is better among proposals that use the same words."""
        return (len(self.pieces) - 0.6 * self.skipped - 20 * self.joined, self.closeness)


class Proposer:
    """Proposes mentions of the names of an index within a source, only of concepts that are ``allowed``."""

    def __init__(self, index: Index, source: NameSource, allowed: Mask | None) -> None:
        self._index = index
        self._parts = [(first, _root_forms(index, part, allowed)) for first, part in index.signals.parts(source)]
        self._names = Memo[int, tuple[str, ...]](lambda row: tuple(index.signals.words_of(row)), _MOST_KNOWN)
        self._hashes = Memo(root_hash, _MOST_KNOWN)
        self._near = Memo(self._searched, _MOST_KNOWN)

    def propose(self, readings: Sequence[TextReading]) -> list[list[Proposal]]:
        """All proposals for each of some readings of texts, where it reads its text anew."""
        found: list[list[Proposal]] = [[] for _ in readings]
        words = ReadWords.of(readings, listed=False)
        hashes = np.fromiter(map(self._hashes.__getitem__, words.words), dtype=np.uint64, count=len(words.words))
        (content,) = np.nonzero((hashes != 0) & words.fresh)
        hits = (content[start + members] for start, members in self._hits(hashes[content], words.runs[content]))
        near = (places for places in hits if places[-1] - places[0] <= _FARTHEST)
        for number, those in groupby(near, lambda places: words.reading_of(int(places[0]))):
            reading, here = readings[number], slice(*words.starts[number : number + 2].tolist())
            own, owners = words.words[here], words.owners[here] - words.firsts[number]
            for places in those:
                check_wanted()
                proposal = self._proposal(reading.text, reading.row, own, owners, places - here.start)
                if proposal and not (len(proposal.pieces) == 1 and proposal.pieces[0] in reading.stand_ins):
                    found[number].append(proposal)
        return found

    def _hits(self, hashes: Hashes, runs: Ints) -> Iterator[tuple[int, Ints]]:
        """Starts and relative places of the words that have the form of a name."""
        count = len(hashes)
        if not count:
            return
        chosen, weights, last = _choices()
        padded = np.concatenate([hashes, np.zeros(_LONGEST, dtype=np.uint64)])
        inside = np.concatenate([runs, np.full(_LONGEST, -1)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, _LONGEST)[:count]
        for first in range(0, count, _BLOCK):  # a long text has a hundred forms for each of its words
            forms = windows[first : first + _BLOCK] @ weights
            ends = np.arange(first, first + len(forms))[:, None] + last[None, :]
            whole = inside[ends] == runs[first : first + _BLOCK, None]
            found = np.zeros(forms.shape, dtype=np.bool_)
            for _, table in self._parts:
                found[whole] |= table.has(forms[whole])
            for start, choice in np.argwhere(found).tolist():
                yield first + start, chosen[choice]

    def _proposal(
        self, text: str, row: Sequence[Piece], words: Sequence[str], owners: Ints, places: Ints
    ) -> Proposal | None:
        at: list[int] = places.tolist()
        used = [words[place] for place in at]
        if all(word in GENERIC or word in MODIFIERS for word in used):
            return None
        name, closeness = self.nearest(used)
        if name < 0:
            return None
        owned: list[int] = owners[places].tolist()
        if _splits(row, owned, used):
            return None
        before = words[at[0] - 1] if at[0] else ""
        if before == "non" or (len(at) == 1 and not self._stands_alone(text, row, owned[0], used[0], name, closeness)):
            return None
        between, named = Gaps(0), self._words(name)
        for (here, left), (there, right) in pairwise(zip(at, owned, strict=True)):
            gap = text[row[left].end : row[right].start]
            if gap.lower().strip() in _LINKS.intersection(named):
                continue  # the name has it too: "unable to walk" states nothing
            if words[here] in _HARD and _WITH.fullmatch(gap) and _ends_phrase(text, row, owned[-1]):
                continue
            if here == at[0] and _ALTERNATIVE.fullmatch(gap) and self._alternates(text, row, left, gap, used, name):
                between = replace(between, joined=True)
                continue
            if here == at[0] and there > here + 1 and self._also_qualifies(gap, words[here:there], used):
                between = replace(between, joined=True)
                continue
            telling = [word for word in words[here + 1 : there] if word not in FILLERS]
            between = between.and_then(
                gap, telling, words[here], listed="," in gap and list_goes_on(text, row[right].end)
            )
        if (
            between.broken
            or (_sorts(named) and "by" not in words[at[0] : at[-1]])
            or (between.joined and not self._shares(text, row, owned, used, name))
            or (owned[0] < owned[-1] and belongs_after(text, row, owned[-1]))
            or self._is_a_part(used, name)
            or self._is_part(text, row, owned, used, name, closeness)
        ):
            return None
        pieces = tuple(dict.fromkeys(owned))
        return Proposal(pieces, name, closeness, between.skipped, between.joined, between.stated)

    def _stands_alone(
        self, text: str, row: Sequence[Piece], place: int, word: str, name: int, closeness: float
    ) -> bool:
        """Whether a single word may be a mention by its root: the name may be of a finding, as *position* is not."""
        piece = row[place]
        written = piece.written(text)
        if written.isupper() or word in COMMON or not word.isalpha() or len(word) <= 5 or is_part_adjective(word):
            return False
        named = self._words(name)
        if closeness != _DERIVED or not (word.endswith(_OF_FINDINGS) or named == (_doing(word),)):
            return False
        return not says_other(text, row, place) and kind_of(named) not in _NO_FINDINGS

    def _is_a_part(self, used: Sequence[str], name: int) -> bool:
        """Whether the words name a part of the body, and only the concept says that something is wrong with it."""
        if not names_a_part(used):
            return False
        return has_abnormal_word(tokens(self._index.preferred(self._index.signals.concept_of(name))))

    def _shares(self, text: str, row: Sequence[Piece], owned: Sequence[int], used: Sequence[str], name: int) -> bool:
        """Whether members of an enumeration can share the words of a name: the last of them ends its phrase, and what
        the name is stands there, or before *of*. "Finger pads and hypoplastic nails" are no hypoplastic fingers."""
        last = owned[-1]
        if not _ends_phrase(text, row, last):
            return False
        head = self._head(name)
        if head not in used[:-1]:
            return True
        between = text[row[owned[used.index(head)]].end : row[last].start]
        if _OF.search(between):
            return True
        told = [word for word in tokens(between) if word not in SMALL]  # "philtrum short and deep" tells two of it
        return len(told) == 1 and "," not in between and self.nearest((*used[:-1], *told))[0] >= 0

    def _alternates(
        self, text: str, row: Sequence[Piece], first: int, gap: str, used: Sequence[str], name: int
    ) -> bool:
        """Whether the first word, which begins its phrase, and what follows its comma qualify the same noun."""
        before = row[first - 1].written(text).lower() if first else ""
        if row[first].goes_on and not row[first].comma and before not in _BEGINS:
            return False
        words = tokens(gap)
        if not ELSEWHERE.isdisjoint(words) or STATES.search(gap) or any(map(ends_as_finding, (used[0], *words))):
            return False
        if names_a_part(used[:1]):
            return False  # "breast, ovarian cancer" may be two phrases
        return root_hash(self._head(name)) == root_hash(used[-1])

    def _also_qualifies(self, gap: str, words: Sequence[str], used: Sequence[str]) -> bool:
        """Whether the first of some words says what is wrong with the thing that the others say another thing of: the
        *small* of "small low-set ears", where *low-set ears* is a name."""
        if not gap.strip(" -") or not set(gap).isdisjoint(",;.()/\n") or not has_abnormal_word(words[:1]):
            return False
        return self.nearest((*words[1:], *used[1:]))[1] == _EQUAL

    def _is_part(
        self, text: str, row: Sequence[Piece], owned: Sequence[int], used: Sequence[str], name: int, closeness: float
    ) -> bool:
        """Whether the words are part of a longer phrase, as in "narrowing of nasal passages", or the one that says what
        the name is only qualifies another word: "susceptibility gene"."""
        head, last, goes_on = self._head(name), used[-1], _goes_on(text, row, owned[-1])
        qualifies = goes_on and len(used) > 1 and closeness < _EQUAL and last.endswith(_ADJECTIVES)
        if qualifies and (last not in self._words(name) or root_hash(head) in map(root_hash, used[:-1])):
            return True
        if head not in used[:-1]:
            return self._is_cut(text, row, owned, used, head)
        if goes_on and _is_of_other(text, row, owned, used):
            return True
        place = used.index(head)
        if text[row[owned[place]].end : row[owned[place + 1]].start] not in {" ", "-"}:
            return False
        return goes_on or not has_abnormal_word(used[-1:])

    @staticmethod
    def _is_cut(text: str, row: Sequence[Piece], owned: Sequence[int], used: Sequence[str], head: str) -> bool:
        """Whether words say what is wrong with a part of the body that only qualifies the next word: the "abnormal
        brain" of "abnormal brain wave pattern", the "little eye" of "little eye contact"."""
        last = owned[-1]
        if (
            not _goes_on(text, row, last)
            or has_abnormal_word(used[-1:])
            or root_hash(head) not in map(root_hash, used[:-1])
        ):
            return False
        return _is_other_thing(text, row[last + 1])

    def nearest(self, used: Sequence[str]) -> tuple[int, float]:
        """The row of the name with the roots of these normalized words whose words are nearest, -1 where there is none,
        and how near they are, in [0, 1]."""
        return self._near[tuple(used)]

    def is_finding(self, row: int) -> bool:
        """Whether a name, or the preferred term of its concept, says that something is wrong."""
        name = self._words(row)
        if has_abnormal_word(name) or kind_of(name) == "finding":
            return True
        return kind_of(tokens(self._index.preferred(self._index.signals.concept_of(row)))) == "finding"

    def _searched(self, used: tuple[str, ...]) -> tuple[int, float]:
        form = np.uint64(sum(dict.fromkeys(map(root_hash, used))) & 0xFFFFFFFFFFFFFFFF)
        best, nearest = -1, 0.0
        for first, table in self._parts:
            for row in table.rows_of(form):
                name = first + row
                closeness = _closeness(used, self._words(name))
                if closeness > nearest:
                    best, nearest = name, closeness
        return best, nearest

    def _head(self, row: int) -> str:
        """The word of a name that says what it is: the last, or the one before *of* and the like or a comma."""
        words = tokens(self.text_of(row).partition(", ")[0])
        end = next((place for place, word in enumerate(words) if place and word in SMALL), len(words))
        return words[end - 1] if words else ""

    def _words(self, row: int) -> tuple[str, ...]:
        return self._names[row]

    def text_of(self, row: int) -> str:
        """The text of a name."""
        return self._index.term(row).text


def _root_forms(index: Index, part: IndexPart, allowed: Mask | None) -> RootForms:
    """The names of a part that a phrase may be a form of: everyday names say other things in other forms."""
    every = part.root_forms(frozenset(KINDS) - ({"lay"} if index.signals.is_everyday(part) else set()))
    return every if allowed is None else every.only(allowed[part.names.concepts])


def _closeness(used: Sequence[str], name: Sequence[str]) -> float:
    given, stems = set(name), {stem(word) for word in name}
    return sum(_EQUAL if word in given else _DERIVED if stem(word) in stems else _GROUPED for word in used) / len(used)


def _splits(row: Sequence[Piece], owned: Sequence[int], used: Sequence[str]) -> bool:
    """Whether only some words are used of what an abbreviation stands for: *cord injury* of SCIS, a study of it."""
    for place in dict.fromkeys(owned):
        piece = row[place]
        if len(piece.words) > 1 and sum(map(len, piece.words)) > piece.end - piece.start:
            mine = [word for owner, word in zip(owned, used, strict=True) if owner == place]
            if any(word not in mine for word in piece.words if word not in FILLERS and word not in MODIFIERS):
                return True
    return False


def _is_of_other(text: str, row: Sequence[Piece], owned: Sequence[int], used: Sequence[str]) -> bool:
    """Whether the last of some words only qualifies the next word, of which the others say something: the *visual* of
    "loss of visual fixation", which is no visual loss."""
    before = text[row[owned[-2]].end : row[owned[-1]].start]
    if not (_OF.search(before) and (is_part_adjective(used[-1]) or is_adjective(used[-1]))):
        return False
    after = row[owned[-1] + 1]
    return _REGIONS.isdisjoint(after.words) and _is_other_thing(text, after)


def _is_other_thing(text: str, after: Piece) -> bool:
    """Whether the word after some that say what is wrong with a part of the body names another thing: no part of it, no
    form or amount, and nothing that is wrong itself."""
    return not (
        ends_phrase(after.written(text).lower())
        or GENERIC.issuperset(after.words)
        or not (MEASURED | _FORMS).isdisjoint(after.words)
        or has_abnormal_word(after.words)
        or names_a_part(after.words)
    )


def _goes_on(text: str, row: Sequence[Piece], last: int) -> bool:
    """Whether a piece is followed by another word of the same phrase."""
    if last + 1 >= len(row) or not row[last + 1].goes_on:
        return False
    return text[row[last].end : row[last + 1].start] in {" ", "-"} and row[last + 1].words[0] not in FILLERS


def _ends_phrase(text: str, row: Sequence[Piece], last: int) -> bool:
    """Whether a piece is the last of its phrase."""
    return not _goes_on(text, row, last) or ends_phrase(row[last + 1].written(text).lower())


def _doing(word: str) -> str:
    """The noun in *ing* of a verb, or of the noun that is written like it: *wheezing* of "wheeze"."""
    return f"{word.removesuffix('e')}ing"


def _sorts(name: Sequence[str]) -> bool:
    """Whether a name says by what things are sorted or found: *Neoplasms by Site* is no "tumor site"."""
    return any(word == "by" and not before.endswith("ed") for before, word in pairwise(name))


@cache
def _choices() -> tuple[list[Ints], Hashes, Ints]:
    """Which words of a window are looked up together: their relative places, weights, and the last of them."""
    chosen = [np.arange(size) for size in range(1, _LONGEST + 1)]
    for width in range(3, _WIDEST + 1):
        for skipped in range(1, min(_MOST_SKIPPED, width - 2) + 1):
            for left in combinations(range(1, width - 1), skipped):
                chosen += [np.array([place for place in range(width) if place not in left])]
    weights = np.zeros((_LONGEST, len(chosen)), dtype=np.uint64)
    for column, places in enumerate(chosen):
        weights[places, column] = 1
    return chosen, weights, np.array([int(places[-1]) for places in chosen])
