"""Calibration of an index: from the fused confidence of a first hit to the observed probability that it is right.

The curves and the precision at each threshold are in the index as ``calibration.json``; applying them takes numpy only.
``ontonym.evaluate.calibration`` learns them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Doubles
from ontonym.artifact import ArtifactWriter
from ontonym.errors import ArtifactError, InputError
from ontonym.index.amend import amended
from ontonym.manifest import Manifest
from ontonym.types import Correction, Hit

FILE = "calibration.json"
"""The name of the file in an index."""

WAYS = ("spelled", "shared", "mended", "near")
"""How a first hit was found; each way has its own curve. ``spelled``: one of its names equals the query. ``shared``:
that name belongs to another concept too. ``mended``: the query was corrected first. ``near``: anything else, a query
in other words than the name's too.
"""

SUREST = 0.96
"""The highest confidence of a hit where an index has no calibration: of a hundred mentions that are a concept's name,
about four were annotated with another one (docs/decisions.md). An id is surer.
"""


def way_found(correction: Correction, *, is_name: bool, is_shared: bool) -> str:
    """One of `WAYS`, from the correction of the query, whether a name equals it, and whether another concept has that
    name.
    """
    if correction is Correction.REWORDED:
        return "near"
    if correction is not Correction.NONE:
        return "mended"
    if is_name:
        return "shared" if is_shared else "spelled"
    return "near"


def way_of(hit: Hit) -> str:
    """How a first hit was found: one of `WAYS`."""
    is_name = hit.reason.rule in {"exact", "normalized"}
    return way_found(hit.reason.correction, is_name=is_name, is_shared=bool(hit.ambiguous))


LEAST_ANSWERED = 30
"""A threshold is chosen only on a precision of at least this many answers."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A non-decreasing function from [0, 1] to [0, 1]: linear between knots, constant beyond the outer ones."""

    raw: tuple[float, ...]
    calibrated: tuple[float, ...]

    def __post_init__(self) -> None:
        places, values = np.asarray(self.raw), np.asarray(self.calibrated)
        if not len(places) or places.shape != values.shape:
            raise ValueError("a curve needs as many values as places, at least one")
        inside = (places >= 0).all() and (places <= 1).all() and (values >= 0).all() and (values <= 1).all()
        if not inside or (np.diff(places) <= 0).any() or (np.diff(values) < 0).any():
            raise ValueError("a curve must rise, within 0 and 1")

    def at(self, confidences: Doubles | float) -> Doubles:
        """The calibrated probabilities of raw confidences, of the same shape."""
        return np.asarray(np.interp(confidences, self.raw, self.calibrated), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ThresholdFigures:
    """Results at one threshold: shares in [0, 1], each with its 95% interval.

    ``number`` queries are answered, the share ``answered`` of all. ``precision`` is the share of right answers among
    the answers; ``recall`` is their share among the queries whose right concept is in the index. Precision is None if
    nothing is answered, recall if no query has a concept.
    """

    threshold: float
    number: int
    answered: float
    precision: tuple[float, float, float] | None
    recall: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curves of `WAYS`, the results by threshold (ascending), and facts about the training data and the fit."""

    curves: Mapping[str, Curve]
    table: tuple[ThresholdFigures, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if set(self.curves) != set(WAYS):
            raise ValueError(f"a calibration needs the curves {', '.join(WAYS)}")

    def probability(self, confidence: float, way: str) -> float:
        """The probability that a first hit with this raw confidence is right."""
        return float(self.curves[way].at(confidence))

    def applied(self, confidences: Sequence[float], way: str) -> list[float]:
        """The calibrated confidences of a query's hits, best first.

        The first becomes the probability that it is right. The others keep their order and their proportions: they are
        scaled like the first if that falls, and like its distance to 1 if it rises. The sum stays at most 1.
        """
        if not len(confidences):
            return []
        first = min(max(float(confidences[0]), 0.0), 1.0)
        sure = self.probability(first, way)
        factor = 0.0
        if first > 0:
            factor = sure / first if sure <= first else (1 - sure) / (1 - first)
        return [sure, *(min(other * factor, sure) for other in confidences[1:])]

    def confidences(self, raw: Sequence[float], way: str) -> list[float]:
        """The values of `applied` with six digits; small ones with nine, so that no candidate is at 0."""
        return [round(one, 6 if one >= 1e-3 else 9) for one in self.applied(raw, way)]

    def threshold(self, precision: float) -> float:
        """The lowest threshold from which on the estimated precision is at least ``precision``, in (0, 1].

        Raises InputError if no threshold with `LEAST_ANSWERED` answers reaches it.
        """
        if not 0 < precision <= 1:
            raise InputError(f"the precision is {precision:g}, but it must be above 0 and at most 1")
        known = [row for row in self.table if row.precision is not None and row.number >= LEAST_ANSWERED]
        chosen: float | None = None
        for row in reversed(known):
            if row.precision is None or row.precision[0] < precision:
                break
            chosen = row.threshold
        if chosen is not None:
            return chosen
        best = max((row.precision[0] for row in known if row.precision is not None), default=0.0)
        raise InputError(
            f"no threshold of this index reaches a precision of {precision:g} on what it was calibrated on "
            f"({self.facts.get('learned_from', 'unknown')}); the highest is {best:.3f}: ask for less, or give a "
            "threshold, `threshold=`"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "curves": {way: asdict(self.curves[way]) for way in WAYS},
            "table": [asdict(row) for row in self.table],
            "facts": dict(self.facts),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Calibration:
        """Reads the values of `to_dict`; raises ValueError, KeyError or TypeError for anything else."""
        curves = {way: Curve(tuple(one["raw"]), tuple(one["calibrated"])) for way, one in values["curves"].items()}
        table = tuple(
            ThresholdFigures(
                float(row["threshold"]),
                int(row["number"]),
                float(row["answered"]),
                _three(row["precision"]),
                _three(row["recall"]),
            )
            for row in values["table"]
        )
        return cls(curves, table, dict(values["facts"]))

    @classmethod
    def open(cls, index: Path) -> Calibration | None:
        """Reads the calibration of the index in a folder; None if it has none, ArtifactError if it is damaged."""
        file = index / FILE
        if not file.is_file():
            return None
        try:
            return cls.from_dict(orjson.loads(file.read_bytes()))
        except (orjson.JSONDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArtifactError(f"{file}: damaged: {error}; make it again with `calibrate()`") from None


USUAL = Calibration(
    {
        **dict.fromkeys(("spelled", "shared"), Curve((0, SUREST, 1), (0, SUREST, SUREST))),
        "near": Curve(
            (0, 0.1, 0.2, 0.3, 0.5, 0.52, 0.6, 0.7, 0.8, 0.9, 1),
            (0, 0.1, 0.3, 0.45, 0.5, 0.66, 0.69, 0.76, 0.85, 0.92, SUREST),
        ),
        "mended": Curve((0, 0.1, 0.3, 0.5, 0.52, 0.7, 0.8, 1), (0, 0.1, 0.4, 0.5, 0.8, 0.92, 0.94, SUREST)),
    }
)
"""What is used where an index has no calibration: how often first hits were right, by the confidence of the shipped
weights, on mentions of diseases and on queries as users type them. All curves have 0.5 at 0.5, so that what is answered
at the default threshold stays the same (docs/decisions.md, "Confidences as frequencies").
"""


def write_calibration(path: Path | str, calibration: Calibration | None) -> None:
    """Writes a calibration into the index at ``path``, or removes it; `Index.refreshed` gives an open index with the
    change.

    Raises ArtifactError if there is no index, LockedError while another process writes it.
    """
    with amended(Path(path), FILE.__eq__) as writer:
        writer.content.pop("calibration", None)
        if calibration is not None:
            (writer.folder / FILE).write_bytes(
                orjson.dumps(calibration.to_dict(), option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_INDENT_2) + b"\n"
            )
            writer.content["calibration"] = described(calibration)


def forget_calibration(path: Path | str) -> bool:
    """Takes the calibration out of the index at ``path``, and says whether it had one.

    Raises as `write_calibration` does.
    """
    had = (Path(path) / FILE).is_file()
    write_calibration(path, None)
    return had


def described(calibration: Calibration) -> dict[str, Any]:
    """The manifest's entry for a calibration."""
    return {name: calibration.facts[name] for name in ("learned_from", "data", "n") if name in calibration.facts}


def carry_calibration(writer: ArtifactWriter, path: Path, old: Manifest) -> bool:
    """Carries the calibration of the index at ``path`` over into its replacement; returns whether it did.

    It stays valid only for the same encoder and terminologies of the same names, of whatever releases.
    """
    before, now = old.content["identity"], writer.content["identity"]
    names = [[part["name"] for part in identity["terminologies"]] for identity in (before, now)]
    if FILE not in old.files or before["encoder"] != now["encoder"] or names[0] != names[1]:
        return False
    writer.keep(path, {FILE: old.files[FILE]})
    writer.content["calibration"] = old.content["calibration"]
    return True


def _three(values: Sequence[float] | None) -> tuple[float, float, float] | None:
    if values is None:
        return None
    value, low, high = values
    return float(value), float(low), float(high)
