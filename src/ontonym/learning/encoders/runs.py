"""A whole training of an encoder: from terminologies or examples on disk to an encoder folder with its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ontonym.artifact import read_manifest
from ontonym.encoder import STATIC, open_encoder
from ontonym.errors import CheckFailed
from ontonym.files.output import written_file
from ontonym.learning.checkpoints import check_work, remove
from ontonym.learning.encoders.bases import NONE, PACKAGED, SMALL, Base
from ontonym.learning.encoders.checks import check_place
from ontonym.learning.encoders.curves import training_page
from ontonym.learning.encoders.datasets import Dataset, ExampleDataset, RecipeDataset
from ontonym.learning.encoders.forms import Form, export_forms
from ontonym.learning.encoders.gain import TOLERANCE, AdaptationGains, compare_encoders
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.encoders.options import Trained, TrainOptions, TrainStep, is_first_process, preset_name
from ontonym.learning.encoders.train import Estimate, estimate, train_encoder
from ontonym.learning.recipes import PoolOptions, RecipeOptions, find_recipe, name_pool, open_examples
from ontonym.learning.recipes.table import check_recipe_options, described_sources
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.manifest import Manifest
from ontonym.store import open_terminologies
from ontonym.text.strings import Strings
from ontonym.types import Progress, no_progress

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import Trainable

_FREE = ("training.at_once",)
"""Options that may change when a training is resumed, since the result is the same."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The data and the settings of a training; `ontonym.learning.encoders.options.PRESETS` has those of the papers.

    ``recipe`` makes examples of the ``names`` of terminologies, with the options ``making``. ``annotated`` are texts
    with the ids of their concepts; ``left_out`` counts those that could not be used, by reason. ``auxiliary`` names a
    second recipe, whose loss is multiplied by ``auxiliary_weight`` and added (Kong section 6.3). ``preset`` is for the
    manifest.
    """

    base: Base
    recipe: str
    options: TrainOptions
    loss: LossOptions
    names: PoolOptions
    making: RecipeOptions
    preset: str
    annotated: Sequence[tuple[str, str]]
    left_out: Mapping[str, int]
    auxiliary: str
    auxiliary_weight: float

    @property
    def adapts(self) -> bool:
        """Whether a static encoder is trained further by itself, so that it can be compared with the original."""
        return self.base.beginning == "adapt" and not self.base.beside


@dataclass(frozen=True, slots=True)
class Training:
    """A prepared training: the trainable encoder and its datasets; ``described`` is for the manifest.

    ``seconds_ahead`` is the estimated time before the first step, for a dry run.
    """

    plan: TrainingPlan
    trainable: Trainable
    datasets: tuple[Dataset, ...]
    weights: tuple[float, ...]
    described: dict[str, Any]
    seconds_ahead: float

    def estimated(self) -> Estimate:
        """The estimated cost of the whole training, from a few steps, which change the trainable."""
        found = estimate(self.trainable, self.datasets, self.plan.options, self.plan.loss, weights=self.weights)
        return replace(found, seconds=found.seconds + self.seconds_ahead)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The result of a training: the manifest of the encoder, the page that describes it, and its ONNX forms.

    ``compared`` compares an adapted static encoder with the original; None for any other base.
    """

    manifest: Manifest
    trained: Trained
    page: Path
    forms: tuple[Form, ...]
    compared: AdaptationGains | None = None


def holds_examples(source: Sequence[Path | str]) -> bool:
    """Whether the source of a training is a PAIRS folder, not terminologies."""
    return len(source) == 1 and read_manifest(source[0]).kind == "pairs"


