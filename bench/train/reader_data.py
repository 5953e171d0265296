"""Makes the pairs that the reader is trained on, as JSON lines.

    python bench/train/reader_data.py --data ../shared/data --out pairs.jsonl --held held.jsonl [--seed 7]

A pair is `{"a", "b", "task", "y", "src"}`. Task `answers`: `a` is a question, `b` words of a document, y 1 where they
answer it. Task `supports`: `a` is a claim, y 0 supported, 1 contradicted, 2 neither.

| source | licence | questions | claims |
|---|---|---|---|
| `reader_facts.txt`, written for this | Apache-2.0 | yes | yes |
| XQuAD-en | CC BY-SA 4.0 | yes | edited sentences |
| CLAPNQ | Apache-2.0, passages CC BY-SA | yes | its answers, edited sentences |
| CUAD, with the questions of `reader_cuad.py` | CC BY 4.0 | yes | edited sentences |
| TAT-QA | CC BY 4.0 | yes | edited sentences |
| SummEdits, WiCE, ExpertQA | Apache-2.0, ODC-BY, MIT | | yes |

Only the halves that settings are chosen on are used (an even hash of the row's id; of the contract or the document
where rows share one); pairs of the other halves go to `--held`, in the same form.
Hard negatives are the units of the same document that are most like the question, by cosine and by its rarer words.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import log
from pathlib import Path

import numpy as np
from reader_cuad import QUESTIONS
from reader_edits import added, change, keep
from reader_facts import Fact, facts

from citeleaf.app import App
from citeleaf.backends.embed_onnx import open_embedder
from citeleaf.ids import sha256_text
from citeleaf.quotes import folded, one_line, quotes_of
from citeleaf.retrieve.tokens import terms
from citeleaf.sentences import sentences

Pair = dict[str, object]
HARD = 5
LONGEST = 60
EMBEDDER = open_embedder("minilm-l6", 2)
_VECTORS: dict[str, np.ndarray] = {}


def rows(path: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def held_out(name: str) -> bool:
    return int(sha256_text(name), 16) % 2 == 1


def split(text: str) -> list[str]:
    text = one_line(text)
    return [text[s.start : s.end] for s in sentences(text)]


def short(text: str, most: int = LONGEST) -> str:
    return " ".join(text.split()[:most])


def pair(a: str, b: str, task: str, y: int, src: str) -> Pair:
    return {"a": one_line(a), "b": one_line(b), "task": task, "y": y, "src": src}


def likest(question: str, units: Sequence[str], n: int) -> list[int]:
    """Places of the units most like the question: cosine + idf-weighted share of its terms."""
    new = [u for u in dict.fromkeys(units) if u not in _VECTORS]
    if new:
        _VECTORS.update(zip(new, EMBEDDER.passages([short(u) for u in new]), strict=True))
    cosine = np.array([_VECTORS[u] for u in units]) @ EMBEDDER.query(question)
    held = [set(terms(u)) for u in units]
    idf = {t: log(1 + len(units) / (1 + sum(t in h for h in held))) for t in set(terms(question))}
    total = sum(idf.values()) or 1.0
    share = np.array([sum(w for t, w in idf.items() if t in h) / total for h in held])
    return [int(i) for i in np.argsort(-(cosine + share), kind="stable")[:n]]


def window(rng: random.Random, units: Sequence[str], at: int, avoid: frozenset[int]) -> str:
    """The unit, at times with its neighbours, none of those to avoid."""
    low = high = at
    for step in rng.choice(((), (1,), (-1,), (1, -1), (1, 1))):
        if step > 0 and high + 1 < len(units) and high + 1 not in avoid:
            high += 1
        if step < 0 and low > 0 and low - 1 not in avoid:
            low -= 1
    return short(" ".join(short(u) for u in units[low : high + 1]), 85)


def asked(rng: random.Random, question: str, units: Sequence[str], gold: Sequence[int], src: str) -> Iterator[Pair]:
    """A question with the units that answer it, and with the hardest that do not."""
    right = frozenset(gold)
    for at in list(dict.fromkeys(gold))[:2]:
        yield pair(question, window(rng, units, at, frozenset()), "answers", 1, src)
        yield pair(question, short(units[at]), "answers", 1, src)
    others = [i for i in likest(question, units, HARD + len(right)) if i not in right]
    for at in others[: HARD if gold else 3]:
        yield pair(question, window(rng, units, at, right), "answers", 0, src)


def xquad(data: Path, rng: random.Random) -> Iterator[tuple[str, Iterator[Pair]]]:
    articles: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows(data / "qa/xquad/en/corpus.jsonl"):
        articles[row["doc_id"]] += [(row["passage_id"], s) for s in split(row["text"])]
    for row in rows(data / "qa/xquad/en/questions.jsonl"):
        placed = articles[row["gold_doc"]]
        span = row["gold_spans"][0]
        gold = [i for i, (p, s) in enumerate(placed) if p == row["gold_passage"] and span in s]
        best = likest(row["question"], [placed[i][1] for i in gold], 1) if len(gold) > 1 else [0]
        gold = [gold[best[0]]] if gold else []
        units = [s if i in gold or span.lower() not in s.lower() else "" for i, (_, s) in enumerate(placed)]
        if gold:
            yield row["id"], asked(rng, row["question"], units, gold, "xquad")


def untokenized(text: str) -> str:
    return re.sub(r" ([,.;:)?!%'])", r"\1", text).replace("`` ", '"').replace(" ''", '"').replace("( ", "(")


def clapnq(data: Path, rng: random.Random) -> Iterator[tuple[str, Iterator[Pair]]]:
    for row in rows(data / "qa/clapnq/questions.jsonl"):
        units = [untokenized(s) for p in row["passages"] for s in p["sentences"]]
        spans = [untokenized(s) for s in row["gold_spans"]]
        question = cap_question(row["question"], rng)

        def made(units: list[str] = units, spans: list[str] = spans, question: str = question) -> Iterator[Pair]:
            if not spans:
                for at in likest(question, units, 4):
                    yield pair(question, window(rng, units, at, frozenset()), "answers", 0, "clapnq")
                return
            gold = [i for i, u in enumerate(units) if u in spans]
            for at in likest(question, [units[i] for i in gold], 2) if gold else []:
                yield pair(question, window(rng, units, gold[at], frozenset()), "answers", 1, "clapnq")

        yield row["id"], made()
        claims = [
            pair(s, short(" ".join(spans[:3]), 85), "supports", 0, "clapnq")
            for s in split(row["reference_answer"] or "")
        ]
        yield row["id"], iter(claims[:3] if spans else [])


def cap_question(text: str, rng: random.Random) -> str:
    return text if rng.random() < 0.5 else text[:1].upper() + text[1:] + "?"


def tatqa(data: Path, rng: random.Random) -> Iterator[tuple[str, Iterator[Pair]]]:
    units: dict[str, list[str]] = {}
    for row in rows(data / "qa/tatqa/corpus.jsonl"):
        table = row["table"]
        heads = [
            next((r[c] for r in table[:2] if c < len(r) and re.search(r"\w", r[c])), "") for c in range(len(table[0]))
        ]
        lines = [
            f"{r[0]}: " + "; ".join(f"{h} {v}".strip() for h, v in zip(heads[1:], r[1:], strict=False) if v)
            for r in table
            if r[0] and any(r[1:])
        ]
        units[row["doc_id"]] = [*lines, *chain.from_iterable(split(p["text"]) for p in row["paragraphs"])]
    for row in rows(data / "qa/tatqa/questions.jsonl"):
        held = units[row["gold_doc"]]
        if row["answer_type"] != "span" or len(row["gold_spans"]) != 1:
            continue
        gold = [i for i, u in enumerate(held) if str(row["gold_spans"][0]) in u]
        if len(gold) == 1:
            yield row["gold_doc"], asked(rng, row["question"], held, gold, "tatqa")


def cuad(data: Path, rng: random.Random, units: dict[str, list[str]]) -> Iterator[tuple[str, Iterator[Pair]]]:
    for row in rows(data / "qa/cuad/questions.jsonl"):
        if row["clause_type"] not in QUESTIONS or row["gold_doc"] not in units:
            continue
        held = units[row["gold_doc"]]
        spans = [folded(s) for s in row["gold_spans"]]
        gold = [i for i, u in enumerate(held) if any(overlap(folded(u), s) for s in spans)]
        if bool(gold) != bool(row["answerable"]):
            continue
        for question in QUESTIONS[row["clause_type"]]:
            yield row["gold_doc"], asked(rng, question, held, gold[:3], "cuad")


def overlap(unit: str, span: str) -> bool:
    """Whether one lies in the other, or they share a run of 40 characters."""
    if len(span) < 4 or len(unit) < 12:
        return False
    return span in unit or unit in span or any(unit[i : i + 40] in span for i in range(0, max(1, len(unit) - 39), 10))


def contracts(folder: Path) -> dict[str, list[str]]:
    out = {}
    for path in sorted(folder.iterdir()):
        with App.for_files([path]) as app:
            store = app.kit.store
            (document,) = store.documents()
            passages = store.passages(store.passage_ids(document.id))  # type: ignore[attr-defined]
            out[path.name] = [one_line(" ".join(q.text for q in quotes_of(u))) for p in passages for u in p.units]
    return out


def human(data: Path, rng: random.Random) -> Iterator[tuple[str, Iterator[Pair]]]:
    """Claims that people judged, each with the units of its evidence most like it."""
    labels = {
        "summedits": {"supported": 0, "unsupported": 1},
        "wice": {"supported": 0, "partial": 2, "unsupported": 2},
        "expertqa": {"supported": 0, "unsupported": 2},
    }
    for name, known in labels.items():
        for row in rows(data / f"claims/{name}.jsonl"):
            if row["label"] not in known:
                continue
            pieces = [row["evidence"]] if isinstance(row["evidence"], str) else row["evidence"]
            units = [u for p in pieces for line in str(p).splitlines() for u in split(line) if len(u) > 12]
            if not units:
                continue
            best = sorted(likest(row["claim"], units, 3))
            made = pair(
                row["claim"], short(" ".join(short(units[i]) for i in best), 90), "supports", known[row["label"]], name
            )
            yield re.sub(r"_(og|\d+)$", "", row["id"]), iter([made])


def good(sentence: str) -> bool:
    return (
        8 <= len(sentence.split()) <= 45
        and sentence[0].isupper()
        and sentence.endswith(".")
        and not re.search(r"_{2,}|\.{3,}|http|\|", sentence)
        and sum(c.isupper() for c in sentence) < len(sentence) / 4
    )


def edited(rng: random.Random, units: Sequence[str], src: str) -> Iterator[Pair]:
    """Claims made from a document's sentences, both kinds edited to the same degree."""
    names = sorted({m[0] for u in units for m in re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]+)*", u)})
    for at, sentence in enumerate(units):
        if not good(sentence):
            continue
        near = [j for j in range(max(0, at - 8), min(len(units), at + 9)) if j != at and len(units[j].split()) > 5]
        rng.shuffle(near)
        beside = [short(units[j], 40) for j in near[: rng.choice((0, 1, 1, 2))]]
        evidence = [short(sentence), *beside]
        rng.shuffle(evidence)
        with_it, without = " ".join(evidence), " ".join(short(units[j], 40) for j in near[:2])
        base = keep(rng, sentence, rng.choice((0, 1, 1, 2)))
        changed = change(rng, base, names)
        if changed:
            yield pair(changed, with_it, "supports", 1, src)
            yield pair(keep(rng, sentence, rng.choice((1, 2, 3))), with_it, "supports", 0, src)
        if rng.random() < 0.25:
            yield pair(added(rng, base) or base, with_it, "supports", 2, src)
        if without and rng.random() < 0.25:
            yield pair(base, without, "supports", 2, src)


