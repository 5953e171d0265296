"""What a terminal of any width shows: whole words, no empty columns, a title once."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from citeleaf.surfaces.terminal import Screen, headed

COLUMNS = ("id", "title", "version", "notices")
ROWS = [
    ("customer-due-diligence-and-ongoing-monitoring", "Customer Due Diligence and Ongoing Monitoring", "", "garbled"),
    ("leave", "Leave", "", ""),
]


def shown(width: int) -> str:
    screen, out = Screen(), io.StringIO()
    screen.out = Console(file=out, force_terminal=True, width=width, color_system=None, highlight=False)
    screen.table(COLUMNS, ROWS)
    return re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())


@pytest.mark.parametrize("width", [48, 60, 80, 120, 200])
def test_no_word_is_broken(width: int) -> None:
    text = shown(width)
    words = {word for row in ROWS for cell in row for word in cell.split()}
    assert words <= set(text.split())
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_columns_without_anything_are_left_out(width: int) -> None:
    assert "version" not in shown(width) and "notices" in shown(width)


def test_where_it_is_narrow_each_row_has_its_own_lines() -> None:
    assert "leave\n  title: Leave\n" in shown(60)
    assert "title: " not in shown(120)


def test_a_title_is_said_once() -> None:
    assert headed("Leave", ("Leave", "Days")) == ("Leave", "Days")
    assert headed("Leave", ("Leave",)) == ("Leave",)
    assert headed("Leave", ("Days", "Leave")) == ("Leave", "Days > Leave")
    assert headed("", ()) == ()
