"""Fixtures for all tests. Sockets are closed (see pyproject.toml)."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("shared") and not (SHARED / "data").is_dir():
            item.add_marker(pytest.mark.skip(reason="the test data is not beside the repository (../shared/data)"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of test data from elsewhere; mark the test `shared`."""
    return SHARED


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT
