"""One small HTTP client for servers the user named: limits on everything, no redirects, the key to one host alone."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from citeleaf.chat import check_stopped, stop_event
from citeleaf.errors import BadModelOutput, ConfigError, Kind, ModelUnavailable

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_TICK = 0.1
_LINE = 1_000_000
_SHOWN = 200
_AGENT = "citeleaf"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect, to the first byte, between two bytes and in all; `size` is the most bytes of a reply."""

    connect: float
    first: float
    idle: float
    total: float
    size: int = 8_000_000


class Client:
    """Speaks to the server at one address. Safe to call from several threads; each call has its own connection."""

    def __init__(
        self, address: str, key: SecretStr, *, key_header: str = "Authorization", proxy: str = "", setting: str = "chat"
    ) -> None:
        """Raises `ConfigError` for an address, key or proxy that cannot be one. `setting` names where they were set."""
        self.setting = setting
        parts = _parsed(address, setting)
        self.host = parts.hostname or ""
        self._tls = parts.scheme == "https"
        self._port = parts.port or (443 if self._tls else 80)
        self._base = parts.path.rstrip("/")
        self._key = _checked(key, setting)
        self._key_header = key_header
        self._proxy = _proxy(proxy, setting)
        name = f"[{self.host}]" if ":" in self.host else self.host
        self.origin = f"{parts.scheme}://{name}:{self._port}"

    @property
    def address(self) -> str:
        """The address as used, without any secret."""
        return self.origin + self._base

    @contextmanager
    def send(self, method: str, path: str, value: Json, limits: Limits, *, rooted: bool = False) -> Iterator[Answered]:
        """The server's reply, still to be read; `path` follows the base path, with `rooted` the one before `/v1`.

        Closing it early stops the server's work. Raises `ModelUnavailable` for a server that cannot be reached, is too
        slow, redirects or breaks off, and `Cancelled` when the caller was stopped.
        """
        check_stopped()
        body = None if value is None else json.dumps(value, allow_nan=False).encode()
        watch = _Watch(limits.total)
        connection = http.client.HTTPConnection(self.host, self._port)
        response: http.client.HTTPResponse | None = None
        try:
            connection.sock = sock = self._connected(limits, watch)
            target = (self._base.removesuffix("/v1") if rooted else self._base) + path
            if self._proxy and not self._tls:
                target = self.origin + target
            connection.request(method, target, body, self._headers(body is not None))
            sock.settimeout(limits.first)
            response = connection.getresponse()
            if 300 <= response.status < 400:
                self._redirected(response)
            yield Answered(response, sock, limits, watch, self._key)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._failed(error, watch)
        finally:
            watch.end()
            connection.close()
            if response is not None:
                response.close()

    def _headers(self, has_body: bool) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity", "User-Agent": _AGENT, "Connection": "close"}
        if has_body:
            headers["Content-Type"] = "application/json"
        if secret := self._key.get_secret_value():
            headers[self._key_header] = f"Bearer {secret}" if self._key_header == "Authorization" else secret
        return headers

    def _connected(self, limits: Limits, watch: _Watch) -> socket.socket:
        host, port = self._proxy or (self.host, self._port)
        plain = _dial(host, port, limits.connect)
        watch.holds(plain)
        plain.settimeout(limits.connect)
        if self._proxy and self._tls:
            _tunnel(plain, self.host, self._port)
        if not self._tls:
            return plain
        secured = ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)
        watch.holds(secured)
        return secured

    def _redirected(self, response: http.client.HTTPResponse) -> NoReturn:
        to = urlsplit(response.getheader("Location") or "").hostname or "another path"
        raise ModelUnavailable(
            f"`{self.origin}` sends to `{to}`, which was not followed",
            kind="redirected",
            hint=f"set {self.setting}.address to the final address, if you trust it",
            subject=self.origin,
        )

    def _failed(self, error: Exception, watch: _Watch) -> NoReturn:
        check_stopped()
        kind: Kind = "closed_early"
        what, hint = "broke off the reply", "see the log of the server, then ask again"
        if watch.late:
            kind, what = "timeout", "took longer than the whole time allowed"
            hint = f"raise {self.setting}.total_s, or use a smaller model"
        elif isinstance(error, TimeoutError):
            kind, what = "stalled", "was silent for too long"
            hint = f"raise {self.setting}.load_s or {self.setting}.idle_s if the model is only slow"
        elif isinstance(error, ssl.SSLError):
            kind, what, hint = "tls", "has no valid TLS certificate or speaks no TLS", "check address and certificate"
        elif isinstance(error, http.client.BadStatusLine) and not isinstance(error, http.client.RemoteDisconnected):
            kind, what = "unreachable", "speaks no HTTP"
            hint = f"correct {self.setting}.address: another program has that port"
        elif isinstance(error, _Unreachable):
            kind, what = "unreachable", "cannot be reached"
            hint = f"start the server, or correct {self.setting}.address"
        raise ModelUnavailable(
            f"the server at `{self.origin}` {what}", kind=kind, hint=hint, subject=self.origin
        ) from None


