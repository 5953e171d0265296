"""A run on an MLflow server: what is sent, and the server's own word that it has it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from citeleaf.errors import ConfigError
from citeleaf.evaluate.mlflow_log import FILES, connect, metrics, parameters
from citeleaf.evaluate.report import figures, read_summary
from citeleaf.surfaces.cli.main import run
from support.packs import OFF, make

WORDS = [word for flag in OFF for word in ("--set", flag)]


def test_names_of_figures_are_such_as_a_server_takes() -> None:
    figure = {"value": 0.5, "ci95": [0.25, 0.75], "n": 8}
    found = dict(
        metrics(
            {
                "retrieval": {"span": {"hit@1": figure}},
                "operations": {"seconds": {"total": {"p50": 1.0, "p95": 2.0, "n": 8}}},
            }
        )
    )
    assert found == {
        "retrieval.span.hit_at_1": 0.5,
        "retrieval.span.hit_at_1.n": 8.0,
        "retrieval.span.hit_at_1.low": 0.25,
        "retrieval.span.hit_at_1.high": 0.75,
        "operations.seconds.total.p50": 1.0,
        "operations.seconds.total.p95": 2.0,
    }


def test_parameters_are_scalars_and_no_secret() -> None:
    described = {
        "fingerprint": "f",
        "settings": {"chat": {"key": "**********"}, "gate": {"bias": -3.5}},
        "documents": [],
    }
    found = dict(parameters({**described, "limit": None}))
    assert found == {"fingerprint": "f", "settings.chat.key": "**********", "settings.gate.bias": "-3.5", "limit": ""}


@pytest.mark.parametrize("uri", ["", "localhost:5000", "file:///tmp/x", "sqlite:///x.db", "http://"])
def test_an_address_that_is_none_is_wrong_usage(uri: str) -> None:
    with pytest.raises(ConfigError, match="no address"):
        connect(uri)


def test_without_the_client_the_option_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ConfigError, match="not installed"):
        connect("http://127.0.0.1:5000")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of this test's own."""
    python = os.environ.get("CITELEAF_TEST_MLFLOW")
    if python is None or not Path(python).is_file():
        pytest.skip("CITELEAF_TEST_MLFLOW names no interpreter with MLflow's server: see `make mlflow`")
    if find_spec("mlflow") is None:
        pytest.skip("MLflow's client is not installed: pip install 'citeleaf[mlflow]'")
    folder = tmp_path_factory.mktemp("mlflow")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    words += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", str(folder / "files")]
    own = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [python, "-m", "mlflow", *words], stdout=log, stderr=log, env=own, cwd=folder, start_new_session=True
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(180):
            if process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{address}/health", timeout=1) as reply:
                    if reply.status == 200:
                        yield address
                        return
            except OSError:
                time.sleep(0.5)
        pytest.fail(f"the server did not start: {(folder / 'log').read_text()[-2000:]}")
    finally:
        os.killpg(process.pid, 15)
        process.wait(20)


@pytest.mark.mlflow
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_server_holds_parameters_figures_files_and_traces(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import mlflow

    folder, out = make(tmp_path / "pack"), tmp_path / "monday"
    assert run(["evaluate", str(folder), "--out", str(out), "--json", "--mlflow", server, *WORDS]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == read_summary(out)
    assert f"logged to {server} as run " in said.err
    client = mlflow.MlflowClient(server)
    experiment = client.get_experiment_by_name("citeleaf")
    (logged,) = client.search_runs([experiment.experiment_id])
    assert logged.info.run_name == "monday"
    assert logged.info.status == "FINISHED"
    assert logged.data.params["settings.retrieve.top_k"] == "5"
    assert logged.data.params["models.generator"] == "quote"
    summary = read_summary(out)
    assert {k: v for k, v in logged.data.metrics.items() if not k.startswith("operations")} == pytest.approx(
        {k: v for k, v in metrics(summary) if not k.startswith("operations")}
    )
    assert logged.data.metrics["retrieval.span.hit_at_1"] == dict(figures(summary))["retrieval.span.hit@1"]["value"]
    assert {file.path for file in client.list_artifacts(logged.info.run_id)} == set(FILES)
    kept = Path(client.download_artifacts(logged.info.run_id, "rows.jsonl", str(tmp_path)))
    assert kept.read_bytes() == (out / "rows.jsonl").read_bytes()
    traces = mlflow.search_traces(locations=[experiment.experiment_id], return_type="list")
    assert len(traces) == 6
    asked = {trace.data.spans[0].attributes["id"]: trace for trace in traces}
    first = asked["q1"]
    assert [span.name for span in first.data.spans][:3] == ["ask", "guard", "retrieve"]
    assert first.data.spans[0].outputs["outcome"] == "answered"
    assert first.info.trace_metadata["mlflow.sourceRun"] == logged.info.run_id


@pytest.mark.mlflow
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.skipif(find_spec("mlflow") is None, reason="MLflow's client is not installed: citeleaf[mlflow]")
def test_a_server_that_is_not_there_ends_the_run_before_the_first_question(tmp_path: Path) -> None:
    folder, out = make(tmp_path / "pack"), tmp_path / "run"
    assert run(["evaluate", str(folder), "--out", str(out), "--mlflow", "http://127.0.0.1:9", *WORDS]) == 2
    assert not (out / "rows.jsonl").exists()
