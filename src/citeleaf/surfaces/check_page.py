"""A checked text as one page for a reader: each sentence, what the documents say to it, and where."""

from __future__ import annotations

from html import escape

from citeleaf.check import Checked, Checkup
from citeleaf.surfaces.answer_sheet import ENGLISH, where
from citeleaf.types import Label, ShownCitation

SIGNS: dict[Label, tuple[str, str]] = {
    "supported": ("✓", "Supported"),
    "not_enough_info": ("?", "Not enough in the documents"),
    "refuted": ("✗", "The documents say otherwise"),
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    ":root{color-scheme:light dark;--ink:#1b211f;--soft:#545d59;--page:#fff;--line:#c9cfcc;"
    "--good:#1c6b47;--open:#855200;--bad:#a3231f}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ecea;--soft:#a9b3ae;--page:#151a18;--line:#3c4541;"
    "--good:#7fd3a8;--open:#f0b45c;--bad:#ff9d96}}"
    "body{max-width:46em;margin:2em auto;padding:0 1em;font:16px/1.5 Georgia,serif}"
    "body{color:var(--ink);background:var(--page)}"
    "h1{font-size:1.4em}h2{font-size:1.05em;margin-top:1.6em}ol{padding:0;list-style:none}"
    "ol>li{margin:1em 0;padding-left:.8em;border-left:4px solid var(--line)}"
    ".supported{border-color:var(--good)}.not_enough_info{border-color:var(--open)}.refuted{border-color:var(--bad)}"
    ".supported .state{color:var(--good)}.not_enough_info .state{color:var(--open)}.refuted .state{color:var(--bad)}"
    "p{margin:.2em 0;overflow-wrap:anywhere}.state{font-weight:bold}ul{margin:.2em 0;padding-left:1.2em}"
    "blockquote{margin:.4em 0 0;padding-left:.8em;border-left:3px solid var(--line);white-space:pre-line}"
    "small,ul{color:var(--soft);font-size:.88em}.left{color:var(--soft)}"
)


def check_page(done: Checkup, title: str) -> str:
    """One page that loads nothing and runs nothing; its sentences stand in the order of the text."""
    cited = {citation.n: citation for citation in done.citations}
    counts = {label: sum(c.claim.verdict == label for c in done.claims) for label in SIGNS}
    summed = ", ".join(f"{n} {SIGNS[label][1].lower()}" for label, n in counts.items() if n)
    body = [f"<h1>{escape(title)}</h1>", f"<p>{escape(summed or done.reason.replace('_', ' '))}</p>"]
    if done.claims:
        body.append(f"<ol>{''.join(_claim(checked, cited) for checked in done.claims)}</ol>")
    if done.skipped:
        left = "".join(f"<li>{escape(s.text)} ({escape(s.why)})</li>" for s in done.skipped)
        body.append(f'<h2>Without a statement, left out</h2><ul class="left">{left}</ul>')
    if done.unheard:
        body.append(f"<p>The model was not heard on every sentence: {escape(done.unheard)}</p>")
    against = ", ".join(done.against) or "all documents of the library"
    body.append(f"<p><small>Checked against {escape(against)}; {escape(done.fingerprint)}</small></p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )


def _claim(checked: Checked, cited: dict[int, ShownCitation]) -> str:
    claim = checked.claim
    sign, said = SIGNS[claim.verdict]
    parts = [f"<p>{escape(claim.text)}</p>", f'<p class="state">{sign} {said}</p>']
    failed = [c for c in checked.checks if not c.passed] if claim.verdict != "supported" else []
    if failed:
        reasons = "".join(f"<li>{escape(c.name)}: {escape(c.detail)}</li>" for c in failed)
        parts.append(f"<ul>{reasons}</ul>")
    for n in claim.citations[:1]:
        citation = cited[n]
        lead = "Nearest words: " if claim.verdict == "not_enough_info" else ""
        at = " · ".join(filter(None, (citation.title, where(citation.place, ENGLISH), citation.passage_id)))
        parts.append(f"<blockquote>{lead}{escape(citation.quote.text)}</blockquote><p><small>{escape(at)}</small></p>")
    return f'<li class="{claim.verdict}">{"".join(parts)}</li>'
