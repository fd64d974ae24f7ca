"""A page of annotated notes: mentions in the colour of their branch, with what the text says of them, beside the list
of each document's concepts; filters by branch, by context and by confidence.

Documents are written one after another, so that memory does not grow with them. The page needs nothing else, and shows
its texts without its script.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.resources import files

from ontonym.documents import Document
from ontonym.files.output import written_file
from ontonym.files.page import marks_script, page_lines, running, text
from ontonym.serve.answers import Write
from ontonym.serve.notes.branches import Branches
from ontonym.serve.notes.concepts import concept_rows
from ontonym.tasks.documents import MarkAnswer
from ontonym.text.counting import count

_COLOURS = 12
_CUT = "{{cut}}"


@contextmanager
def written_page(path: str | None, branches: Branches, title: str) -> Iterator[Write]:
    """Lends a function that writes one annotated document after another, to standard output for None."""
    page = _Page(branches)
    head, foot = "\n".join(page_lines(title, [*page.head(title), _CUT], script=page.script())).split(_CUT)
    with nullcontext(sys.stdout.buffer) if path is None else written_file(path) as stream:
        stream.write(head.encode())
        yield lambda document, found: stream.writelines(
            f"{line}\n".encode(errors="replace") for line in page.document(document, found)
        )
        stream.write("\n".join(page.legend()).encode(errors="replace"))
        stream.write(foot.encode())


class _Page:
    """The branches that were seen, each with the number of its colour."""

    def __init__(self, branches: Branches) -> None:
        self._branches = branches
        self._seen: dict[str, int] = {}

    @staticmethod
    def script() -> str:
        return marks_script() + files("ontonym.serve.notes").joinpath("page.js").read_text(encoding="utf-8")

    @staticmethod
    def head(title: str) -> Iterator[str]:
        yield f"<style>\n{files('ontonym.serve.notes').joinpath('page.css').read_text(encoding='utf-8')}</style>"
        yield f'<h1>{text(title)}</h1><div id="filters" hidden></div>'

    def legend(self) -> Iterator[str]:
        """The branches in order, from which the script makes the filters."""
        yield '<ol id="branches" class="legend">'
        for branch, number in self._seen.items():
            yield f'<li class="b{number % _COLOURS}" data-branch="{number}">{text(branch)}</li>'
        yield "</ol>"

    def document(self, document: Document, found: Sequence[MarkAnswer]) -> Iterator[str]:
        """The section of a document: its text with the mentions, and its concepts."""
        places = document.places((one.mark.mention.start, one.mark.mention.end) for one in found)
        placed = [
            (start, end, one)
            for (start, end), one in zip(places, found, strict=True)
            if start is not None and end is not None
        ]
        yield f'<section class="document"><h2>{text(document.id)}</h2><div class="sides"><div class="text marked">'
        yield "".join(self._marked(document.text, placed))
        yield f'</div><aside aria-label="{text(f"Concepts of {document.id}")}">'
        rows = list(concept_rows(document, found, self._branches))
        yield f'<p class="soft">{count(len({row[1] for row in rows}), "concept")}</p><ul>'
        for _, id_, name, branch, context, mentions, *_ in rows:
            number = self._number(branch)
            said = f' <i class="said">{text(", ".join(context.split("|")))}</i>' if context else ""
            times = f" ×{mentions}" if mentions != "1" else ""
            yield (
                f'<li class="b{number % _COLOURS}" data-branch="{number}" data-id="{text(id_)}" '
                f'data-context="{text(context)}"><b>{text(name)}</b> <code>{text(id_)}</code>{times}{said}</li>'
            )
        yield "</ul></aside></div></section>"

    def _number(self, branch: str) -> int:
        return self._seen.setdefault(branch, len(self._seen))

    def _marked(self, whole: str, placed: Sequence[tuple[int, int, MarkAnswer]]) -> Iterator[str]:
        """The text in pieces; a mention that begins in another one is marked inside of it, up to its end."""
        at = 0
        open_: list[int] = []
        together: dict[tuple[int, int], list[str]] = {}
        for start, end, one in placed:
            together.setdefault((start, end), []).append(self._why(one))
        for start, end, one in sorted(placed, key=lambda one: (one[0], -one[1])):
            while open_ and open_[-1] <= start:
                yield f"{running(whole[at : open_[-1]])}</mark>"
                at = open_.pop()
            yield f"{running(whole[at:start])}{self._opened(one, together[start, end])}"
            at = start
            open_.append(min([end, *open_[-1:]]))
        for end in reversed(open_):
            yield f"{running(whole[at:end])}</mark>"
            at = end
        yield running(whole[at:])

    def _opened(self, one: MarkAnswer, why: Sequence[str]) -> str:
        """The tag that begins a mention; ``why`` says what is known of all in its place."""
        context = one.context or ()
        number = self._number(self._branches[one.answer.id or ""])
        lines = "&#10;".join(map(text, "\n\n".join(why).split("\n")))
        further = ["is-nested"] if one.nested else []
        classes = " ".join([f"b{number % _COLOURS}", *(f"is-{name}" for name in context), *further])
        return (
            f'<mark tabindex="0" class="{classes}" data-branch="{number}" data-id="{text(one.answer.id or "")}" '
            f'data-context="{text("|".join(context))}" data-confidence="{one.answer.confidence:.4f}" '
            f'data-section="{text(one.section)}" data-said="{text(", ".join(context))}" title="{lines}">'
        )

    def _why(self, one: MarkAnswer) -> str:
        """What is known of a mention, in lines."""
        answer, context = one.answer, one.context or ()
        hit = answer.hit
        said = f"{', '.join(context)}\n" if context else ""
        if hit is None:
            why = f"{said}no concept is likely enough"
        else:
            why = (
                f"{said}{hit.preferred}\n{hit.id}, confidence {answer.confidence:.2f}\n"
                f"matched: {hit.matched}\n{hit.reason.rule}: {hit.reason.detail}"
            )
        branch = self._branches[answer.id or ""]
        why += f"\nbranch: {branch}" if branch else ""
        why += f"\nsection: {one.section}" if one.section else ""
        why += f"\nelse: {one.runner_up}" if one.runner_up else ""
        return f"{' '.join(one.mark.mention.text.split())}: {why}" if one.nested else why
