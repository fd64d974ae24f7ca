"""Generated terminology releases in the publishers' formats, of any size, seeded and with history: nothing licensed.

``write_rf2`` and ``write_extension`` write SNOMED CT's RF2, ``write_rrf`` the UMLS,
``write_rxnorm`` RxNorm. ``python -m benchmarks.releases``
does it from the command line.
"""

from .package import Written
from .rf2 import write_extension, write_rf2
from .rrf import write_rrf
from .rxnorm import write_rxnorm
from .world import Options

__all__ = ["Options", "Written", "write_extension", "write_rf2", "write_rrf", "write_rxnorm"]
