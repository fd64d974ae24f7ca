"""Annotated documents as a page: the texts with gold and found mentions in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import pairwise

from ontonym.evaluate.annotation import JudgedDocument, Placed
from ontonym.evaluate.annotationmistakes import ids_of, names_of
from ontonym.evaluate.page import table_lines
from ontonym.evaluate.results import Results
from ontonym.files.page import marks_script, page_lines, points, running, text
from ontonym.index import Index

_KINDS = {"both": "found as in gold", "other": "another concept than in gold", "gold": "missed", "found": "not in gold"}


def annotation_page(
    title: str, documents: Sequence[JudgedDocument], index: Index, results: Results | None = None
) -> str:
    """A page with the figures of ``results``, and the texts with gold and found mentions in colour; one that is chosen
    shows its concepts.
    """
    return "\n".join(page_lines(title, _body(title, documents, index, results), script=marks_script()))


def _body(title: str, documents: Sequence[JudgedDocument], index: Index, results: Results | None) -> Iterator[str]:
    style = files("ontonym.evaluate").joinpath("annotationpage.css").read_text(encoding="utf-8")
    yield f"<style>\n{style}</style>"
    yield f"<h1>{text(title)}</h1>"
    if results:
        yield from table_lines(results.tables[0])
        yield points(results.about)
    yield "<p>" + " ".join(f'<mark class="{kind}">{text(said)}</mark>' for kind, said in _KINDS.items()) + "</p>"
    for one in documents:
        yield f'<h2>{text(one.id)}</h2><div class="marked">{_marked(one, index)}</div>'


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
        written = running(document.text[start:end])
        if not gold and not found:
            shown.append(written)
            continue
        wanted, given = ids_of(gold), ids_of(found)
        kind = "both" if wanted & given else "other" if wanted and given else "gold" if wanted else "found"
        sides = (("gold", wanted), ("found", given))
        lines = (f"{side}: {' '.join(sorted(ids))} {names_of(ids, index)}" for side, ids in sides if ids)
        said = "&#10;".join(map(text, (_KINDS[kind], *lines)))
        shown.append(f'<mark class="{kind}" title="{said}">{written}</mark>')
    return "".join(shown)
