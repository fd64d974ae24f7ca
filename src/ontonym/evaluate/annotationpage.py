"""Annotated documents as a page: the texts with gold and found mentions in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ontonym.evaluate.annotation import JudgedDocument, Placed
from ontonym.evaluate.annotationmistakes import ids_of, names_of
from ontonym.files.page import page_lines, points, text
from ontonym.index import Index

_STYLE = """<style>
.note{white-space:pre-wrap;line-height:1.9}
.note mark{color:inherit;border-radius:3px;padding:1px 2px}
mark.both{background:#b7e4c0}mark.gold{background:#f6c6c6}mark.found{background:#cfe0fb}mark.other{background:#f8e3a8}
</style>"""
_KINDS = {"both": "found as in gold", "other": "another concept than in gold", "gold": "missed", "found": "not in gold"}


def annotation_page(title: str, documents: Sequence[JudgedDocument], index: Index, about: Sequence[str] = ()) -> str:
    """A page with the texts, gold and found mentions in colour; the pointer over one shows its concepts."""
    return "\n".join(page_lines(title, _body(title, documents, index, about)))


def _body(title: str, documents: Sequence[JudgedDocument], index: Index, about: Sequence[str]) -> Iterator[str]:
    yield _STYLE
    yield f"<h1>{text(title)}</h1>{points(about)}"
    yield "<p>" + " ".join(f'<mark class="{kind}">{text(said)}</mark>' for kind, said in _KINDS.items()) + "</p>"
    for one in documents:
        yield f'<h2>{text(one.id)}</h2><div class="note">{_marked(one, index)}</div>'


def _marked(document: JudgedDocument, index: Index) -> str:
    """The text with its stretches marked; one covered by gold and found mentions has the concepts of both."""
    edges = sorted(
        {0, len(document.text), *(edge for one in (*document.gold, *document.found) for edge in (one.start, one.end))}
    )
    shown = []
    for start, end in pairwise(edges):
        here = Placed(start, end, ())
        gold = [one for one in document.gold if one.meets(here)]
        found = [one for one in document.found if one.meets(here)]
        written = text(document.text[start:end].replace("\n", " "))
        if not gold and not found:
            shown.append(written)
            continue
        wanted, given = ids_of(gold), ids_of(found)
        kind = "both" if wanted & given else "other" if wanted and given else "gold" if wanted else "found"
        sides = (("gold", wanted), ("found", given))
        said = " / ".join(f"{side}: {' '.join(sorted(ids))} {names_of(ids, index)}" for side, ids in sides)
        shown.append(f'<mark class="{kind}" title="{text(said)}">{written}</mark>')
    return "".join(shown)
