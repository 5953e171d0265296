"""Writes a BERT encoder as an ONNX graph, in float32 or in 8 bits with one activation scale per token.

The graph takes a batch of texts of *equal* token count, so it has no padding and no mask: whatever else is in the
batch, each text runs through the same arithmetic. In 8 bits every linear layer is `scale[token] * scale[channel] *
(integer product)`: integer sums are exact, and a token's scale depends on that token alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, NDArray[np.float32]]

OPSET = 20
CONTRIB = "com.microsoft"  # operators that every build of onnxruntime carries
GELU_LOW = 0.17  # GELU never falls below -0.16998
GELU_ZERO = 32  # its zero in uint8: -0.17 lies within the 32 steps below, 223 steps remain above
TOP = 127  # largest weight and, about the zero 128, largest activation in 8 bits
SMOOTHING = 0.65  # how much of a channel's range moves from activation to weight (Xiao et al., SmoothQuant, 2023)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a graph is built for."""

    layers: int
    heads: int
    pooling: str
    """`mean` or `cls`: unit vectors, output `embedding` (n, hidden). `score`: a cross-encoder, output `score` (n,).
    `read`: a cross-encoder with several heads, output `reading` (n, heads)."""
    epsilon: float = 1e-12
    marked: int = 0
    """Layers before the marks of token types 2 and 3 are added (`marks.weight`); 0: there are none. Those types are
    embedded as 0 and 1."""

    @property
    def paired(self) -> bool:
        """Whether it reads two texts at once."""
        return self.pooling in ("score", "read")


