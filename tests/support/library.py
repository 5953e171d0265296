"""Small documents, vectors and parsers for tests of the store and of ingest."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.boxes import Boxes, Parsed
from citeleaf.errors import EncryptedFile
from citeleaf.ids import passage_id, sha256_text
from citeleaf.types import (
    Answer,
    Block,
    Check,
    Citation,
    Claim,
    Decision,
    DocId,
    Document,
    Draft,
    Dropped,
    Evidence,
    Fact,
    Heading,
    Hit,
    Nearest,
    Notice,
    Page,
    Passage,
    Place,
    Query,
    Quotation,
    Quote,
    Ranking,
    Rect,
    Removed,
    Retrieval,
    Role,
    Seconds,
    Section,
    ShownCitation,
    ShownClaim,
    Span,
    Trace,
    Unit,
    Verdict,
)

DIM = 16
EMBEDDER = ("hash-embedder", DIM)
Parts = tuple[Document, tuple[Passage, ...], NDArray[np.float32], Boxes]


class HashEmbedder:
    """A vector for each text from its hash; counts what it was asked."""

    def __init__(self, name: str = EMBEDDER[0], dim: int = DIM) -> None:
        self.name = name
        self.dim = dim
        self.fingerprint = name
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.stack([vector(text, self.dim) for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return vector(text, self.dim)


def open_hash_embedder(name: str, threads: int = 0) -> HashEmbedder:
    """For `models.embedder`."""
    return HashEmbedder("hashes")


def vector(text: str, dim: int = DIM) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    made = np.random.default_rng(seed).standard_normal(dim)
    return (made / np.linalg.norm(made)).astype(np.float32)


def parts(
    doc_id: DocId,
    texts: Sequence[str],
    *,
    role: Role = "policy",
    replaces: DocId | None = None,
    unindexed: Sequence[str] = (),
    terms: Sequence[str | None] = (),
) -> Parts:
    """A document with a section a passage (on a page each), and what a store takes with it; `unindexed` come last."""
    every, at = (*texts, *unindexed), 0
    passages, sections, pages = [], [], []
    for n, text in enumerate(every, 1):
        span, whole = Span(at, at + len(text)), Span(at, at + len(text) + 1)
        sections.append(Section(f"s{n}", f"Part {n}", 2, (doc_id.title(), f"Part {n}"), whole, n <= len(texts)))
        pages.append(Page(n, whole, f"p{n}"))
        passages.append(
            Passage(
                id=passage_id(doc_id, f"s{n}", 1),
                doc_id=doc_id,
                section_id=f"s{n}",
                heading=(doc_id.title(), f"Part {n}"),
                span=span,
                text=text,
                pages=(n,),
                sha256=sha256_text(text),
                context="as follows",
                term=terms[n - 1] if n <= len(terms) else None,
                units=(
                    Unit("paragraph", Quote(Span(at, at + 3), text[:3])),
                    Unit("list_item", Quote(span, text), (Quote(Span(0, 2), every[0][:2]),), position=(1, 2)),
                    Unit("table_row", Quote(span, text), (Quote(Span(0, 2), every[0][:2]),), ((span, Span(0, 2)),)),
                ),
            )
        )
        at = whole.end
    text = "".join(f"{t}\n" for t in every)
    document = Document(
        id=doc_id,
        title=doc_id.title(),
        source=f"/nowhere/{doc_id}.txt",
        sha256=sha256_text(text),
        text=text,
        pages=tuple(pages),
        sections=tuple(sections),
        blocks=(Block("table_row", Span(0, 3), (Span(0, 1),), (Span(0, 1), Span(2, 3))),),
        notices=(Notice("hidden_text", "white on white", 1),),
        version="2.1",
        effective="2026-01-01",
        replaces=replaces,
        role=role,
    )
    words = Boxes(
        np.array([p.span.start for p in passages for _ in "ab"], np.int32).reshape(-1, 2) + np.array([0, 3], np.int32),
        np.arange(1, len(every) + 1, dtype=np.int32),
        np.tile(np.array([0.1, 0.2, 0.3, 0.4], np.float32), (len(every), 1)),
    )
    return document, tuple(passages), np.stack([vector(t) for t in every]), words


def lines(path: Path) -> Parsed:
    """A parser: `# ` begins a heading, other lines are paragraphs, form feeds part pages."""
    text = path.read_text("utf-8")
    if text.startswith("LOCKED"):
        raise EncryptedFile(f"`{path.name}` needs a password", hint="open it first", subject=path.name)
    pages, headings, blocks, at = [], [], [], 0
    for n, page in enumerate(text.split("\f"), 1):
        end = at + len(page) + 1 if at + len(page) < len(text) else len(text)
        pages.append(Page(n, Span(at, end), None, "good" if page.strip() else "no_text"))
        at = end
    at = 0
    for line in text.splitlines(keepends=True):
        words = line.strip()
        start = at + line.find(words) if words else at
        span = Span(start, start + len(words))
        if words.startswith("# "):
            headings.append(Heading(span, 1))
        elif words:
            blocks.append(Block("paragraph", span))
        at += len(line)
    return Parsed(None, text, tuple(pages), tuple(headings), tuple(blocks), (), Boxes.empty())


def hostile(path: Path) -> Parsed:
    """A parser that does what the file's name says."""
    match path.stem:
        case "hang":
            time.sleep(60)
        case "spin":
            while True:
                pass
        case "die":
            os.kill(os.getpid(), 9)
        case "crash":
            ctypes.string_at(0)
        case "leave":
            os._exit(0)
        case "memory":
            bytearray(1 << 33)
        case "deep":
            return hostile(path)
        case "bug":
            raise KeyError("no such object")
        case "print":
            sys.stdout.write("to standard output\n")
            sys.stderr.write("to standard error\n")
            ctypes.CDLL(None).puts(b"from a C library")
            ctypes.CDLL(None).fflush(None)
        case "garbage":
            for fd in range(3, 20):  # the parser does not know which descriptor leads back, so it tries them all
                try:
                    os.write(fd, b"\x00" * 7 + b"\x05p\x00\x00\x00\x02")
                except OSError:
                    continue
        case "write":
            Path(f"{path}.out").write_bytes(b"x")
        case "secret":
            words = f"{os.environ.get('CITELEAF_TEST_SECRET')} {sorted(os.environ)}"
            return Parsed(None, words, (), (), (), (), Boxes.empty())
    return Parsed(None, "fine", (), (), (), (), Boxes.empty())


