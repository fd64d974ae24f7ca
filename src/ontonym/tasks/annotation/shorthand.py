"""Clinical shorthand in running text: "HTN" and "SOB", which no name spells and no text defines, by the lexicon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from ontonym.arrays import Mask
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.memo import Memo, MemoOfMany
from ontonym.tasks.annotation.overlaps import IN_OTHER_WORDS, Span, free_pieces
from ontonym.tasks.annotation.senses import Senses
from ontonym.tasks.annotation.writtenforms import (
    SHORTHAND,
    explained,
    is_disease,
    is_measured,
    is_noun,
    is_shouted,
    small_forms,
    tells_how,
)
from ontonym.tasks.search import Experiment, SearchOptions, whole_rankings
from ontonym.text.bodyparts import names_a_part
from ontonym.text.doses import is_given, says_how_taken
from ontonym.text.english import is_english
from ontonym.text.findings import DAMAGE, names_finding
from ontonym.text.kinds import kind_of
from ontonym.text.lexicon import UNITS, Meaning
from ontonym.text.normalization import tokens
from ontonym.text.notes.headings import INNER_FIRST_WORDS
from ontonym.text.phraseborders import ends_phrase_at
from ontonym.text.pieces import Piece
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordlists import ALSO_WORDS, COMMON, EDGES, GENERIC
from ontonym.text.wordroots import root

SHARE, LEAST_CONFIDENCE = 0.5, 0.5
"""A form must mean the concept found more often than this, of all that it means by the lexicon, and a search must be so
sure of it."""

NEAR = 0.92
"""The least cosine of what is meant to a name of the concept: "electromyography" is no abnormal one."""

SURE = 0.9
"""The least confidence at which a meaning that is no name means another concept than the finding that it ends with."""

_PLURAL, _NUMERAL = re.compile(r"([A-Z][A-Z0-9]+)s"), re.compile(r"[IVX]+")  # "UTIs", "VI"
_OF_NUMBER, _HEADS = re.compile(r"\d-\Z"), re.compile(r"\s?:")  # what stands before the HT of "5-HT", behind "ENT:"
_SHORTEST, _LONG, _LONGEST = 2, 3, 6
"""Letters of a form in small letters, and of one that counts before a colon and where a text explains others."""
_MOST_WORDS, _LONG_WORD = 3, 5
"""Words of the longest form, and letters of the shortest single word that is read as a phrase ("tachy")."""
_FEWEST = 2
"""The fewest mentions that tell which meaning a form has beside them."""
_NO_FINDINGS = frozenset({"chemical", "procedure"})
"""Kinds that a form means only where its concept is of the same kind."""
_OF_FINDINGS = frozenset({"finding", "other"})
_DEVICES = frozenset("catheter drain line pacemaker port pump shunt stent tube valve ventilator".split())
_DENYING = frozenset("estimated no normal not than without".split())
"""Words of meanings that are no finding: *estimated blood loss*."""
_LINKS = _DENYING | frozenset("and associated by for from in of on or out to up with".split())
"""Words within a meaning, of which what stands last is then not the head."""
_VAGUE = (
    DAMAGE | GENERIC | frozenset("bleeding cancer carcinoma hemorrhage infection neoplasm pain tumor wound".split())
)
"""Findings that say nothing without what they are of: "pv bleeding"."""
_OFTEN_ENOUGH, _MOST_MEANT = 0.1, 3
"""The share of the most seldom meaning with which a form stands in a reading, and the most such readings."""
_MOST_KNOWN, _MOST_RANKED = 1 << 15, 1 << 8


class ShorthandFinder:
    """Finds the forms of the lexicon of an index that mean a concept which ``search`` may find, one of the ``sought``.

    A form has two capitals or more, or is in small letters and no common word where the text is written in shorthand.
    In a line that is all in capitals it cannot be told from a word, unless all behind the line's heading are forms or
    names ("PMH: HTN, T2DM, COPD"). It counts if the concept found for it is most of what it means by the lexicon. It
    does not count where the text has it in parentheses, which is how a text explains its own abbreviations, nor before
    a number that measures it ("HR 112"). One of two letters counts neither in a text that explains some, nor before a
    colon, where it is a heading ("ID: 34 years old").
    """

    def __init__(self, index: Index, search: SearchOptions, sought: Mask | None = None) -> None:
        self._index = index
        self._sought = sought
        self._search = Experiment.of(search, k=1, least=0.0, calibrated=False, verbatim=False)
        self._likeliest = MemoOfMany(self._ranked, _MOST_RANKED)
        self._found = Memo(self._lookup, _MOST_KNOWN)
        self._kinds = Memo(self._lookup_kind, _MOST_KNOWN)
        self._kind = Memo(self._kind_of_finding, _MOST_KNOWN)
        self._meant = Memo(self._may_mean, _MOST_KNOWN)
        self._is_small_form = Memo(self._may_be_form, _MOST_KNOWN)
        self._is_adjective = Memo(self._means_adjective, _MOST_KNOWN)
        self._senses = Senses(index)
        self._phrase = Memo(self._named_by, _MOST_KNOWN)

    def find(self, text: str, row: Sequence[Piece], chosen: Sequence[Span], other: Collection[str]) -> Iterator[Span]:
        """The forms of a text outside the mentions that were ``chosen``, but for those that have ``other`` meanings.

        ``row`` are the pieces of the text. Of several meanings the likeliest beside these mentions counts.
        """
        taken = [(span.start, span.end) for span in chosen]
        forms = list(self._forms(text, row, free_pieces(row, taken).tolist(), other))
        self._likeliest.of([form for _, form in forms if form not in self._found and self._has_meaning(form)])
        clear = [(row[place].start, row[place].end) for place, form in forms if self._found[form][0]]
        starts = frozenset(start for start, _ in (*taken, *clear))
        ends = frozenset(end for _, end in (*taken, *clear))
        diseases = {written for place, written in forms if is_disease(text, row, place)}
        nouns = diseases | {written for place, written in forms if is_noun(text, row, place, starts, ends)}
        meant = self._meant_beside([span.lookup for span in chosen], {written for _, written in forms}, nouns, diseases)
        explains = bool(other) or next(explained(text), None) is not None
        for place, written in forms:
            lookup, sure = self._found[written]
            if written.islower() and (self._is_adjective[written] or _is_before(text, row[place].end, taken)):
                continue
            if written in meant:
                lookup, sure = meant[written] if ends_phrase_at(text, row, place) else ("", 0.0)
            elif not (lookup or explains or is_given(text, row[place].end)):
                lookup, sure = self._kinds[written]
            start, end = row[place].start, row[place].end
            is_part = lookup != written and text[start - 1 : start] == "-"  # the CoA of acyl-CoA
            if lookup and not (is_part or is_measured(text, end) or says_how_taken(text, start, end)):
                yield Span(start, end, lookup, LEAST_CONFIDENCE, sure=sure)

    def _meant_beside(
        self, mentions: Sequence[str], forms: Collection[str], nouns: Collection[str], diseases: Collection[str]
    ) -> dict[str, tuple[str, float]]:
        """What forms with several meanings mean beside mentions, the ``nouns`` among them no adjective, and the
        ``diseases`` only what is wrong: what to look up, and how sure it is."""
        asked = [form for form in forms if self._senses.is_open(form)]
        clear = [self._found[form][0] for form in forms if form not in asked]
        beside = sorted({" ".join(words.lower().split()) for words in (*mentions, *clear)} - {""})
        asked = [form for form in asked if form in nouns] if len(beside) < _FEWEST else asked
        if not asked:
            return {}
        vectors, found = self._senses.encoded(beside), dict[str, tuple[str, float]]()
        for form in asked:
            sense, chance = self._senses.meant(form, vectors, is_noun=form in nouns, is_disease=form in diseases)
            if chance > SHARE and (sense != self._senses.first(form) or not self._found[form][0]):
                found[form] = (sense.name, chance) if sense.name else (self._kind[sense.text], chance * IN_OTHER_WORDS)
        return found

    def means_other(self, written: str, concepts: Collection[int]) -> bool:
        """Whether a form that names some concepts is more often an acronym of other words by the lexicon.

        It is not where one of them has it as its preferred term, or as a term that was added to the index.
        """
        meanings = self._index.signals.lexicon.meanings(written)
        if not meanings or any(self._is_called(one, written) for one in concepts):
            return False
        names = [set(map(root, name)) for one in concepts for name in self._index.signals.names_of(one)]
        agreed = other = 0.0
        for one in meanings:
            words = tokens(one.text)
            if any(_agree(words, name) for name in names):
                agreed += one.share
            elif len(words) > 1:
                other += one.share
        return other > agreed

    def long_forms(self, text: str, row: Sequence[Piece], other: Collection[str]) -> dict[int, tuple[str, ...]]:
        """By the place of a form in a text what it may mean in words that names have, the most frequent first.

        A form in small letters, as in "breast ca", is in the lexicon and no English word.
        """
        places = dict(self._forms(text, row, [True] * len(row), other))
        for place, piece in enumerate(row):
            written = piece.written(text)
            written = written.lower() if written.istitle() else written  # "Abd distended"
            if written not in other and self._is_small_form[written]:
                places.setdefault(place, written)
        return {
            place: meant
            for place, written in places.items()
            if (meant := self._meant[written]) and not says_how_taken(text, row[place].start, row[place].end)
        }

    def phrases(self, text: str, row: Sequence[Piece]) -> dict[tuple[int, int], str]:
        """The forms of several words ("abd pain", "black stools"), and of one that is cut off ("tachy"), in a text, by
        their first and last piece, with what they mean, if that is a name; the longest of those that begin in a place.
        """
        found: dict[tuple[int, int], str] = {}
        place = 0
        while place < len(row):
            begins = self._index.signals.lexicon.begins(row[place].written(text))
            last = min(place + _MOST_WORDS, len(row)) - 1 if begins else place
            while last >= place and not (meaning := self._meaning_at(text, row, place, last)):
                last -= 1
            if last >= place:
                found[place, last] = meaning
            place = max(last, place) + 1
        return found

    def _meaning_at(self, text: str, row: Sequence[Piece], first: int, last: int) -> str:
        """What the pieces ``first`` to ``last`` mean as a form; empty where they are none."""
        if not all(piece.continues for piece in row[first + 1 : last + 1]):
            return ""
        written = " ".join(text[row[first].start : row[last].end].split())
        if first == last and not (len(written) >= _LONG_WORD and self._is_small_form[written]):
            return ""
        return self._phrase[written.lower().replace("+", "&") if first < last else written]

    def _named_by(self, form: str) -> str:
        """What a form mostly means, if that is a name and no name has the form itself; "D&V" where it is a name."""
        words, often = tokens(form), self._most_meant(form)
        if often is None or not words or not EDGES.isdisjoint((words[0], words[-1])):
            return ""
        meant = form if self._is_name(form) else often.text
        return meant if self._is_name(meant) and (meant != form or "&" in form) else ""

    def _forms(
        self, text: str, row: Sequence[Piece], free: Sequence[bool], other: Collection[str]
    ) -> Iterator[tuple[int, str]]:
        """The places of ``free`` pieces that are written as forms, and how."""
        own = set(explained(text))
        lists = self._lists(text, [piece for piece, is_free in zip(row, free, strict=True) if is_free and piece.flat])
        small = small_forms(text, row, self._is_small_form.__getitem__)
        for place, (piece, is_free) in enumerate(zip(row, free, strict=True)):
            written = _PLURAL.sub(r"\1", piece.written(text))
            if not is_free or written in other or written in own:
                continue
            in_capitals = SHORTHAND.fullmatch(written) and not (piece.flat and piece.start not in lists)
            if not in_capitals and not (place in small and self._is_small_form[written]):
                continue
            if (written in ALSO_WORDS and not ends_phrase_at(text, row, place)) or tells_how(text, row, place):
                continue
            if (
                is_shouted(text, row, place)
                or _NUMERAL.fullmatch(written)
                or _OF_NUMBER.search(text, max(piece.start - 3, 0), piece.start)
            ):
                continue
            if _HEADS.match(text, piece.end) and (len(written) < _LONG or written.lower() in INNER_FIRST_WORDS):
                continue  # the heading of a part of the body
            if len(written) >= _LONG or not (own or other):
                yield place, written

    def _may_be_form(self, written: str) -> bool:
        """Whether a word in small letters is in the lexicon, and no common word, unit or part of the body."""
        known = _SHORTEST <= len(written) <= _LONGEST and written in self._index.signals.lexicon
        if not known or not (written.islower() and written.isalnum()) or written in COMMON or written in UNITS:
            return False
        return not (names_a_part((written,)) or (len(written) == _LONGEST and is_english(written)))

    def _means_adjective(self, written: str) -> bool:
        """Whether a form mostly means one word that qualifies others: "irreg" is no finding by itself."""
        often = self._most_meant(written)
        return often is not None and " " not in often.text and is_adjective(often.text)

    def _may_mean(self, written: str) -> tuple[str, ...]:
        """What a form means often enough, where names have all words of it."""
        signals = self._index.signals
        often = [one.text for one in signals.lexicon.meanings(written) if one.share >= _OFTEN_ENOUGH]
        return tuple(text for text in often if all(signals.is_known(tokens(text))))[:_MOST_MEANT]

    def _lists(self, text: str, shouted: Sequence[Piece]) -> set[int]:
        """Where pieces begin in lines of capitals with only forms behind a heading; ``shouted`` are in capitals."""
        found: set[int] = set()
        for start, line in groupby(shouted, key=lambda piece: text.rfind("\n", 0, piece.start) + 1):
            pieces = list(line)
            colon = text.find(":", start, pieces[-1].end)
            behind = [piece for piece in pieces if piece.start > colon]
            if colon >= 0 and all(self._is_form(piece.written(text)) for piece in behind):
                found.update(piece.start for piece in behind)
        return found

    def _is_form(self, written: str) -> bool:
        return bool(SHORTHAND.fullmatch(written)) and self._has_meaning(written)

    def _has_meaning(self, written: str) -> bool:
        return bool(self._index.signals.lexicon.meanings(written))

    def _lookup(self, written: str) -> tuple[str, float]:
        """What to look up for a form, and how sure it means that: itself, else what it means most often where that is a
        name; empty where it means no concept."""
        if self._means_a_concept(written):
            return written, 1.0
        often = self._most_meant(written)
        is_name = often is not None and self._is_name(often.text) and self._is_spelled(often.text)
        return (often.text, often.share) if often is not None and is_name else ("", 0.0)

    def _lookup_kind(self, written: str) -> tuple[str, float]:
        """What to look up for a form that means no name, by the finding that its long form ends with, and how sure."""
        often = self._most_meant(written)
        if often is None or self._is_name(often.text):
            return "", 0.0
        is_meant = often.share == 1 and self._is_nearly_named(often.text)
        return often.text if is_meant else self._kind[often.text], often.share * IN_OTHER_WORDS

    def _most_meant(self, written: str) -> Meaning | None:
        """What a form means more often than all else together, by the lexicon; None if there is no such meaning."""
        often = next(iter(self._index.signals.lexicon.meanings(written)), None)
        return often if often is not None and often.share > SHARE else None

    def _is_name(self, words: str) -> bool:
        """Whether some concept has these words as a name, one that may be found or not."""
        return self._index.signals.is_name(tokens(words))

    def _is_spelled(self, words: str) -> bool:
        """Whether words are a name of a concept that may be found."""
        return (best := self.best(words)) is not None and best.is_spelled

    def _ranked(self, texts: Sequence[str]) -> Iterator[Choice | None]:
        """The best candidate for each of some texts, one that may be found or not; None where there is none."""
        queries = list(map(self._index.signals.query, texts))
        return (next(iter(choices), None) for choices in whole_rankings(self._index, queries, self._search, 1))

    def best(self, text: str) -> Choice | None:
        """The best candidate for a text; None where there is none, or it may not be found."""
        (best,) = self._likeliest.of([text])
        return best if best is not None and self._is_sought(best.concept) else None

    def _is_sought(self, concept: int) -> bool:
        return self._sought is None or bool(self._sought[concept])

    def _kind_of_finding(self, meaning: str) -> str:
        """What to look up for a meaning that is of a finding and no name: itself, where the search is sure or finds a
        kind of the finding that it ends with, else this, *heart failure* for "acute decompensated heart failure"; empty
        for other meanings."""
        words = tokens(meaning)
        if kind_of(words) not in _OF_FINDINGS or not _LINKS.isdisjoint(words):
            return ""
        (best,) = self._likeliest.of([meaning])
        if best is not None and best.confidence >= SURE and names_finding(words):
            return meaning
        ends = (words[place:] for place in range(1, len(words)))
        head = next((one for one in ends if names_finding(one) and self._is_spelled(" ".join(one))), [])
        is_vague = len(head) == 1 and head[0] in _VAGUE
        if head and best is not None and self._is_kind_of(best, head, strictly=is_vague):
            return meaning
        return "" if is_vague else " ".join(head)

    def _is_nearly_named(self, meaning: str) -> bool:
        """Whether the search is sure of the finding that a meaning is, or finds a kind of it by a name that ends with
        all its words: *Classical phenylketonuria* for "phenylketonuria"."""
        words, best = tokens(meaning), self.best(meaning)
        if best is None or not names_finding(words) or not _DENYING.isdisjoint(words):
            return False
        name = tokens(self._index.term(int(best.read.evidence.best[best.place])).text)
        is_kind = name[-len(words) :] == words and _LINKS.isdisjoint(name) and not best.read.query.changes
        return best.confidence >= (LEAST_CONFIDENCE if is_kind else SURE)

    def _is_kind_of(self, choice: Choice, name: Sequence[str], *, strictly: bool) -> bool:
        """Whether a choice that is likelier right than not is below a concept of a name, or unless ``strictly`` one."""
        if choice.confidence < LEAST_CONFIDENCE:
            return False
        above = self._index.above(choice.concept) | (set() if strictly else {choice.concept})
        return not above.isdisjoint(self._index.signals.concepts_named(name).tolist())

    def _means_a_concept(self, written: str) -> bool:
        signals = self._index.signals
        meanings = signals.lexicon.meanings(written)
        if not meanings:
            return False
        best = self.best(written)
        if best is None or best.confidence < LEAST_CONFIDENCE:
            return False
        evidence, found = best.read.evidence, best.concept
        kind = kind_of(tokens(meanings[0].text))
        if kind in _NO_FINDINGS and kind_of(tokens(self._index.preferred(found))) != kind:
            return False  # a drug is no long term use of it
        if not _DEVICES.isdisjoint(tokens(meanings[0].text)[-1:]):
            return self._names(meanings[0].text, found)  # a line is not its infection
        if not best.is_spelled:
            name = tokens(self._index.term(int(evidence.best[best.place])).text)
            if evidence.column("dense")[best.place] < NEAR or kind_of(name) != kind_of(tokens(meanings[0].text)):
                return False
        first = {read.query.text: read.first for _, read in best.readings}
        is_meant = bool(best.read.query.changes)  # and is no name itself
        others = [one.text for one in meanings if is_meant and one.text not in first]  # left out beside names
        ranked = whole_rankings(self._index, list(map(signals.query, others)), self._search, 1)
        likely = (some[0] if some and some[0].confidence >= LEAST_CONFIDENCE else None for some in ranked)
        first.update((text, choice.concept) for text, choice in zip(others, likely, strict=True) if choice)
        return (
            sum(one.share for one in meanings if found == first.get(one.text) or self._names(one.text, found)) > SHARE
        )

    def _is_called(self, concept: int, written: str) -> bool:
        """Whether a form is the preferred term of a concept, or a term added to it."""
        added, words = self._index.signals.added, tokens(written)
        if added is not None and concept in added.part.names.concepts[added.part.names.spelled(words)]:
            return True
        return tokens(self._index.preferred(concept)) == words

    def _names(self, meaning: str, concept: int) -> bool:
        return concept in self._index.signals.concepts_named(tokens(meaning))


def _is_before(text: str, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    """Whether a form that ends at a place only says which the vague finding after it is: the *pv* of "pv bleeding"."""
    found = (text[start:stop].lower() for start, stop in taken if start == end + 1)
    return text.startswith(" ", end) and any(word in _VAGUE for word in found)


def _agree(meaning: Sequence[str], name: Collection[str]) -> bool:
    """Whether a name has half of the words of a meaning, or more, by their roots."""
    return 2 * sum(root(word) in name for word in meaning) >= len(meaning)
