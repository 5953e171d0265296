from __future__ import annotations

import pytest

from citeleaf.backends.generate_http import HttpChat, open_chat
from citeleaf.backends.openai_shapes import Listed, chat_reply, models, streamed_reply, vectors
from citeleaf.backends.servers import choose, find, open_client
from citeleaf.chat import Message
from citeleaf.errors import BadModelOutput, ConfigError, ModelUnavailable
from citeleaf.settings import ChatSettings
from support.fake_model import FakeModel
from support.models import settings

hosts = pytest.mark.allow_hosts(["127.0.0.1"])
LISTED = tuple(
    Listed(name, (alias,) if alias else (), "", None)
    for name, alias in [
        ("Phi-4-mini-instruct-generic-cpu:3", "phi-4-mini"),
        ("qwen2.5-1.5b-instruct-generic-cpu:4", "qwen2.5-1.5b"),
        ("qwen2.5-0.5b-instruct-generic-cpu:4", "qwen2.5-0.5b"),
        ("llama3.2:latest", ""),
    ]
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Phi-4-mini-instruct-generic-cpu:3", 0),
        ("phi-4-mini-instruct-generic-cpu:3", 0),
        ("Phi-4-mini-instruct-generic-cpu", 0),
        ("phi-4-mini", 0),
        ("phi-4-mini-instruct", 0),
        ("qwen2.5-0.5b-instruct", 2),
        ("qwen2.5-1.5b", 1),
        ("llama3.2", 3),
        ("llama3", None),
        ("qwen2.5", None),
        ("gpt-4", None),
        ("", None),
    ],
)
def test_a_model_is_found_by_id_alias_or_beginning_and_never_guessed(name: str, found: int | None) -> None:
    if found is not None:
        assert choose(name, LISTED, "chat") == LISTED[found]
        return
    with pytest.raises(ConfigError) as error:
        choose(name, LISTED, "chat")
    assert "llama3.2:latest" in error.value.hint


def test_the_only_model_needs_no_name() -> None:
    assert choose("", LISTED[:1], "chat") == LISTED[0]
    with pytest.raises(ConfigError, match="no models"):
        choose("", (), "chat")


@pytest.mark.parametrize(
    ("address", "version", "model", "chat_path", "header"),
    [
        ("https://r.openai.azure.com", "", "gpt", "/openai/v1/chat/completions", "api-key"),
        ("https://r.openai.azure.com/", "", "gpt", "/openai/v1/chat/completions", "api-key"),
        ("https://r.openai.azure.com/openai/v1", "", "gpt", "/chat/completions", "api-key"),
        (
            "https://r.openai.azure.com",
            "2024-10-21",
            "gpt",
            "/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
            "api-key",
        ),
        (
            "https://r.openai.azure.com/openai/deployments/gpt/chat/completions",
            "2024-10-21",
            "",
            "/chat/completions?api-version=2024-10-21",
            "api-key",
        ),
        (
            "https://gateway.test/azure",
            "2024-10-21",
            "d",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21",
            "api-key",
        ),
    ],
)
def test_the_address_forms_of_azure(address: str, version: str, model: str, chat_path: str, header: str) -> None:
    chosen = ChatSettings(address=address, api_version=version, model=model, key="k")  # type: ignore[arg-type]
    client, azure = open_client(chosen, "chat")
    served = find(client, azure, chosen, "chat")
    assert (azure, served.chat_path, client._key_header) == (True, chat_path, header)
    assert served.embed_path == chat_path.replace("chat/completions", "embeddings")
    assert served.window.safe


def test_azure_takes_a_token_as_bearer_and_wants_a_deployment() -> None:
    token = ChatSettings(address="https://r.openai.azure.com", key="eyJhbGciOi", model="d")  # type: ignore[arg-type]
    assert open_client(token, "chat")[0]._key_header == "Authorization"
    chosen = ChatSettings(address="https://r.openai.azure.com", key="k")  # type: ignore[arg-type]
    client, azure = open_client(chosen, "chat")
    with pytest.raises(ConfigError, match="deployment"):
        find(client, azure, chosen, "chat")


