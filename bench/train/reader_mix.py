"""Draws what one run of training sees from the pairs of `reader_data.py`, and adds the written claims.

    python bench/train/reader_mix.py pairs.jsonl --out mix.jsonl [--seed 21]

Of the large sources some pairs are drawn (`MOST`); the written facts are filled anew; the written passages
(`claims_*.txt`) come `TIMES` times, each time beside other pieces.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

from reader_claims import pairs as claim_pairs
from reader_claims import written as claims
from reader_data import pair, written
from reader_facts import facts

MOST = {
    "xquad": 500, "tatqa": 500, "clapnq": 900, "cuad": 1200, "summedits": 500, "wice": 300, "expertqa": 150,
    "edited cuad": 800, "edited xquad": 700, "edited clapnq": 500,
}  # fmt: skip
"""Pairs drawn of a source; half of those drawn are of the rarest label, where it has so many."""
FILLINGS = 1
TIMES = 2


def drawn(rng: random.Random, rows: list[dict], most: int) -> list[dict]:  # type: ignore[type-arg]
    """At most so many rows, the labels as even as they can be."""
    by_label: dict[object, list[dict]] = defaultdict(list)  # type: ignore[type-arg]
    for row in rows:
        by_label[row["task"], row["y"]].append(row)
    out: list[dict] = []  # type: ignore[type-arg]
    left, groups = most, sorted(by_label.values(), key=len)
    for n, group in enumerate(groups):
        share = min(len(group), left // (len(groups) - n))
        out += rng.sample(group, share)
        left -= share
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    by_source = defaultdict(list)
    for line in options.pairs.read_text("utf-8").splitlines():
        row = json.loads(line)
        by_source[row["src"]].append(row)
    mixed = [row for src, most in MOST.items() for row in drawn(rng, by_source[src], most)]
    mixed += written(rng, facts(), FILLINGS)
    for _ in range(TIMES):
        mixed += [pair(*made, "claims") for made in claim_pairs(rng, claims(fitting=False))]
    rng.shuffle(mixed)
    options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in mixed), "utf-8")
    print(len(mixed), sorted(Counter((p["src"], p["task"], p["y"]) for p in mixed).items(), key=str))


if __name__ == "__main__":
    main()
