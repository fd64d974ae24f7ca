"""What decided between two candidates, in one plain sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import expm1
from types import MappingProxyType

from ontonym.index.evidence import SIGNAL_TABLE
from ontonym.tasks.explain.decisions import Decision

_TIES: Mapping[str, str] = MappingProxyType(
    {
        "spelled": "a name equal to the query",
        "given": "the term that was added more often",
        "preferred": "a preferred term equal to the query",
        "to_preferred": "the preferred term that is nearer to the query",
        "size": "more names",
        "place": "its place in the terminology",
        "random": "chance",
    }
)

_MEANT: Mapping[str, str] = MappingProxyType(
    {
        "words": "",
        "words_mean": " in all its names, on average",
        "query_share": " of the query",
        "name_share": " of the name",
        "char": "",
        "char_mean": " in all its names, on average",
        "dense": "",
        "dense_support": " of its three nearest names",
        "dense_concept": " of all its names together",
    }
)


def decision_line(decision: Decision, rival: str) -> str:
    """What decided between a concept and its ``rival``, from the side of the concept."""
    return f"decided {'against' if decision.is_for_first else 'for'} {rival} by: {because(decision)}"


def because(decision: Decision) -> str:
    """What decided, without the two concepts."""
    if decision.group in SIGNAL_TABLE and not decision.feature:
        return f"{SIGNAL_TABLE[decision.group].word}, weighed together with all other evidence"
    return _SAID[decision.group](_Sides(decision))


class _Sides:
    """A decision from the side of the better candidate: ``better`` and ``worse`` are the names that matched."""

    def __init__(self, decision: Decision) -> None:
        step = 1 if decision.is_for_first else -1
        self.feature, self.query = decision.feature, decision.query
        self.better, self.worse = decision.names[::step]
        self.own, self.others = (decision.first, decision.second)[::step]
        self.readings = decision.read_as[::step]
        self.values = decision.values[::step] if decision.values else None

    def numbers(self, form: str = "{:.2f}") -> str:
        """Both values in parentheses, the better candidate's first."""
        return f" ({form.format(self.values[0])} against {form.format(self.values[1])})" if self.values else ""


def _equal(sides: _Sides) -> str:
    if sides.feature == "spelled_preferred":
        return f"the preferred term “{sides.better}” is equal to the query, and not only a synonym"
    return f"“{sides.better}” is equal to the query, “{sides.worse}” is not"


def _words(sides: _Sides) -> str:
    said = f"words{_MEANT.get(sides.feature, '')}{sides.numbers()}"
    own = f": only “{sides.better}” has {_listed(sides.own)}" if sides.own else ""
    others = f"; only “{sides.worse}” has {_listed(sides.others)}" if sides.others else ""
    return said + own + (others if own else others.replace(";", ":", 1))


def _letters(sides: _Sides) -> str:
    said = f"letters{_MEANT.get(sides.feature, '')}{sides.numbers()}"
    return f"{said}: “{sides.better}” is spelled more like the query than “{sides.worse}”"


def _meaning(sides: _Sides) -> str:
    return f"meaning{_MEANT.get(sides.feature, '')}{sides.numbers()}"


def _numbers(sides: _Sides) -> str:
    said = []
    if sides.query:
        said.append(f"{_listed(sides.query)} of the query is not in “{sides.worse}”")
    if sides.others:
        said.append(f"{_listed(sides.others)} in “{sides.worse}” is not in the query")
    return f"numbers: {'; '.join(said)}" if said else f"numbers in “{sides.worse}”"


def _opposites(sides: _Sides) -> str:
    if not sides.query:
        return f"opposite words in “{sides.worse}”"
    if {word.lower() for word in sides.query} == {word.lower() for word in sides.others}:
        return f"either the query or “{sides.worse}” denies {_listed(sides.query)}, and the other does not"
    return f"{_listed(sides.query)} against {_listed(sides.others)} in “{sides.worse}” (opposite words)"


def _qualifiers(sides: _Sides) -> str:
    said = []
    if sides.query:
        said.append(f"“{sides.worse}” says nothing like {_listed(sides.query)} of the query")
    if sides.others:
        said.append(f"{_listed(sides.others)} in “{sides.worse}”, of which the query says nothing")
    return "; ".join(said) or f"qualifiers in “{sides.worse}”"


def _kind(sides: _Sides) -> str:
    if sides.feature == "inexact":
        return f"“{sides.worse}” is not an exact synonym"
    if sides.feature == "abbreviation":
        return f"“{sides.worse}” is only a short form"
    if sides.feature == "size" and sides.values:
        first, second = (round(expm1(value)) for value in sides.values)
        return f"the number of names ({first:,} against {second:,})"
    return "the kind of name"


def _reading(sides: _Sides) -> str:
    if not sides.values or sides.readings[0] == sides.readings[1]:
        return f"reading the query as “{sides.readings[0]}”"
    probabilities = [f"probability {value:.2f}" for value in sides.values]
    return (
        f"reading the query as “{sides.readings[0]}” ({probabilities[0]}), and not as “{sides.readings[1]}” "
        f"({probabilities[1]})"
    )


def _tie(sides: _Sides) -> str:
    return f"{_TIES[sides.feature]}, as their confidences are equal"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


_SAID: Mapping[str, Callable[[_Sides], str]] = MappingProxyType(
    {
        "lexical": _words,
        "char": _letters,
        "dense": _meaning,
        "equal": _equal,
        "numbers": _numbers,
        "opposites": _opposites,
        "qualifiers": _qualifiers,
        "residual": lambda sides: f"“{sides.worse}” is a class of other things",
        "name": _kind,
        "dominance": lambda sides: f"no evidence for “{sides.better}” is weaker than that for “{sides.worse}”",
        "reading": _reading,
        "competition": lambda sides: f"fewer candidates as good where the query is read as “{sides.readings[0]}”",
        "readings": lambda _: "it fits other readings of the query as well",
        "duplicates": lambda _: "the confidence of its duplicate records counts with its own",
        "narrower": lambda sides: (
            f"“{sides.better}” is of a narrower concept, which has the confidence of a broader one"
        ),
        "document": lambda _: "the document of the mention",
        "code": lambda sides: f"the query is its code, {sides.readings[0]}",
        "added": lambda sides: f"the added term “{sides.better}” is near enough to the query to come first",
        "tie": _tie,
    }
)