@hosts
def test_azure_is_asked_with_its_key_header_and_no_list_of_models() -> None:
    with FakeModel("good") as fake:
        chat = HttpChat(settings(fake.root, api_version="2024-10-21", model="my deployment", key="azure-key"))
        assert chat.reply([Message("user", "Hello")], max_tokens=4).text
    (seen,) = fake.requests
    assert seen.path == "/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21"
    assert seen.headers["api-key"] == "azure-key"
    assert "Authorization" not in seen.headers


@hosts
def test_an_address_without_v1_is_completed() -> None:
    with FakeModel("good") as fake:
        assert HttpChat(settings(fake.root)).reply([Message("user", "Hello")], max_tokens=4).text
    assert fake.chats[0].path == "/v1/chat/completions"


@hosts
def test_output_limit_temperature_and_model_are_always_sent() -> None:
    with FakeModel("good") as fake:
        HttpChat(settings(fake.address)).reply([Message("user", "Hello")], max_tokens=7)
    body = fake.chats[0].body
    assert (body["max_tokens"], body["temperature"], body["model"]) == (7, 0.0, "fake-1.5b")


@hosts
def test_a_parameter_that_a_server_refuses_is_left_out_from_then_on() -> None:
    with FakeModel("picky") as fake:
        chat = HttpChat(settings(fake.address))
        chat.reply([Message("user", "Hello")], max_tokens=7)
        first = len(fake.chats)
        chat.reply([Message("user", "Hello")], max_tokens=7)
    assert first == 5
    assert len(fake.chats) == 6
    assert fake.chats[-1].body.keys() == {"messages", "model", "stream", "max_completion_tokens"}


@hosts
@pytest.mark.parametrize(("behaviour", "asked"), [("busy", 3), ("busy_once", 2), ("server_error", 1), ("html_502", 1)])
def test_only_a_busy_server_is_asked_again_and_at_most_twice(behaviour: str, asked: int) -> None:
    with FakeModel(behaviour) as fake:
        try:
            HttpChat(settings(fake.address)).reply([Message("user", "Hello")], max_tokens=4)
        except ModelUnavailable:
            assert behaviour != "busy_once"
    assert len(fake.chats) == asked


def test_no_address_says_what_to_set() -> None:
    with pytest.raises(ConfigError) as error:
        open_chat(ChatSettings())
    assert "chat.address" in error.value.hint


def test_lists_of_models_in_several_shapes() -> None:
    assert [m.id for m in models({"data": [{"id": "a"}, {"name": "b"}, {"x": 1}, "c"]})] == ["a", "b", "c"]
    assert [m.id for m in models(["a"])] == ["a"]
    assert models({"data": [{"id": "a", "parent": "b", "max_model_len": 8}]}) == (Listed("a", ("b",), "", 8),)
    with pytest.raises(BadModelOutput):
        models({"data": "a"})


def test_a_stream_says_how_it_ended_or_counts_as_broken() -> None:
    lines = [b": hello", b"", b'data: {"choices":[{"delta":{"content":"a"}}]}', b"data:[DONE]"]
    assert streamed_reply(lines, "m", 100).finish == "unknown"
    with pytest.raises(ModelUnavailable) as error:
        streamed_reply(lines[:-1], "m", 100)
    assert error.value.kind == "closed_early"
    assert streamed_reply(lines[2:3] * 200, "m", 100).finish == "length"


def test_a_message_counts_before_a_delta_of_a_whole_reply() -> None:
    choice = {"delta": {"content": "wrong"}, "message": {"content": "right"}, "finish_reason": "stop"}
    assert chat_reply({"choices": [choice]}, "m").text == "right"  # type: ignore[dict-item]


def test_vectors_in_several_shapes() -> None:
    assert vectors({"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}) == [[1.0], [2.0]]
    assert vectors({"embeddings": [[1, 2]]}) == [[1.0, 2.0]]
    for bad in (
        {"data": []},
        {"data": [{"embedding": []}]},
        {"data": [{"embedding": ["x"]}]},
        {"data": [{"index": 3, "embedding": [1]}]},
    ):
        with pytest.raises(BadModelOutput):
            vectors(bad)  # type: ignore[arg-type]
