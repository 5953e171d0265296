"""The reply protocol: what a model wrote -> an answer, an abstention, or a named fault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.answer.attach import attach
from citeleaf.answer.cite import resolve
from citeleaf.answer.faults import is_echo, is_foreign, is_garbled, is_looping, says_nothing
from citeleaf.answer.prompts import SENTINEL, Prompt, instructions, visible
from citeleaf.chat import Reply
from citeleaf.errors import Kind
from citeleaf.sentences import sentences
from citeleaf.types import Check, Citation, Draft, Evidence, Span

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
_LABEL = re.compile(
    r"\A\s*(?:\*\*)?(?:answer|final answer|cevap|yanıt)(?:\s*\([^)]*\))?\s*:(?:\*\*)?\s*", re.IGNORECASE
)
_SCAFFOLD = re.compile(r"\n\s*(?:Question|Passages|Facts of the case[^\n]*|Answer \([^\n]*):.*\Z", re.DOTALL)
_TOKEN = re.compile(r"NOT[_ ]IN[_ ]DOCUMENTS|(?i:not_in_documents)")
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\s]*[^)]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\((?:[a-z][a-z0-9+.-]*:|//|/|#|www\.)[^)]*\)", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|data:|javascript:)[^\s<>\"')\]]+", re.IGNORECASE)
_ELEMENT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|</?[a-z!][^<>\n]*>", re.DOTALL | re.IGNORECASE)
_MARKER = re.compile(r"\[[^\]\n]*\]")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")

REMINDERS: dict[Kind, str] = {
    "empty": "Write an answer.",
    "garbled": "Write plain sentences.",
    "looping": "Write at most two sentences, each only once.",
    "cut": "Write at most two short sentences.",
    "echo": "Write only the answer. Do not repeat rules, passages or the question.",
    "contradictory": f"Either write an answer, or only {SENTINEL}, never both.",
    "wrong_language": "Write in the language of the question only.",
    "uncited": f"End each sentence with the number of its passage, like [1]. If none answers, write only {SENTINEL}.",
    "abstained_on_strong_evidence": "Read the first passage again: it may hold the answer.",
}
"""What a model is told before its further try; a fault that is not here is not tried again."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a reply is. With a `fault`, `detail` says what showed it, and `text` is not to be used."""

    text: str
    abstains: bool
    fault: Kind = ""
    detail: str = ""
    checks: tuple[Check, ...] = ()


def read(reply: Reply, prompt: Prompt, question: str, *, last: bool) -> Read:
    """What the reply is by its structure, in this order; `last`: there will be no further try.

    `refused` (the runtime or its filter says so), `empty`; an abstention when the reserved token is all there is;
    `garbled`, `looping`, `cut` (the output limit ended it), `echo` of the instructions. Then the reserved token: an
    abstention when nothing is cited beside it, else `contradictory`, and at the last try an abstention when it came
    first; when it came later, it is left out. Then `wrong_language`, and `uncited`: no sentence has a citation that
    resolves to a passage shown, and none can be given one (see `attach`); at the last try such a reply that negates,
    and brings nothing from the passages, is an abstention in words of its own. No rule looks for set phrases: an
    answer that says "insufficient evidence" and cites a passage is an answer.
    """
    text = _bare(visible(reply.text))
    shown = prompt.shown
    data = [question, *(" ".join((*e.passage.heading, e.passage.context, e.passage.text)) for e in shown)]
    told = instructions(prompt.messages)
    token = _TOKEN.search(text)
    if reply.finish == "filtered":
        return Read("", False, "refused", "the model or its filter refused")
    if not any(c.isalnum() for c in text):
        return Read("", False, "empty", "there is no word in it")
    if token and not any(c.isalnum() for c in text.replace(token[0], "")):
        return Read("", True)
    if why := is_garbled(reply.text):
        return Read("", False, "garbled", why)
    if why := is_looping(text):
        return Read("", False, "looping", f"it says again and again: {why}")
    if reply.finish == "length":
        return Read("", False, "cut", "the limit of its length ended it")
    if why := is_echo(text, told, data):
        return Read("", False, "echo", f"it repeats what it was told: {why}")
    text, checks = _tidy(text, data)
    if token:
        if not _cites(text, shown):
            return Read("", True)
        if not last:
            return Read("", False, "contradictory", "it answers and abstains at once")
        if text.lstrip(" *_`\n")[: len(token[0])] == token[0]:
            return Read("", True, checks=(Check("contradictory", False, "it abstains, then answers"),))
        text = _TOKEN.sub("", text).strip()
        checks += (Check("contradictory", False, "it answers, then abstains"),)
    if why := is_foreign(text, question, data):
        return Read("", False, "wrong_language", why)
    text, unseen = _only_shown(text, prompt)
    text, attached = attach(text, shown)
    if not _cites(text, shown):
        if last and says_nothing(text, question, told, data):
            return Read(
                "", True, checks=(Check("abstention", True, "in words of its own: nothing cited, nothing said"),)
            )
        return Read("", False, "uncited", "no sentence has the number of a passage that was shown")
    return Read(text, False, checks=(*checks, *unseen, *attached))


