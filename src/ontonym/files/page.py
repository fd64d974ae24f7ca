"""Pages for people, in one HTML file that needs nothing else: every text is escaped, and there is one style sheet.

Functions take texts that are escaped already where they say HTML, and escape all others.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING

from ontonym.errors import needing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINE_END = re.compile(r"\r\n?|\n")
_INVISIBLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def text(value: str) -> str:
    """A text as HTML; characters that are not seen, except tabs, or that turn the direction of what follows, are shown
    as a square."""
    return escape(_INVISIBLE.sub("□", value))


def running(stretch: str) -> str:
    """A stretch of running text as HTML: `text`, and its line ends stay."""
    return "<br>".join(map(text, _LINE_END.split(stretch)))


def page_lines(title: str, body: Iterable[str], *, filtered: bool = False, script: str = "") -> Iterator[str]:
    """A whole page of HTML, piece by piece; one that is ``filtered`` has a `filter_box` in its body.

    ``script`` runs at the end.
    """
    folder = files("ontonym.files")
    template = folder.joinpath("page.html").read_text(encoding="utf-8")
    head, foot = template.replace("{{title}}", text(title)).split("{{body}}")
    yield head.replace("{{allowed}}", "; script-src 'unsafe-inline'" if filtered or script else "")
    yield from body
    if filtered:
        yield f"<script>\n{folder.joinpath('page.js').read_text(encoding='utf-8')}</script>"
    if script:
        yield f"<script>\n{script}</script>"
    yield foot


def marks_script() -> str:
    """A script for a page of texts with `mark` elements: a click, a touch or a key shows what the title of one says."""
    return files("ontonym.files").joinpath("marks.js").read_text(encoding="utf-8")


def filter_box() -> str:
    """A box that shows only the rows with the words typed into it."""
    words = "Show only rows with these words or ids"
    return f'<div class="filter" hidden><input type="search" placeholder="{words}" aria-label="{words}"></div>'


def points(lines: Iterable[str]) -> str:
    """A list of texts, nothing where there is none."""
    items = "".join(f"<li>{'<br>'.join(map(text, line.splitlines()))}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def code(value: str) -> str:
    """A text in a monospaced face."""
    return f"<code>{text(value)}</code>"


def preformatted(value: str) -> str:
    """A text whose lines and spaces stay."""
    return f"<pre>{chr(10).join(map(text, value.splitlines()))}</pre>"


def facts(rows: Mapping[str, str]) -> str:
    """Labels with HTML that belongs to them, as a table."""
    lines = "".join(f'<tr><th scope="row">{text(name)}</th><td>{value}</td></tr>' for name, value in rows.items())
    return f'<table class="facts"><tbody>{lines}</tbody></table>'


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Collection[int] = (),
    kind: str = "",
    labelled: Collection[str] = (),
) -> Iterator[str]:
    """A table of HTML cells; the places of ``numeric`` columns stand to the right.

    Cells of ``labelled`` columns carry the column's name, which a narrow screen shows. ``kind`` is its class in the
    style sheet: ``stacked``, with small print below figures, perhaps ``tight`` too, with little room between columns;
    or ``rows``, as wide as the page.
    """
    right = [' class="n"' if place in numeric else "" for place in range(len(columns))]
    heads = "".join(f'<th scope="col"{side}>{text(name)}</th>' for name, side in zip(columns, right, strict=True))
    named = f' class="{kind}"' if kind else ""
    yield f'<div class="wide" tabindex="0"><table{named}><thead><tr>{heads}</tr></thead><tbody>'
    for row in rows:
        cells = []
        for name, side, cell in zip(columns, right, row, strict=True):
            label = f' data-is="{text(name)}"' if cell and name in labelled else ""
            cells.append(f"<td{side}{label}>{cell}</td>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def new_figure(width: float, height: float) -> Figure:
    """A figure without a window, with a layout that avoids overlaps."""
    with needing("matplotlib", "eval", "plots"):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def to_svg(figure: Figure) -> str:
    """A figure as an SVG element; the same figure gives the same text."""
    from matplotlib import rc_context

    stream = StringIO()
    with rc_context({"svg.hashsalt": "ontonym"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    drawn = stream.getvalue()
    return drawn[drawn.index("<svg") :]


def picture(svg: str, about: str, caption: str = "") -> str:
    """A picture (an SVG element) with a caption; ``about`` says what it shows, for those who cannot see it."""
    image = f'<img src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}" alt="{text(about)}">'
    return f"<figure>{image}{f'<figcaption>{text(caption)}</figcaption>' if caption else ''}</figure>"
