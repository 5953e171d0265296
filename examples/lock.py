"""Renew the hashes in a pack's `benchmark.toml`: `python examples/lock.py examples/kyc`."""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path


def locked_files(pack: Path) -> list[str]:
    """List what a pack's benchmark reads, as paths from the pack.

    The order: the manifest if there is one, question files, guard files, then the documents, which are those of the
    manifest that are not `ignored`, or without a manifest those named as documents and as facts.
    """
    benchmark = tomllib.loads((pack / "benchmark.toml").read_text(encoding="utf-8"))
    head, files = benchmark["benchmark"], benchmark["files"]
    asked = [*files.get("qa", []), *files.get("guard", [])]
    if "manifest" not in head:
        return [*asked, *head["documents"], *head.get("facts", [])]
    documents = tomllib.loads((pack / head["manifest"]).read_text(encoding="utf-8"))["document"]
    return [head["manifest"], *asked, *(row["path"] for row in documents if row["role"] != "ignored")]


def lock(pack: Path) -> None:
    """Write the sha256 of every locked file into the pack's `benchmark.toml`, below its `[lock]` line."""
    path = pack / "benchmark.toml"
    head, _, _ = path.read_text(encoding="utf-8").partition("[lock]\n")
    lines = [f'"{name}" = "{hashlib.sha256((pack / name).read_bytes()).hexdigest()}"\n' for name in locked_files(pack)]
    path.write_text(head + "[lock]\n" + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        lock(Path(name))
