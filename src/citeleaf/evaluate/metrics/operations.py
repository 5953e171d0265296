"""What a run costs: seconds a stage, memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile, linear between neighbours (Hyndman & Fan, 1996, type 7).

    >>> percentiles([1.0, 2.0, 3.0, 4.0, 5.0])
    (3.0, 4.8)
    """
    p50, p95 = np.percentile(np.asarray(values, np.float64), [50, 95])
    return float(p50), float(p95)


def peak_memory() -> int | None:
    """Most memory this process has held, in bytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
