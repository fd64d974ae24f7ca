"""What people do with an index: search it, normalize mentions, ask why."""

from ontonym.tasks.composite import split_composite
from ontonym.tasks.normalize import Normalization, NormalizeOptions, normalize
from ontonym.tasks.search import SIGNALS, SearchOptions, explain, search
from ontonym.tasks.strategy import STRATEGIES

__all__ = [
    "SIGNALS",
    "STRATEGIES",
    "Normalization",
    "NormalizeOptions",
    "SearchOptions",
    "explain",
    "normalize",
    "search",
    "split_composite",
]
