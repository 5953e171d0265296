"""Spans as OpenTelemetry traces, sent by OTLP over HTTP to the collector that the settings name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from citeleaf import __version__
from citeleaf.errors import CiteleafError, ConfigError
from citeleaf.settings import TelemetrySettings
from citeleaf.spans import CONTENT, Attributes, Note

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

_TIMEOUT_S = 3


class OtelSpans:
    """Spans through a tracer of its own: nothing global is set, and no variable of the environment switches it on."""

    def __init__(self, processor: SpanProcessor, *, content: bool) -> None:
        """`processor` gets the finished spans. `content`: question and answer are told too."""
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        named = Resource({"service.name": "citeleaf", "service.version": __version__})
        self._provider = TracerProvider(resource=named, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("citeleaf", __version__)
        self._content = content

    @contextmanager
    def __call__(self, name: str) -> Iterator[Note]:
        """A span; an error that passes through leaves its code, never its words."""
        from opentelemetry.trace import Status, StatusCode

        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:

            def note(attributes: Attributes) -> None:
                told = {k: v for k, v in attributes.items() if self._content or k not in CONTENT}
                span.set_attributes(told)

            try:
                yield note
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR))
                span.set_attribute(
                    "error.type", error.code if isinstance(error, CiteleafError) else type(error).__name__
                )
                raise

    def close(self) -> None:
        """Sends what is left; a collector that does not answer is waited for a few seconds at most."""
        self._provider.shutdown()


def open_spans(settings: TelemetrySettings) -> OtelSpans:
    """Spans sent to `telemetry.endpoint`. Raises `ConfigError` for no address, or without the extra `otel`."""
    if not re.match(r"https?://[^/\s]", settings.endpoint):
        raise ConfigError(
            f"`{settings.endpoint}` is no address of a collector",
            hint="write http://127.0.0.1:4318/v1/traces",
            subject="telemetry.endpoint",
        )
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            "telemetry.endpoint is set, and OpenTelemetry is not installed",
            hint="pip install 'citeleaf[otel]', or leave the setting empty",
            subject="telemetry.endpoint",
        ) from error
    exporter = OTLPSpanExporter(endpoint=settings.endpoint, timeout=_TIMEOUT_S)
    return OtelSpans(BatchSpanProcessor(exporter), content=settings.content)
