"""A finished run -> a run on an MLflow tracking server: parameters, figures, files, and a trace for each question."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType

from citeleaf.errors import ConfigError
from citeleaf.evaluate import manifest
from citeleaf.evaluate.report import figures, read_summary
from citeleaf.evaluate.run import read_rows
from citeleaf.record import Json

EXPERIMENT = "citeleaf"
FILES = ("rows.jsonl", "summary.json", "manifest.json", "report.html", "report.md", "junit.xml")
_NOT_ALLOWED = re.compile(r"[^\w\-. :/]")
_LONGEST = 6000
_ENVIRONMENT = {
    # MLflow tells its makers of its use unless it is told not to.
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
}


def connect(uri: str) -> ModuleType:
    """MLflow's client, set to the server at `uri`, which has answered. Raises `ConfigError`."""
    if not re.match(r"https?://[^/\s]", uri):
        raise ConfigError(
            f"`{uri}` is no address of an MLflow server", hint="write http://127.0.0.1:5000", subject="--mlflow"
        )
    os.environ.update(_ENVIRONMENT)
    try:
        import mlflow
    except ImportError as error:
        raise ConfigError(
            "MLflow's client is not installed", hint="pip install 'citeleaf[mlflow]'", subject="--mlflow"
        ) from error
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    with _named(uri, "start the server, or leave --mlflow out"):
        mlflow.set_tracking_uri(uri)
        mlflow.search_experiments(max_results=1)
    client: ModuleType = mlflow
    return client


def log_run(out: Path, uri: str) -> str:
    """Sends the run at `out` to experiment `citeleaf` as a run of its folder's name; gives the run's id there.

    Settings, models, versions and fingerprints become parameters; figures become metrics, `@` written `_at_`, each with
    `.low`, `.high` and `.n`; the files of the run become artefacts; every question becomes a trace with a span a stage.
    Durations in traces are as measured; traces stand one after the other from the start of the run. Raises
    `BenchmarkError` when there is no finished run, `ConfigError` when the server does not take it.
    """
    summary, described, rows = read_summary(out), manifest.read(out), read_rows(out)
    mlflow = connect(uri)
    with _named(uri, f"the run itself is whole in {out}: give the command again"):
        mlflow.set_experiment(EXPERIMENT)
        with mlflow.start_run(run_name=out.resolve().name) as run:
            mlflow.log_params(dict(parameters(described)))
            mlflow.log_metrics(dict(metrics(summary)))
            for name in FILES:
                mlflow.log_artifact(str(out / name))
            began = datetime.fromisoformat(str(described["started"])).timestamp()
            for row in rows:
                if row["kind"] == "question" and "error" not in row:
                    began = _trace(mlflow, row, began, str(run.info.run_id))
            mlflow.flush_trace_async_logging()
            return str(run.info.run_id)


def parameters(described: Mapping[str, Json], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Scalars of a manifest by dotted name, at most 6000 characters each; documents and files are left to the artefact.

    >>> dict(parameters({"seed": 1, "models": {"verifier": "overlap"}, "documents": [{}]}))
    {'seed': '1', 'models.verifier': 'overlap'}
    """
    for name, value in described.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from parameters(value, f"{key}.")
        elif not isinstance(value, list):
            yield _key(key), ("" if value is None else str(value))[:_LONGEST]


def metrics(summary: Mapping[str, Json]) -> Iterator[tuple[str, float]]:
    """The figures of a summary with their intervals and counts, then seconds a stage.

    >>> dict(metrics({"guard": {"safe_rate": {"value": 1.0, "ci95": [0.5, 1.0], "n": 4}}}))["guard.safe_rate.low"]
    0.5
    """
    for name, figure in figures(summary):
        key = _key(name.replace("@", "_at_"))
        yield key, float(str(figure["value"]))
        yield f"{key}.n", float(str(figure["n"]))
        if isinstance(interval := figure.get("ci95"), list):
            yield f"{key}.low", float(str(interval[0]))
            yield f"{key}.high", float(str(interval[1]))
    operations = summary.get("operations")
    stages = operations.get("seconds") if isinstance(operations, dict) else None
    for stage, found in stages.items() if isinstance(stages, dict) else ():
        if isinstance(found, dict):
            yield f"operations.seconds.{stage}.p50", float(str(found["p50"]))
            yield f"operations.seconds.{stage}.p95", float(str(found["p95"]))


def _trace(mlflow: ModuleType, row: Mapping[str, Json], began: float, run_id: str) -> float:
    """One question as a trace from `began`, in seconds; gives when it ended."""
    seconds = {k: float(str(v)) for k, v in row["seconds"].items()} if isinstance(row["seconds"], dict) else {}
    answer = row["answer"] if isinstance(row["answer"], dict) else {}
    ended = began + seconds.pop("total", sum(seconds.values()))
    root = mlflow.start_span_no_context(
        "ask",
        inputs={"question": row["question"], "asked": row.get("asked")},
        attributes={"id": row["id"], "benchmark": row["benchmark"], "figures": row["figures"]},
        tags={"outcome": str(row["outcome"]), "reason": str(row["reason"])},
        metadata={"mlflow.sourceRun": run_id},
        start_time_ns=_ns(began),
    )
    for stage, took in seconds.items():
        span = mlflow.start_span_no_context(stage, parent_span=root, start_time_ns=_ns(began))
        began += took
        span.end(end_time_ns=_ns(began))
    outputs = {"outcome": row["outcome"], "text": answer.get("text"), "citations": answer.get("citations")}
    root.end(outputs=outputs, end_time_ns=_ns(ended))
    return ended


@contextmanager
def _named(uri: str, hint: str) -> Iterator[None]:
    """Errors of the client as one line."""
    from mlflow.exceptions import MlflowException

    try:
        yield
    except (MlflowException, OSError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigError(f"the MLflow server at `{uri}`: {first[:300]}", hint=hint, subject="--mlflow") from error


def _key(name: str) -> str:
    return _NOT_ALLOWED.sub("_", name)[:250]


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
