"""The events of a review, one per line: who did what and when, and which decisions they had seen."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from ontonym.errors import InputError, UnknownNameError
from ontonym.jsonbytes import json_bytes

ReviewAction = Literal["decide", "comment", "assign", "skip", "undo", "redo"]
DONE: tuple[ReviewAction, ...] = get_args(ReviewAction)

Verdict = Literal["exact", "close", "broad", "narrow", "related", "reject", "none"]

VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        "exact": "skos:exactMatch",
        "close": "skos:closeMatch",
        "broad": "skos:broadMatch",
        "narrow": "skos:narrowMatch",
        "related": "skos:relatedMatch",
        "reject": "",
        "none": "",
    }
)
"""The possible decisions, with the predicate of each.

``broad``: the target is broader than the source. ``reject``: not this target. ``none``: no target fits.
"""

POSITIVE = frozenset(verdict for verdict, predicate in VERDICTS.items() if predicate)
"""The verdicts that map a source to a target."""


class GivenDecision(NamedTuple):
    """A decision on a source concept to be made; ``also`` says that it does not replace an earlier one."""

    source: str
    verdict: str
    target: str
    comment: str = ""
    also: bool = False


_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


@dataclass(frozen=True, slots=True)
class Event:
    """An action of a reviewer.

    ``time`` is UTC in ISO 8601 with microseconds; ``source`` is the source concept's id. Of a decision: ``verdict``,
    ``target`` with its ``label`` (both empty for ``none``), for ``reject`` the ``predicate`` that is denied; ``saw``
    are the events whose decisions on this source were in force, ``replaces`` those of them that it replaces;
    ``proposed`` and ``confidence`` are the proposal's, ``shown`` the ids of all candidates. ``text`` is a comment,
    ``to`` the assignee (empty for nobody), ``event`` the event that is undone, or the undoing that is reverted.
    """

    id: str
    time: str
    who: str
    did: ReviewAction
    source: str = ""
    verdict: Verdict | Literal[""] = ""
    target: str = ""
    label: str = ""
    predicate: str = ""
    saw: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    proposed: str = ""
    confidence: float | None = None
    shown: tuple[str, ...] = ()
    text: str = ""
    to: str = ""
    event: str = ""

    @property
    def order(self) -> tuple[str, str]:
        """A sort key for the order in which events happened; an event comes after those that it refers to."""
        return self.time, self.id

    @property
    def decision(self) -> tuple[str, str]:
        """Verdict and target: two reviewers agree if they are equal."""
        return self.verdict, self.target


def new_id() -> str:
    """An id that no other event has, on any machine."""
    return uuid.uuid4().hex[:20]


def now(after: str = "") -> str:
    """The present time, but always later than ``after``, even if a clock was set back."""
    moment = datetime.datetime.now(datetime.UTC)
    if after and written(moment) <= after:
        moment = datetime.datetime.fromisoformat(after) + datetime.timedelta(microseconds=1)
    return written(moment)


def written(moment: datetime.datetime) -> str:
    """A time in the form of events."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def check_verdict(verdict: str) -> Verdict:
    """The verdict of this name; UnknownNameError lists them."""
    if verdict not in VERDICTS:
        raise UnknownNameError("verdict", verdict, VERDICTS)
    return verdict  # type: ignore[return-value]


def event_line(event: Event) -> bytes:
    """The event as one line of JSON, without empty fields."""
    record = {field.name: getattr(event, field.name) for field in fields(event)}
    return json_bytes({name: value for name, value in record.items() if value not in ("", (), None)}) + b"\n"


def event_from(record: Any) -> Event:
    """The event of a parsed line; raises InputError, which says what is wrong with it."""
    if not isinstance(record, dict):
        raise InputError("not an event: it is no JSON object")
    known = {field.name for field in fields(Event)}
    for name, value in record.items():
        if name not in known:
            raise InputError(f"an event has no field {name!r}")
        if name in _LISTS:
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise InputError(f"{name} is not a list of texts")
        elif name == "confidence":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError("confidence is not a number")
        elif not isinstance(value, str):
            raise InputError(f"{name} is not a text")
    for name in ("id", "time", "who", "did"):
        if not record.get(name):
            raise InputError(f"the event has no {name}")
    _check_values(record)
    values: dict[str, Any] = {name: tuple(value) if name in _LISTS else value for name, value in record.items()}
    return Event(**values)


_LISTS = frozenset(("saw", "replaces", "shown"))


def _check_values(record: dict[str, Any]) -> None:
    did, verdict = record["did"], record.get("verdict", "")
    if did not in DONE:
        raise InputError(f"{did!r} is nothing that can be done ({', '.join(DONE)})")
    if not _TIME.fullmatch(record["time"]):
        raise InputError(f"the time {record['time']!r} is not like 2026-01-31T12:00:00.000000Z")
    if did in ("undo", "redo"):
        if not record.get("event"):
            raise InputError(f"{did} does not say of which event")
        return
    if not record.get("source"):
        raise InputError("the event has no source")
    if did != "decide":
        return
    if verdict not in VERDICTS:
        raise InputError(f"{verdict!r} is no verdict ({', '.join(VERDICTS)})")
    if (verdict == "none") == bool(record.get("target")):
        raise InputError(f"the verdict {verdict} {'has a' if verdict == 'none' else 'has no'} target")
