"""The page, where it was built: its files at `/`, and its index for every place within it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from citeleaf.surfaces.api.problems import answered, problem

FOLDER = Path(str(files("citeleaf.surfaces"))) / "web" / "static"
"""The built page: `index.html` and what it needs."""
ASSETS = "assets"
"""Its files with a hash in their names, which never change."""
_NO_PAGE = "The page is not part of this build. The server is up: see /openapi.json, or the guide to serving.\n"


class _Place(Convertor[str]):
    """Any path but those of the API."""

    regex = "(?!(?:api|v1|mcp)(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("place", _Place())


class _Assets(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def mount(api: FastAPI, folder: Path | None = None) -> None:
    """Serves the page below all routes that are there already."""
    folder = folder or FOLDER
    if (folder / ASSETS).is_dir():
        api.mount(f"/{ASSETS}", _Assets(directory=folder / ASSETS), name="assets")

    @api.get("/{path:place}", include_in_schema=False)
    def shown(path: str, request: Request) -> Response:
        index = folder / "index.html"
        if not index.is_file():
            return PlainTextResponse(_NO_PAGE, 200 if not path else 404)
        file = (folder / path.replace("\0", "")).resolve()
        if path and file.is_relative_to(folder.resolve()) and file.is_file():
            return FileResponse(file)
        # A place within the page, such as /documents/terms/pages/3, is the page itself.
        if "text/html" in request.headers.get("accept", "") or not path:
            return FileResponse(index)
        return answered("", problem(404, "unknown_route", "there is no such file", hint="see /openapi.json"))