def mixed(path: Path) -> Parsed:
    """`hostile` for the names it knows, then `lines`."""
    hostile(path)
    return lines(path)


def answer_of(passages: Sequence[Passage], answer_id: str) -> Answer:
    """An answer resting on the passages, with something in every field."""
    first = passages[0]
    quote = Quote(first.span, first.text)
    evidence = tuple(Evidence(p, n, 1 / n, "fused") for n, p in enumerate(passages, 1))
    ranking = Ranking("lexical", tuple(Hit(p.id, n, 1 / n) for n, p in enumerate(passages, 1)))
    citation = Citation("[1]", Span(4, 7), "valid", first.id, (quote,))
    claim = Claim(1, "so it is", Span(0, 8), (citation,))
    check = Check("numbers", True, "none", 0.5, 0.25)
    verdict = Verdict(1, "supported", 0.75, (first.id,), (check,))
    decision = Decision("answered", "supported", (1,))
    place = Place(1, "i", "good", first.heading, (Rect(1, 0.125, 0.25, 0.5, 0.75),))
    shown = ShownCitation(1, first.id, first.doc_id, "Title", None, quote, place, "valid", "[1]", "supported")
    trace = Trace(
        Query("is it so?", (Fact("case", "a fact"),), (first.doc_id,), "so?"),
        "fingerprint",
        (check,),
        Retrieval(evidence, (ranking,), ("is it", "so?")),
        (check,),
        Draft("raw", "so it is [1]", False, "quote", None, (Quotation(Span(0, 8), first.id, (quote,)),)),
        (citation,),
        (claim,),
        (verdict,),
        (check,),
    )
    return Answer(
        id=answer_id,
        text="so it is [1]",
        decision=decision,
        claims=(ShownClaim(1, "so it is", (1,), "supported", 0.75, ("numbers",)),),
        citations=(shown,),
        dropped=(Dropped("[9]", "not among the evidence"),),
        removed=(Removed("not so", "refuted", "a number differs"),),
        nearest=(Nearest(first.id, 1, 0.5, first.text),),
        trace=trace,
        seconds=(Seconds("guard", 0.001),),
    )
