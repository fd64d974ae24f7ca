"""The page that tells of a training: curves, settings, and the hashes of what it was trained on (extra ``train``)."""

from __future__ import annotations

import html
from io import StringIO
from typing import Any

import orjson

from ontonym.artifact import Manifest
from ontonym.learning.encoders.options import Trained

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2937 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
td, th { text-align: left; padding: .15rem 1.5rem .15rem 0; vertical-align: top } th { font-weight: 600 }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: #f3f4f6; border-radius: 4px }
pre { padding: .8rem; overflow-x: auto } svg { max-width: 100%; height: auto }
"""


def training_page(manifest: Manifest, trained: Trained, command: str) -> str:
    """An HTML page in one piece, without scripts and without anything from elsewhere."""
    content = manifest.content
    dev = "not judged" if trained.dev is None else f"{trained.dev:.4f} at step {trained.kept_step:,}"
    rows = {
        "command": f"<code>{html.escape(command)}</code>",
        "encoder": f"<code>{manifest.fingerprint}</code>",
        "trained": f"{trained.steps:,} steps in {trained.seconds:,.0f} s, {trained.texts:,.0f} texts a second "
        f"({html.escape(trained.stopped)})",
        "accuracy@1 on dev": dev,
        "ontonym": html.escape(manifest.ontonym),
    }
    told = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    sources = "".join(
        f"<tr><td>{html.escape(source['name'])}</td><td>{html.escape(source['version'])}</td>"
        f"<td><code>{source['fingerprint']}</code></td></tr>"
        for source in content.get("terminologies", ())
    )
    settings = html.escape(orjson.dumps(content, option=orjson.OPT_INDENT_2, default=list).decode())
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Training of {manifest.fingerprint[:12]}</title>"
        f"<style>{_STYLE}</style><h1>How this encoder was trained</h1><table>{told}</table>"
        f"<h2>Curves</h2>{curves(trained)}"
        f"<h2>Trained on</h2><table><tr><th>terminology</th><th>version</th><th>fingerprint</th></tr>{sources}</table>"
        f"<h2>Settings</h2><pre>{settings}</pre></html>"
    )


def curves(trained: Trained) -> str:
    """Loss and accuracy on dev by step, as SVG."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    FigureCanvasSVG(figure)
    left = figure.add_subplot()
    _line(left, trained, "loss", "#2563eb", "loss")
    left.set(xlabel="step", ylabel="loss", ylim=(0, None))
    if trained.dev is not None:
        right = left.twinx()
        _line(right, trained, "eval_accuracy", "#d97706", "accuracy@1 on dev")
        right.set(ylabel="accuracy@1 on dev", ylim=(0, 1))
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    stream = StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    picture = stream.getvalue()
    return picture[picture.index("<svg") :]


def _line(axes: Any, trained: Trained, name: str, colour: str, label: str) -> None:
    points = [(row["step"], row[name]) for row in trained.history if name in row]
    steps, values = zip(*points, strict=True) if points else ((), ())
    axes.plot(steps, values, color=colour, label=label, marker="o" if len(points) < 20 else "", markersize=3)
