"""An answer as a file: Markdown, HTML, Word, or the cited pages as PDF with the words highlighted."""

from __future__ import annotations

import re
from html import escape
from typing import Literal, TypeAlias

from citeleaf.app import App
from citeleaf.surfaces.answer_docx import docx
from citeleaf.surfaces.answer_sheet import WORDS, Language, Said, Sheet, Source, sheet, where
from citeleaf.types import Answer

Form: TypeAlias = Literal["md", "docx", "html", "pdf"]
MEDIA: dict[Form, str] = {
    "md": "text/markdown; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
}
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_LISTLIKE = re.compile(r"^(\s*)(?:([-+=])|(\d+)([.)]))(?=\s|$)", re.MULTILINE)
_STYLE = (
    "body{max-width:46em;margin:2em auto;padding:0 1em;font:16px/1.5 Georgia,serif;color:#1b211f;background:#fff}"
    "h1{font-size:1.4em}h2{font-size:1.05em;margin-top:1.6em}small,.state{color:#545d59;font-size:.85em}"
    "blockquote{margin:.3em 0 0;padding-left:.8em;border-left:3px solid #c58a00;white-space:pre-line}"
    "li{margin:.6em 0}p{white-space:pre-line}.unverified li{border-left:3px dashed #855200;padding-left:.6em}"
)


def answer_file(app: App, answer: Answer, form: Form, language: Language = "en") -> bytes:
    """The file. Raises `ConfigError` for `pdf` when no cited words stand in a PDF."""
    if form == "pdf":
        return marked_pdf(app, answer, language)
    made = sheet(answer, language)
    if form == "docx":
        return docx(made)
    return (markdown(made) if form == "md" else html(made)).encode("utf-8", "replace")


def markdown(made: Sheet) -> str:
    """CommonMark; nothing of the text is read as markup."""
    words = made.words
    out = [f"# {_line(made.question)}", ""]
    if made.asked:
        out += [f"{words.asked}: {_line(made.asked)}", ""]
    out += [f"**{_line(made.outcome)}**", ""]
    if made.reply:
        out += [_plain(made.reply), ""]
    for title, said in ((words.verified, made.verified), (words.unverified, made.unverified)):
        if said:
            out += [f"## {title}", "", *(_md_said(s) for s in said), ""]
    if made.stopped:
        out += [f"## {words.stopped}", "", *(f"- {_line(s)}" for s in made.stopped), ""]
    for title, sources in ((words.sources, made.sources), (words.nearest, made.nearest)):
        if sources:
            out += [f"## {title}", "", *(_md_source(s) for s in sources)]
    return "\n".join([*out, made.made, ""])


def html(made: Sheet) -> str:
    """One page that loads nothing and runs nothing."""
    words = made.words
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{words.language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(made.question)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + html_body(made)
        + "\n</body></html>\n"
    )


def html_body(made: Sheet, anchor: str = "source") -> str:
    """The elements of that page. `anchor` begins the ids of the sources, so that several answers can share a page."""
    words = made.words
    body = [f"<h1>{escape(made.question)}</h1>"]
    if made.asked:
        body.append(f"<p>{escape(words.asked)}: {escape(made.asked)}</p>")
    body.append(f"<p><strong>{escape(made.outcome)}</strong></p>")
    if made.reply:
        body.append(f"<p>{escape(made.reply)}</p>")
    for kind, title, said in (
        ("verified", words.verified, made.verified),
        ("unverified", words.unverified, made.unverified),
    ):
        if said:
            listed = "".join(_html_said(s, anchor) for s in said)
            body.append(f'<section class="{kind}"><h2>{title}</h2><ul>{listed}</ul></section>')
    if made.stopped:
        body.append(f"<h2>{words.stopped}</h2><ul>{''.join(f'<li>{escape(s)}</li>' for s in made.stopped)}</ul>")
    if made.sources:
        body.append(f"<h2>{words.sources}</h2><ol>{''.join(_html_source(s, anchor) for s in made.sources)}</ol>")
    if made.nearest:
        body.append(f"<h2>{words.nearest}</h2><ol>{''.join(_html_source(s, '') for s in made.nearest)}</ol>")
    body.append(f"<p><small>{escape(made.made)}</small></p>")
    return "\n".join(body)


def marked_pdf(app: App, answer: Answer, language: Language) -> bytes:
    """The cited pages; each highlight carries its sentence and verdict, the first page the answer, as notes.

    Notes, because they show any script in any viewer, and the page stays as it was printed.
    """
    words = WORDS[language]
    made = sheet(answer, language)
    notes = {}
    for citation in answer.citations:
        resting = [c.text for c in answer.claims if citation.n in c.citations]
        at = where(citation.place, words)
        notes[citation.n] = "\n".join((f"[{citation.n}] {words.label[citation.support]}", *resting, at))
    shown = [f"{s.text} {''.join(f'[{n}]' for n in s.cites)} ({s.state})" for s in (*made.verified, *made.unverified)]
    note = "\n\n".join(filter(None, (made.question, made.asked, made.outcome, made.reply, *shown, made.made)))
    return app.marked_pages(answer.citations, notes, note)


def _plain(text: str) -> str:
    escaped = _MARKUP.sub(r"\\\1", text)
    return _LISTLIKE.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", escaped)


def _line(text: str) -> str:
    return _plain(" ".join(text.split()))


def _md_said(said: Said) -> str:
    return f"- {_line(said.text)} {''.join(f'[{n}]' for n in said.cites)}\n  *({_line(said.state)})*"


def _md_source(source: Source) -> str:
    head = " · ".join(filter(None, (f"**{_line(source.title)}**", _line(source.where), _line(source.note))))
    quote = "\n".join(f"   > {line}".rstrip() for line in _plain(source.quote).split("\n"))
    return f"{source.n}. {head}\n\n{quote}\n"


def _html_said(said: Said, anchor: str) -> str:
    cites = " ".join(f'<a href="#{anchor}-{n}">[{n}]</a>' for n in said.cites)
    return f'<li>{escape(said.text)} {cites}<br><span class="state">{escape(said.state)}</span></li>'


def _html_source(source: Source, anchor: str) -> str:
    linked = f' id="{anchor}-{source.n}" value="{source.n}"' if anchor else ""
    where_ = " · ".join(filter(None, (source.where, source.note)))
    return (
        f"<li{linked}><strong>{escape(source.title)}</strong> <small>{escape(where_)}</small>"
        f"<blockquote>{escape(source.quote)}</blockquote></li>"
    )
