"""Concept-to-concept search (Ngo): the concepts of one terminology mapped to those of an index.

Every name of a source concept is asked for (``candidates.py``), what is known of a pair makes one score
(``learned.py``, with ``structure.py`` and ``references.py``), and a mode chooses whom each concept gets
(``choose.py``). Names are taken as they are written, no word for a misspelled one.
"""

from ontonym.tasks.match.given import score_given
from ontonym.tasks.match.learned import Learned, Weights, default_weights, learn_weights
from ontonym.tasks.match.matching import match
from ontonym.tasks.match.options import AGGREGATES, MODES, Aggregate, Known, MatchOptions, Mode
from ontonym.tasks.match.related import BROAD, NARROW
from ontonym.tasks.match.results import Candidate, Matched, Matching

__all__ = [
    "AGGREGATES",
    "BROAD",
    "MODES",
    "NARROW",
    "Aggregate",
    "Candidate",
    "Known",
    "Learned",
    "MatchOptions",
    "Matched",
    "Matching",
    "Mode",
    "Weights",
    "default_weights",
    "learn_weights",
    "match",
    "score_given",
]
