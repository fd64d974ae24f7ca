"""Matching (Ngo's concept-to-concept search): maps the concepts of one terminology to those of an index.

Every name of a source concept is searched for (``candidates.py``), all features of a pair make one score
(``scoring.py``, ``learned.py``, with ``structure.py`` and ``references.py``), and a mode chooses the pairs that are
proposed. Names are used as written; misspelled words are not corrected.
"""

from ontonym.tasks.match.known import known_mappings
from ontonym.tasks.match.learned import Learned, Weights, default_weights, learn_weights
from ontonym.tasks.match.matching import FEW, match, score_given
from ontonym.tasks.match.options import AGGREGATES, MODES, Aggregate, KnownMappings, MatchOptions, Mode
from ontonym.tasks.match.related import BROAD, CLOSE, NARROW, RELATED
from ontonym.tasks.match.results import MatchCandidate, Matched, Matching
from ontonym.tasks.match.rows import candidate_rows, match_slots, proposal_rows, published_rows

__all__ = [
    "AGGREGATES",
    "BROAD",
    "CLOSE",
    "FEW",
    "MODES",
    "NARROW",
    "RELATED",
    "Aggregate",
    "KnownMappings",
    "Learned",
    "MatchCandidate",
    "MatchOptions",
    "Matched",
    "Matching",
    "Mode",
    "Weights",
    "candidate_rows",
    "default_weights",
    "known_mappings",
    "learn_weights",
    "match",
    "match_slots",
    "proposal_rows",
    "published_rows",
    "score_given",
]
