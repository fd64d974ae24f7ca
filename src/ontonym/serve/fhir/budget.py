"""What one request may cost: a count of work, so that the same request is refused on every machine."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.outcomes import refused
from ontonym.serve.wanted import check_wanted

MOST_WORK = 600_000
CLAUSE, CHECK = 200, 20


class Budget:
    """Units of work that are left; one unit is about a microsecond of Python."""

    def __init__(self, most: float = MOST_WORK) -> None:
        self._left = most

    def spend(self, units: float) -> None:
        """Takes units away.

        Raises FhirError (422, too-costly) where none are left, AbandonedSearch where nobody waits for the answer.
        """
        check_wanted()
        self._left -= units
        if self._left < 0:
            raise refused(422, "too-costly", "TOO_COSTLY")

    def spend_on_texts(self, concepts: int) -> None:
        """Takes away what looking at a text of each of so many concepts costs; raises what `spend` raises."""
        self.spend(concepts / 10)

    def spend_on(self, found: Mask) -> None:
        """Takes away what a set of concepts costs: a little for all of the code system, more for those that are in it.

        Raises what `spend` raises.
        """
        self.spend(len(found) / 5000 + np.count_nonzero(found) / 10)
