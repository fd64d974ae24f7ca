"""Broader and narrower matches for concepts that have no match of their own.

A concept is below whatever the concepts above it are matched to; this inference is as certain as the match. A candidate
that lacks some words of the concept (kidney failure for acute kidney failure) is likely broader and often nearer; one
that has more words is likely narrower. Where the further words deny a concept, doubt it, or have it of a relative or of
the past (no fever, family history of scoliosis), it is only related.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Doubles
from ontonym.index.evidence import FEATURES
from ontonym.store.mappings.rows import EXACT
from ontonym.tasks.match.candidates import Candidates, is_not_stated
from ontonym.tasks.match.structure import Anchors, Hierarchies
from ontonym.text.composite import only_qualifies
from ontonym.text.normalization import normalize, tokens
from ontonym.text.unspecified import without_unspecified

BROAD, NARROW, RELATED = "skos:broadMatch", "skos:narrowMatch", "skos:relatedMatch"
CLOSE = "skos:closeMatch"

_ALL = 0.999
_SAME_BY_SCORE = 0.9
"""The score from which a candidate is taken to be the same, whatever words its name lacks."""
_DOUBTFUL = 0.5
_JOINING = frozenset("of in with without due to by from after during on at for associated caused secondary".split())
_BESIDE = re.compile(r"(?<=\w)\s*\+\s+(?=\w)")
"""What joins two things: "phaco + IOL" is not below what its last word says."""
_DENSE, _OF_QUERY, _OF_NAME = (FEATURES.index(name) for name in ("dense", "query_share", "name_share"))


@dataclass(frozen=True, slots=True)
class Related:
    """States that a source concept, a row, is narrower (``predicate`` broadMatch) or broader than a concept of the
    index.

    ``score`` is in [0, 1]: that of the match of the source concept ``above`` it, a row, or the dense similarity of
    names, which is no higher than the search's confidence where a slip was corrected. ``pair`` is the row of the
    candidate, or -1.
    """

    source: int
    target: int
    predicate: str
    score: float
    pair: int = -1
    above: int = -1


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches in effect, by source row and by concept number, and their scores by source row."""

    anchors: Anchors
    scores: Doubles


def related_match(
    row: int, pairs: range, found: Candidates, text: Callable[[int], tuple[str, str]], matches: Matches,
    ours: Hierarchies, theirs: Hierarchies,
) -> Related | None:  # fmt: skip
    """The broader match of a source concept, else a narrower one, or None; ``pairs`` are its candidates. Before both
    comes one that is the same but for a word such as *unspecified*.

    What the search doubts ("potassium" is no *low potassium*) is no narrower match by its words. A reading that is some
    candidate's name ("CEA", the antigen or carotid endarterectomy) is that concept or not meant: it has no match by its
    words. ``text`` gives the names of a candidate pair: the source's and the one it found.
    """
    above = _nearest_above(row, matches, ours)
    equal = {int(found.readings[at]) for at in pairs if found.equal[at] > 0} - {0}
    open_pairs = (at for at in pairs if int(found.readings[at]) not in equal)
    worded = [one for at in open_pairs if (one := _by_words(row, at, found, text)) is not None]
    if same := [one for one in worded if one.predicate == EXACT]:
        return max(same, key=lambda one: one.score)
    broad = [one for one in worded if one.predicate == BROAD]
    if above is not None:
        broad = [one for one in broad if theirs.is_below(np.asarray([one.target]), np.asarray([above.target]))[0]]
        return max([above, *broad], key=lambda one: one.pair >= 0)
    return max(broad or worded, key=lambda one: one.score, default=None)


def _nearest_above(row: int, matches: Matches, ours: Hierarchies) -> Related | None:
    """The best match among those of the nearest matched concepts above."""
    level = np.asarray([row])
    seen = {row}
    while len(level):
        parents, _ = ours.parents.of(level)
        level = np.asarray(sorted(set(parents.tolist()) - seen), dtype=np.int64)
        seen.update(level.tolist())
        matched = level[matches.anchors.targets[level] >= 0]
        if len(matched):
            best = int(matched[np.argmax(matches.scores[matched])])
            return Related(row, int(matches.anchors.targets[best]), BROAD, float(matches.scores[best]), above=best)
    return None


def worded_relation(at: int, found: Candidates, score: float, text: tuple[str, str]) -> str:
    """`BROAD` or `NARROW` where the name of a candidate has only some of the words of the source's name, or it is the
    other way round, and this is what they are by the words or by the ``score``; `RELATED` where the other words say
    that it is not there; else empty, also where they only say that more is not said ("asthma, unspecified").
    """
    predicate = _by_shares(at, found)
    if not predicate:
        return ""
    broad, narrow = _broad_first(text, predicate)
    if _leaves_unsaid(broad, narrow):
        return ""
    if is_not_stated(tokens(broad), narrow):
        return RELATED
    if score >= _SAME_BY_SCORE:
        return ""
    return predicate if score < _DOUBTFUL or _is_head(tokens(broad), narrow) else ""


def _by_words(row: int, at: int, found: Candidates, text: Callable[[int], tuple[str, str]]) -> Related | None:
    """The relation by words: the candidate's name is the head of the source's name, or the other way round; they are
    the same where the other words say nothing.
    """
    predicate = _by_shares(at, found)
    if not predicate or (predicate == NARROW and found.left[at] == 0):
        return None
    broad, narrow = _broad_first(text(at), predicate)
    words = tokens(broad)
    if _leaves_unsaid(broad, narrow):
        predicate = EXACT
    elif not _is_head(words, narrow) or is_not_stated(words, narrow) or _BESIDE.search(narrow):
        return None
    score = float(np.clip(found.features[at, _DENSE], 0, 1))
    if found.readings[at] < 0:  # a slip that was corrected
        score = min(score, float(found.highest[at]))
    return Related(row, int(found.targets[at]), predicate, score, pair=at)


def _by_shares(at: int, found: Candidates) -> str:
    """`NARROW` where the candidate's name has all words of the source's name and more, `BROAD` where it is the other
    way round; else empty.
    """
    has_query, is_in_query = (found.features[at, share] >= _ALL for share in (_OF_QUERY, _OF_NAME))
    if has_query == is_in_query:
        return ""
    return NARROW if has_query else BROAD


def _broad_first(text: tuple[str, str], predicate: str) -> tuple[str, str]:
    """The names of a pair, the source's and the one it found, with the broader one first."""
    return text if predicate == NARROW else text[::-1]


def _leaves_unsaid(broad: str, narrow: str) -> bool:
    """Whether what a name has more than another only says that more is not said: "asthma, unspecified"."""
    return normalize(without_unspecified(narrow)) == normalize(broad)


def _is_head(words: Sequence[str], name: str) -> bool:
    """Whether words are the head of a name: they end it, or begin it before a comma or a joining word.

    An epithelium of the pharynx is an epithelium, not a pharynx: "pharynx epithelium", "epithelium, pharyngeal",
    "epithelium of pharynx".
    What only says which one is meant is none: a "stroke - left" is no *left*.
    """
    all_words = tokens(name)
    if only_qualifies(" ".join(words)):
        return False
    if all_words[-len(words) :] == words or tokens(name.partition(",")[0]) == words:
        return True
    rest = all_words[len(words) :]
    return all_words[: len(words)] == words and bool(rest) and rest[0] in _JOINING
