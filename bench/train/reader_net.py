"""The reader as a torch module: a BERT cross-encoder with two heads, and marks for the words that one side lacks.

Token types are 0 and 1 for the two texts, as in BERT, and 2 and 3 for a token of the first or second text that the
other does not hold. Types 2 and 3 are embedded as 0 and 1; behind layer `MARKED` a learned vector is added for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as fn

HIDDEN, HEADS, LAYERS, MARKED = 384, 12, 12, 4
LABELS = ("answers", "supported", "contradicted", "neither")


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.mixed = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.first, self.second = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)
        self.wide, self.narrow = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x: Tensor, mask: Tensor, added: Tensor | None = None) -> Tensor:
        n, length, _ = x.shape

        def heads(t: Tensor) -> Tensor:
            return t.view(n, length, HEADS, HIDDEN // HEADS).transpose(1, 2)

        a = fn.scaled_dot_product_attention(
            heads(self.query(x)), heads(self.key(x)), heads(self.value(x)), attn_mask=mask
        )
        x = self.first(x + self.mixed(a.transpose(1, 2).reshape(n, length, HIDDEN)))
        x = x + self.narrow(fn.gelu(self.wide(x)))
        return self.second(x if added is None else x + added)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30522, HIDDEN), nn.Embedding(512, HIDDEN)
        self.kinds, self.marks = nn.Embedding(2, HIDDEN), nn.Embedding(4, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pool, self.out = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, len(LABELS))

    def forward(self, ids: Tensor, types: Tensor, held: Tensor) -> Tensor:
        """(texts, 4) logits. `held`: 1 for tokens, 0 for padding."""
        mask = torch.zeros(held.shape).masked_fill(held == 0, -1e4)[:, None, None, :]
        with torch.no_grad():  # embeddings and the first layers stay as they were
            x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]] + self.kinds(types % 2))
            for layer in self.layers[: MARKED - 1]:
                x = layer(x, mask)
        x = self.layers[MARKED - 1](x, mask, self.marks(types))
        for layer in self.layers[MARKED:]:
            x = layer(x, mask)
        return self.out(torch.tanh(self.pool(x[:, 0])))

    def trained(self) -> list[nn.Parameter]:
        modules = [self.marks, *self.layers[MARKED:], self.pool]
        return [p for m in modules for p in m.parameters()]


def encode(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, types with marks, and which are tokens; padded to the longest."""
    encoded = tokenizer.encode_batch(list(pairs))
    longest = max(len(e.ids) for e in encoded)
    ids, types, held = (torch.zeros((len(encoded), longest), dtype=torch.long) for _ in range(3))
    for i, e in enumerate(encoded):
        n = len(e.ids)
        ids[i, :n] = torch.tensor(e.ids)
        types[i, :n] = torch.tensor(marked(e))
        held[i, :n] = 1
    return ids, types, held


def marked(encoding: Any) -> list[int]:
    """Token types with the marks of what one side lacks."""
    sides: tuple[set[int], set[int]] = (set(), set())
    for token, kind, special in zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True):
        if not special:
            sides[kind].add(token)
    return [
        kind if special or token in sides[1 - kind] else kind + 2
        for token, kind, special in zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True)
    ]


def names() -> dict[str, str]:
    """Parameter of the module -> its usual name in a BERT."""
    out = {
        "words.weight": "embeddings.word_embeddings.weight",
        "places.weight": "embeddings.position_embeddings.weight",
        "kinds.weight": "embeddings.token_type_embeddings.weight",
        "pool.weight": "pooler.dense.weight",
        "pool.bias": "pooler.dense.bias",
    }
    parts = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "mixed": "attention.output.dense", "first": "attention.output.LayerNorm", "wide": "intermediate.dense",
        "narrow": "output.dense", "second": "output.LayerNorm",
    }  # fmt: skip
    for end in ("weight", "bias"):
        out[f"norm.{end}"] = f"embeddings.LayerNorm.{end}"
        for i in range(LAYERS):
            out |= {f"layers.{i}.{a}.{end}": f"encoder.layer.{i}.{b}.{end}" for a, b in parts.items()}
    return out


def from_reranker(weights: Mapping[str, NDArray[np.float32]]) -> Reader:
    """A reader that begins as the reranker: `answers` is its score, scaled; so is how much `neither` is unlikely."""
    torch.manual_seed(0)
    net = Reader()
    state = net.state_dict()
    state |= {mine: torch.tensor(np.array(weights[theirs])) for mine, theirs in names().items()}
    score = torch.tensor(np.array(weights["classifier.weight"]))[0]
    state["marks.weight"].zero_()
    state["out.weight"] = torch.stack([0.4 * score, 0.1 * score, 0.1 * score, -0.2 * score]) + 0.01 * torch.randn(
        4, HIDDEN
    )
    state["out.bias"].zero_()
    net.load_state_dict(state)
    return net


def tokenizer(path: Path, longest: int = 128) -> Tokenizer:
    out = Tokenizer.from_file(str(path))
    out.no_padding()
    out.enable_truncation(longest, strategy="longest_first")
    return out
