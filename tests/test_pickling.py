"""Records that are pickled as a tuple are equal to what they were."""

import copy
import pickle

import pytest

from ontonym.tasks import Normalization
from ontonym.types import Hit, Mention, Reason

MENTION = Mention("fever", passage="a fever", start=2, end=7)
HIT = Hit("X:1", "Fever", "fever", "synonym", "exact", "", "x", 0.5, 0.25, reason=Reason("words", "some"))


@pytest.mark.parametrize("record", [HIT, MENTION, HIT.reason, Normalization(MENTION, "X:1", 0.5, (HIT,))])
def test_copies_are_equal(record: object) -> None:
    pickled = pickle.dumps(record)
    found = pickle.loads(pickled)  # noqa: S301 (what was just pickled here)
    assert found == record == copy.copy(record) == copy.deepcopy(record)
    assert type(found) is type(record)
    assert b"preferred" not in pickled, "no field is named"
