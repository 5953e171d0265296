"""Text as a rule reads it: without the tricks of writing and encoding that hide words."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote

_LOOK_ALIKE = str.maketrans(
    "аеіјорсухѕһԁԛԝґкмнтвєигяАВЕІЈКМНОРСТУХЅαεικνορτυχγηωАΒΕΗΙΚΜΝΟΡΤΥΧΖօոսհցɑɡʀɪɴʟᴀʙᴄᴅᴇꜰɢʜᴊᴋᴍᴏᴘꜱᴛᴜᴠᴡʏᴢℓ",
    "aeijopcyxshdqwrkmhtbeuraABEIJKMHOPCTYXSaeikvoptuxyhwABEHIKMNOPTYXZonuhgagrinlabcdefghjkmopstuvwyzl",
)
_LETTER_SIGNS = {
    **{0x1F150 + i: chr(97 + i) for i in range(26)},
    **{0x1F170 + i: chr(97 + i) for i in range(26)},
    **{0x1F1E6 + i: chr(97 + i) for i in range(26)},
    **{0xE0020 + i: chr(0x20 + i) for i in range(95)},
}
"""Letters in circles and squares, flags' letters, and tag characters, which are ASCII that no one sees."""
_FOLDED = str.maketrans({"ı": "i", "ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th"})
_MARKS = str.maketrans("‘’‛ʼ“”„«»–—−‐‑_*`~|#\\", '\'\'\'\'"""""-----       ')
_PLAIN = {chr(k): v if isinstance(v, str) else chr(v) for k, v in (_MARKS | _FOLDED).items()}
_LEET = tuple(str.maketrans("013456789@$!+€", f"o{one}easgtbgas{one}te") for one in "il")

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls other than white space, format characters, variation selectors, fillers, tags, lone surrogates."""
_SPACE = re.compile(r"\s+")
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_MIXED = re.compile(r"(?=\S{0,40}[a-z])(?=\S{0,40}[^a-z\s])\S{4,40}")
_SPACED = re.compile(r"(?<![^\s(\"'])(?:[a-z0-9@$!](?:[.\-_*,]| {1,3})){3,150}[a-z0-9@$!](?![a-z0-9])")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,4000}={0,2}(?![A-Za-z0-9+/_-])")
_HEX = re.compile(r"\b(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){8,2000}")
_BINARY = re.compile(r"\b(?:[01]{8} ?){4,500}")
_TRICKS = (
    re.compile(r"&[#\w]|%[0-9a-fA-F]{2}"),
    re.compile(_SPACED.pattern, re.IGNORECASE),
    re.compile(r"[A-Za-z0-9+/_-]{16}"),
    _HEX,
    _INVISIBLE,
    re.compile("[\U0001f150-\U0001f189\U0001f1e6-\U0001f1ff]"),
)
"""What entities, spaced letters, base64, hexadecimal and binary, invisible and circled letters look like."""
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_MOST_DECODED = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text; `how` is empty for the text as it stands, else the trick that hid it."""

    how: str
    text: str


def readings(text: str, words: frozenset[str]) -> tuple[Reading, ...]:
    """The text as it stands first, then what can be read in it by undoing a trick.

    `words` are the words that rules look for. Base64, hexadecimal and binary stretches are read when they decode to
    text; rot13, backwards and words parted by invisible characters when more of `words` come out than stand there
    without. Every reading is in the form of `normal`.
    """
    plain = normal(text, words)
    out = [Reading("", plain)]
    out += [Reading(how, normal(found, words)) for how, found in _decoded(text)]
    known = _known(plain, words)
    turned: list[tuple[str, Callable[[], str]]] = [
        ("rot13", lambda: plain.translate(_ROT13)),
        ("backwards", lambda: plain[::-1]),
    ]
    if _INVISIBLE.search(text):
        turned.append(("invisible", lambda: normal(_INVISIBLE.sub(" ", text), words)))
    for how, turn in turned:
        other = turn()
        if _known(other, words) >= max(2, known + 1):
            out.append(Reading(how, other))
    return tuple(dict.fromkeys(out))


def normal(text: str, words: frozenset[str] = frozenset()) -> str:
    """The text in small letters without accents, HTML entities and percent signs read, spaces made single.

    Compatibility forms are joined (NFKC); invisible characters (zero width, bidi, variation selectors, controls) go,
    tag characters and letters in circles become letters; Greek, Cyrillic and other letters that look Latin become
    Latin in words that hold Latin letters too, so that words wholly in another script stay. Markup signs become spaces.
    Letters with spaces or dots between them are joined, and words with digits for letters are read, where a word of
    `words` comes out.
    """
    text = html.unescape(text)
    if text.count("%") > 2:
        text = unquote(text, errors="ignore")
    text = unicodedata.normalize("NFKC", text.translate(_LETTER_SIGNS)).translate(_MARKS)
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = _WORD.sub(lambda m: _latin(m[0], words), text)
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
        text = text.translate(_FOLDED)
    text = _SPACED.sub(lambda m: _joined(m[0], words), text.lower())
    if words:
        text = _MIXED.sub(lambda m: _unmixed(m[0], words), text)
    return _SPACE.sub(" ", text).strip()


