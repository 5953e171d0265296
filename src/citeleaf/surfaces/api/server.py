"""What the routes share: the open library, the threads that work on it, and whether it is ready."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from citeleaf.app import App
from citeleaf.errors import CiteleafError
from citeleaf.surfaces.api.problems import log
from citeleaf.surfaces.api.work import Desk

_UPLOADS_WAITING = 16
_LONGEST_WAIT_S = 5.0
"""For a model that is still being loaded when the server is told to stop."""


@dataclass(slots=True)
class Server:
    """One open library behind the routes: questions side by side, documents taken in one upload after the other."""

    app: App
    questions: Desk
    uploads: Desk
    ready: threading.Event = field(default_factory=threading.Event)
    _warming: threading.Thread | None = None

    @classmethod
    def over(cls, app: App) -> Server:
        """The server of a library, as its settings say."""
        rules = app.settings.serve
        return cls(
            app,
            Desk("ask", at_once=rules.questions, waiting=rules.waiting),
            Desk("ingest", at_once=1, waiting=_UPLOADS_WAITING),
        )

    def start(self) -> None:
        """Begins to load the models, aside."""
        self._warming = threading.Thread(target=self.warm_up, name="warm-up", daemon=True)
        self._warming.start()

    def warm_up(self) -> None:
        """Loads the models; one that cannot be loaded is told by the first question."""
        try:
            self.app.warm_up()
            self.app.documents()
            failed = self.app.load_model()
            if failed is not None:
                log.warning("the model cannot be loaded, answers are quoted: %s", failed)
        except CiteleafError as error:
            log.warning("not ready: %s", error)
            return
        except Exception as error:  # noqa: BLE001 - a thread of its own: nobody above could tell it
            log.error("not ready", exc_info=error)
            return
        self.ready.set()

    def close(self) -> None:
        """Ends the threads; the library stays open."""
        if self._warming is not None:
            self._warming.join(_LONGEST_WAIT_S)
        self.questions.close()
        self.uploads.close()


def _server(request: Request) -> Server:
    server = request.app.state.server
    assert isinstance(server, Server)
    return server


Here = Annotated[Server, Depends(_server)]
"""The server, for a route."""
