"""Writes the page: scripts joined, the library as data, pictures of pages; one folder, or one file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeleaf.errors import ConfigError
from citeleaf.portable.library import FORM, portable

if TYPE_CHECKING:
    from citeleaf.app import App

SITE = Path(str(files("citeleaf.surfaces"))) / "export" / "site"
MODULES = ("snowball", "text", "tokens", "search", "guard", "gate", "units", "lists", "quote", "ask", "ui")
"""The scripts, each after those that it imports."""
NOTE = "citeleaf-export.json"
"""In an exported folder: the names of the files that belong to it."""
MARK = '<meta name="generator" content="citeleaf export">'
SCALE = 1.25
"""Pixels a point of a page's picture."""
_IMPORT = re.compile(r"^import (\{[^}]*\}) from \"\./(\w+)\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
_POLICY = (
    "default-src 'none'; connect-src 'none'; img-src {images}; style-src {style}; script-src {script}; "
    "base-uri 'none'; form-action 'none'"
)

Watch = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: where, how many bytes in all, of documents, passages and pictures how many."""

    out: Path
    size: int
    documents: int
    passages: int
    images: int

    def json(self) -> dict[str, object]:
        """The row as it is published."""
        return {
            "schema": "citeleaf/exported/1",
            "out": str(self.out),
            "bytes": self.size,
            "documents": self.documents,
            "passages": self.passages,
            "images": self.images,
        }


def export(
    app: App, out: Path, *, single_file: bool = False, images: bool = True, watch: Watch | None = None
) -> Exported:
    """Writes the library as a page into a new or empty folder, or over an earlier export; or into one HTML file.

    `app` must have been opened with the settings of the lexical profile. Pictures are of the pages that hold passages,
    in formats with pages. Raises `ConfigError` for a place that holds something else, for settings the page cannot
    follow, and for an empty library. `watch` is told of each picture: how many are done, of how many, which is next.
    """
    earlier = _place(out, single_file)
    data: dict[str, Any] = dict(portable(app.kit.store, app.settings))
    pictures = _pictures(app, data, watch) if images else {}
    data["images"] = {}
    for (doc, number), (name, picture) in pictures.items():
        inline = f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"
        data["images"].setdefault(doc, {})[str(number)] = inline if single_file else f"pages/{name}"
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    library = f"globalThis.citeleafLibrary = {told};\n"
    title = html.escape(data["profile"]["purpose"])
    if single_file:
        written = {out: _single(title, library).encode("utf-8")}
    else:
        written = {out / name: text.encode("utf-8") for name, text in _folder(title, library).items()}
        written |= {out / "pages" / name: picture for name, picture in pictures.values()}
        note = {"schema": FORM, "files": sorted(str(p.relative_to(out).as_posix()) for p in written)}
        for name in earlier:
            (out / name).unlink(missing_ok=True)
        out.mkdir(parents=True, exist_ok=True)
        (out / NOTE).write_text(json.dumps(note, indent=1) + "\n", "utf-8")
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    size = sum(map(len, written.values()))
    return Exported(out, size, len(data["documents"]), len(data["passages"]), len(pictures))


def _place(out: Path, single_file: bool) -> list[str]:
    """The files of an earlier export at `out`. Raises `ConfigError` where something else is."""
    if single_file:
        if out.is_dir():
            raise ConfigError(f"`{out}` is a folder", hint="name a file, such as library.html", subject=str(out))
        if out.exists() and MARK.encode() not in out.read_bytes()[:2000]:
            raise ConfigError(f"`{out}` is there already", hint="name a new file", subject=str(out))
        return []
    if out.is_file():
        raise ConfigError(f"`{out}` is a file", hint="name a folder, or add --single-file", subject=str(out))
    if not out.is_dir() or not any(out.iterdir()):
        return []
    try:
        note = json.loads((out / NOTE).read_text("utf-8"))
        known = [name for name in note["files"] if isinstance(name, str)] if note["schema"] == FORM else None
    except (OSError, ValueError, KeyError, TypeError):
        known = None
    if known is None or any(".." in Path(name).parts or Path(name).is_absolute() for name in known):
        raise ConfigError(
            f"`{out}` holds files that are no earlier export", hint="name a new or empty folder", subject=str(out)
        )
    return known


def _pictures(app: App, data: dict[str, Any], watch: Watch | None) -> dict[tuple[str, int], tuple[str, bytes]]:
    """Picture and file name of every page that holds a passage, by document and page."""
    wanted = sorted({(p["doc"], n) for p in data["passages"] for n in p["pages"]})
    known = {d.id: d for d in app.documents()}
    order = {d["id"]: i for i, d in enumerate(data["documents"], 1)}
    out: dict[tuple[str, int], tuple[str, bytes]] = {}
    for i, (doc, number) in enumerate(wanted):
        if watch is not None:
            watch(i, len(wanted), f"page {number}")
        out[doc, number] = (f"{order[doc]}-{number}.png", app.page_image(known[doc], number, scale=SCALE))
    return out


def bundle() -> str:
    """The scripts as one, without imports: each module a function that gives what it exports."""
    out = []
    for name in MODULES:
        text = (SITE / f"{name}.js").read_text("utf-8")
        names = _EXPORT.findall(text)
        body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = \2_js;\n", text))
        out.append(f"const {name}_js = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();\n")
    return '"use strict";\n(() => {\n' + "".join(out) + "ui_js.begin(globalThis.citeleafLibrary);\n})();\n"


def _folder(title: str, library: str) -> dict[str, str]:
    policy = _POLICY.format(images="'self' data:", style="'self'", script="'self'")
    page = _page(
        title,
        policy,
        '<link rel="stylesheet" href="style.css">',
        '<script src="library.js"></script>\n<script src="citeleaf.js"></script>',
    )
    style = (SITE / "style.css").read_text("utf-8")
    return {"index.html": page, "style.css": style, "citeleaf.js": bundle(), "library.js": library}


def _single(title: str, library: str) -> str:
    style = "\n" + (SITE / "style.css").read_text("utf-8")
    scripts = [f"\n{library}", "\n" + bundle().replace("</script", "<\\/script").replace("<!--", "<\\!--")]
    policy = _POLICY.format(images="data:", style=_hash(style), script=" ".join(map(_hash, scripts)))
    return _page(title, policy, f"<style>{style}</style>", "\n".join(f"<script>{s}</script>" for s in scripts))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _page(title: str, policy: str, style: str, scripts: str) -> str:
    page = (SITE / "index.html").read_text("utf-8")
    parts = {"title": title, "mark": MARK, "policy": policy, "style": style, "scripts": scripts}
    return re.sub(r"<!--(\w+)-->", lambda m: parts[m[1]], page)