def written(rng: random.Random, all_facts: Sequence[Fact], times: int) -> Iterator[Pair]:
    """Pairs from the facts written for this, each with neighbours of its own topic."""
    by_topic: dict[str, list[Fact]] = defaultdict(list)
    for fact in all_facts:
        by_topic[fact.topic].append(fact)
    for _ in range(times):
        for fact in all_facts:
            filled = fact.fill(rng)
            siblings = [f for f in by_topic[fact.topic] if f is not fact]

            def near(n: int, siblings: list[Fact] = siblings) -> list[str]:
                return [f.fill(rng).say(rng) for f in rng.sample(siblings, min(n, len(siblings)))]

            def around(filled: Fact = filled) -> str:
                texts = [filled.say(rng), *near(rng.choice((0, 0, 1, 1, 2)))]
                rng.shuffle(texts)
                return short(" ".join(texts), 85)

            for question in filled.asks:
                yield pair(question, around(), "answers", 1, "facts")
                if rng.random() < 0.5:
                    yield pair(question, " ".join(near(rng.choice((1, 2)))) or filled.topic, "answers", 0, "facts")
            for question in filled.misses:
                yield pair(question, around(), "answers", 0, "facts")
            for y, claims in enumerate((filled.same, filled.wrong, filled.more)):
                for claim in claims:
                    yield pair(claim, around(), "supports", y, "facts")
            if rng.random() < 0.4 and filled.same:
                yield pair(rng.choice(filled.same), " ".join(near(2)), "supports", 2, "facts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--times", type=int, default=4, help="fillings of each written fact")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    data: Path = options.data
    used: list[Pair] = []
    held: list[Pair] = []
    units = contracts(data / "qa/cuad/pdfs")
    for name, pairs in chain(
        xquad(data, rng), clapnq(data, rng), tatqa(data, rng), cuad(data, rng, units), human(data, rng)
    ):
        (held if held_out(name) else used).extend(pairs)
    open_texts = [("cuad", u) for name, u in units.items() if not held_out(name)]
    by_doc: dict[str, list[str]] = defaultdict(list)
    for row in rows(data / "qa/xquad/en/corpus.jsonl"):
        by_doc[row["doc_id"]] += split(row["text"])
    open_texts += [("xquad", u) for name, u in by_doc.items() if not held_out(name)]
    open_texts += [
        ("clapnq", [untokenized(s) for p in row["passages"] for s in p["sentences"]])
        for row in rows(data / "qa/clapnq/questions.jsonl")
        if not held_out(row["id"])
    ]
    for src, texts in open_texts:
        used.extend(edited(rng, texts, f"edited {src}"))
    used.extend(written(rng, facts(), options.times))
    for path, made in ((options.out, used), (options.held, held)):
        pairs = [p for p in made if p["a"] and len(str(p["b"])) > 5]
        rng.shuffle(pairs)
        path.write_text("".join(json.dumps(p, ensure_ascii=False) + "\n" for p in pairs), "utf-8")
        print(path, len(pairs), sorted(Counter((p["src"], p["task"], p["y"]) for p in pairs).items(), key=str))


if __name__ == "__main__":
    main()
