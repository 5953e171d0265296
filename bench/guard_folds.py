"""What rules and learned signals refuse together on topics that the signals were not trained on.

    python bench/guard_folds.py [--wrong]

Each fold of topics of `bench/guards/dev2.jsonl` and of the half of `dev3.jsonl` that is not kept aside is looked at
with signals trained on all the others (see `train_signal.py`) and thresholds as they come with citeleaf; so the figures
are for what the signals have not seen.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict

import numpy as np
from sklearn.linear_model import LogisticRegression

from citeleaf.backends.embed_onnx import open_embedder
from citeleaf.guard.look import guard
from citeleaf.guard.signal import LENT_BY_KIND, LENT_TO_CUES, grams, heads
from citeleaf.layers import load
from guards import ROOT, benign, rows
from train_signal import FOLDS, HARM, KINDS, ORDERS, SEED, asked, both, harmless, named, vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--wrong", action="store_true", help="list what came out wrong")
    options = parser.parse_args()
    written = [r for n in (2, 3) for r in rows(ROOT / "bench" / "guards" / f"dev{n}.jsonl")]
    written, others = [r for r in written if r.get("split") != "aside"], harmless()
    all_rows = [*asked(), *others]
    inputs = vectors(open_embedder("minilm-l6", 1), [row.text for row in all_rows])
    sets = [grams(row.text) for row in all_rows]
    topics = np.array([row.topic for row in all_rows])
    names = sorted({row["topic"] for row in written})
    np.random.default_rng(SEED).shuffle(names)
    known = {head.name: head for head in heads()[1]}
    lent: dict[str, dict[str, float]] = defaultdict(dict)
    for name, kinds in (("signal_order", ORDERS), ("signal_harm", HARM), ("signal_request", KINDS)):
        wanted = named(kinds)
        bad = np.array([int(r.bad and (name == "signal_request" or r.category in wanted)) for r in all_rows])
        for n in range(FOLDS):
            out = np.isin(topics, names[n::FOLDS])
            train, test = np.flatnonzero(~out), np.flatnonzero(out)
            logits = both(inputs[train], [sets[i] for i in train], bad[train]).logits(
                inputs[test], [sets[i] for i in test]
            )
            chosen = [i for i in train if bad[i] and all_rows[i].category in wanted]
            sides = []
            for categories in kinds.values() if len(kinds) > 1 else ():
                mine = [int(all_rows[i].category in categories) for i in chosen]
                sides.append(LogisticRegression(C=5, solver="liblinear").fit(inputs[chosen], mine))
            nearest = np.argmax(
                [side.decision_function(inputs[test]) for side in sides] or [np.ones(len(test))], axis=0
            )
            for i, logit, kind in zip(test, logits, nearest, strict=True):
                probability = 1 / (1 + np.exp(-logit))
                if probability >= known[name].likely:
                    lent[all_rows[i].text] |= dict.fromkeys(kinds, LENT_TO_CUES)
                if probability >= known[name].least:
                    lent[all_rows[i].text][list(kinds)[kind]] = LENT_BY_KIND
    rules = {profile: load(profile)[0].guard.request for profile in {row["profile"] for row in written}}
    counts: dict[tuple[str, bool], list[tuple[bool, bool]]] = defaultdict(list)
    for row in written:
        alone = any(not c.passed for c in guard(row["text"], rules[row["profile"]]))
        together = any(not c.passed for c in guard(row["text"], rules[row["profile"]], lent[row["text"]]))
        counts[row["category"], benign(row)].append((alone, together))
        if options.wrong and together == benign(row):
            print(
                json.dumps([row["category"], benign(row), row["text"], sorted(lent[row["text"]])], ensure_ascii=False)
            )
    print(f"{'':12} {'out of bounds refused':>30}   {'near twins refused':>24}")
    print(f"{'category':12} {'n':>5} {'rules':>9} {'+ signals':>12}   {'n':>5} {'rules':>8} {'+ signals':>10}")
    for category in [*sorted({c for c, _ in counts}), "all"]:
        cells = []
        for side in (False, True):
            hits = np.array([h for (c, s), hs in counts.items() for h in hs if s == side and category in (c, "all")])
            cells.append((len(hits), *hits.mean(axis=0)))
        (n, a, b), (m, x, y) = cells
        print(f"{category:12} {n:5} {a:9.1%} {b:12.1%}   {m:5} {x:8.1%} {y:10.1%}")


if __name__ == "__main__":
    main()
