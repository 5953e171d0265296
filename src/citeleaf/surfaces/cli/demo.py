"""The example pack that comes with citeleaf, and one question of each outcome."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from citeleaf.errors import ConfigError


def pack() -> Path:
    """The folder of the insurance example: in the installed package, else in the repository."""
    installed = Path(str(files("citeleaf"))) / "examples" / "insurance"
    for folder in (installed, Path(__file__).resolve().parents[4] / "examples" / "insurance"):
        documents = sorted(folder.glob("*.pdf"))
        if documents:
            return documents[0]
    raise ConfigError("the example pack is not installed", hint="reinstall citeleaf", subject="examples")


def questions() -> tuple[str, ...]:
    """One that is answered, one the document does not answer, one out of bounds."""
    return (
        "How soon must I report a theft to the police?",
        "What is the opening bid at the annual horse auction?",
        "Should I buy this policy?",
    )
