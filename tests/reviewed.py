"""A small candidates file of invented concepts, and reviews of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ontonym.tasks.review import Review, open_review, start_review

HEAD = """# mapping_set_id: urn:test:all
# license: https://example.org/free
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tmapping_justification\tconfidence\tmatch_string\tother\tcomment\text_frequency
"""
SAME = "skos:exactMatch"
FOUND = "semapv:LexicalMatching"

CANDIDATES = (
    HEAD
    + f"""L:1\tkidney failure\t{SAME}\t\tT:1\trenal failure\t{FOUND}\t0.95\tkidney failure\tmatched\tequal\t10
L:1\tkidney failure\t{SAME}\t\tT:2\trenal agenesis\t{FOUND}\t0.3\tkidney gone\t\tnear\t10
L:2\theart failure\t{SAME}\t\tT:3\tcardiac failure\t{FOUND}\t0.6\t\t\t\t100
L:2\theart failure\t{SAME}\t\tT:4\theart disease\t{FOUND}\t0.2\t\t\t\t100
L:3\tred hair\t{SAME}\t\tT:5\thair loss\t{FOUND}\t0.1\t\t\t\t
L:4\tnosebleed\t{SAME}\t\tsssom:NoTermFound\t\tsemapv:UnspecifiedMatching\t\t\t\tnothing was found\t2
L:5\tflu\tskos:broadMatch\t\tT:6\tvirus infection\t{FOUND}\t0.9\t\t\t\t1
"""
)


def laid_out(folder: Path, text: str = CANDIDATES) -> Path:
    """The candidates file in a folder."""
    path = folder / "all.sssom.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def begun(folder: Path, name: str = "one.review") -> Path:
    """A new review of it."""
    start_review(folder / name, folder / "all.sssom.tsv" if (folder / "all.sssom.tsv").exists() else laid_out(folder))
    return folder / name


@contextmanager
def reviewing(path: Path, who: str = "anna") -> Iterator[Review]:
    """The review, open for one reviewer."""
    with open_review(path, who) as review:
        yield review


def told(review: Review, source: str) -> list[tuple[str, str, str]]:
    """Who decided what on a source concept, in force."""
    return [(event.who, event.verdict, event.target) for event in review.standing(source).in_force]


Step = tuple[str, str, str]


def play(path: Path, who: str, steps: Sequence[Step]) -> None:
    """Does some things in a review: what, on which source, with which target or text."""
    with open_review(path, who) as review:
        for what, source, text in steps:
            if what in ("undo", "redo"):
                getattr(review, what)()
            elif what == "skip":
                review.skip(source)
            elif what == "assign":
                review.assign([source], [text])
            elif what == "comment":
                review.comment(source, text)
            else:
                review.decide(source, what, "" if what == "none" else text)
