"""What one request may cost: a count of work, so that the same request is refused on every machine."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.outcomes import refused
from ontonym.wanted import check_wanted

MOST_WORK = 4_000_000
"""Some four seconds of one core: a dozen filters by properties of half a million concepts fit in."""
CLAUSE, LISTED, COMPARED, CHECK = 50, 5, 20, 20
"""What it costs to read a clause, to look up a concept that it lists, to compare its concepts with another's, to ask it
for one code."""
MATCH = 5
"""What it costs to try a regular expression on one text."""
NAME, VALUE, RELATION = 1.5, 0.5, 0.01
"""What it costs to look at one name, at one value of a property, at one relation, each with its concept."""


class Budget:
    """Units of work that are left; one unit is about a microsecond of Python."""

    def __init__(self, most: float = MOST_WORK) -> None:
        self._most = most
        self.spent = 0.0

    def spend(self, units: float) -> None:
        """Takes units away.

        Raises FhirError (422, too-costly) where none are left, AbandonedSearch where nobody waits for the answer.
        """
        check_wanted()
        self.spent += units
        if self.spent > self._most:
            raise refused(422, "too-costly", "TOO_COSTLY")

    def spend_on(self, found: Mask) -> None:
        """Takes away what a set of concepts costs: a little for all of the code system, more for those that are in it.

        Raises what `spend` raises.
        """
        self.spend(len(found) / 5000 + int(np.count_nonzero(found)) / 10)