def prepare_training(
    source: Sequence[Path | str],
    plan: TrainingPlan,
    stack: ExitStack,
    *,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> Training:
    """Opens the source, a PAIRS folder or terminologies, and makes the trainable encoder; ``stack`` closes both.

    With ``dry_run`` an encoder that stays unchanged does not encode names beforehand.

    Raises UnknownNameError for an unknown recipe, InputError if no recipe takes the given options or annotated texts,
    or no example can be made, and what `Base.trainable` raises.
    """
    datasets, sources = _datasets(source, plan, stack, progress)
    options, base = plan.options, plan.base
    texts = Strings.joined([dataset.texts.texts for dataset in datasets])
    progress("preparing", 0, None)
    ahead = None if dry_run else partial(progress, "encoding names")
    trainable = base.trainable(texts, seed=options.seed, dropout=options.dropout, ahead=ahead)
    described = {
        "training": asdict(options),
        "loss": asdict(plan.loss),
        "preset": preset_name(plan.preset),
        "pairs": datasets[0].described(),
        **({"auxiliary": {"weight": plan.auxiliary_weight, **datasets[1].described()}} if len(datasets) > 1 else {}),
        "base": base.name if base.name in (NONE, SMALL) else open_encoder(base.name).fingerprint,
        "unseen": _unseen(base, plan.names.exclude),
        **({"beside": open_encoder(base.beside).fingerprint, "share": base.share} if base.beside else {}),
        **sources,
    }
    weights = (1.0, plan.auxiliary_weight)[: len(datasets)]
    return Training(plan, trainable, tuple(datasets), weights, described, base.seconds_ahead(texts) if dry_run else 0.0)


def _datasets(
    source: Sequence[Path | str], plan: TrainingPlan, stack: ExitStack, progress: Progress
) -> tuple[list[Dataset], dict[str, Any]]:
    """The datasets, the main one first, and the description of their sources for the manifest."""
    if holds_examples(source):
        examples = open_examples(source[0])
        return [ExampleDataset(examples)], {"terminologies": examples.described.get("terminologies", [])}
    recipes = [find_recipe(name) for name in (plan.recipe, plan.auxiliary) if name]
    check_recipe_options(recipes, plan.making, annotated=bool(plan.annotated or plan.left_out))
    terminologies = stack.enter_context(open_terminologies(source))
    progress("reading names", 0, None)
    pool = name_pool(terminologies, plan.names, annotated=plan.annotated)
    datasets: list[Dataset] = [RecipeDataset(pool, recipe, plan.making) for recipe in recipes]
    return datasets, {"terminologies": described_sources(terminologies), "annotated_left_out": dict(plan.left_out)}


def _unseen(base: Base, names: Collection[str]) -> str:
    """The digest of the names that neither this training nor earlier ones of the encoder used, or an empty string."""
    if not names:
        return ""
    digest = names_digest(names)
    before = [name for name in (base.name, base.beside) if name not in ("", NONE, SMALL)]
    return digest if all(unseen_digest(name) == digest for name in before) else ""


def run_training(
    training: Training,
    output: Path,
    *,
    work: Path | None = None,
    resume: bool,
    export: bool,
    tolerance: float = TOLERANCE,
    allow_worse: bool,
    command: str,
    report: Callable[[TrainStep], None] | None,
) -> TrainingResult | None:
    """Trains, and writes the encoder to ``output`` and a page that describes the training beside it.

    Checkpoints are kept in ``work``, by default beside the output, until the encoder is written; the same training
    continues from the last one, with ``resume`` no other one may begin there. ``export`` adds the ONNX forms.
    ``command`` is shown on the page. None in a process that only helps another one (several devices).

    A static encoder that was adapted is compared with what it was; one that got worse (see `AdaptationGains`) is not
    written unless ``allow_worse`` says so. ``tolerance`` is how much accuracy@1 may be lost on general names.

    Raises what `train_encoder` raises, CheckFailed for an encoder that got worse, MismatchError where the checkpoints
    are of another training, InputError where they or the output cannot be written.
    """
    plan = training.plan
    if is_first_process():
        check_place(output)
    work = work or Path(f"{output}.training")
    described = {**training.described, "shape": asdict(plan.base.shape), "pooling": plan.base.pooling}
    tables = {
        f"examples of {dataset.described().get('recipe', '')}": hashlib.sha256(dataset.table(0).tobytes()).hexdigest()
        for dataset in training.datasets
    }
    resume = check_work(work, {**described, **tables}, resume=resume, free=_FREE, write=is_first_process())
    trained = train_encoder(
        training.trainable,
        training.datasets,
        plan.options,
        plan.loss,
        work=work,
        resume=resume,
        weights=training.weights,
        report=report,
    )
    if not is_first_process():
        return None
    figures: dict[str, Any] = {"steps": trained.steps, "dev_accuracy": trained.dev, "kept_step": trained.kept_step}
    compared = _gains(training) if plan.adapts else None
    if compared:
        figures["compared"] = [asdict(gain) for gain in compared.gains]
        _check_gain(compared, tolerance, output, work, allow_worse=allow_worse)
    training.trainable.save(output, {**training.described, "trained": figures})
    remove(work)
    forms = export_forms(output, training.datasets[0], plan.options) if export else ()
    manifest, page = read_manifest(output, "encoder"), Path(f"{output}.html")
    with written_file(page) as out:
        out.write(training_page(manifest, trained, command).encode())
    return TrainingResult(manifest, trained, page, forms, compared)


def _gains(training: Training) -> AdaptationGains:
    """The encoder, as it would be written, compared with the one that it was adapted from."""
    name = training.plan.base.name
    before = open_encoder(STATIC if name in PACKAGED else name)
    with TemporaryDirectory(prefix="ontonym-", ignore_cleanup_errors=True) as folder:
        made = Path(folder) / "made.encoder"
        training.trainable.save(made, {})
        return compare_encoders(before, open_encoder(made), training.datasets[0], training.plan.options)


def _check_gain(compared: AdaptationGains, tolerance: float, output: Path, work: Path, *, allow_worse: bool) -> None:
    lost = compared.worse(tolerance)
    if lost and not allow_worse:
        worse = "; ".join(f"{gain.name} {gain}" for gain in lost)
        raise CheckFailed(
            f"{output} is not written, since it got worse: {worse}; up to {tolerance:g} is tolerated on general names, "
            f"and nothing beyond chance on the terminology's own. Fewer `steps=` or a lower `rate=` lose less; to have "
            f"it all the same, add `resume=` and `allow_worse=` (the training is kept in {work})"
        )
