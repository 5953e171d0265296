"""Rectangles of words."""

from __future__ import annotations

import numpy as np
import pytest

from citeleaf.boxes import Boxes
from citeleaf.types import Rect, Span


def _boxes(rects: list[tuple[float, float, float, float]]) -> Boxes:
    """Words of four letters with a space between them, all on the first page."""
    spans = np.array([(5 * i, 5 * i + 4) for i in range(len(rects))], np.int32)
    return Boxes(spans, np.ones(len(rects), np.int32), np.array(rects, np.float32))


@pytest.mark.parametrize("leftward", [False, True])
def test_words_of_a_line_are_one_rectangle_whichever_way_they_run(leftward: bool) -> None:
    rects = [(0.1, 0.2, 0.2, 0.22), (0.21, 0.2, 0.3, 0.22), (0.31, 0.201, 0.4, 0.221), (0.1, 0.23, 0.2, 0.25)]
    if leftward:
        rects = [(1 - x1, y0, 1 - x0, y1) for x0, y0, x1, y1 in rects]
    first, second = _boxes(rects).locate(Span(0, 19))
    edges = (0.6, 0.9) if leftward else (0.1, 0.4)
    assert (first.x0, first.x1, first.y0, first.y1) == pytest.approx((*edges, 0.2, 0.221))
    assert (second.y0, second.y1) == pytest.approx((0.23, 0.25))


@pytest.mark.parametrize("leftward", [False, True])
def test_columns_stay_apart(leftward: bool) -> None:
    rects = [(0.1, 0.2, 0.4, 0.22), (0.6, 0.2, 0.9, 0.22)]
    found = _boxes(rects[::-1] if leftward else rects).locate(Span(0, 9))
    assert [round(r.x0, 3) for r in found] == ([0.6, 0.1] if leftward else [0.1, 0.6])


def test_a_span_between_words_has_no_rectangle_and_one_that_touches_a_word_has_all_of_it() -> None:
    boxes = _boxes([(0.1, 0.2, 0.2, 0.22), (0.6, 0.2, 0.7, 0.22)])
    assert boxes.locate(Span(4, 5)) == ()
    (rect,) = boxes.locate(Span(2, 3))
    assert rect == Rect(1, *map(float, np.float32((0.1, 0.2, 0.2, 0.22))))
