"""Lines, filled areas and images of a page: they rule tables, frame boxes and hide text."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from citeleaf.backends import pdf_native as native
from citeleaf.backends.pdf_native import Handle, Scratch
from citeleaf.backends.pdf_styles import Box, Colour, Frame

MAX_OBJECTS = 60_000
"""Objects looked at on one page; what follows is drawing (maps, charts), not layout."""
MAX_SEGMENTS = 40_000
_RULE = 3.5
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Area:
    """A painted rectangle on the visible page, in points. `order` grows with each object painted."""

    box: Box
    colour: Colour
    order: int
    filled: bool
    opaque: bool
    image: bool = False
    exact: bool = True
    """False: only the bounds of some other shape."""


@dataclass(slots=True)
class Graphics:
    """What is painted on a page besides text. `text_order` gives each text object's place in the painting order."""

    across: list[Box] = field(default_factory=list)
    down: list[Box] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    text_order: dict[Handle, int] = field(default_factory=dict)


def read_graphics(page: Handle, frame: Frame) -> Graphics:
    """Rules, areas and images of the visible page, in painting order."""
    reader = _Reader(frame)
    reader.read(page)
    return reader.found


class _Reader:
    def __init__(self, frame: Frame) -> None:
        self.found = Graphics()
        self._frame = frame
        self._order = 0
        self._segments = 0
        self._floats = Scratch(np.float32, 8)
        self._ints = Scratch(np.int32, 8)

    def read(self, page: Handle) -> None:
        for i in range(min(int(native.count_objects(page)), MAX_OBJECTS)):
            self._object(native.page_object(page, i) or 0, None, 0)

    def _object(self, item: Handle, outer: np.ndarray | None, depth: int) -> None:
        if not item or self._order > MAX_OBJECTS:
            return
        self._order += 1
        kind = native.object_type(item)
        if kind == native.TEXT:
            self.found.text_order[item] = self._order
        elif kind == native.PATH:
            self._path(item, outer)
        elif kind in (native.IMAGE, native.SHADING):
            box = self._bounds(item, outer)
            if box is not None:
                opaque = kind == native.IMAGE and not native.has_transparency(item)
                box = self._clipped(box, item, outer) if opaque else box
                self.found.areas.append(Area(box, (128, 128, 128), self._order, True, opaque, kind == native.IMAGE))
        elif kind == native.FORM and depth < _DEPTH:
            matrix = self._matrix(item)
            inner = matrix if outer is None else matrix @ outer
            for i in range(min(int(native.form_count(item)), MAX_OBJECTS)):
                self._object(native.form_object(item, i) or 0, inner, depth + 1)

    def _matrix(self, item: Handle) -> np.ndarray:
        native.object_matrix(item, self._floats.at(0))
        a, b, c, d, e, f = (float(v) for v in self._floats.values[:6])
        return np.array(((a, b, 0.0), (c, d, 0.0), (e, f, 1.0)))

    def _bounds(self, item: Handle, outer: np.ndarray | None) -> Box | None:
        floats = self._floats
        # Left, bottom, right, top.
        if not native.object_bounds(item, *(floats.at(i) for i in range(4))):
            return None
        left, bottom, right, top = (float(v) for v in floats.values[:4])
        return self._visible(((left, bottom), (right, top), (left, top), (right, bottom)), outer)

    def _visible(self, points: tuple[tuple[float, float], ...], outer: np.ndarray | None) -> Box | None:
        """Bounds of the points on the visible page, cut to it; None when they are off it."""
        if outer is not None:
            points = tuple(
                (
                    x * outer[0, 0] + y * outer[1, 0] + outer[2, 0],
                    x * outer[0, 1] + y * outer[1, 1] + outer[2, 1],
                )
                for x, y in points
            )
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        frame = self._frame
        left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
        turned = frame.rotation
        if turned == 0:
            box = (left - frame.left, frame.top - top, right - frame.left, frame.top - bottom)
        elif turned == 1:
            box = (bottom - frame.bottom, left - frame.left, top - frame.bottom, right - frame.left)
        elif turned == 2:
            box = (frame.right - right, bottom - frame.bottom, frame.right - left, top - frame.bottom)
        else:
            box = (frame.top - top, frame.right - right, frame.top - bottom, frame.right - left)
        width, height = frame.size
        if not all(np.isfinite(box)) or box[2] < 0 or box[3] < 0 or box[0] > width or box[1] > height:
            return None
        x0, y0, x1, y1 = map(float, box)
        return (max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height))

    def _path(self, item: Handle, outer: np.ndarray | None) -> None:
        ints = self._ints
        native.draw_mode(item, ints.at(0), ints.at(1))
        filled, stroked = bool(ints.values[0]), bool(ints.values[1])
        if not filled and not stroked:
            return  # a clipping path
        bounds = self._bounds(item, outer)
        if bounds is None:
            return
        native.fill_colour(item, *(ints.at(i) for i in range(2, 6)))
        red, green, blue, alpha = (int(v) & 255 for v in ints.values[2:6])
        opaque = filled and alpha > 250 and not native.has_transparency(item)
        filled = filled and alpha > 8
        width, height = bounds[2] - bounds[0], bounds[3] - bounds[1]
        if width <= _RULE or height <= _RULE:
            self._rule(bounds)
            return
        parts = self._parts(item, outer)
        exact = parts is not None
        for part in parts if parts is not None else [bounds]:
            if part[2] - part[0] <= _RULE or part[3] - part[1] <= _RULE:
                self._rule(part)
            elif filled or (stroked and exact):
                over = opaque and exact and bool(self.found.text_order)
                seen = self._clipped(part, item, outer) if over else part
                self.found.areas.append(
                    Area(seen, (red, green, blue), self._order, filled, opaque and exact, False, exact)
                )

    def _clipped(self, box: Box, item: Handle, outer: np.ndarray | None) -> Box:
        """The part of a box that the object's clipping paths leave, by their bounds."""
        clip = native.clip_path(item) or 0
        floats = self._floats
        for k in range(max(int(native.clip_count(clip)), 0) if clip else 0):
            points: list[tuple[float, float]] = []
            for i in range(min(int(native.clip_segments(clip, k)), 200)):
                segment = native.clip_segment(clip, k, i)
                if segment and native.segment_point(segment, floats.at(6), floats.at(7)):
                    points.append((float(floats.values[6]), float(floats.values[7])))
            bounds = self._visible(tuple(points), outer) if points else None
            if bounds is None:
                return (box[0], box[1], box[0], box[1])
            box = (max(box[0], bounds[0]), max(box[1], bounds[1]), min(box[2], bounds[2]), min(box[3], bounds[3]))
            if box[2] < box[0] or box[3] < box[1]:
                return (box[0], box[1], box[0], box[1])
        return box

    def _rule(self, box: Box) -> None:
        if box[2] - box[0] >= box[3] - box[1]:
            if box[2] - box[0] > _RULE:
                self.found.across.append(box)
        elif box[3] - box[1] > _RULE:
            self.found.down.append(box)

    def _parts(self, item: Handle, outer: np.ndarray | None) -> list[Box] | None:
        """Boxes of the path's subpaths, each a line or an upright rectangle; None when one is another shape."""
        n = int(native.count_segments(item))
        if n <= 0 or n > 2000 or self._segments > MAX_SEGMENTS:
            return None
        self._segments += n
        own = self._matrix(item)
        whole = own if outer is None else own @ outer
        if abs(whole[0, 1]) + abs(whole[1, 0]) > 1e-3 * (abs(whole[0, 0]) + abs(whole[1, 1])) and abs(
            whole[0, 0]
        ) + abs(whole[1, 1]) > 1e-3 * (abs(whole[0, 1]) + abs(whole[1, 0])):
            return None
        floats = self._floats
        subpaths: list[list[tuple[float, float]]] = []
        for i in range(n):
            segment = native.path_segment(item, i)
            if not segment or not native.segment_point(segment, floats.at(6), floats.at(7)):
                return None
            kind = native.segment_type(segment)
            if kind == native.MOVE or not subpaths:
                subpaths.append([])
            elif kind != 0:
                return None  # a curve
            subpaths[-1].append((float(floats.values[6]), float(floats.values[7])))
        boxes: list[Box] = []
        for points in subpaths:
            if len(points) < 2:
                continue
            xs, ys = {round(p[0], 1) for p in points}, {round(p[1], 1) for p in points}
            if len(xs) > 2 or len(ys) > 2:
                return None
            box = self._visible(tuple(points), whole)
            if box is not None:
                boxes.append(box)
        return boxes