class Answered:
    """A reply whose body is still to be read."""

    def __init__(
        self,
        response: http.client.HTTPResponse,
        sock: socket.socket,
        limits: Limits,
        watch: _Watch,
        key: SecretStr,
    ) -> None:
        """Made by `Client.send`."""
        self._response = response
        self._socket = sock
        self._limits = limits
        self._watch = watch
        self._key = key.get_secret_value().encode()
        self._read = 0
        self._body: bytes | None = None
        self.status = response.status
        # Foundry Local names the type twice, which arrives as `a, a`.
        self.kind = re.split(r"[;,]", response.getheader("Content-Type") or "")[0].strip().lower()

    def body(self) -> bytes:
        """All of it; our key, should the server repeat it, struck out.

        Raises `BadModelOutput` over the size limit or in an encoding that was not asked for.
        """
        if self._body is None:
            self._body = self._without_key(b"".join(self._pieces()))
        return self._body

    def lines(self) -> Iterator[bytes]:
        """Its lines as they come, line ends off; the last one may be cut short by the server."""
        rest = b""
        for piece in self._pieces():
            *whole, rest = (rest + piece).split(b"\n")
            yield from (self._without_key(line.rstrip(b"\r")) for line in whole)
            if len(rest) > _LINE:
                raise BadModelOutput("the reply has a line without end", raw="", kind="too_large")
        if rest:
            yield self._without_key(rest.rstrip(b"\r"))

    def json(self) -> Json:
        """The body as JSON. Raises `BadModelOutput` for anything else, NaN included."""
        return parsed(self.body(), self.kind)

    def _pieces(self) -> Iterator[bytes]:
        if self._response.getheader("Content-Encoding", "identity").lower() not in ("identity", ""):
            raise BadModelOutput("the reply is compressed, which was not asked for", raw="", kind="bad_encoding")
        while piece := self._response.read1(65_536):
            self._socket.settimeout(self._limits.idle)
            self._read += len(piece)
            if self._read > self._limits.size:
                raise BadModelOutput(
                    f"the reply is larger than {self._limits.size / 1e6:.0f} MB", raw="", kind="too_large"
                )
            yield piece
        check_stopped()
        if self._response.length or self._watch.late:
            raise http.client.IncompleteRead(b"")

    def _without_key(self, data: bytes) -> bytes:
        return data.replace(self._key, b"[key]") if self._key else data


