"""Reads the XML parts of an office file without trusting anything the container says about itself."""

from __future__ import annotations

import stat
import zlib
from pathlib import Path
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from citeleaf.errors import EncryptedFile, ParseError, TooLarge, UnreadableFile, UnsafeFile

MOST_MEMBERS = 2000
DEEPEST_XML = 200
DAMAGED = (BadZipFile, EOFError, zlib.error, OSError, NotImplementedError, ValueError, RuntimeError)
"""What `zipfile` raises for a container that is not whole: a structure that is none, an end cut off, data that does not
unpack, an offset outside the file, a method that does not exist, a negative position, a flag of encryption."""
_PIECE = 1 << 16
_ENCRYPTED = 0x1


def read_xml_parts(path: Path, *, max_unpacked_mb: int) -> dict[str, bytes]:
    """The members that end in `.xml` or `.rels`, by name; pictures and the like are never unpacked.

    Bytes are counted while unpacking, whatever the headers state. Raises `TooLarge` for too many members or bytes,
    `UnsafeFile` for members of the same name, links, a DOCTYPE or entity, or XML nested too deeply, `EncryptedFile`,
    and `ParseError` for a damaged container or XML that is not well formed.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise UnreadableFile(f"`{path.name}` could not be read: {error.strerror}", subject=path.name) from error
    try:
        with file, ZipFile(file) as archive:
            members = archive.infolist()
            _check_names(members, path.name)
            wanted = [m for m in members if m.filename.endswith((".xml", ".rels")) and not m.is_dir()]
            # Two passes, so that a file over the limit is refused before any of it is kept.
            room = max_unpacked_mb * 1_000_000
            for member in wanted:
                room -= _check_part(archive, member, room, path.name)
            return {member.filename: archive.read(member) for member in wanted}
    except DAMAGED as error:
        raise ParseError(f"`{path.name}` is a damaged container: {error}", subject=path.name) from error


def _check_names(members: list[ZipInfo], name: str) -> None:
    if len(members) > MOST_MEMBERS:
        raise TooLarge(f"`{name}` holds {len(members)} members, more than {MOST_MEMBERS}", subject=name)
    if len({member.filename for member in members}) < len(members):
        raise UnsafeFile(f"`{name}` holds two members of the same name", subject=name)
    for member in members:
        if stat.S_ISLNK(member.external_attr >> 16):
            raise UnsafeFile(f"`{name}` holds a link, `{member.filename}`", subject=name)
        if member.flag_bits & _ENCRYPTED:
            raise EncryptedFile(f"`{name}` needs a password", subject=name)
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise UnsafeFile(f"`{name}` is packed in a way office files never are", subject=name)


def _check_part(archive: ZipFile, member: ZipInfo, room: int, name: str) -> int:
    """Unpacks one part without keeping it, checks its XML as it comes, and gives its true size."""
    parser = _strict_parser(member.filename, name)
    size = 0
    with archive.open(member) as part:
        while piece := part.read(_PIECE):
            size += len(piece)
            if size > room:
                raise TooLarge(f"`{name}` unpacks to more than the limit", subject=name)
            _feed(parser, piece, member.filename, name)
    _feed(parser, b"", member.filename, name)
    return size


def _feed(parser: expat.XMLParserType, piece: bytes, part: str, name: str) -> None:
    try:
        parser.Parse(piece, not piece)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an encoding nobody knows
        raise ParseError(f"`{part}` in `{name}` is not well-formed XML: {error}", subject=name) from error


def _strict_parser(part: str, name: str) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def refuse(*_: object) -> None:
        raise UnsafeFile(f"`{part}` in `{name}` has a DOCTYPE or an entity", subject=name)

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST_XML:
            raise UnsafeFile(f"`{part}` in `{name}` nests elements deeper than {DEEPEST_XML} levels", subject=name)

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    return parser