def tricks(text: str) -> list[int]:
    """Where words may be hidden from one who reads letter by letter, disguised words aside: places in the text."""
    return [match.start() for pattern in _TRICKS for match in pattern.finditer(text)]


def plain_lines(text: str) -> list[str]:
    """The lines of a text as `normal` writes them where nothing is hidden or disguised."""
    text = unicodedata.normalize("NFKC", text).lower()
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    for sign in sorted(set(text)):  # a few replacements are faster than looking up every character
        if sign in _PLAIN or unicodedata.combining(sign):
            text = text.replace(sign, _PLAIN.get(sign, ""))
    return _BLANKS.sub(" ", text).split("\n")


def disguised(tokens: Collection[str], words: frozenset[str]) -> frozenset[str]:
    """The tokens in which a word of `words` stands in other letters: with digits, look-alikes, turned or backwards."""
    known = {word for word in words if len(word) > 3}
    turned = {word[::-1] for word in known} | {word.translate(_ROT13) for word in known}
    return frozenset(
        token
        for token in tokens
        if token in turned or ((not token.isalpha() or not token.isascii()) and (_is_disguised(token, words, turned)))
    )


def _is_disguised(token: str, words: frozenset[str], turned: Collection[str]) -> bool:
    found = _WORD.findall(token)
    if not token.isascii() and any(_latin(word, words) != word for word in found):
        return True
    return any(word in turned for word in found) or any(_unmixed(m, words) != m for m in _MIXED.findall(token))


def _latin(word: str, words: frozenset[str]) -> str:
    alike = word.translate(_LOOK_ALIKE)
    return alike if alike != word and (_LATIN.search(word) or alike.lower() in words) else word


def _joined(run: str, words: frozenset[str]) -> str:
    groups = [re.sub(r"[^a-z0-9@$!]", "", group) for group in re.split(r" {2,}", run)]
    return " ".join(_parted(group, words) if len(groups) == 1 else group for group in groups) + " "


def _parted(letters: str, words: frozenset[str]) -> str:
    """The letters cut into known words, as few pieces as possible; letters between known words stay together."""
    if not words or len(letters) < 8:
        return letters
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(letters) + 1):
        options = [(best[end - 1][0] + 1.5, end - 1)]
        options += [(best[i][0] + 1.0, i) for i in range(max(0, end - 20), end) if letters[i:end] in words]
        best.append(min(options))
    cuts, at = [len(letters)], len(letters)
    while at:
        at = best[at][1]
        cuts.append(at)
    pieces = [letters[a:b] for a, b in pairwise(reversed(cuts))]
    out = ""
    for before, piece in pairwise(["", *pieces]):
        out += ("" if len(piece) == 1 and len(before) == 1 else " ") + piece
    return out.strip()


def _unmixed(token: str, words: frozenset[str]) -> str:
    core = token.strip(".,;:!?()[]{}<>\"'")
    if len(core) < 4 or core.isalpha() or all(part.isalpha() for part in re.split(r"['-]", core)):
        return token
    for table in _LEET:
        word = re.sub(r"[^a-z]", "", core.translate(table))
        if len(word) > 3 and word in words:
            return token.replace(core, word)
    return token


def _decoded(text: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for how, pattern, read in (("base64", _BASE64, _base64), ("hex", _HEX, _hex), ("binary", _BINARY, _binary)):
        for match in list(pattern.finditer(text))[:_MOST_DECODED]:
            found = read(match[0])
            if found and _is_text(found):
                out.append((how, found))
    return out


def _base64(token: str) -> str:
    letters = token.translate(str.maketrans("-_", "+/")).rstrip("=")
    whole = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _hex(token: str) -> str:
    try:
        return bytes.fromhex(re.sub(r"0x|\\x|[ ,:]", "", token)).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return ""


def _binary(token: str) -> str:
    return "".join(chr(int(byte, 2)) for byte in re.findall(r"[01]{8}", token))


def _is_text(text: str) -> bool:
    good = sum(c.isalpha() or c == " " for c in text)
    return len(text) >= 4 and good >= 0.8 * len(text)


def _known(text: str, words: frozenset[str]) -> int:
    return sum(len(word) > 3 and word in words for word in _WORD.findall(text[:5000]))
