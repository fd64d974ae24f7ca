"""Trains a reranker from groups: a query, the right candidate, and the wrong ones that search brought (Rahimi 3.2).

torch and transformers are imported when training begins (extra ``train``). Every step depends only on the seed,
its number and the weights, so that on a processor a resumed training ends with the same weights as one never stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ontonym.artifact import write_artifact
from ontonym.encoder.crossmodel import CrossModel, model_folder
from ontonym.encoder.modelfolder import fingerprint
from ontonym.errors import InputError
from ontonym.learning.checkpoints import check_work, remove
from ontonym.learning.rerankers.groups import CandidateGroup, Compared, compared, groups_digest, weight_of
from ontonym.learning.rerankers.options import History, RerankOptions, RerankStep
from ontonym.learning.threads import threads
from ontonym.manifest import Manifest


@dataclass(frozen=True, slots=True)
class TrainedReranker:
    """The outcome of a training; ``dev`` and ``test`` are None where there were no such groups.

    The figures on dev are optimistic, since ``best_step`` was chosen by them. ``history`` has a row for each report:
    step, loss, and where dev was judged its figures. ``weight`` is the one under which search and the reranker together
    do best on dev, None where the confidence of search is not known (one signal alone, no dev).
    """

    manifest: Manifest
    steps: int
    best_step: int
    stopped: Literal["done", "no better on dev"]
    dev: Compared | None
    test: Compared | None
    weight: float | None = None
    history: History = field(default_factory=list)


def train_reranker(
    groups: Sequence[CandidateGroup],
    base: Path | str,
    output: Path | str,
    options: RerankOptions = RerankOptions(),  # noqa: B008 (frozen)
    *,
    dev: Sequence[CandidateGroup] = (),
    test: Sequence[CandidateGroup] = (),
    content: dict[str, Any] | None = None,
    resume: bool = False,
    report: Callable[[RerankStep], None] | None = None,
) -> TrainedReranker:
    """Trains a reranker on groups, from a BERT-like model folder or a cross-encoder, and writes it to ``output``.

    With ``dev`` the weights that rank it best are kept; ``test`` is ranked once, at the end. ``content`` goes to the
    manifest. Checkpoints lie beside the output (`checkpoint_folder`); the same training continues from
    the last; those of another one are given up, or with ``resume`` refused.

    Raises InputError where no group has a right and a wrong candidate, the loss is no longer a number, memory does not
    suffice or a checkpoint cannot be written, ArtifactError where the base is incomplete, MismatchError where the
    checkpoints are of another training.
    """
    taught = [group for group in groups if group.teaches]
    if not taught:
        raise InputError(
            "there is nothing to train on: no group has a right and a wrong candidate; the terminology needs concepts "
            "with two names or more"
        )
    folder = model_folder(base)
    cross = CrossModel.load(folder, tokens=options.tokens, seed=options.seed, device=options.device)
    from ontonym.learning.rerankers.trainer import RerankTrainer

    origin = {"base": fingerprint(folder), "groups": groups_digest(taught), "dev": groups_digest(dev)}
    work = checkpoint_folder(output)
    resume = check_work(work, {"training": asdict(options), **origin}, resume=resume, elsewhere="`output=`")
    with threads(options.threads):
        trainer = RerankTrainer(cross, taught, dev, options, work, report)
        trainer.run(resume=resume)
        scores = {"dev": trainer.scores(dev), "test": trainer.scores(test)}
    weight = weight_of(dev, scores["dev"])
    figures = {"dev": compared(dev, scores["dev"], weight), "test": compared(test, scores["test"], weight)}
    steps, best, stopped = trainer.state.global_step, trainer.state.best_global_step or 0, trainer.stopped
    facts = {
        "identity": {"reranker": "cross-encoder", "tokens": cross.tokens},
        "training": asdict(options),
        "made from": origin,
        "groups": {"train": len(taught), "dev": len(dev), "test": len(test)},
        "trained": {"steps": steps, "best step": best, "stopped": stopped},
        "weight": weight,
        **{name: asdict(found) for name, found in figures.items() if found},
        "history": trainer.history,
        **(content or {}),
    }
    with write_artifact(output, "reranker") as writer:
        cross.save(writer.folder)
        writer.content.update(facts)
    remove(work)
    return TrainedReranker(writer.manifest, steps, best, stopped, weight=weight, history=trainer.history, **figures)


def checkpoint_folder(output: Path | str) -> Path:
    """The folder from which the training of a reranker is resumed."""
    place = Path(output).resolve()
    return place.with_name(f"{place.name}.checkpoint")
