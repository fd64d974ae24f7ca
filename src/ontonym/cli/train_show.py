"""What `ontonym train` prints: an estimate before, the encoder after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from ontonym.artifact import read_manifest
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, facts, size
from ontonym.learning.encoders.export import Form
from ontonym.learning.encoders.options import Trained
from ontonym.learning.encoders.train import Estimate


def show_estimate(found: Estimate, as_json: bool) -> None:
    """Prints what a training would take."""
    if as_json:
        click.echo(to_json(asdict(found)))
        return
    facts(
        [
            ("steps", f"{found.steps:,} of {found.examples:,} examples, {found.epochs:.1f} times all"),
            ("time", f"about {lasting(found.seconds)} on this machine, {found.texts:,.0f} texts a second"),
            ("memory", f"{size(found.peak)} at most in {found.tried} steps"),
            ("checkpoints", f"{size(found.checkpoint)} each, two are kept"),
        ],
        console(),
    )


def show_trained(output: Path, page: Path, trained: Trained, forms: Sequence[Form], as_json: bool) -> None:
    """Prints what became of a training: the encoder in ``output``, its page and its forms."""
    manifest = read_manifest(output, "encoder")
    if as_json:
        shape = {"path": str(output), "fingerprint": manifest.fingerprint, "seconds": round(trained.seconds, 1)}
        figures = {"steps": trained.steps, "stopped": trained.stopped, "dev_accuracy": trained.dev,
                   "texts_per_second": round(trained.texts, 1), "onnx": [asdict(form) for form in forms]}  # fmt: skip
        click.echo(to_json({**shape, **figures, "content": manifest.content}))
        return
    out = console()
    dev = "" if trained.dev is None else f", accuracy {trained.dev:.3f} on dev at step {trained.kept_step:,}"
    lines = [
        ("encoder", f"{output}  ({size(manifest.bytes)})"),
        ("made", f"in {trained.steps:,} steps, {lasting(trained.seconds)}, {trained.texts:,.0f} texts a second{dev}"),
        ("page", f"{page}"),
        ("fingerprint", manifest.fingerprint),
    ]
    lines += [(f"onnx {form.name}", told_form(form)) for form in forms]
    facts(lines, out)
    out.print(f"next: ontonym index TERMINOLOGY --encoder {output} -o my.index", style="dim")


def told_form(form: Form) -> str:
    """How well an ONNX form agrees with torch, in words."""
    same = form.agreement
    told = f"cosine to torch {same.mean_cosine:.4f}, {same.overlap:.1%} of the {same.neighbours} nearest names the same"
    if form.accuracy is None or form.torch_accuracy is None:
        return told
    return f"{told}, accuracy on dev {form.accuracy:.3f} ({form.accuracy - form.torch_accuracy:+.3f})"


def lasting(seconds: float) -> str:
    """A span of time in words."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
