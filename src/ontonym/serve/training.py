"""What training made, as JSON and for a person: encoders, rerankers, and the examples they learn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ontonym.artifact import read_manifest
from ontonym.learning.encoders.distill import Distilled
from ontonym.learning.encoders.forms import Form
from ontonym.learning.encoders.runs import TrainingResult
from ontonym.learning.encoders.train import Estimate
from ontonym.learning.recipes import Examples
from ontonym.learning.rerankers.export import RerankForm
from ontonym.learning.rerankers.groups import Compared
from ontonym.learning.rerankers.pages import PageReranker
from ontonym.learning.rerankers.runs import IndexReranker
from ontonym.learning.rerankers.training import TrainedReranker
from ontonym.manifest import Manifest
from ontonym.serve.show import Summary, size
from ontonym.text.counting import count


def estimate_summary(found: Estimate) -> Summary:
    """What a training would take."""
    facts = [
        ("steps", f"{found.steps:,}, which read {count(found.examples, 'example')} {found.epochs:.1f} times each"),
        ("time", f"about {lasting(found.seconds)} on this machine, {found.texts:,.0f} texts a second"),
        *([] if found.peak is None else [("memory", f"{size(found.peak)} at most in {count(found.tried, 'step')}")]),
        ("checkpoints", f"{size(found.checkpoint)} each, two are kept"),
    ]
    return Summary(asdict(found), facts)


def encoder_summary(output: str, done: TrainingResult) -> Summary:
    """A trained encoder, its page and its forms."""
    manifest, trained = done.manifest, done.trained
    shape = {
        **_artifact_shape(output, manifest, trained.seconds),
        "steps": trained.steps,
        "stopped": trained.stopped,
        "dev_accuracy": trained.dev,
        "texts_per_second": round(trained.texts, 1),
        "compared": [asdict(gain) for gain in done.compared.gains] if done.compared else None,
        "onnx": [asdict(form) for form in done.forms],
        "content": manifest.content,
    }
    dev = "" if trained.dev is None else f", accuracy {trained.dev:.3f} on dev at step {trained.kept_step:,}"
    made = f"in {count(trained.steps, 'step')}, {lasting(trained.seconds)}, {trained.texts:,.0f} texts a second{dev}"
    facts = [
        _place("encoder", output, manifest),
        ("made", made),
        ("unchanged", _nothing_learned(manifest.content) if manifest.content["base"] == manifest.fingerprint else ""),
        *((gain.name, str(gain)) for gain in (done.compared.gains if done.compared else ())),
        ("lost in the split", _lost_in_the_split(manifest.content["pairs"])),
        ("page", str(done.page)),
        ("fingerprint", manifest.fingerprint),
        *((f"onnx {form.name}", _described_form(form)) for form in done.forms),
    ]
    return Summary(shape, facts)


def _nothing_learned(content: Mapping[str, Any]) -> str:
    """That training left the encoder as it was, and from how many examples."""
    learned = count(content["pairs"].get("examples", {}).get("train", 0), "example")
    return (
        f"the encoder is the one that training began from: {learned} taught nothing; give terminologies with more names"
    )


def reranker_summary(output: str, made: IndexReranker, seconds: float) -> Summary:
    """A reranker trained on an index, and how its forms compare."""
    trained, manifest = made.trained, read_manifest(output, "reranker")
    shape = {
        **_reranker_shape(output, manifest, trained, seconds),
        "test": asdict(trained.test) if trained.test else None,
        "weight": trained.weight,
        "onnx": [asdict(form) for form in made.forms],
        "content": manifest.content,
    }
    ended = "" if trained.stopped == "done" else f", {trained.stopped}"
    learned = count(len(made.groups.of("train")), "query", "queries")
    compared = {"dev": trained.dev, "test": trained.test}
    facts = [
        _place("reranker", output, manifest),
        ("made", f"from {learned} in {count(trained.steps, 'step')}, {seconds:.0f} s{ended}"),
        *((name, described_comparison(figures)) for name, figures in compared.items() if figures),
        ("weight", "" if trained.weight is None else f"{trained.weight:g} beside search"),
        *((form.name, _described_rerank_form(form)) for form in made.forms),
        ("fingerprint", manifest.fingerprint),
    ]
    return Summary(shape, facts)


def aligner_summary(output: str, made: PageReranker, seconds: float) -> Summary:
    """A reranker of encyclopedia pages."""
    trained, manifest = made.trained, read_manifest(output, "reranker")
    facts = [
        _place("reranker", output, manifest),
        ("made", f"from {count(made.learned, 'concept')} in {count(trained.steps, 'step')}, {seconds:.0f} s"),
        ("dev", described_comparison(trained.dev) if trained.dev else ""),
        ("weight", "" if trained.weight is None else f"{trained.weight:g} beside what is counted"),
        ("fingerprint", manifest.fingerprint),
    ]
    shape = {**_reranker_shape(output, manifest, trained, seconds), "weight": trained.weight, **made.described}
    return Summary(shape, facts)


def distilled_summary(output: str, done: Distilled, seconds: float) -> Summary:
    """A distilled encoder, and how nearly it gives the teacher's vectors."""
    manifest = read_manifest(output, "encoder")
    facts = [_place("encoder", output, manifest), ("made", f"in {seconds:.0f} s")]
    if done.kept < 1:
        dim = manifest.content["identity"]["shape"]["dim"]
        facts.append(("kept", f"{done.kept:.1%} of the teacher's vectors in {dim} columns"))
    if (same := done.held_out) is not None:
        cosine = f"cosine {same.mean_cosine:.3f}, " if same.mean_cosine is not None else ""
        near = f"{same.overlap:.1%} of the {same.neighbours} nearest names the same"
        facts.append(("agreement", f"{cosine}{near}, on {count(same.texts, 'name')} that it was not fitted to"))
    return Summary({**_artifact_shape(output, manifest, seconds), "content": manifest.content}, facts)


