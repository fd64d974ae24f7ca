"""Matching (Ngo's concept-to-concept search): maps the concepts of one terminology to those of an index.

``matching.py`` does it, by the options of ``options.py``, in this order:

1. Earlier mappings are read: which decisions still hold (``known.py``; ``owncodes.py`` for codes under another prefix).
2. Every name of a source concept is searched for, those borrowed from a third terminology too (``mediators.py``). All
   candidates of all names are one table, ``Candidates`` (``candidates.py``), kept on disk on the way (``kept.py``).
3. All features of a pair make one score (``scoring.py``, with the weights of ``learned.py``): of its names, of
   cross-references (``references.py``), of the hierarchies (``structure.py``) and of the branch of the target
   (``branches.py``). What says the same twice is no rival (``twins.py``).
4. A mode chooses the pairs that are proposed (``scoring.py``); concepts without one may get a broader or narrower match
   (``related.py``).
5. The ``Matching`` gives each source concept with its candidates and why (``results.py``), as rows of SSSOM
   (``rows.py``) in files (``files.py``).

Names are used as they are written, but for those of plain lists of codes, which are read as a search reads them.
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
