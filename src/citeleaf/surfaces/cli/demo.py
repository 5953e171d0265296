"""The example pack that comes with citeleaf, and one question of each outcome."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from citeleaf.errors import ConfigError

_FILES = ("insurance/harbour_business_pds.pdf", "demo/harbour-cancelling-leaflet.md")


def pack() -> tuple[Path, ...]:
    """The insurance example and a leaflet that disagrees with it: in the installed package, else in the repository."""
    for folder in (Path(str(files("citeleaf"))) / "examples", Path(__file__).resolve().parents[4] / "examples"):
        found = tuple(folder / name for name in _FILES)
        if all(path.is_file() for path in found):
            return found
    raise ConfigError("the example pack is not installed", hint="reinstall citeleaf", subject="examples")


def questions() -> tuple[str, ...]:
    """One that is answered, one the documents do not answer, one out of bounds, one on which they disagree."""
    return (
        "How soon must I report a theft to the police?",
        "What is the opening bid at the annual horse auction?",
        "Should I buy this policy?",
        "Within how many days may I return the policy?",
    )
