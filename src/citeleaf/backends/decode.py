"""Bytes to text: which encoding a file is in, and a notice where that is not certain."""

from __future__ import annotations

import codecs
import re

from citeleaf.types import Notice

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TURKISH_BYTES = re.compile(rb"[A-Za-z][\xd0\xdd\xde\xf0\xfd\xfe]|[\xd0\xdd\xde\xf0\xfd\xfe][A-Za-z]")
_ABOVE_ASCII = re.compile(rb"[\x80-\xff]")
_ALIASES = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
}
_MOST_STRAY = 0.1
_UNLIKELY = 0.3
_SAMPLE = 4096


def decode(data: bytes, declared: str | None = None) -> tuple[str, tuple[Notice, ...]]:
    """The text, and a notice `encoding` unless the file is UTF-8 or says by a byte order mark what it is.

    Tried in order: byte order mark; UTF-16 told by its zero bytes; UTF-8; UTF-8 with a few stray bytes, each read as
    cp1252; the encoding the file declares; cp1254 where its Turkish letters stand inside words; cp1252. Bytes that an
    encoding lacks become U+FFFD, and the notice counts them.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _read(data[len(mark) :], encoding, certain=True)
    if (encoding16 := _utf16(data)) is not None:
        return _read(data, encoding16)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        pass
    repaired, stray, letters = _nearly_utf8(data)
    if letters and stray <= _MOST_STRAY * letters:
        detail = f"UTF-8 with {stray} stray byte{'s' if stray > 1 else ''}, read as cp1252"
        return repaired, (Notice("encoding", detail),)
    if declared is not None and (known := _known(declared)) not in (None, "utf-8"):
        return _read(data, str(known))
    return _read(data, "cp1254" if _TURKISH_BYTES.search(data) else "cp1252")


def _utf16(data: bytes) -> str | None:
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd >= 0.7 * half and even <= 0.05 * half:
        return "utf-16-le"
    if even >= 0.7 * half and odd <= 0.05 * half:
        return "utf-16-be"
    return None


def _nearly_utf8(data: bytes) -> tuple[str, int, int]:
    """The text with stray bytes read as cp1252, how many there are, and how many letters above ASCII are sound."""
    parts: list[str] = []
    stray = 0
    for piece in re.split("([\udc80-\udcff]+)", data.decode("utf-8", "surrogateescape")):
        if piece and "\udc80" <= piece[0] <= "\udcff":
            stray += len(piece)
            parts.append(bytes(ord(c) - 0xDC00 for c in piece).decode("cp1252", "replace"))
        else:
            parts.append(piece)
    sound = sum(len(piece) - len(piece.encode("ascii", "ignore")) for piece in parts) - stray
    return "".join(parts), stray, sound


def _known(name: str) -> str | None:
    name = name.strip().strip("\"'").casefold()
    try:
        found = codecs.lookup(_ALIASES.get(name, name))
    except LookupError:
        return None
    # Only encodings of text: not `base64`, `zip` and the like, and none that treats bytes as escapes.
    is_text = getattr(found, "_is_text_encoding", True) and not found.name.startswith(
        ("unicode", "raw", "idna", "punycode")
    )
    return found.name if is_text else None


def _read(data: bytes, encoding: str, *, certain: bool = False) -> tuple[str, tuple[Notice, ...]]:
    text = data.decode(encoding, "replace")
    lost = text.count("\ufffd")
    if certain and not lost:
        return text, ()
    detail = f"read as {encoding}"
    if lost:
        detail += f"; {lost} characters could not be read"
    if encoding.startswith("cp125") and len(_ABOVE_ASCII.findall(data)) > _UNLIKELY * len(data):
        detail += "; this does not look like Western or Turkish text: save the file as UTF-8"
    return text, (Notice("encoding", detail),)
