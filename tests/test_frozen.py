"""Records that are made fast are the same frozen dataclasses."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from ontonym.frozen import quick
from ontonym.types import Hit, Mention, Reason


@dataclass(frozen=True, slots=True)
class Usual:
    name: str
    count: int = 3
    notes: list[str] = field(default_factory=list)
    more: str = field(default="", repr=False)


@quick
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    count: int = 3
    notes: list[str] = field(default_factory=list)
    more: str = field(default="", repr=False)


@pytest.mark.parametrize("given", [("a",), ("a", 4), ("a", 4, ["b"], "c")])
def test_fields_are_those_of_a_usual_dataclass(given: tuple[object, ...]) -> None:
    usual, made = Usual(*given), Quick(*given)  # type: ignore[arg-type]
    assert type(made) is Quick
    assert [getattr(made, one.name) for one in fields(made)] == [getattr(usual, one.name) for one in fields(usual)]
    assert repr(made) == repr(usual).replace("Usual", "Quick")
    assert Quick("a", more="x") == Quick("a", 3, [], "x") != Quick("a")
    assert made.notes is not Quick(*given[:2]).notes  # type: ignore[arg-type]


def test_fields_stay_as_they_are() -> None:
    made = Quick("a")
    with pytest.raises(FrozenInstanceError):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Quick()  # type: ignore[call-arg]
    assert not hasattr(made, "__dict__")


def test_copies_are_equal() -> None:
    hit = Hit("X:1", "Fever", "fever", "synonym", "exact", "", "x", 0.5, 0.25, reason=Reason("words", "some"))
    for one in (hit, Mention("fever", passage="a fever"), Reason("exact", "the same text")):
        found = pickle.loads(pickle.dumps(one))  # noqa: S301 (our own)
        assert found == one == copy.copy(one) == copy.deepcopy(one)
        assert type(found) is type(one)
    assert replace(hit, confidence=0.75).confidence == 0.75
    assert hash(Reason("exact", "a")) == hash(Reason("exact", "a"))
