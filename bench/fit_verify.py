"""Fits the logistic layer of the `checks` verifier and prints what carries over to claims it did not see.

    python bench/fit_verify.py --claims FOLDER [--write] [--scores FILE] [--report]
                               [--odds FILE [--model NAME [--python INTERPRETER] [--minutes 30]]]

FOLDER holds the claim sets in CLAIM form. Fitted on: the half of each set of `FITTED` whose evidence hashes to an even
number, the other half is never fitted on; and claims made by `verify_edits.py` (seed 7) from the example documents and
from XQuAD's English passages beside FOLDER (`../qa/xquad/en/corpus.jsonl`), where they are. The weights are a logistic
regression (L2 on standardised features, Newton's method, no balancing beyond one weight a source); the thresholds are
chosen on predictions cross-validated by evidence. With `--odds` a further set is fitted, to the opinion of a language
model on the claims that no check contradicts; FILE keeps what it said, and `--model` asks it about the others, those of
the policy claims first. `--report` prints figures on the halves that were not fitted on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.rerank_onnx import open_reranker
from citeleaf.backends.verify_checks import ChecksVerifier
from citeleaf.evaluate.forms import ClaimItem, read
from citeleaf.ids import passage_id, sha256_text
from citeleaf.sentences import sentences
from citeleaf.types import Passage, Quote, Span, Unit
from citeleaf.verify.align import pieces
from citeleaf.verify.run import checks, contradictions
from citeleaf.verify.weigh import FILE, LEXICAL, MOST_UNSAID, RERANKED, features
from verify_edits import made
from verify_odds import ODDS, ask, weighed

ROOT = Path(__file__).resolve().parent.parent
FITTED = {"policy_claims_dev": 2.0, "wice": 0.5}
"""Sets of which one half is fitted on, with the weight of the set."""
READ = (*FITTED, "expertqa", "summedits")
"""Sets whose features are gathered; of the further ones, which these features say nothing about, all is reported."""
MADE = 1.0
SIZE = 300
"""Examples that a set of weight 1 counts as."""
SEED = 7
RIDGE = 2.0
LONGEST = 12_000
"""Characters of evidence; longer ones are left out."""
MOST = 400
"""Claims taken of each set, about, at even distances."""
FOLDS = 8
SURE_PRECISION = 0.95
LEAST_SURE = 0.5
UNSURE = 0.45
"""Below it a claim is far from the evidence: one of which no word stands there comes to 0.4 at most."""
MODELS = {LEXICAL: (), RERANKED: (RERANKED,)}
SIGNS = {"clean": 1, RERANKED: 1, ODDS: 1}
"""Which way a feature speaks; those not named speak against the claim."""
FREE = ("length", "parts")
LEFT_OUT = ("contradicted", "quoted")
"""Features that decide by rule and are not fitted."""


@dataclass(frozen=True)
class Example:
    """One sentence beside its evidence with what is weighed; `veto`: a check says that the evidence says otherwise."""

    id: str
    source: str
    group: str
    fitted: bool
    kind: str
    supported: bool
    contradicted: bool
    features: dict[str, float]
    veto: bool
    doubtful: bool
    pair: tuple[str, str]
    """The claim and the pieces it is compared with."""


def main() -> None:
    """Reads, fits, prints."""
    parser = argparse.ArgumentParser(description="Fits the logistic layer of the checks verifier.")
    parser.add_argument("--claims", type=Path, required=True, help="Folder of claim sets.")
    parser.add_argument("--scores", type=Path, help="Where the cross-encoder's scores are kept between runs.")
    parser.add_argument("--write", action="store_true", help=f"Writes {FILE.name}.")
    parser.add_argument("--report", action="store_true", help="Figures on the halves that were not fitted on.")
    parser.add_argument("--odds", type=Path, help="Where a language model's opinions are kept between runs.")
    parser.add_argument("--model", help="Asks this GGUF file, or model of `citeleaf models list`, for more of them.")
    parser.add_argument("--python", default="", help="Interpreter that has the runtime.")
    parser.add_argument("--minutes", type=float, default=30.0, help="Longest time to ask.")
    given = parser.parse_args()
    examples = list(gathered(given.claims, given.scores, held=given.report))
    models: dict[str, tuple[str, ...]] = dict(MODELS)
    if given.odds:
        if given.model:
            ask(asked_first(examples), given.odds, given.model, given.python, given.minutes)
        examples = weighed(examples, given.odds)
        models[ODDS] = (RERANKED, ODDS)
    sets = []
    for name, signals in models.items():
        used = [e for e in examples if e.fitted and (e.source in FITTED or e.source == "edited")]
        if ODDS in signals:
            used = [e for e in used if e.veto or ODDS in e.features]
        entry, cross = fitted(used, name, signals)
        sets.append(entry)
        print(f"\n{name}: {entry['card']['examples']} examples, thresholds {entry['thresholds']}")
        for feature, weight in sorted(entry["weights"].items(), key=lambda pair: -abs(pair[1])):
            print(f"  {feature:16s} {weight:+.3f}")
        gated = bool(entry["gated"])
        show("cross-validated", used, cross, entry["thresholds"], gated=gated)
        if given.report:
            held = [e for e in examples if not e.fitted or e.source in READ[len(FITTED) :]]
            held = [e for e in held if ODDS not in signals or e.veto or ODDS in e.features]
            show("held out", held, probabilities(held, entry), entry["thresholds"], gated=gated)
    if given.write:
        FILE.write_text(json.dumps({"sets": sets}, indent=1) + "\n", "utf-8")


def asked_first(examples: Sequence[Example]) -> list[Example]:
    """The claims that nothing contradicts, policy claims first, then the other sets, then some edited sentences."""
    open_ = [e for e in examples if not e.veto]
    made_ = [e for e in open_ if e.source == "edited"]
    real = [e for e in open_ if e.source in FITTED]
    return sorted(real, key=lambda e: e.source != "policy_claims_dev") + made_[:: max(1, len(made_) // 150)]


class Remembered:
    """The cross-encoder with its scores kept in a file, so that a change of the checks is measured in seconds."""

    def __init__(self, path: Path | None) -> None:
        """Reads what is there."""
        self._model = open_reranker("msmarco-minilm-l12")
        self.name, self.fingerprint = self._model.name, self._model.fingerprint
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path and path.is_file() else []
        self._known: dict[str, float] = dict(json.loads(line) for line in lines)

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage."""
        keys = [sha256_text(f"{query}\n{p}")[:24] for p in passages]
        fresh = [(k, p) for k, p in zip(keys, passages, strict=True) if k not in self._known]
        if fresh:
            found = dict(zip((k for k, _ in fresh), self._model.scores(query, [p for _, p in fresh]), strict=True))
            self._known.update(found)
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(pair) + "\n" for pair in found.items())
        return [self._known[k] for k in keys]


