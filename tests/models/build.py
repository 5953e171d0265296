"""Two tiny real models for Foundry Local, from the data files of two packages; nothing of the packages is run.

Chat: SmolLM2-135M-Instruct (Apache-2.0) as the model builder of onnxruntime-genai exports it: its graph without weights
is `assets/smollm2_graph.onnx`; the weights are those of the GGUF file, quantised to 4 bits anew. Embeddings: the token
vectors of WordLlama (MIT), averaged by a graph of ten nodes. Needs numpy, onnx and gguf:

    python build.py OUT_FOLDER SMOLLM2.gguf WORDLLAMA.safetensors WORDLLAMA_TOKENIZER.json
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from gguf import GGUFReader, dequantize
from onnx import TensorProto, helper, numpy_helper

GRAPH = Path(__file__).with_name("assets") / "smollm2_graph.onnx"
CONTEXT = 4096  # the runtime reserves memory for all of it
HEADS, KEY_HEADS, HEAD = 9, 3, 64
BLOCK = 32
SPECIAL = {
    "bos_token": "<|im_start|>",
    "eos_token": "<|im_end|>",
    "unk_token": "<|endoftext|>",
    "pad_token": "<|im_end|>",
}
SEARCH = {"do_sample": False, "min_length": 0, "num_beams": 1, "num_return_sequences": 1}
Array = Any


def chat(out: Path, gguf: Path) -> None:
    """A folder that Foundry Local runs as a chat model."""
    out.mkdir(parents=True, exist_ok=True)
    reader = GGUFReader(str(gguf))
    tensors = {t.name: t for t in reader.tensors}

    def weight(name: str) -> Array:
        t = tensors[name]
        return dequantize(t.data, t.tensor_type).reshape([int(n) for n in reversed(t.shape)]).astype(np.float32)

    value = _values(weight, "output.weight" in tensors)
    model = onnx.load(GRAPH, load_external_data=False)
    with (out / "model.onnx.data").open("wb") as file:
        for initializer in model.graph.initializer:
            entry = {e.key: e.value for e in initializer.external_data}
            if entry:
                data = np.ascontiguousarray(value(initializer.name)).tobytes()
                assert len(data) == int(entry["length"]), initializer.name
                file.seek(int(entry.get("offset", 0)))
                file.write(data)
    onnx.save(model, out / "model.onnx")
    _tokenizer(out, reader)
    inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask"}
    decoder = {
        "session_options": {"log_id": "onnxruntime-genai", "provider_options": []},
        "filename": "model.onnx",
        "head_size": HEAD,
        "hidden_size": HEAD * HEADS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": 30,
        "num_key_value_heads": KEY_HEADS,
        "inputs": {
            **inputs,
            "past_key_names": "past_key_values.%d.key",
            "past_value_names": "past_key_values.%d.value",
        },
        "outputs": {
            "logits": "logits",
            "present_key_names": "present.%d.key",
            "present_value_names": "present.%d.value",
        },
    }
    _config(out, decoder, CONTEXT, 49152, past_present_share_buffer=True, temperature=1.0, top_k=50, top_p=1.0)


def embeddings(out: Path, vectors: Path, tokenizer: Path) -> None:
    """A folder that Foundry Local runs as an embedding model."""
    out.mkdir(parents=True, exist_ok=True)
    raw = vectors.read_bytes()
    (head,) = struct.unpack("<Q", raw[:8])
    about = json.loads(raw[8 : 8 + head])["embedding.weight"]
    start, end = about["data_offsets"]
    table = np.frombuffer(raw[8 + head + start : 8 + head + end], np.float16).reshape(about["shape"])
    words, size = table.shape

    def whole(name: str, numbers: list[int]) -> Any:
        return numpy_helper.from_array(np.array(numbers, np.int64), name)

    node = helper.make_node
    graph = helper.make_graph(
        [
            node("Slice", ["input_ids", "zero", "minus_one", "one"], ["tokens"]),
            node("Gather", ["table", "tokens"], ["half"]),
            node("Cast", ["half"], ["full"], to=TensorProto.FLOAT),
            node("ReduceMean", ["full"], ["mean"], axes=[1], keepdims=1),
            node("Shape", ["input_ids"], ["shape"]),
            node("Concat", ["shape", "size"], ["spread"], axis=0),
            node("Expand", ["mean", "spread"], ["hidden_states"]),
            node("Slice", ["shape", "zero", "one", "zero"], ["batch"]),
            node("Concat", ["batch", "one", "words"], ["logits_shape"], axis=0),
            node("ConstantOfShape", ["logits_shape"], ["logits"]),
        ],
        "wordllama",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", n]) for n in ("input_ids", "attention_mask")],
        [
            helper.make_tensor_value_info("hidden_states", TensorProto.FLOAT, ["b", "s", size]),
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 1, words]),
        ],
        [
            numpy_helper.from_array(table, "table"),
            *(whole(n, v) for n, v in [("zero", [0]), ("minus_one", [-1]), ("one", [1])]),
            *(whole(n, v) for n, v in [("size", [size]), ("words", [words])]),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), out / "model.onnx")
    rules = json.loads(tokenizer.read_text("utf-8"))
    rules["truncation"] = rules["padding"] = None
    _write(out / "tokenizer.json", rules)
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "</s>"}
    more = {"add_bos_token": False, "add_eos_token": False, "model_max_length": 8192}
    _write(out / "tokenizer_config.json", {"tokenizer_class": "LlamaTokenizer", **marks, **more})
    decoder = {
        "session_options": {"log_id": "onnxruntime-genai", "provider_options": []},
        "filename": "model.onnx",
        "head_size": HEAD,
        "hidden_size": size,
        "num_attention_heads": 4,
        "num_hidden_layers": 1,
        "num_key_value_heads": 4,
        "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask"},
        # `hidden_states` is not named here: older runtimes refuse the key, and find the output without it.
        "outputs": {"logits": "logits"},
    }
    _config(out, decoder, 8192, words, past_present_share_buffer=False)


def _values(weight: Callable[[str], Array], own_output: bool) -> Callable[[str], Array]:
    """From the name of a tensor of the graph to its numbers."""

    def unpermuted(a: Array, heads: int) -> Array:
        return a.reshape(heads, HEAD // 2, 2, a.shape[1]).swapaxes(1, 2).reshape(a.shape)

    def matrix(name: str) -> Array:
        if name == "lm_head.MatMul.weight":
            return weight("output.weight" if own_output else "token_embd.weight")
        block = f"blk.{name.split('.')[2]}."
        if "qkv_proj" in name:
            queries = unpermuted(weight(block + "attn_q.weight"), HEADS)
            keys = unpermuted(weight(block + "attn_k.weight"), KEY_HEADS)
            return np.concatenate([queries, keys, weight(block + "attn_v.weight")])
        names = {"o_proj": "attn_output", "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"}
        return next(weight(f"{block}{theirs}.weight") for ours, theirs in names.items() if f".{ours}." in name)

    def quantised(a: Array) -> tuple[Array, Array]:
        blocks = a.reshape(a.shape[0], a.shape[1] // BLOCK, BLOCK)
        largest = np.abs(blocks).argmax(-1)[..., None]
        scale = (np.take_along_axis(blocks, largest, -1)[..., 0] / -8).astype(np.float32)
        inverse = np.where(scale != 0, 1 / np.where(scale == 0, 1, scale), 0)
        four_bits = np.clip(np.round(blocks * inverse[..., None]) + 8, 0, 15).astype(np.uint8)
        return four_bits[..., 0::2] | (four_bits[..., 1::2] << 4), scale

    last: dict[str, tuple[Array, Array]] = {}

    def value(name: str) -> Array:
        if name.endswith(("_Q4", "_scales")):
            key = name.rsplit("_", 1)[0]
            if key not in last:
                last.clear()
                last[key] = quantised(matrix(key))
            return last[key][0 if name.endswith("_Q4") else 1]
        if name in ("cos_cache", "sin_cache"):
            steps = 1 / np.float32(100000) ** (np.arange(0, HEAD, 2, dtype=np.float32) / HEAD)
            angles = np.outer(np.arange(8192, dtype=np.float32), steps)
            return (np.cos if name[0] == "c" else np.sin)(angles).astype(np.float32)
        if "final_norm" in name:
            return weight("output_norm.weight")
        kind = "attn_norm" if "input_layernorm" in name else "ffn_norm"
        return weight(f"blk.{name.split('.')[2]}.{kind}.weight")

    return value


def _tokenizer(out: Path, reader: Any) -> None:
    def strings(key: str) -> list[str]:
        field = reader.fields[key]
        return [bytes(field.parts[i]).decode("utf-8") for i in field.data]

    words, merges = strings("tokenizer.ggml.tokens"), strings("tokenizer.ggml.merges")
    field = reader.fields["tokenizer.ggml.token_type"]
    kinds = [int(field.parts[i][0]) for i in field.data]
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    bpe = {"type": "BPE", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False}
    unset = dict.fromkeys(("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"))
    rules = {
        "version": "1.0",
        **dict.fromkeys(("truncation", "padding", "normalizer", "post_processor")),
        "added_tokens": [{"id": i, "content": w, **plain} for i, w in enumerate(words) if kinds[i] == 3],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, {**byte_level, "add_prefix_space": False}]},
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": {**bpe, **unset, "vocab": {w: i for i, w in enumerate(words)}, "merges": merges},
    }
    _write(out / "tokenizer.json", rules)
    template = strings("tokenizer.chat_template")[0]
    more = {"tokenizer_class": "GPT2Tokenizer", "model_max_length": CONTEXT, "chat_template": template}
    _write(out / "tokenizer_config.json", {**SPECIAL, **more})


def _config(out: Path, decoder: dict[str, Any], context: int, words: int, **search: object) -> None:
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    model = {"type": "llama", **ids, "vocab_size": words, "context_length": context, "decoder": decoder}
    _write(out / "genai_config.json", {"model": model, "search": {**SEARCH, "max_length": context, **search}})


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    folder, smollm2, wordllama, rules = (Path(a) for a in sys.argv[1:])
    chat(folder / "smollm2", smollm2)
    embeddings(folder / "wordllama", wordllama, rules)
