"""The application: doors, routes, page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from citeleaf import __version__
from citeleaf.app import App
from citeleaf.surfaces.api import about, answers, documents, files, openai, page, problems
from citeleaf.surfaces.api.doors import Doors, House
from citeleaf.surfaces.api.schemas import HealthOut
from citeleaf.surfaces.api.server import Here, Server

DESCRIPTION = "Questions of your own documents, answered in sentences that each rest on words of a page."


def create(app: App, house: House | None = None) -> ASGIApp:
    """The server of an open library as an ASGI application; models are loaded as it starts, aside.

    `house` says whom it answers: by default this machine alone, without a key.
    """
    return Doors(routes(app), house or House())


def routes(app: App | None) -> FastAPI:
    """The routes without the doors; without a library they can only be described."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        server: Server = api.state.server
        server.start()
        try:
            yield
        finally:
            server.close()

    api = FastAPI(
        title="citeleaf",
        description=DESCRIPTION,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=living,
        # Nothing is measured, and nothing leaves, whatever the environment says.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    if app is not None:
        api.state.server = Server.over(app)
    problems.register(api)

    @api.get("/healthz", summary="Whether the server is up, and its models are loaded", tags=["server"])
    def healthz(here: Here) -> HealthOut:
        return HealthOut(ready=here.ready.is_set(), version=__version__)

    api.include_router(documents.router)
    api.include_router(answers.router)
    api.include_router(files.router)
    api.include_router(about.router)
    api.include_router(openai.router)
    page.mount(api)
    return api