def parsed(body: bytes, content_type: str = "") -> Json:
    """Bytes as JSON. Raises `BadModelOutput` with the first words of what came instead."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadModelOutput("the reply is not UTF-8", raw=shown(body), kind="bad_encoding") from None
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        what = f"`{content_type}`" if content_type else "no JSON"
        raise BadModelOutput(
            f"the server answered with {what}, not with a chat reply: {shown(body)!r}",
            raw=shown(body),
            kind="not_json",
            hint="check the address; it is that of the server's API, often ending in /v1",
        ) from None
    return value


def shown(body: bytes) -> str:
    """The first 200 characters that can be shown safely."""
    return "".join(c if c.isprintable() else " " for c in body[: 4 * _SHOWN].decode("utf-8", "replace"))[
        :_SHOWN
    ].strip()


class _Unreachable(OSError):
    pass


class _Watch:
    """Shuts a socket down when the time is over or the caller is stopped, whatever the reader is waiting for."""

    def __init__(self, seconds: float) -> None:
        self.late = False
        self._end = time.monotonic() + seconds
        self._stop = stop_event()
        self._done = threading.Event()
        self._socket: socket.socket | None = None
        threading.Thread(target=self._run, name="citeleaf-http-watch", daemon=True).start()

    def holds(self, sock: socket.socket) -> None:
        self._socket = sock

    def end(self) -> None:
        self._done.set()

    def _run(self) -> None:
        while not self._done.wait(_TICK):
            self.late = time.monotonic() > self._end
            if (self.late or (self._stop is not None and self._stop.is_set())) and self._socket is not None:
                try:
                    # The base class' method: a TLS socket's own would change state under the reader's feet.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
                except OSError:
                    return


def _dial(host: str, port: int, seconds: float) -> socket.socket:
    end = time.monotonic() + seconds
    for family, kind, proto, _, target in _resolved(host, port, seconds):
        sock = socket.socket(family, kind, proto)
        sock.settimeout(max(0.05, end - time.monotonic()))
        try:
            sock.connect(target)
        except OSError:
            sock.close()
            continue
        return sock
    raise _Unreachable(host)


_Target: TypeAlias = "tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]"
_Found: TypeAlias = "list[tuple[socket.AddressFamily, socket.SocketKind, int, str, _Target]]"


def _resolved(host: str, port: int, seconds: float) -> _Found:
    """Addresses of a name; the system's own look-up knows no time limit, so it runs beside and may be left behind."""
    found: _Found = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            return

    thread = threading.Thread(target=look_up, name="citeleaf-resolve", daemon=True)
    thread.start()
    thread.join(seconds)
    return list(found)


def _tunnel(sock: socket.socket, host: str, port: int) -> None:
    sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head and len(head) < 8192:
        piece = sock.recv(1)
        if not piece:
            break
        head += piece
    if head[9:12] != b"200":
        raise _Unreachable(host)


def _parsed(address: str, setting: str) -> SplitResult:
    hint = f"set {setting}.address, for example http://127.0.0.1:11434/v1"
    if not address:
        raise ConfigError("no address of a model server is set", hint=hint, subject=f"{setting}.address")
    try:
        parts = urlsplit(address)
        usable = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigError(f"{setting}.address is no web address", hint=hint, subject=f"{setting}.address") from None
    if parts.username is not None or parts.password is not None:
        # Not shown: what stands before the @ is a secret.
        raise ConfigError(
            f"{setting}.address holds a user name or key", hint=f"put it in {setting}.key", subject=f"{setting}.address"
        )
    usable = usable and all(33 <= ord(c) < 127 for c in address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or not usable:
        raise ConfigError(f"{setting}.address is no http(s) address", hint=hint, subject=f"{setting}.address")
    return parts


def _checked(key: SecretStr, setting: str) -> SecretStr:
    if not all(33 <= ord(c) < 127 for c in key.get_secret_value()):
        raise ConfigError(
            f"{setting}.key holds a blank or a character no key has",
            hint="copy it again, without line ends",
            subject=f"{setting}.key",
        )
    return key


def _proxy(proxy: str, setting: str) -> tuple[str, int] | None:
    if not proxy:
        return None
    host, _, port = proxy.removeprefix("http://").rstrip("/").rpartition(":")
    if not host or not port.isdigit() or "@" in host:
        raise ConfigError(f"{setting}.proxy is not host:port", hint="write it as host:port", subject=f"{setting}.proxy")
    return host, int(port)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
