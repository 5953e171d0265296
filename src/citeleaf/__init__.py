"""citeleaf: ask your own documents, and see the words every sentence rests on.

    import citeleaf

    with citeleaf.App.open() as app:
        answer = app.ask("How soon must a theft be reported?")

`App` is loaded when it is first named; `citeleaf.types` and `citeleaf.errors` hold what it gives and raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeleaf.app import App

__version__ = "0.1.0"
__all__ = ["App", "__version__"]


def __getattr__(name: str) -> object:
    if name == "App":
        from citeleaf.app import App

        return App
    raise AttributeError(f"module `citeleaf` has no attribute `{name}`")
