"""The error tree. Refusing, abstaining, escalating and dropping a citation are results, never errors.

CiteleafError                                                          exit 1  http 500
├── ConfigError            a setting, a profile or the usage is wrong    exit 2  http 400
├── IngestError            a document could not be taken in              exit 3  http 422
│   ├── UnsupportedFile      no parser for this kind of file
│   ├── ParseError           the parser gave up
│   ├── ParseTimeout         the parser ran past its time
│   ├── TooLarge             the file, or what it unpacks to, is over the limit
│   ├── UnsafeFile           a DOCTYPE in office XML and the like
│   ├── EncryptedFile        needs a password
│   ├── UnreadableFile       not there, no permission, a device or a link out of the folder
│   └── EmptyDocument        parsed, but holds no usable text
├── StoreError             the store cannot serve                        exit 4  http 503
│   ├── UnknownId            no such document, passage or answer         http 404
│   │   └── SourceRemoved      the answer's document was taken out         http 410
│   ├── StoreLocked          another process is writing (retryable)
│   ├── StoreFull            the disk is full (retryable)
│   ├── StoreReadOnly        it can be read, and not written
│   ├── SchemaMismatch       made by another version
│   └── IndexStale           vectors of another embedder or chunker
├── ModelError             a model could not do its work                 exit 5  http 503
│   ├── ModelNotInstalled    extra or weights missing; the hint is the command
│   ├── ModelUnavailable     endpoint down or timed out (retryable)
│   └── BadModelOutput       replied outside the protocol; `raw` holds the reply
├── BenchmarkError         questions, gold evidence and corpus disagree  exit 6  http 400
└── Cancelled              the asker left; nothing is quoted instead     exit 130  http 499
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "",
    "unreachable",
    "tls",
    "timeout",
    "stalled",
    "closed_early",
    "server_error",
    "busy",
    "redirected",
    "crashed",
    "not_loaded",
    "not_json",
    "wrong_shape",
    "too_large",
    "bad_encoding",
    "overflow",
    "no_room",
    "evidence_truncated",
    "evidence_unconfirmed",
    "empty",
    "garbled",
    "looping",
    "cut",
    "echo",
    "refused",
    "contradictory",
    "wrong_language",
    "uncited",
    "abstained_on_strong_evidence",
    "wrong_count",
    "wrong_dimension",
    "not_finite",
    "zero_vector",
]
"""What a model did wrong, finer than the error's code: a closed list, kept stable."""


class CiteleafError(Exception):
    """Base of all: `message` says what, on which thing; `hint` what to do next; `subject` names the thing."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "", subject: str | None = None) -> None:
        """`message` and `hint` are one line each."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.subject = subject

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class ConfigError(CiteleafError):
    """A setting, a profile or the usage is wrong."""

    code = "config"
    exit_code = 2
    http_status = 400


class IngestError(CiteleafError):
    """A document could not be taken in."""

    code = "ingest"
    exit_code = 3
    http_status = 422


class UnsupportedFile(IngestError):
    """No parser for this kind of file."""

    code = "unsupported_file"


class ParseError(IngestError):
    """The parser gave up; names file and, where known, page."""

    code = "parse_error"


class ParseTimeout(IngestError):
    """The parser ran past its time."""

    code = "parse_timeout"


class TooLarge(IngestError):
    """The file, or what it unpacks to, is over the limit."""

    code = "too_large"


class UnsafeFile(IngestError):
    """The file holds something no reader should follow, such as a DOCTYPE in office XML."""

    code = "unsafe_file"


class EncryptedFile(IngestError):
    """The file needs a password."""

    code = "encrypted"


class UnreadableFile(IngestError):
    """Not there, no permission, a device, or a link that leaves the folder."""

    code = "unreadable"


class EmptyDocument(IngestError):
    """Parsed, but holds no usable text."""

    code = "empty_document"


class StoreError(CiteleafError):
    """The store cannot serve."""

    code = "store"
    exit_code = 4
    http_status = 503


class UnknownId(StoreError):
    """No such document, section, passage or answer."""

    code = "unknown_id"
    http_status = 404


class SourceRemoved(UnknownId):
    """An answer whose document was taken out since: its words are gone."""

    code = "source_removed"
    http_status = 410


class StoreLocked(StoreError):
    """Another process is writing."""

    code = "store_locked"
    retryable = True


class StoreFull(StoreError):
    """The disk is full; nothing was changed."""

    code = "store_full"
    retryable = True


class StoreReadOnly(StoreError):
    """It can be read, and not written: another's folder, or a medium that takes nothing."""

    code = "store_read_only"


class SchemaMismatch(StoreError):
    """The store was made by another version."""

    code = "schema_mismatch"


class IndexStale(StoreError):
    """The vectors or passages are of another embedder or chunker."""

    code = "index_stale"


class ModelError(CiteleafError):
    """A model could not do its work."""

    code = "model"
    exit_code = 5
    http_status = 503

    def __init__(self, message: str, *, kind: Kind = "", hint: str = "", subject: str | None = None) -> None:
        """`kind` says what went wrong, finer than `code`."""
        super().__init__(message, hint=hint, subject=subject)
        self.kind = kind


class ModelNotInstalled(ModelError):
    """An extra or weights are missing; the hint is the exact command."""

    code = "model_not_installed"


class ModelUnavailable(ModelError):
    """The endpoint is down or timed out."""

    code = "model_unavailable"
    retryable = True


class BadModelOutput(ModelError):
    """The model replied outside the protocol; `raw` holds the reply."""

    code = "bad_model_output"

    def __init__(self, message: str, *, raw: str, kind: Kind = "", hint: str = "", subject: str | None = None) -> None:
        """`raw` is the reply as it came."""
        super().__init__(message, kind=kind, hint=hint, subject=subject)
        self.raw = raw


class BenchmarkError(CiteleafError):
    """Questions, gold evidence and corpus disagree; names file and line."""

    code = "benchmark"
    exit_code = 6
    http_status = 400


class Cancelled(CiteleafError):
    """The asker left before the answer was there; the work was stopped."""

    code = "cancelled"
    exit_code = 130
    http_status = 499
