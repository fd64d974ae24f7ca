"""Makes the sources of the documentation site from the pages in docs/: ``python docs/site.py build/site-pages``.

The guide and the page on other tools are split by task, links follow, and links to files outside of docs/ become plain
text. mkdocs.yml builds the site from it.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
ICON = DOCS.parent / "src" / "ontonym" / "serve" / "page" / "icon.svg"
SPLIT = ("guide", "peers")
"""Pages that become a folder of pages, one for each heading of the second level."""

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def prose(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a page in order: what is no code block, and code blocks (True)."""
    end = 0
    for block in _FENCE.finditer(text):
        yield text[end : block.start()], False
        yield block[0], True
        end = block.end()
    yield text[end:], False


def parts(text: str) -> list[tuple[str, str]]:
    """A page split at its headings of the second level: title and text, the first one's title empty."""
    found = [("", "")]
    for piece, is_code in prose(text):
        for line in piece.splitlines(keepends=True):
            if not is_code and line.startswith("## "):
                found.append((line[3:].strip(), f"# {line[3:]}"))
            else:
                title, so_far = found[-1]
                raised = line[1:] if not is_code and line.startswith("###") else line
                found[-1] = (title, so_far + raised)
    return found


def anchors(text: str) -> list[str]:
    """The anchors of all headings of a page."""
    return [slug(heading) for piece, is_code in prose(text) if not is_code for _, heading in _HEADING.findall(piece)]


def pages() -> dict[str, str]:
    """Every page of the site by its path, links not yet following."""
    made = {}
    for file in sorted(DOCS.rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        if file.stem not in SPLIT:
            made[file.relative_to(DOCS).as_posix()] = text
            continue
        for title, part in parts(text):
            made[f"{file.stem}/{slug(title) or 'index'}.md"] = part
    sys.path.insert(0, str(DOCS))
    from notebooks import NOTEBOOKS, as_page, read

    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        made[f"notebooks/{notebook.stem}.md"] = as_page(read(notebook))
    return made


def moved(made: dict[str, str]) -> dict[str, str]:
    """Where each anchor of a split page is now: ``guide.md#search`` is in ``guide/search.md#search``."""
    where = {}
    for path, text in made.items():
        folder, _, _ = path.rpartition("/")
        if folder in SPLIT:
            where |= {f"{folder}.md#{anchor}": f"{path}#{anchor}" for anchor in anchors(text)}
    return where | {f"{name}.md": f"{name}/index.md" for name in SPLIT}


def with_links(path: str, text: str, made: dict[str, str], where: dict[str, str]) -> str:
    """A page whose links lead to where things are on the site; links out of docs/ become their text."""
    folder = path.rpartition("/")[0]
    stands = "" if folder in SPLIT else folder

    def link(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        page, _, anchor = target.partition("#")
        own = f"{folder}.md" if folder in SPLIT else path
        page = posixpath.normpath(posixpath.join(stands, page)) if page else own
        full = f"{page}#{anchor}" if anchor else page
        page, _, anchor = where.get(full, full).partition("#")
        page = page.removesuffix(".ipynb") + ".md" if page.endswith(".ipynb") else page
        if page not in made:
            return words
        return f"[{words}]({posixpath.relpath(page, folder or '.')}{f'#{anchor}' if anchor else ''})"

    return "".join(piece if is_code else _LINK.sub(link, piece) for piece, is_code in prose(text))


def main(target: Path) -> None:
    """Writes the sources of the site."""
    shutil.rmtree(target, ignore_errors=True)
    made = pages()
    where = moved(made)
    for path, text in made.items():
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(with_links(path, text, made, where), encoding="utf-8")
    for file in (*DOCS.glob("*.svg"), *DOCS.glob("*.png"), DOCS / "site.css", DOCS / "site.js", ICON):
        shutil.copyfile(file, target / file.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
