"""Processor time of whole processes, compared."""

from __future__ import annotations

import sys

import pytest
from bench.ingest_peers import compared, measured

BUSY = "import time\nwhile time.process_time() < {}: pass\n"
WITH_CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', {!r}]); print('note\\n{{\"n\": 7}}')"


def test_time_of_children_counts_and_waiting_does_not() -> None:
    busy, report = measured([sys.executable, "-c", WITH_CHILD.format(BUSY.format(0.6))])
    asleep, _ = measured([sys.executable, "-c", "import time; time.sleep(0.8); print('{}')"])
    assert report == {"n": 7}
    assert 0.6 <= busy < 2.0
    assert asleep < 0.4


def test_a_process_that_fails_ends_the_comparison() -> None:
    with pytest.raises(SystemExit, match="no such thing"):
        measured([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_ratio_is_of_medians() -> None:
    result = compared([4.0, 2.0, 9.0], [10.0, 8.0, 7.0])
    assert result["ours_over_peer"] == 0.5
    assert result["peer"] == {"cpu_s": 8.0, "all": [10.0, 8.0, 7.0]}
