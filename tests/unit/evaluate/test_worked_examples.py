"""The worked examples in the docstrings of evaluation."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import citeleaf.evaluate
from citeleaf.evaluate import metrics

MODULES = [m.name for m in walk_packages(citeleaf.evaluate.__path__, "citeleaf.evaluate.")]


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("name", [m.name for m in walk_packages(metrics.__path__, "citeleaf.evaluate.metrics.")])
def test_every_module_of_figures_has_one(name: str) -> None:
    assert doctest.testmod(import_module(name)).attempted > 0
