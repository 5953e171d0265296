"""Trains the reader from the reranker's weights, on a processor.

    python bench/train/reader.py pairs.jsonl --weights l12.npz --out reader.pt --seconds 2400

Needs torch beside what `weights/requirements-build.txt` names. `--weights`: the reranker's float32 weights under their
usual names, or a reader to go on from (`.pt`). Adam (Kingma and Ba 2015) with a linear fall over the given time; loss:
binary cross-entropy for `answers`, cross-entropy over three labels for `supports`.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from reader_net import Reader, encode, from_reranker, tokenizer
from torch.nn import functional as fn

ROOT = Path(__file__).resolve().parents[2]
TOKENIZER = ROOT / "weights/src/citeleaf_weights/models/msmarco-minilm-l12/tokenizer.json"
BATCH, POOL = 32, 20
KEPT_EVERY = 100


def load(path: Path) -> Reader:
    if path.suffix == ".npz":
        return from_reranker(np.load(path))
    net = Reader()
    net.load_state_dict(torch.load(path))
    return net


def loss_of(logits: torch.Tensor, rows: list[dict]) -> torch.Tensor:  # type: ignore[type-arg]
    y = torch.tensor([int(r["y"]) for r in rows])
    asked = torch.tensor([r["task"] == "answers" for r in rows])
    parts = []
    if asked.any():
        wanted = y[asked].float() * 0.94 + 0.03
        parts.append(fn.binary_cross_entropy_with_logits(logits[asked, 0], wanted, reduction="sum"))
    if not asked.all():
        parts.append(fn.cross_entropy(logits[~asked, 1:], y[~asked], reduction="sum", label_smoothing=0.05))
    return torch.stack(parts).sum() / len(rows)


def batches(rows: list[dict], rng: random.Random) -> Iterator[list[dict]]:  # type: ignore[type-arg]
    """Pairs of like length together, in random order."""
    rng.shuffle(rows)
    for start in range(0, len(rows), BATCH * POOL):
        pool = sorted(rows[start : start + BATCH * POOL], key=lambda r: len(r["a"]) + len(r["b"]))
        cuts = [pool[i : i + BATCH] for i in range(0, len(pool), BATCH)]
        rng.shuffle(cuts)
        yield from cuts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=2400)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--last", type=float, default=0.05, help="share of the rate that is left at the end")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    words = tokenizer(TOKENIZER)
    net = load(options.weights)
    groups = [
        {"params": net.trained(), "lr": options.rate},
        {"params": list(net.out.parameters()), "lr": 4 * options.rate},
    ]
    adam = torch.optim.AdamW(groups, weight_decay=0.01)
    full = [g["lr"] for g in adam.param_groups]
    began, step, seen, losses = time.monotonic(), 0, 0, [0.0]
    done = 0.0
    while done < 1:
        rows = [json.loads(line) for line in options.pairs.read_text("utf-8").splitlines()]
        for batch in batches(rows, rng):
            done = (time.monotonic() - began) / options.seconds
            if done >= 1:
                break
            for group, rate in zip(adam.param_groups, full, strict=True):
                group["lr"] = rate * min(1.0, (step + 1) / 50) * (1 - (1 - options.last) * done)
            loss = loss_of(net(*encode(words, [(r["a"], r["b"]) for r in batch])), batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([p for g in groups for p in g["params"]], 1.0)
            adam.step()
            adam.zero_grad(set_to_none=True)
            step, seen = step + 1, seen + len(batch)
            losses.append(float(loss.detach()))
            if step % KEPT_EVERY == 0:
                torch.save(net.state_dict(), options.out)
                pace = seen / (time.monotonic() - began)
                print(
                    f"step {step}, {seen} pairs, loss {sum(losses[-KEPT_EVERY:]) / KEPT_EVERY:.3f}, {pace:.1f} pairs/s",
                    flush=True,
                )
    torch.save(net.state_dict(), options.out)
    print(f"{seen} pairs in {step} steps", flush=True)


if __name__ == "__main__":
    main()
