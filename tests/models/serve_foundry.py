"""Foundry Local's own REST service over the tiny models, offline; prints its address and serves until its input ends.

    python serve_foundry.py MODELS_FOLDER WORK_FOLDER

Lays out the folder of models as a download leaves it, and answers the look-up of the catalogue with 404 on the
loopback, so that the runtime goes by the snapshot at once and needs no network.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path

MODELS = (
    ("smollm2", "smollm2-135m-generic-cpu:1", "chat-completion"),
    ("wordllama", "wordllama-256-generic-cpu:1", "embeddings"),
)


class Refuse(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def lay_out(models: Path, cache: Path) -> None:
    """The folder of models with its snapshot of the catalogue."""
    rows = []
    for folder, name, task in MODELS:
        place = cache / "Test" / folder
        shutil.copytree(models / folder, place, copy_function=os.link)
        (place / "inference_model.json").write_text(json.dumps({"Name": name, "PromptTemplate": None}))
        short, version = name.split(":")
        rows.append(
            {
                "id": name,
                "name": short,
                "version": int(version),
                "alias": short.removesuffix("-generic-cpu"),
                "uri": f"azureml://registries/azureml/models/{short}/versions/{version}",
                "providerType": "AzureFoundry",
                "modelType": "ONNX",
                "task": task,
                "publisher": "Test",
                "displayName": short,
                "runtime": {"deviceType": "CPU", "executionProvider": "CPUExecutionProvider"},
            }
        )
    snapshot = {"version": 1, "savedAtUnix": int(time.time()), "models": rows}
    (cache / "foundry.modelinfo.json").write_text(json.dumps(snapshot))


def main(models: Path, work: Path) -> None:
    from foundry_local_sdk import Configuration, FoundryLocalManager, LogLevel

    cache = work / "models"
    lay_out(models, cache)
    catalogue = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuse)
    threading.Thread(target=catalogue.serve_forever, daemon=True).start()
    out = os.dup(1)
    os.dup2(2, 1)  # the runtime writes its log to the standard output
    manager = FoundryLocalManager(
        Configuration(
            app_name="citeleaf-test",
            app_data_dir=str(work),
            model_cache_dir=str(cache),
            log_level=LogLevel.FATAL,
            catalog_urls=[(f"http://127.0.0.1:{catalogue.server_port}/asset-gallery/v1.0/models", None)],
            disable_nonessential_telemetry=True,
            web=Configuration.WebService(urls="http://127.0.0.1:0"),
        )
    )
    manager.start_web_service()
    os.write(out, f"{manager.urls[0]}\n".encode())
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*(Path(a).resolve() for a in sys.argv[1:]))