@dataclass
class _Graph:
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    tensors: dict[str, NDArray[np.generic]] = field(default_factory=dict)

    def constant(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        self.tensors[name] = np.asarray(value)
        return name

    def integers(self, *values: int) -> str:
        return self.constant("int_" + "_".join(map(str, values)), np.array(values, np.int64))

    def number(self, value: float) -> str:
        return self.constant(f"float_{value!r}", np.float32(value))

    def add(self, kind: str, *inputs: str, out: str | None = None, domain: str = "", **attributes: object) -> str:
        name = out or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name


@dataclass(frozen=True, slots=True)
class _Quantized:
    """A (tokens, k) matrix as uint8, with the scale of each row (tokens, 1) and the zero they share."""

    values: str
    scale: str
    zero: str


class _Encoder:
    def __init__(self, weights: Weights, shape: Shape, ranges: Mapping[str, NDArray[np.float32]] | None, eight: bool):
        self.weights, self.shape, self.ranges, self.eight = weights, shape, ranges or {}, eight
        self.graph = _Graph()
        self.hidden = weights["embeddings.word_embeddings.weight"].shape[1]

    def norm(self, x: str, name: str, divisor: NDArray[np.float32] | None = None) -> str:
        """Layer normalisation, its channels divided by `divisor` if given (by way of gain and bias: no extra work)."""
        over = 1.0 if divisor is None else divisor
        tag = name if divisor is None else f"{name}.smoothed"
        gain = self.graph.constant(f"{tag}.weight", (self.weights[f"{name}.weight"] / over).astype(np.float32))
        bias = self.graph.constant(f"{tag}.bias", (self.weights[f"{name}.bias"] / over).astype(np.float32))
        return self.graph.add("LayerNormalization", x, gain, bias, axis=-1, epsilon=self.shape.epsilon)

    def quantize(self, x: str, *, after_gelu: bool = False) -> _Quantized:
        """8 bits with one scale per row: the row's largest value sets it."""
        g = self.graph
        top, zero = (255 - GELU_ZERO, GELU_ZERO) if after_gelu else (TOP, TOP + 1)
        floor = GELU_LOW / GELU_ZERO if after_gelu else 1e-20
        peak = g.add("ReduceMax", x if after_gelu else g.add("Abs", x), g.integers(1), keepdims=1)
        scale = g.add("Max", g.add("Mul", peak, g.number(1 / top)), g.number(floor))
        rows = g.add("Reshape", scale, g.integers(-1))
        value = numpy_helper.from_array(np.array([zero], np.uint8), "zero")
        zeros = g.add("ConstantOfShape", g.add("Shape", rows), value=value)
        values = g.add("QuantizeLinear", x, rows, zeros, axis=0)
        return _Quantized(values, scale, g.constant(f"zero_{zero}", np.uint8(zero)))

    def product(self, x: str | _Quantized, name: str, multiplier: NDArray[np.float32] | None = None) -> str:
        """x times the named weight, without its bias; `multiplier` undoes a divisor given to `norm`."""
        g = self.graph
        weight = self.weights[f"{name}.weight"]
        if isinstance(x, str):
            return g.add("MatMul", x, g.constant(f"{name}.weight", weight.T))
        scaled = weight if multiplier is None else weight * multiplier
        scale = np.maximum(np.abs(scaled).max(axis=1), 1e-20) / TOP
        eight = np.rint(scaled / scale[:, None]).astype(np.int8)
        y = g.add(
            "MatMulIntegerToFloat",
            x.values,
            g.constant(f"{name}.int8", eight.T),
            g.number(1.0),
            g.constant(f"{name}.scale", scale.astype(np.float32)),
            x.zero,
            g.constant(f"{name}.zero", np.int8(0)),  # of its own: onnxruntime's int8 to uint8 rewriting renames it
            domain=CONTRIB,
        )
        return g.add("Mul", y, x.scale)

    def bias(self, name: str) -> str:
        return self.graph.constant(f"{name}.bias", self.weights[f"{name}.bias"])

    def divisor(self, point: str, readers: Sequence[str]) -> NDArray[np.float32] | None:
        """Per channel: largest activation ** s / largest weight ** (1 - s), geometric mean 1."""
        if point not in self.ranges:
            return None
        weight = np.max([np.abs(self.weights[f"{reader}.weight"]).max(axis=0) for reader in readers], axis=0)
        ratio = np.maximum(self.ranges[point], 1e-3) ** SMOOTHING / np.maximum(weight, 1e-3) ** (1 - SMOOTHING)
        return np.asarray(ratio / np.exp(np.log(ratio).mean()), np.float32)

    def read(
        self, total: str, norm: str, readers: Sequence[str]
    ) -> tuple[str, str | _Quantized, NDArray[np.float32] | None]:
        """(normalised stream, the same ready to be multiplied, divisor) of a residual sum that `readers` will read."""
        x = self.norm(total, norm)
        if not self.eight:
            return x, x, None
        divisor = self.divisor(norm, readers)
        return x, self.quantize(x if divisor is None else self.norm(total, norm, divisor)), divisor

    def embed(self) -> str:
        g, w = self.graph, self.weights
        words = w["embeddings.word_embeddings.weight"]
        if self.eight:
            scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), 1e-20) / TOP
            table = g.constant("words.int8", np.rint(words / scale).astype(np.int8))
            row = g.add("Cast", g.add("Gather", table, "input_ids"), to=TensorProto.FLOAT)
            x = g.add("Mul", row, g.add("Gather", g.constant("words.scale", scale.astype(np.float32)), "input_ids"))
        else:
            x = g.add("Gather", g.constant("words", words), "input_ids")
        kinds = w["embeddings.token_type_embeddings.weight"]
        places = g.constant("places", w["embeddings.position_embeddings.weight"] + kinds[0])
        length = g.add("Shape", "input_ids", start=1, end=2)
        x = g.add("Add", x, g.add("Slice", places, g.integers(0), length, g.integers(0)))
        if self.shape.paired:
            table = np.concatenate([kinds, kinds]) if self.shape.marked else kinds
            x = g.add("Add", x, g.add("Gather", g.constant("kinds", table - kinds[0]), "token_type_ids"))
        return g.add("Reshape", x, g.integers(-1, self.hidden))

    def first_tokens(self, x: str, *, of: str) -> str:
        """The rows of each text's first token, of a (tokens, hidden) matrix."""
        g = self.graph
        return g.add("Gather", g.add("Reshape", x, of), g.constant("first", np.int64(0)), axis=1)

    def encode(self) -> str:
        """(tokens, hidden) after the last layer; (texts, hidden), first tokens alone, unless the pooling is `mean`."""
        g = self.graph
        batched = g.add("Concat", g.add("Shape", "input_ids"), g.integers(self.hidden), axis=0)
        total, norm = self.embed(), "embeddings.LayerNorm"
        for layer in range(self.shape.layers):
            at = f"encoder.layer.{layer}"
            short = self.shape.pooling != "mean" and layer == self.shape.layers - 1
            parts = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
            x, ready, divisor = self.read(total, norm, parts)
            query, key, value = (g.add("Reshape", self.product(ready, part, divisor), batched) for part in parts)
            if short:  # nothing after the last attention needs the other tokens
                query = g.add("Gather", query, g.integers(0), axis=1)
                x = self.first_tokens(x, of=batched)
            biases = np.concatenate([self.weights[f"{part}.bias"] for part in parts])
            mixed = g.add(
                "MultiHeadAttention", query, key, value, g.constant(f"{at}.attention.biases", biases),
                domain=CONTRIB, num_heads=self.shape.heads,
            )  # fmt: skip
            mixed = g.add("Reshape", mixed, g.integers(-1, self.hidden))
            total = self.join(mixed, x, f"{at}.attention.output.dense")
            inner, norm = f"{at}.intermediate.dense", f"{at}.attention.output.LayerNorm"
            x, ready, divisor = self.read(total, norm, [inner])
            wide = g.add("Gelu", g.add("Add", self.product(ready, inner, divisor), self.bias(inner)))
            total, norm = self.join(wide, x, f"{at}.output.dense", after_gelu=True), f"{at}.output.LayerNorm"
            if layer + 1 == self.shape.marked:
                marks = g.add("Gather", g.constant("marks", self.weights["marks.weight"]), "token_type_ids")
                total = g.add("Add", total, g.add("Reshape", marks, g.integers(-1, self.hidden)))
        x = self.norm(total, norm)
        return g.add("Reshape", x, batched) if self.shape.pooling == "mean" else x

    def join(self, x: str, stream: str, name: str, *, after_gelu: bool = False) -> str:
        ready = self.quantize(x, after_gelu=after_gelu) if self.eight else x
        return self.graph.add("Add", self.graph.add("Add", self.product(ready, name), self.bias(name)), stream)

    def head(self, x: str) -> tuple[str, list[str | int]]:
        g = self.graph
        if self.shape.paired:
            dense, classify = "pooler.dense", "classifier"
            pooled = g.add("Gemm", x, g.constant("pool", self.weights[f"{dense}.weight"]), self.bias(dense), transB=1)
            out = g.constant("out", self.weights[f"{classify}.weight"])
            if self.shape.pooling == "read":
                heads = len(self.weights[f"{classify}.bias"])
                logits = g.add("Gemm", g.add("Tanh", pooled), out, self.bias(classify), transB=1, out="reading")
                return logits, ["texts", heads]
            logits = g.add("Gemm", g.add("Tanh", pooled), out, self.bias(classify), transB=1)
            return g.add("Reshape", logits, g.integers(-1), out="score"), ["texts"]
        if self.shape.pooling == "mean":
            # A product with ones, for the bits of a mean over a middle axis vary with the size of the batch.
            length = g.add("Shape", "input_ids", start=1, end=2)
            row = g.add("Concat", g.integers(1), length, axis=0)
            ones = g.add("ConstantOfShape", row, value=numpy_helper.from_array(np.ones(1, np.float32), "one"))
            x = g.add("Squeeze", g.add("MatMul", ones, x), g.integers(1))
        return g.add("LpNormalization", x, out="embedding", axis=1, p=2), ["texts", self.hidden]


