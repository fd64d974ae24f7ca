"""The names of SNOMED CT concepts: which is preferred in which dialect, in which language each is, and its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Column, Mask, begins, places_in
from ontonym.errors import InputError
from ontonym.ontology.options import OTHER_LANGUAGE
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.rf2.components import Loader, Rf2Rows, codes_of
from ontonym.ontology.rf2.ids import DIALECTS, FSN, PREFERRED, SYNONYM, TEXT_DEFINITION
from ontonym.text.strings import Strings, gathered

TAG = re.compile(r"\(([^()]+)\)\s*$")
KIND_NAMES = ("preferred", "fsn", "synonym")
DEFINITION = len(KIND_NAMES)
"""What ``SnomedNames.kind`` is for a text definition, which is not a name."""
NO_CONCEPT = "description of a concept that is not in the release"
_LAST = 1 << 20
_ASKED = 1000
"""How many members decide the language of a reference set."""


@dataclass(frozen=True, slots=True)
class SnomedNames:
    """All names, those of a concept together, best first.

    ``owner`` is the concept's place; ``kind`` a place in `KIND_NAMES`; ``language`` a place in ``languages``. Names in
    a language that is not ``wanted`` become no terms: tags and relations are called by them where there are no others.
    """

    owner: Column
    text: Strings
    kind: Column
    retired: Mask
    language: Column
    languages: tuple[str, ...]
    wanted: Mask

    def first_of(self, count: int) -> Column:
        """The row of the first name of each of ``count`` concepts, or -1."""
        return places_in(self.owner, np.arange(count))


def names_of(concepts: Column, descriptions: Rf2Rows, members: Rf2Rows, loader: Loader, log: ReleaseLog) -> SnomedNames:
    """The names of the concepts, whose ids are given ascending; ``members`` are rows of language reference sets.

    The preferred term is the synonym that the first of the dialects prefers that prefers any; one of each language may
    be preferred. A synonym that only one of several dialects of its language has is in that dialect (``en-GB``).
    """
    place = places_in(concepts, descriptions["conceptId"])
    known = place >= 0
    place = place[known]
    descriptions = loader.drop(descriptions, ~known, NO_CONCEPT)
    codes, languages = codes_of(descriptions.texts["languageCode"])
    dialects = _dialects(_spoken(members, descriptions, codes, languages), log)
    rank, tag, tags = _acceptability(descriptions, members, dialects, codes, languages)
    kind = np.where(descriptions["typeId"] == FSN, 1, 2)
    kind[descriptions["typeId"] == TEXT_DEFINITION] = DEFINITION
    candidate = (descriptions["typeId"] == SYNONYM) & descriptions["active"] & (rank < _LAST)
    kind[_best(place, codes, rank, candidate)] = 0
    retired = ~descriptions["active"]
    taken = _wanted(tag, tags, log)
    order = np.lexsort((-descriptions["time"], rank, kind, ~taken, kind == DEFINITION, retired, place))
    text = descriptions.texts["term"].take(order)
    return SnomedNames(place[order], text, kind[order], retired[order], tag[order], tags, taken[order])


def _spoken(members: Rf2Rows, descriptions: Rf2Rows, codes: Column, languages: Sequence[str]) -> dict[int, str]:
    """The language reference sets, each with its dialect, or with the language of most of the names it is about."""
    known = {refset: tag for tag, refset in DIALECTS.items()}
    found: dict[int, str] = {}
    order = np.argsort(descriptions["id"], kind="stable")
    ids = descriptions["id"][order]
    for refset in np.unique(members["refsetId"]).tolist():
        tag = known.get(refset, "")
        if not tag and len(ids):
            some = members["referencedComponentId"][members["refsetId"] == refset][:_ASKED]
            place = places_in(ids, some)
            counts = np.bincount(codes[order[place[place >= 0]]], minlength=len(languages))
            tag = languages[int(counts.argmax())] if counts.any() else ""
        found[refset] = tag
    return found


def _dialects(spoken: dict[int, str], log: ReleaseLog) -> dict[int, str]:
    """The language reference sets of the release, best first, with the language tag of each."""
    asked: list[int] = []
    for dialect in log.options.dialects:
        fitting = [r for r, tag in spoken.items() if str(r) == dialect or tag.casefold() == dialect.casefold()]
        if not fitting:
            known = ", ".join(f"{tag} ({refset})" if tag else str(refset) for refset, tag in spoken.items())
            raise InputError(f"the release has no language reference set for {dialect!r}; it has: {known or 'none'}")
        asked += fitting
    usual = [refset for refset in DIALECTS.values() if refset in spoken]
    order = list(dict.fromkeys([*asked, *usual, *spoken]))
    log.details["language_refsets"] = {str(refset): spoken[refset] for refset in order}
    return {refset: spoken[refset] for refset in order}


def _acceptability(
    descriptions: Rf2Rows, members: Rf2Rows, dialects: dict[int, str], codes: Column, languages: Sequence[str]
) -> tuple[Column, Column, tuple[str, ...]]:
    """Of each description the first dialect that prefers it (a high number: none), its language; and the languages."""
    size = len(descriptions)
    rank = np.full(size, _LAST, dtype=np.int64)
    order = np.argsort(descriptions["id"], kind="stable")
    ids = descriptions["id"][order]
    tags = list(languages)
    tag = codes.copy()
    in_dialects = np.zeros(size, dtype=np.uint8)
    alone = np.full(size, -1, dtype=np.int64)
    spoken = [name.partition("-")[0] for name in dialects.values()]
    for number, (refset, name) in enumerate(dialects.items()):
        rows = members.only(members["active"] & (members["refsetId"] == refset))
        if not len(rows) or not size:
            continue
        found = places_in(ids, rows["referencedComponentId"])
        hit = found >= 0
        place = order[found[hit]]
        better = place[(rows["acceptabilityId"][hit] == PREFERRED)]
        rank[better] = np.minimum(rank[better], number)
        language = name.partition("-")[0]
        if "-" in name and spoken.count(language) > 1 and language in languages:
            same = place[codes[place] == languages.index(language)]
            in_dialects[same] += 1
            alone[same] = number
    for number, name in enumerate(dialects.values()):
        only_here = (in_dialects == 1) & (alone == number)
        if only_here.any():
            tag[only_here] = len(tags)
            tags.append(name)
    return rank, tag, tuple(tags)


def _best(place: Column, codes: Column, rank: Column, candidate: Mask) -> Column:
    """The row of the best candidate of each concept in each language."""
    rows = np.flatnonzero(candidate)
    order = rows[np.lexsort((rank[rows], codes[rows], place[rows]))]
    return order[begins(place[order], codes[order])]


def _wanted(tag: Column, tags: Sequence[str], log: ReleaseLog) -> Mask:
    """Which names are in a language that is wanted; ``tag`` are places in ``tags``."""
    spoken = np.array([log.options.takes_language(name) for name in tags], dtype=np.bool_)
    taken: Mask = spoken[tag]
    log.counts.skip_term(OTHER_LANGUAGE, int(np.count_nonzero(~taken)))
    return taken


def semantic_tags(names: SnomedNames, count: int) -> tuple[Column, tuple[str, ...]]:
    """The semantic tag of each of ``count`` concepts from its fully specified name, as places in the names given."""
    fsn = np.flatnonzero(names.kind == 1)
    owners, first = np.unique(names.owner[fsn], return_index=True)
    texts = names.text.take(fsn[first])
    begins, ends = texts.last(ord("(")), texts.last(ord(")"))
    tagged = (begins >= 0) & (ends == texts.offsets[1:] - 1) & (ends > begins + 1)
    codes, table = codes_of(gathered(texts.data, begins[tagged] + 1, (ends - begins - 1)[tagged]))
    found = np.full(count, -1, dtype=np.int64)
    found[owners[tagged]] = codes
    return found, table