def _lost_in_the_split(pairs: Mapping[str, Any]) -> str:
    """How many examples a split by concept leaves out, since it separates their two concepts."""
    lost = pairs.get("across_splits", 0)
    all_pairs = f"{count(pairs.get('connected', 0), 'connected pair')}"
    return f"{lost:,} of {all_pairs}, whose concepts are in two splits; a split by example keeps them" if lost else ""


def pairs_summary(
    output: str, manifest: Manifest, examples: Examples, rows: list[tuple[str, str]], seconds: float, *, tsv: str | None
) -> Summary:
    """Training examples that were written, to ``tsv`` too where it is given."""
    facts = [
        _place("pairs", output, manifest),
        *rows,
        ("written", tsv or ""),
        ("made", f"{count(sum(examples.counts().values()), 'example')} in {seconds:.1f} s"),
    ]
    shape = {**_artifact_shape(output, manifest, seconds), "content": manifest.content}
    return Summary(shape, facts)


def described_comparison(figures: Compared) -> str:
    """Recall before and after reranking in words."""
    before, after = figures.search, figures.reranked
    both = f", {figures.mixed.recall_1:.3f} by both" if figures.mixed else ""
    return (
        f"recall@1 {before.recall_1:.3f} as search orders, {after.recall_1:.3f} reranked{both}; recall@10 "
        f"{before.recall_10:.3f}, {after.recall_10:.3f}; of {count(before.n, 'query', 'queries')}"
    )


def lasting(seconds: float) -> str:
    """A span of time in words."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _place(label: str, output: str, manifest: Manifest) -> tuple[str, str]:
    return label, f"{Path(output)}  ({size(manifest.bytes)})"


def _artifact_shape(output: str, manifest: Manifest, seconds: float) -> dict[str, Any]:
    return {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(seconds, 1)}


def _reranker_shape(output: str, manifest: Manifest, trained: TrainedReranker, seconds: float) -> dict[str, Any]:
    return {
        **_artifact_shape(output, manifest, seconds),
        "steps": trained.steps,
        "best_step": trained.best_step,
        "stopped": trained.stopped,
        "dev": asdict(trained.dev) if trained.dev else None,
    }


def _described_form(form: Form) -> str:
    """How well an ONNX form agrees with torch, in words."""
    same = form.agreement
    text = f"cosine to torch {same.mean_cosine:.4f}, {same.overlap:.1%} of the {same.neighbours} nearest names the same"
    if form.accuracy is None or form.torch_accuracy is None:
        return text
    return f"{text}, accuracy on dev {form.accuracy:.3f} ({form.accuracy - form.torch_accuracy:+.3f})"


def _described_rerank_form(form: RerankForm) -> str:
    """How a form of a reranker agrees with torch, and how fast it is, in words."""
    text = f"recall@1 {form.figures.recall_1:.3f}, {form.pairs:,.0f} pairs/s"
    if form.name == "torch":
        return text
    apart = f"{form.strays:.4f} ({form.farthest:.4f} at most) from torch's scores"
    return f"{text}, {apart}, the same one first in {form.same:.1%}"
