"""Taking documents in: what goes wrong with one file or with all, progress, and making everything anew."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from citeleaf.boxes import Parsed
from citeleaf.errors import (
    ConfigError,
    EmptyDocument,
    EncryptedFile,
    IngestError,
    ModelUnavailable,
    TooLarge,
    UnreadableFile,
)
from citeleaf.ingest.pipeline import chunker_fingerprint, reindex
from citeleaf.ingest.sandbox import Limits, Sandbox
from citeleaf.library import Library
from citeleaf.settings import ChunkSettings, IngestSettings, Settings
from support.ingest import Place, row, statuses
from support.library import HashEmbedder, lines


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.store.close()


# ---- what goes wrong


def test_a_bad_file_never_stops_the_rest(place: Place) -> None:
    for n in range(20):
        place.write(f"good{n:02}.txt", f"Rule {n}.\n")
    place.write("good05-empty.txt", "")
    place.write("good06-blank.txt", " \n\n")
    place.write("good07-locked.txt", "LOCKED")
    place.write("good08-bytes.txt").write_bytes(b"\xff\xfe\x00broken")
    (place.docs / "x.txt").mkdir()

    def parse(path: Path) -> Parsed:
        try:
            return lines(path)
        except UnicodeDecodeError as error:
            raise IngestError("no text", subject=path.name) from error

    report = place.ingest(parse=parse)
    assert len(place.store.known()) == 20 and report.failed and place.good()
    assert {Path(r.path).name: type(r.error) for r in report.rows if r.status == "failed"} == {
        "good05-empty.txt": EmptyDocument,
        "good06-blank.txt": EmptyDocument,
        "good07-locked.txt": EncryptedFile,
        "good08-bytes.txt": IngestError,
    }
    place.parsed = []
    place.ingest(parse=lambda p: place.parsed.append(p.name) or parse(p))  # type: ignore[func-returns-value]
    assert sorted(place.parsed) == [
        "good05-empty.txt",
        "good06-blank.txt",
        "good07-locked.txt",
        "good08-bytes.txt",
    ]


def test_files_that_break_their_parser_fail_alone(place: Place) -> None:
    for n in range(6):
        place.write(f"good{n}.txt", f"Rule {n}.\n")
    broken = {"hang": "parse_timeout", "die": "parse_error", "memory": "too_large", "bug": "parse_error"}
    for name in broken:
        place.write(f"{name}.txt", f"The words of {name}.\n")
    with Sandbox("support.library:mixed", limits=Limits(seconds=3, memory_mb=256), workers=2) as sandbox:
        report = place.ingest(parse=sandbox)
    failed = {Path(r.path).stem: r.error.code for r in report.rows if r.error is not None}
    assert failed == broken and len(place.store.known()) == 6 and place.good()


def test_a_failing_new_version_leaves_the_old_one(place: Place) -> None:
    place.write("a.txt")
    place.ingest()
    before = place.store.document("a")
    place.write("a.txt", "LOCKED")
    assert statuses(place.ingest()) == {"a.txt": "failed"}
    assert place.store.document("a") == before and place.good()


def test_a_file_that_changes_while_it_is_read_fails(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.write("a.txt")
    stage = Library.stage

    def late(self: Library, path: Path) -> object:
        file.write_text("grown " * 100)
        return stage(self, path)

    monkeypatch.setattr(Library, "stage", late)
    report = place.ingest()
    assert statuses(report) == {"a.txt": "failed"} and "changed while" in str(report.rows[0].error)
    monkeypatch.undo()
    assert statuses(place.ingest()) == {"a.txt": "added"}


def test_a_file_that_disappears_fails(place: Place) -> None:
    file = place.write("a.txt")
    place.write("b.txt", "Other.\n")
    seen = threading.Event()

    def parse(path: Path) -> Parsed:
        seen.set()
        return lines(path)

    report = place.ingest(file, place.docs / "gone.txt", place.docs / "b.txt", parse=parse)
    assert statuses(report) == {"a.txt": "added", "b.txt": "added", "gone.txt": "failed"} and seen.is_set()
    assert isinstance(row(report, "gone.txt").error, UnreadableFile)


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    place = Place(tmp_path, Settings(ingest=IngestSettings(max_file_mb=1)))
    place.write("big.txt", "x" * (1 << 21))
    report = place.ingest()
    assert isinstance(report.rows[0].error, TooLarge) and place.parsed == []
    place.store.close()


def test_documents_without_any_text_are_failures_with_a_reason(place: Place) -> None:
    place.write("scan.txt", "\f\f")
    place.write("part.txt", "Words.\n\f\fMore words.\n\f")
    report = place.ingest()
    scan, part = row(report, "scan.txt"), row(report, "part.txt")
    assert isinstance(scan.error, EmptyDocument) and "OCR" in scan.error.hint
    assert (part.status, part.pages, part.without_text) == ("added", 4, (2, 4))


def test_a_document_of_contents_pages_alone_is_empty(place: Place) -> None:
    place.write("toc.txt", "# Contents\nOne 1\nTwo 2\n")
    assert isinstance(place.ingest().rows[0].error, EmptyDocument) and place.store.known() == {}


def test_a_model_that_fails_stops_the_run_and_keeps_what_is_in(place: Place) -> None:
    for n in range(6):
        place.write(f"d{n}.txt", f"Rule {n}.\n")

    class Broken(HashEmbedder):
        def passages(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            if "Rule 3" in texts[0]:
                raise ModelUnavailable("the endpoint is down")
            return super().passages(texts)

    place.embedder = Broken()
    with pytest.raises(ModelUnavailable):
        place.ingest()
    assert list(place.store.known()) == ["d0", "d1", "d2"]
    assert not list(place.library.staged.iterdir())
    place.embedder = HashEmbedder()
    assert list(statuses(place.ingest()).values()) == ["unchanged"] * 3 + ["added"] * 3


def test_a_wrong_manifest_stops_before_anything_is_done(place: Place) -> None:
    place.write("a.txt")
    place.write("corpus.toml", "[[document]]\n")
    with pytest.raises(ConfigError):
        place.ingest()
    assert place.store.known() == {}


def test_documents_that_replace_each_other_fail(place: Place) -> None:
    place.write("a.txt", "One.\n")
    place.write("b.txt", "Two.\n")
    place.write("corpus.toml", '[[document]]\npath="a.txt"\nreplaces="b"\n[[document]]\npath="b.txt"\nreplaces="a"\n')
    assert statuses(place.ingest()) == {"a.txt": "added", "b.txt": "failed"}


# ---- progress, reindex


def test_progress_is_told_file_by_file(place: Place) -> None:
    a, b = place.write("a.txt"), place.write("b.txt", "Other.\n")
    told: list[tuple[int, int, str]] = []
    place.ingest(watch=lambda done, total, name: told.append((done, total, name)))
    assert told == [(0, 2, str(a)), (1, 2, str(b))]


def test_reindexing_makes_everything_anew_from_the_copies(place: Place) -> None:
    place.write("corpus.toml", '[[document]]\npath="a.txt"\nid="rules"\ntitle="The rules"\nversion="3"\n')
    place.write("a.txt")
    place.ingest()
    (place.docs / "a.txt").unlink()
    settings = place.settings.model_copy(update={"chunk": ChunkSettings(kind="words", size=3, overlap=0)})
    embedder = HashEmbedder("other", 8)
    maker = chunker_fingerprint(settings)
    assert maker != chunker_fingerprint(place.settings)
    with place.store.rebuilding((embedder.fingerprint, embedder.dim), maker) as fresh:
        report = reindex(place.library, place.store, fresh, embedder, settings, lines)
        assert statuses(report) == {"a.txt": "replaced"} and not report.failed
        place.store.take_over(fresh)
    document = place.store.document("rules")
    assert (document.title, document.version) == ("The rules", "3")
    assert len(place.store.passage_ids("rules")) > 2 and place.good()
    place.settings, place.embedder = settings, embedder
    place.write("a.txt")
    assert statuses(place.ingest()) == {"a.txt": "unchanged"}


def test_a_report_is_plain_data(place: Place) -> None:
    place.write("a.txt")
    place.write("b.txt", "LOCKED")
    report = json.loads(json.dumps(place.ingest().json()))
    assert report["schema"] == "citeleaf/ingest/1"
    assert [(r["status"], (r["error"] or {}).get("code")) for r in report["rows"]] == [
        ("added", None),
        ("failed", "encrypted"),
    ]


def test_a_megabyte_is_a_million_bytes(place: Place) -> None:
    place.settings = Settings(ingest=IngestSettings(workers=1, max_file_mb=1))
    place.write("most.txt", "Few.\n".ljust(1_000_000))
    place.write("over.txt", "Few.\n".ljust(1_000_001))
    report = place.ingest()
    assert statuses(report) == {"most.txt": "added", "over.txt": "failed"}
    error = row(report, "over.txt").error
    assert error is not None and error.code == "too_large" and "1.0 MB" in error.message