class SoFar:
    """Reads a reply while it is being written."""

    def __init__(self, prompt: Prompt, question: str) -> None:
        """For one reply."""
        self._prompt = prompt
        self._question = question
        self._begun = 0

    def read(self, text: str) -> str:
        """The answer so far, whenever a further sentence has begun; nothing while it would be no answer.

        The last sentence may go on. An open bracket, fence or emphasis is waited for, since it can change what is
        before it.
        """
        whole = text[:at] if (at := text.rfind("[")) > text.rfind("]") else text
        begun = len(sentences(_MARKER.sub("", whole)))
        if begun <= self._begun or whole.lstrip().startswith("```") or whole.count("**") % 2 or whole.count("__") % 2:
            return ""
        self._begun = begun
        found = read(Reply(whole, "unknown", ""), self._prompt, self._question, last=False)
        return "" if found.fault or found.abstains else found.text


def _bare(text: str) -> str:
    """The reply without thoughts, code fence and label, up to where it goes on with the form of the prompt."""
    text = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.match(text)
    text = fenced[1] if fenced else text
    return _SCAFFOLD.sub("", _LABEL.sub("", text)).strip()


def _tidy(text: str, data: Sequence[str]) -> tuple[str, tuple[Check, ...]]:
    """Text without images, links, HTML and addresses that no passage holds, each removal on record; and no emphasis."""
    held = "\n".join(data)
    gone: list[str] = []

    def drop(match: re.Match[str]) -> str:
        gone.append(match[0][:120])
        return ""

    def unlink(match: re.Match[str]) -> str:
        gone.append(match[0][:120])
        return match[1]

    text = _LINK.sub(unlink, _IMAGE.sub(drop, text))
    text = _ELEMENT.sub(lambda m: m[0] if m[0] in held else drop(m), text)
    text = _ADDRESS.sub(lambda m: m[0] if m[0].rstrip(".,;:!?") in held else drop(m), text)
    text = _EMPHASIS.sub(r"\2", text)
    return text, tuple(Check("outside_reference", False, f"removed: {what}") for what in gone)


def _cites(text: str, shown: Sequence[Evidence]) -> bool:
    return any(c.status != "dropped" for c in resolve(Draft(text, text, False, ""), shown))


def _only_shown(text: str, prompt: Prompt) -> tuple[str, tuple[Check, ...]]:
    """Text without markers of passages that were left out of the prompt: the model cannot have read those."""
    ranks = {e.passage.id: e.rank for e in (*prompt.shown, *prompt.left_out)}
    unread = {e.passage.id for e in prompt.left_out}
    markers: dict[Span, list[Citation]] = {}
    for citation in resolve(Draft(text, text, False, ""), (*prompt.shown, *prompt.left_out)):
        markers.setdefault(citation.at, []).append(citation)
    checks = []
    for at, cites in sorted(markers.items(), key=lambda m: -m[0].start):
        if any(c.passage_id in unread for c in cites):
            kept = "".join(f"[{ranks[c.passage_id]}]" for c in cites if c.passage_id and c.passage_id not in unread)
            checks.append(Check("cited_unseen", False, f"{cites[0].marker} names a passage that was not sent"))
            text = text[: at.start].rstrip(" ") + (f" {kept}" if kept else "") + text[at.end :]
    return text, tuple(reversed(checks))
