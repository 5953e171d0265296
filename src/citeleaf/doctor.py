"""What is missing or wrong, and how to mend it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from citeleaf.app import App
from citeleaf.errors import CiteleafError, ModelNotInstalled
from citeleaf.installed import installed_models

_LOW_DISK = 500_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; `fix` says what to do when it is not `ok`, or would help when it is."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def examine(library: str | None = None, profile: str | None = None) -> tuple[Finding, ...]:
    """Looks at Python, model files, settings and the library: integrity, copies of the files, disk."""
    found = [Finding("python", sys.version_info >= (3, 11), ".".join(map(str, sys.version_info[:3])))]
    found += _models()
    try:
        app = App.open(library, profile=profile)
    except CiteleafError as error:
        return (*found, Finding("library", False, error.message, error.hint))
    with app:
        found.append(Finding("library", True, str(app.folder)))
        try:
            found += _library(app)
        except CiteleafError as error:
            found.append(Finding("store", False, error.message, error.hint))
    return tuple(found)


def _models() -> list[Finding]:
    if find_spec("citeleaf_weights") is None:
        how = "pip install citeleaf-weights"
        return [Finding("models", False, "no model files: search is by words alone", how)]
    return [
        Finding(
            f"model {m.name}",
            m.state == "verified",
            m.state,
            "" if m.state == "verified" else "reinstall citeleaf-weights",
        )
        for m in installed_models(verify=True)
    ]


def _library(app: App) -> list[Finding]:
    found = []
    for check in app.integrity():
        fix = "" if check.passed else "restore a backup, or ingest the documents into a new library"
        found.append(Finding(f"store {check.name}", check.passed, check.detail or "in order", fix))
    documents = app.documents()
    if not documents:
        found.append(Finding("documents", True, "none yet", "citeleaf ingest PATH"))
    for document in documents:
        try:
            app.source(document)
        except CiteleafError as error:
            found.append(Finding(f"document {document.id}", False, error.message, error.hint))
        blank = [str(p.number) for p in document.pages if p.quality == "no_text"]
        if blank:
            detail = f"no text on page {', '.join(blank)}"
            found.append(
                Finding(f"document {document.id}", True, detail, "pages that are pictures need OCR to be searched")
            )
    if documents:
        try:
            app.kit  # noqa: B018 - opening the kit is the check: stale vectors and missing models show here
            found += [Finding("search", False, note) for note in app.notes]
        except ModelNotInstalled as error:
            found.append(Finding("search", False, error.message, error.hint))
        except CiteleafError as error:
            found.append(Finding("index", False, error.message, error.hint))
    free = shutil.disk_usage(app.folder).free
    found.append(
        Finding("disk", free > _LOW_DISK, f"{free / 1e9:.1f} GB free", "" if free > _LOW_DISK else "make room")
    )
    return found