def build(
    weights: Weights, shape: Shape, *, ranges: Mapping[str, NDArray[np.float32]] | None = None
) -> onnx.ModelProto:
    """The 8-bit graph. `ranges`: largest absolute value per channel of each layer normalisation, see `probe`."""
    return _finish(_Encoder(weights, shape, ranges, eight=True))


def build_float32(weights: Weights, shape: Shape) -> onnx.ModelProto:
    """The same network in float32: the reference that 8 bits are measured against."""
    return _finish(_Encoder(weights, shape, None, eight=False))


def probe(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a float32 graph that gives, under the name `RANGE/<layer normalisation>`, each one's channel maxima."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    axes = numpy_helper.from_array(np.array([0], np.int64), "probe_axes")
    copy.graph.initializer.append(axes)
    for node in [node for node in model.graph.node if node.op_type == "LayerNormalization"]:
        name = "RANGE/" + node.input[1].removesuffix(".weight")
        copy.graph.node.append(helper.make_node("Abs", [node.output[0]], [name + "/abs"]))
        copy.graph.node.append(helper.make_node("ReduceMax", [name + "/abs", "probe_axes"], [name], keepdims=0))
        copy.graph.output.append(onnx.ValueInfoProto(name=name))
    return copy


def _finish(encoder: _Encoder) -> onnx.ModelProto:
    name, dims = encoder.head(encoder.encode())
    inputs = ["input_ids"] + (["token_type_ids"] if encoder.shape.paired else [])
    graph = helper.make_graph(
        encoder.graph.nodes,
        "bert",
        [helper.make_tensor_value_info(each, TensorProto.INT64, ["texts", "tokens"]) for each in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)],
        [numpy_helper.from_array(np.asarray(v, order="C"), k) for k, v in encoder.graph.tensors.items()],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="citeleaf-weights")
