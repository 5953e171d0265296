"""What the page shows of the library itself: the profile and who writes the answers."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from citeleaf.surfaces.api.answers import PROBLEMS
from citeleaf.surfaces.api.server import Here

router = APIRouter(prefix="/api", tags=["server"])


class LibraryOut(BaseModel):
    """The profile's name and the sentence about it, the generator, how many documents there are."""

    schema_: Literal["citeleaf/library/1"] = Field("citeleaf/library/1", alias="schema")
    profile: str
    purpose: str
    generator: str
    documents: int


@router.get("/library", summary="The library's profile and size", responses={200: {"model": LibraryOut}, **PROBLEMS})
def library(here: Here) -> LibraryOut:
    """Not where it lies: no caller needs to know the folders of this machine."""
    settings = here.app.settings
    return LibraryOut(
        schema="citeleaf/library/1",
        profile=settings.profile.name,
        purpose=settings.profile.purpose,
        generator=settings.models.generator,
        documents=len(here.app.documents()),
    )
