"""Small HTML for notebooks: cards and tables whose texts are escaped, and whose colours are the notebook's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ontonym.files.page import text

_CARD = "border:1px solid #8886;border-radius:6px;padding:.6em .9em;max-width:46em;line-height:1.45"
_DIM = "opacity:.7"
_LEFT = "text-align:left;vertical-align:top"
_MOST = 8
_MOST_ROWS = 50


def card(title: str, id: str, said: str, facts: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A card: the title with the id beside it, a paragraph, and labels with what belongs to them, shortened."""
    rows = "".join(
        f'<tr><td style="{_LEFT};{_DIM};white-space:nowrap">{text(label)}</td>'
        f'<td style="{_LEFT}">{text(listed(values))}</td></tr>'
        for label, values in facts
        if values
    )
    paragraph = f'<p style="margin:.4em 0">{text(said)}</p>' if said else ""
    head = f'<strong>{text(title)}</strong> <code style="{_DIM}">{text(id)}</code>'
    return f'<div style="{_CARD}">{head}{paragraph}<table>{rows}</table></div>'


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table of texts, at most 50 rows of it, with a line that says how many are left."""
    head = "".join(f'<th scope="col" style="{_LEFT}">{text(name)}</th>' for name in headers)
    lines = [
        "".join(f'<td style="{_LEFT}">{text(cell)}</td>' for cell in cells) for cells in rows[:_MOST_ROWS]
    ]  # fmt: skip
    more = len(rows) - len(lines)
    if more > 0:
        lines.append(f'<td colspan="{len(headers)}" style="{_DIM}">… and {more:,} more</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    above = f'<caption style="text-align:left">{text(caption)}</caption>' if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def listed(values: Sequence[str], most: int = _MOST) -> str:
    """Texts with a semicolon between them, and how many more there are."""
    more = len(values) - most
    return "; ".join(values[:most]) + (f" and {more:,} more" if more > 0 else "")