def gathered(folder: Path, scores: Path | None, *, held: bool) -> Iterator[Example]:
    """All examples: sentences of claims, and edited sentences."""
    verifier = ChecksVerifier(Remembered(scores))
    for name in READ:
        path = folder / f"{name}.jsonl"
        items = [i for i in (read(path) if path.is_file() else ()) if isinstance(i, ClaimItem) and i.language == "en"]
        items = [i for i in items if len(sentences(i.claim)) == 1 and sum(map(len, i.evidence)) < LONGEST]
        if name not in FITTED and not held:
            continue
        for item in items[:: max(1, len(items) // MOST)]:
            yield from of_claim(verifier, item, name)
        if name == "policy_claims_dev":
            rows = list(edited(folder))
            for row in rows[:: max(1, len(rows) // (2 * MOST))]:
                yield from item_example(verifier, row)


def of_claim(verifier: ChecksVerifier, item: ClaimItem, name: str) -> Iterator[Example]:
    """A claim of one sentence; of longer ones nobody says which sentence is not supported."""
    group = sha256_text("\n".join(item.evidence))
    spans = sentences(item.claim)
    yes = item.label == "supported"
    if len(spans) > 1:
        return
    for n, span in enumerate(spans):
        text = item.claim[span.start : span.end]
        kind = item.kind or item.label
        fit = name in FITTED and even(group)
        yield _example(
            verifier, f"{item.id}/{n}", name, group, fit, kind, text, item.evidence, yes, item.label == "contradicted"
        )


def even(group: str) -> bool:
    """Whether claims of this evidence are fitted on."""
    return int(group, 16) % 2 == 0


def edited(folder: Path) -> Iterator[tuple[str, str, str, str, bool, bool]]:
    """(id, source, claim, evidence, supported, contradicted) of edited sentences."""
    rng = random.Random(SEED)
    texts = {p.stem: p.read_text("utf-8") for p in sorted((ROOT / "examples").rglob("*.md")) if p.name != "README.md"}
    corpus = folder.parent / "qa" / "xquad" / "en" / "corpus.jsonl"
    if corpus.is_file():
        for line in corpus.read_text("utf-8").splitlines()[:120]:
            row = json.loads(line)
            texts[row["passage_id"]] = row["text"]
    for name, text in texts.items():
        plain = [text[s.start : s.end] for s in sentences(text)]
        usable = [" ".join(s.split()) for s in plain if s[:1].isalnum() and "|" not in s and s.rstrip().endswith(".")]
        claims = made(rng, usable, name)
        for n, e in enumerate(claims if len(claims) < 40 else rng.sample(claims, 40)):
            yield f"{name}/{n}", e.kind, e.claim, e.evidence, e.supported, e.contradicted


def item_example(verifier: ChecksVerifier, row: tuple[str, str, str, str, bool, bool]) -> Iterator[Example]:
    """An edited sentence as an example, all of them fitted on."""
    name, kind, claim, evidence, yes, against = row
    group = hashlib.sha256(name.rpartition("/")[0].encode()).hexdigest()
    yield _example(verifier, name, "edited", group, True, kind, claim, (evidence,), yes, against)


def _example(
    verifier: ChecksVerifier,
    name: str,
    source: str,
    group: str,
    fit: bool,
    kind: str,
    text: str,
    evidence: Sequence[str],
    yes: bool,
    against: bool,
) -> Example:
    found = [piece for n, t in enumerate(evidence, 1) if t.strip() for piece in pieces(as_passage(n, t))]
    sides, score = verifier.align(text, found)
    parted = verifier.parted(text, sides)
    whole = checks(sides)
    veto = bool(contradictions(whole)) or any(contradictions(checks(p)) for p in parted)
    values = features(sides, whole, parted, {} if score is None else {RERANKED: score})
    doubtful = any(f.state == "failed" and f.name != "words" for f in whole) or values["unsaid_part"] > MOST_UNSAID
    pair = (text, " ".join(dict.fromkeys(m.piece.text for m in sides.matches)))
    return Example(name, source, group, fit, kind, yes, against, values, veto, doubtful, pair)


def as_passage(n: int, text: str) -> Passage:
    """A text as a passage whose units are its sentences."""
    units = tuple(Unit("paragraph", Quote(s, text[s.start : s.end])) for s in sentences(text))
    name = f"evidence-{n}"
    span = Span(0, len(text))
    return Passage(passage_id(name, "given", 1), name, "given", (), span, text, (), sha256_text(text), units=units)


def fitted(
    examples: Sequence[Example], name: str, signals: Sequence[str]
) -> tuple[dict[str, object], NDArray[np.float64]]:
    """The weights of one set of signals with their card, and the cross-validated probabilities.

    Examples that a check vetoes are left out: the rule decides them, and they are nearly the passage's words, so that
    likeness would seem to speak against a claim.
    """
    known = list(dict.fromkeys(n for e in examples for n in e.features))
    names = [n for n in known if n not in LEFT_OUT and (n not in (RERANKED, ODDS) or n in signals)]
    x = np.array([[e.features.get(n, 0.0) for n in names] for e in examples])
    y = np.array([e.supported for e in examples], float)
    weight = np.array([FITTED.get(e.source, MADE) for e in examples])
    for source in {e.source for e in examples}:
        rows = np.array([e.source == source for e in examples])
        weight[rows] *= SIZE / rows.sum()
    free = np.array([not e.veto for e in examples])
    others = [s for s in sorted({e.source for e in examples}) if s != "policy_claims_dev"]
    x = np.hstack([x, [[float(e.source == s) for s in others] for e in examples]])
    names = [*names, *others]
    folds = np.array([int(e.group[:8], 16) % FOLDS for e in examples])
    cross = np.zeros(len(y))
    for fold in range(FOLDS):
        test = folds == fold
        train = ~test & free
        cross[test] = _predict(x[test], _signed(x[train], y[train], weight[train], names))
    coefficients = _signed(x[free], y[free], weight[free], names)
    gated = ODDS not in signals
    shown = np.array([not e.veto and not (gated and e.doubtful) for e in examples])
    counted = np.array([float(e.source == "policy_claims_dev") for e in examples])
    sure = max(LEAST_SURE, threshold(cross[shown], y[shown], counted[shown]))
    entry = {
        "name": name,
        "signals": list(signals),
        "gated": gated,
        "bias": round(float(coefficients[0]), 4),
        "weights": {n: round(float(c), 4) for n, c in zip(names, coefficients[1:], strict=True) if n not in others},
        "thresholds": {"sure": round(sure, 3), "unsure": UNSURE},
        "card": {
            "examples": len(examples),
            "sources": {s: sum(e.source == s for e in examples) for s in sorted({e.source for e in examples})},
            "command": "python bench/fit_verify.py --claims FOLDER --write",
            "seed": SEED,
            "ridge": RIDGE,
            "chosen": f"sure: least with precision {SURE_PRECISION} on policy claims, cross-validated by evidence",
        },
    }
    return entry, cross


def _signed(
    x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64], names: Sequence[str]
) -> NDArray[np.float64]:
    """The fit in which every weight has the sign that its feature means; features that would not have it get 0."""
    used = list(range(len(names)))
    while True:
        beta = _fit(x[:, used], y, weight)
        spread = x[:, used].std(axis=0)
        against = [
            0.0 if names[u] in FREE or names[u] in READ or names[u] == "edited" else b * SIGNS.get(names[u], -1) * s
            for u, b, s in zip(used, beta[1:], spread, strict=True)
        ]
        worst = int(np.argmin(against))
        if against[worst] >= 0:
            out = np.zeros(len(names) + 1)
            out[0] = beta[0]
            out[[u + 1 for u in used]] = beta[1:]
            return out
        del used[worst]


def _fit(x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.hstack([np.ones((len(x), 1)), (x - mean) / spread])
    beta = np.zeros(z.shape[1])
    ridge = np.full(z.shape[1], RIDGE)
    ridge[0] = 0.0
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ beta))
        slope = z.T @ (weight * (p - y)) + ridge * beta
        bend = (z * (weight * p * (1 - p))[:, None]).T @ z + np.diag(ridge + 1e-9)
        beta -= np.linalg.solve(bend, slope)
    return np.concatenate([[beta[0] - (beta[1:] * mean / spread).sum()], beta[1:] / spread])


def _predict(x: NDArray[np.float64], beta: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = 1 / (1 + np.exp(-(beta[0] + x @ beta[1:])))
    return out


def threshold(p: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """The least probability from which the weighted share of supported ones is the wished precision, and stays so."""
    order = np.argsort(-p)
    good = np.cumsum((weight * y)[order]) / np.cumsum(weight[order])
    enough = np.flatnonzero(good >= SURE_PRECISION)
    return float(min(0.99, p[order][enough[-1]])) if len(enough) else 0.99


def probabilities(examples: Sequence[Example], entry: dict[str, object]) -> NDArray[np.float64]:
    """The probabilities that a set of weights gives."""
    weights: dict[str, float] = entry["weights"]  # type: ignore[assignment]
    z = [float(entry["bias"]) + sum(w * e.features.get(n, 0.0) for n, w in weights.items()) for e in examples]  # type: ignore[arg-type]
    out: NDArray[np.float64] = 1 / (1 + np.exp(-np.array(z)))
    return out


def show(
    title: str, examples: Sequence[Example], p: NDArray[np.float64], thresholds: dict[str, float], *, gated: bool
) -> None:
    """Figures a source: balanced accuracy at one half, precision and recall of what is shown as supported."""
    p = np.where([e.veto for e in examples], np.minimum(p, 0.05), p)
    y = np.array([e.supported for e in examples])
    for source in sorted({e.source for e in examples}):
        rows = np.array([e.source == source for e in examples])
        yes, no = p[rows & y], p[rows & ~y]
        free = np.array([not (gated and e.doubtful) for e in examples])
        sure = (p >= thresholds["sure"]) & free
        shown = sure[rows]
        right = y[rows][shown]
        against = [i for i in np.flatnonzero(rows) if examples[i].contradicted]
        passed = np.mean([sure[i] for i in against]) if against else float("nan")
        balanced = ((yes >= 0.5).mean() + (no < 0.5).mean()) / 2 if len(yes) and len(no) else float("nan")
        vetoed = np.mean([examples[i].veto for i in np.flatnonzero(rows & y)])
        print(
            f"{title:16s} {source:18s} n {rows.sum():5d} balanced {balanced:.3f}  shown: precision "
            f"{right.mean() if len(right) else float('nan'):.3f} of {len(right)}, recall {sure[rows & y].mean():.3f}; "
            f"contradicted shown {passed:.3f}; true ones vetoed {vetoed:.3f}"
        )
        if source in ("policy_claims_dev", "edited"):
            for kind in sorted({examples[i].kind for i in np.flatnonzero(rows)}):
                at = [i for i in np.flatnonzero(rows) if examples[i].kind == kind]
                correct = np.mean([(p[i] >= 0.5) == examples[i].supported for i in at])
                print(f"    {kind:28s} n {len(at):4d} right {correct:.2f} shown {np.mean([sure[i] for i in at]):.2f}")


if __name__ == "__main__":
    main()
