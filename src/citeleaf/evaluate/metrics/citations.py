"""Citation figures: is there one, does it resolve, does it meet the gold words, does it carry the claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeleaf.evaluate.coverage import coverage

HALF = 0.5


def exists(citations: Sequence[int]) -> float:
    """1 when there is a claim and every claim has a citation; `citations` holds how many each claim has.

    >>> exists([1, 2]), exists([1, 0]), exists([])
    (1.0, 0.0, 0.0)
    """
    return float(bool(citations) and all(citations))


def resolves(found: int, dropped: int) -> float:
    """Share of the markers of a draft that resolved to a passage of the evidence; at least one marker is expected.

    >>> resolves(3, 1)
    0.75
    """
    return found / (found + dropped)


def gold_hit(spans: Sequence[str], texts: Iterable[str]) -> float:
    """1 when the cited texts together hold at least half of a gold quotation (see `coverage`), else 0.

    >>> gold_hit(["within 30 days"], ["Tell us within 30 days."])
    1.0
    """
    held = list(texts)
    return float(any(coverage(span, held) >= HALF for span in spans))


def citation_recall(supported: Sequence[bool]) -> float:
    """Share of the claims that all their citations together support; a claim without one is not supported.

    Gao et al. (EMNLP 2023, ALCE), with the verifier as judge.

    >>> citation_recall([True, False])
    0.5
    """
    return sum(supported) / len(supported)


def citation_precision(judged: Sequence[tuple[bool, Sequence[bool], Sequence[bool]]]) -> float:
    """Share of the citations that are needed.

    Each claim gives: is it supported by all its citations together; by each alone; by all but each. A citation counts
    when its claim is supported by all, and it supports the claim alone or the others without it do not (Gao et al.,
    EMNLP 2023, ALCE). Two citations, the first of which is enough and the second nothing to the matter:

    >>> citation_precision([(True, [True, False], [False, True])])
    0.5
    """
    needed = [whole and (a or not w) for whole, alone, without in judged for a, w in zip(alone, without, strict=True)]
    return sum(needed) / len(needed)
