"""What training has seen: questions are zero-shot on mentions only, on mentions and concepts, or not at all (Kong)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ontonym.evaluate.retrieval import Question
from ontonym.text.normalization import normalize

SEEN = "mention seen"
MENTIONS_ONLY = "mentions only"
BOTH = "mentions and concepts"

ZERO_SHOT = (SEEN, MENTIONS_ONLY, BOTH)
"""How new a question is (Kong, section 2), the least new first.

``mention seen``: one of its texts was in training, so that it is not zero-shot; ``mentions only``: no text was, but a
right concept was; ``mentions and concepts``: neither.
"""


@dataclass(slots=True)
class Seen:
    """Texts and concepts that training had; texts are compared after normalization."""

    texts: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)

    def add(self, texts: Iterable[str], concepts: Iterable[str] = ()) -> None:
        """Takes in some texts, and ids of concepts as the target has them."""
        self.texts.update(map(normalize, texts))
        self.concepts.update(concepts)

    def told(self, question: Question) -> str:
        """How new a question is: a name of `ZERO_SHOT`."""
        if any(normalize(text) in self.texts for text in question.texts):
            return SEEN
        return MENTIONS_ONLY if question.gold & self.concepts else BOTH
