"""The same documents give the same store and the same rankings, whatever the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import sys
sys.path[:] = {path!r}
from pathlib import Path
from support.ingest import Place
place = Place(Path(sys.argv[1]))
place.docs = Path({docs!r})
place.ingest()
words = ["storm", "damage", "claim", "fenc", "aml-204"]
print(place.store.digest().encode(), [place.store.document(d) for d in place.store.known()])
print(place.store.lexical(words, 50), place.store.tfidf(words, 50), place.store.frequencies(words))
print(place.store.dense(place.embedder.query("storm damage"), 50))
"""


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(8):
        (docs / f"d{n}.txt").write_text(
            f"# Storm {n}\nStorm damage to fences.\n# Claims\nForm AML-204, claim {n % 3}.\n"
        )
    outputs = []
    for seed in ("0", "1", "4711"):
        code = CODE.format(path=sys.path, docs=str(docs))
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code, str(tmp_path / seed)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60).stdout)
    assert outputs[0] == outputs[1] == outputs[2] and b"d0#" in outputs[0]
