"""The same questions to real runtimes, offline: Foundry Local in process and by REST, and llama.cpp."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citeleaf.answer.draft import ModelGenerator
from citeleaf.answer.prompts import write
from citeleaf.backends.embed_http import HttpEmbedder
from citeleaf.backends.generate_foundry import FoundryChat, FoundryEmbedder
from citeleaf.backends.generate_http import HttpChat
from citeleaf.backends.generate_llama import LlamaChat
from citeleaf.chat import Chat, Message, stopped_by
from citeleaf.errors import BadModelOutput, Cancelled, ConfigError, ModelError, ModelNotInstalled, ModelUnavailable
from citeleaf.settings import ChatSettings, EmbedSettings
from support.models import EVIDENCE, QUESTION, answer

PARIS = [Message("user", "What is the capital of France?")]
PUMP = "The Orion pump was installed in March 2021 in building C. Its maximum pressure is 14 bar."
GROUNDED = [
    Message("system", "Answer only from the context."),
    Message("user", f"Context: {PUMP}\n\nQuestion: What is the maximum pressure of the Orion pump?"),
]


@pytest.fixture(scope="module", params=["foundry", "foundry-rest", "llama"])
def chat(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    get: Callable[[str], Any] = request.getfixturevalue
    if request.param == "foundry":
        cache = str(tmp_path_factory.mktemp("cache"))
        made: Any = FoundryChat(ChatSettings(model=get("chat_folder"), python=get("foundry_python"), cache=cache))
    elif request.param == "foundry-rest":
        made = HttpChat(ChatSettings(address=get("foundry_rest"), model="smollm2-135m"))
    else:
        made = LlamaChat(ChatSettings(model=get("gguf"), python=get("llama_python")))
    made.warm_up()
    yield made
    made.close()


def test_it_answers_a_grounded_question(chat: Chat) -> None:
    reply = chat.reply(GROUNDED, max_tokens=32)
    assert "14 bar" in reply.text
    assert reply.finish == "stop"
    assert (reply.prompt_tokens or 0) > 40


def test_a_reply_is_heard_while_it_is_written(chat: Chat) -> None:
    heard: list[str] = []
    reply = chat.reply(GROUNDED, max_tokens=32, tell=heard.append)
    assert len(heard) > 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(heard))
    assert heard[-1] == reply.text


def test_the_same_question_has_the_same_answer(chat: Chat) -> None:
    assert len({chat.reply(PARIS, max_tokens=8).text for _ in range(3)}) == 1


def test_the_output_limit_holds_and_is_told(chat: Chat) -> None:
    reply = chat.reply([Message("user", "Write a long story.")], max_tokens=6)
    assert reply.finish == "length"
    assert reply.reply_tokens == 6


def test_tokens_are_counted_before_and_reported_after(chat: Chat) -> None:
    told = chat.reply(PARIS, max_tokens=1).prompt_tokens
    assert told == 37
    assert chat.count(PARIS) in (told, None)


def test_the_window_is_safe(chat: Chat) -> None:
    window = chat.window()
    assert window.safe
    assert window.tokens in (4096, None)


def test_a_prompt_over_the_window_is_refused_not_cut(chat: Chat) -> None:
    with pytest.raises(BadModelOutput) as error:
        chat.reply([Message("user", "word " * 9000)], max_tokens=8)
    assert error.value.kind == "overflow"


def test_stopping_ends_it_within_two_seconds_and_it_goes_on_working(chat: Chat) -> None:
    stop = threading.Event()
    threading.Timer(1.0, stop.set).start()
    begin = time.monotonic()
    with stopped_by(stop), pytest.raises(Cancelled):
        chat.reply([Message("user", "Write a very long story about the sea.")], max_tokens=1200)
    assert time.monotonic() - begin < 3
    assert chat.reply(PARIS, max_tokens=4).text


def test_two_questions_at_once_do_not_mix(chat: Chat) -> None:
    alone = [chat.reply(m, max_tokens=12).text for m in (PARIS, GROUNDED)]
    together: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda n=n, m=m: together.update({n: chat.reply(m, max_tokens=12).text}))
        for n, m in enumerate((PARIS, GROUNDED))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [together[n] for n in range(2)] == alone


def test_a_whole_answer_is_supported_or_says_why_not(chat: Chat) -> None:
    settings = ChatSettings(max_tokens=24, retries=0, examples=False)
    ended = answer(ModelGenerator(chat, settings), found=EVIDENCE[:1])
    assert ended.decision.outcome in ("answered", "abstained")
    assert ended.draft.fallback in (None, "bad_model_output")
    shown = {e.passage.id for e in EVIDENCE}
    assert {c.passage_id for c in ended.citations if c.status != "dropped"} <= shown


def test_the_estimate_of_tokens_is_not_below_the_count(chat: Chat) -> None:
    from citeleaf.answer.count import estimate

    messages = write(QUESTION, EVIDENCE[:1], (), examples=False)
    told = chat.count(messages) or chat.reply(messages, max_tokens=1).prompt_tokens or 0
    assert 0 < told <= estimate(messages)


@pytest.mark.parametrize("runtime", ["foundry", "llama"])
def test_the_process_dies_and_the_product_does_not(
    runtime: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    get: Callable[[str], Any] = request.getfixturevalue
    if runtime == "foundry":
        cache = str(tmp_path_factory.mktemp("cache"))
        made: Any = FoundryChat(ChatSettings(model=get("chat_folder"), python=get("foundry_python"), cache=cache))
    else:
        made = LlamaChat(ChatSettings(model=get("gguf"), python=get("llama_python")))
    made.warm_up()
    threading.Timer(0.5, lambda: os.kill(made.child.pid, signal.SIGSEGV)).start()
    with pytest.raises(ModelUnavailable) as error:
        made.reply([Message("user", "Write a very long story about the sea.")], max_tokens=1500)
    assert error.value.kind == "crashed"
    assert made.reply(PARIS, max_tokens=4).text
    assert made.child.starts == 2
    made.close()


@pytest.fixture(scope="module", params=["foundry", "foundry-rest"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    get: Callable[[str], Any] = request.getfixturevalue
    if request.param == "foundry":
        cache = str(tmp_path_factory.mktemp("cache"))
        made: Any = FoundryEmbedder(EmbedSettings(model=get("embed_folder"), python=get("foundry_python"), cache=cache))
        yield made
        made.close()
    else:
        yield HttpEmbedder(EmbedSettings(address=get("foundry_rest"), model="wordllama-256"))


def test_embeddings_are_of_length_one_in_order_and_sensible(embedder: Any) -> None:
    texts = ["Its maximum pressure is 14 bar.", "Cats sleep for most of the day.", ""]
    rows = embedder.passages(texts)
    assert rows.shape == (3, 256)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    query = embedder.query("How much pressure can the pump take?")
    assert rows[0] @ query > rows[1] @ query + 0.2
    assert np.array_equal(embedder.passages(texts[1:2])[0], rows[1])


def test_a_chat_model_gives_no_embeddings_and_the_other_way_round(foundry_rest: str) -> None:
    with pytest.raises((ModelError, ConfigError)):
        HttpEmbedder(EmbedSettings(address=foundry_rest, model="smollm2-135m"))
    with pytest.raises((ModelError, ConfigError)):
        HttpChat(ChatSettings(address=foundry_rest, model="wordllama-256")).reply(PARIS, max_tokens=4)


def test_a_model_that_is_not_there(foundry_python: str, foundry_rest: str, llama_python: str, tmp_path: Any) -> None:
    with pytest.raises(ConfigError, match="phi-4-mini"):
        HttpChat(ChatSettings(address=foundry_rest, model="phi-4-mini")).reply(PARIS, max_tokens=4)
    with pytest.raises(ModelNotInstalled) as error:
        FoundryChat(ChatSettings(model="phi-4-mini", python=foundry_python, cache=str(tmp_path))).warm_up()
    assert "models pull foundry:phi-4-mini" in error.value.hint
    with pytest.raises(ModelNotInstalled):
        LlamaChat(ChatSettings(model=str(tmp_path / "none.gguf"), python=llama_python)).warm_up()
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ConfigError):
        LlamaChat(ChatSettings(model=str(tmp_path / "text.gguf"), python=llama_python)).warm_up()
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\0\0\0")
    with pytest.raises(ModelUnavailable) as broken:
        LlamaChat(ChatSettings(model=str(tmp_path / "cut.gguf"), python=llama_python)).warm_up()
    assert broken.value.kind == "not_loaded"


def test_nothing_of_ours_listens_on_the_network(gguf: str, llama_python: str) -> None:
    made = LlamaChat(ChatSettings(model=gguf, python=llama_python))
    made.warm_up()
    assert made.child.pid
    with open(f"/proc/{made.child.pid}/net/tcp", encoding="ascii") as table:  # noqa: PTH123
        listening = {line.split()[9] for line in table.readlines()[1:] if line.split()[3] == "0A"}
    own = set()
    for entry in os.scandir(f"/proc/{made.child.pid}/fd"):
        target = os.readlink(entry.path)  # noqa: PTH115
        if target.startswith("socket:["):
            own.add(target[8:-1])
    made.close()
    assert not listening & own


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("telemetry", [False, True])
def test_foundry_looks_nothing_up_unless_telemetry_is_allowed(
    telemetry: bool, chat_folder: str, foundry_python: str, tmp_path: Path
) -> None:
    code = (
        "import sys, time; from citeleaf.settings import ChatSettings;"
        "from citeleaf.backends.generate_foundry import FoundryChat; from citeleaf.chat import Message;"
        "c = FoundryChat(ChatSettings(model=sys.argv[1], python=sys.argv[2], cache=sys.argv[3],"
        " telemetry=sys.argv[4] == 'True'));"
        "c.reply([Message('user', 'Hi')], max_tokens=2); time.sleep(8); c.close()"
    )
    calls = tmp_path / "calls"
    strace = ["strace", "-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(calls)]
    arguments = [chat_folder, foundry_python, str(tmp_path / "cache"), str(telemetry)]
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", "GITHUB_ACTIONS", "TF_BUILD")}
    subprocess.run([*strace, sys.executable, "-c", code, *arguments], check=True, env=environment, timeout=100)
    outward = [
        line
        for line in calls.read_text("utf-8", "replace").splitlines()
        if ("AF_INET" in line and "127.0.0.1" not in line and "::1" not in line) or "events.data" in line
    ]
    assert bool(outward) == telemetry
