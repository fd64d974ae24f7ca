"""The page that describes a training: curves, settings, and the hashes of what it was trained on (extra ``train``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from ontonym.files.page import code, facts, new_figure, page_lines, picture, preformatted, table, text, to_svg
from ontonym.learning.encoders.options import Trained
from ontonym.manifest import Manifest
from ontonym.text.counting import count


def training_page(manifest: Manifest, trained: Trained, command: str) -> str:
    """The page as self-contained HTML without scripts."""
    return "\n".join(page_lines(f"Training of {manifest.fingerprint[:12]}", _body(manifest, trained, command)))


def _body(manifest: Manifest, trained: Trained, command: str) -> Iterator[str]:
    """The parts of the page: facts, curves, sources and settings."""
    content = manifest.content
    yield "<h1>How this encoder was trained</h1>"
    yield facts(
        {
            "command": code(command),
            "encoder": code(manifest.fingerprint),
            "trained": f"{count(trained.steps, 'step')} in {trained.seconds:,.0f} s, "
            f"{trained.texts:,.0f} texts a second ({text(trained.stopped)})",
            "accuracy@1 on dev": "not judged"
            if trained.dev is None
            else f"{trained.dev:.4f} at step {trained.kept_step:,}",
            "ontonym": text(manifest.ontonym),
        }
    )
    about = "Loss and accuracy on dev by step"
    yield f"<h2>Curves</h2>{picture(curves(trained), about, about)}<h2>Trained on</h2>"
    sources = content.get("terminologies", ())
    rows = [[text(one["name"]), text(one["version"]), code(one["fingerprint"])] for one in sources]
    yield from table(("terminology", "version", "fingerprint"), rows)
    settings = orjson.dumps(content, option=orjson.OPT_INDENT_2, default=list).decode()
    yield f"<h2>Settings</h2>{preformatted(settings)}"


def curves(trained: Trained) -> str:
    """Loss and accuracy on dev by step, as SVG."""
    figure = new_figure(8, 3.2)
    left = figure.add_subplot()
    _line(left, trained, "loss", "#2563eb", "loss")
    left.set(xlabel="step", ylabel="loss", ylim=(0, None))
    left.locator_params(axis="x", integer=True)
    if trained.dev is not None:
        right = left.twinx()
        _line(right, trained, "eval_accuracy", "#d97706", "accuracy@1 on dev")
        right.set(ylabel="accuracy@1 on dev", ylim=(0, 1))
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    return to_svg(figure)


def _line(axes: Any, trained: Trained, name: str, colour: str, label: str) -> None:
    points = [(row["step"], row[name]) for row in trained.history if name in row]
    steps, values = zip(*points, strict=True) if points else ((), ())
    axes.plot(steps, values, color=colour, label=label, marker="o" if len(points) < 20 else "", markersize=3)
