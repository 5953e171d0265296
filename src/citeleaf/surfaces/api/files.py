"""Answers as files."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeleaf.surfaces.answer_files import MEDIA, Form, answer_file
from citeleaf.surfaces.answer_sheet import Language
from citeleaf.surfaces.api.answers import PROBLEMS
from citeleaf.surfaces.api.server import Here

router = APIRouter(prefix="/api", tags=["answers"])
_FILES = {media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA.values()}


@router.get(
    "/answers/{answer_id}/file",
    summary="A kept answer as a file",
    responses={200: {"content": _FILES}, **PROBLEMS},
)
def answer_as_file(
    answer_id: str,
    here: Here,
    form: Annotated[Form, Query(description="`pdf`: the cited pages with the words highlighted.")] = "md",
    language: Language = "en",
) -> Response:
    """Markdown, Word, HTML, or the cited pages of PDFs; what was verified and what was not stand apart."""
    made = answer_file(here.app, here.app.answer(answer_id), form, language)
    named = {"Content-Disposition": f'attachment; filename="answer-{answer_id}.{form}"'}
    return Response(made, media_type=MEDIA[form], headers=named)
