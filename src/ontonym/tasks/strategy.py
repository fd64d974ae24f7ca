"""Search strategies by name: which names are searched, how a concept is represented, and in which order.

Each has a plain name (``added-then-all``) and the one of Xu's tables (``D-T+OD-T``); both are read.

Section 3.2 of the paper, tables 1 and 2: six modules, each usable alone, and eight sieves of two modules. The second
module of a sieve is used only if the first finds nothing near enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.amend import TUNED
from ontonym.index.scan import NameSource, Representation

SIEVE_THRESHOLD = 0.95
"""The similarity from which the first module of a sieve is accepted (Xu section 4.2)."""


@dataclass(frozen=True, slots=True)
class Module:
    """One search: of the ontology's names (O), added terms (D) or both, by single names (T) or by concept means (C)."""

    source: NameSource
    representation: Representation

    @property
    def name(self) -> str:
        """Its name in Xu's tables: ``OD-T``."""
        return f"{self.source}-{self.representation}"

    @property
    def plain(self) -> str:
        """Its name in plain words: ``all``, or ``all-mean`` for the means of concepts."""
        return f"{_PLAIN_SOURCES[self.source]}{'-mean' if self.representation == 'C' else ''}"


_PLAIN_SOURCES: Mapping[NameSource, str] = {"O": "names", "D": "added", "OD": "all"}
_SOURCES: tuple[NameSource, ...] = ("O", "D", "OD")
_REPRESENTATIONS: tuple[Representation, ...] = ("T", "C")
_MODULES = {
    module.name: module
    for module in (
        Module(source, representation) for source in _SOURCES for representation in _REPRESENTATIONS
    )
}  # fmt: skip
_SIEVES = [
    (_MODULES[f"D-{first}"], _MODULES[f"{source}-{second}"])
    for source in ("O", "OD")
    for first in _REPRESENTATIONS
    for second in _REPRESENTATIONS
]

STRATEGIES: Mapping[str, tuple[Module, ...]] = MappingProxyType(
    {name: (module,) for name, module in _MODULES.items()}
    | {"+".join(module.name for module in sieve): sieve for sieve in _SIEVES}
)
"""The modules of each strategy, in order of use; the keys are all names of Xu's table 4, in its order."""

PLAIN: Mapping[str, str] = MappingProxyType(
    {"-then-".join(module.plain for module in modules): name for name, modules in STRATEGIES.items()}
)
"""The plain name of each strategy, and its name in `STRATEGIES`: ``names``, ``added``, ``all``, each ``-mean`` too (a
concept is the mean of its names), and two of them in turn (``added-then-all``)."""

DEFAULT_STRATEGY = "added-then-all"
"""Added terms first, if near enough, then all names: Xu's best. Without added terms it equals ``names``."""


def check_strategy(name: str) -> None:
    """Raises UnknownNameError for a name that is neither in `PLAIN` nor in `STRATEGIES`, nor ``tuned``."""
    if name != TUNED and name not in PLAIN and name not in STRATEGIES:
        raise UnknownNameError("strategy", name, (*PLAIN, TUNED))


def modules_of(index: Index, name: str) -> tuple[Module, ...]:
    """The modules of a strategy. ``tuned`` is the one kept in the index; raises InputError if there is none."""
    if name != TUNED:
        return STRATEGIES[PLAIN.get(name, name)]
    kept = index.manifest.content.get(TUNED)
    if kept is None:
        raise InputError(
            f"{index.path}: no strategy was tuned for it: choose one on a dev set with `evaluate_strategies()`"
        )
    return STRATEGIES[kept["strategy"]]


def source_of(index: Index, name: str) -> NameSource:
    """The names that the modules of a strategy search, taken together."""
    searched = {module.source for module in modules_of(index, name)}
    return searched.pop() if len(searched) == 1 else "OD"
