"""What stands before every route: who calls, from where, how much and in which form, before any of it is read."""

from __future__ import annotations

import hmac
import ipaddress
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeleaf.surfaces.api.problems import answered, log, of_error, problem

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
JSON_LIMIT: Final = 4 * 1024 * 1024
"""Most bytes of a request that is no upload."""
UPLOAD: Final = "/api/documents"
_GUARDED: Final = ("/api/", "/v1/", "/mcp", "/openapi.json")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?)(:[0-9]{1,5})?")
_ORIGIN = re.compile(r"https?://([^/?#@\\]+)")
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
)
_DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'; sandbox"
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class House:
    """Whom the server answers.

    `names` are the hosts it may be called by; with `wide`, by any address written in numbers as well, which no name
    that a stranger controls can be. `key`: what callers must send, empty for none.
    """

    names: frozenset[str] = LOOPBACK
    wide: bool = False
    key: str = ""
    upload_limit: int = 500 * 1024 * 1024

    def knows(self, host: str) -> bool:
        """Whether a `Host` header names this server."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].lower()
        return name in self.names or (self.wide and _is_address(name))

    def is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this very server sent a request: its origin is the host that was called, or a known name.

        Other ports of this machine are other origins.
        """
        found = _ORIGIN.fullmatch(origin)
        if found is None:
            return False
        if found[1].lower() == host.lower():
            return True
        named = _HOST.fullmatch(found[1])
        return named is not None and named[1].lower() in self.names - LOOPBACK

    def opens(self, key: str) -> bool:
        """Whether a key is the right one, in a time that tells nothing about it."""
        return hmac.compare_digest(_digest(key), _digest(self.key))


class Doors:
    """An ASGI layer: Host, Origin, key, media type and size are looked at in this order, and nothing is read before."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        """`app` is reached by requests that pass."""
        self._app = app
        self._house = house

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        counted = _Counted(receive, self._limit(scope))
        out = _Out(scope, send)
        try:
            self._look(scope, headers)
            counted.announced(headers)
            await self._app(scope, counted, out)
        except HTTPException as refusal:
            await self._refuse(refusal, scope, receive, out)
        except Exception as error:  # noqa: BLE001 - the last catch of the server: the caller is told, the log holds why
            log.error("request failed", exc_info=error)
            if not out.started:
                await answered(scope["path"], of_error(error))(scope, receive, out)

    def _look(self, scope: Scope, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._house.knows(hosts[0]):
            raise HTTPException(421, "this server is not called by that name; see the setting `serve.hosts`")
        origins = headers.getlist("origin")
        if len(origins) > 1 or (origins and not self._house.is_own(origins[0], hosts[0])):
            raise HTTPException(403, "a page of another site may not call this server")
        guarded = scope["path"].startswith(_GUARDED)
        if guarded and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise HTTPException(403, "a page of another site may not call this server")
        if guarded and self._house.key:
            self._unlock(headers)
        if scope["method"] in ("POST", "PUT", "PATCH"):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            wanted = "multipart/form-data" if scope["path"] == UPLOAD else "application/json"
            if kind != wanted:
                raise HTTPException(415, f"send this as {wanted}")

    def _unlock(self, headers: Headers) -> None:
        given = set(headers.getlist("authorization"))
        if len(given) > 1:
            raise HTTPException(400, "two different keys were sent")
        scheme, _, key = (given.pop() if given else "").partition(" ")
        if scheme.lower() != "bearer" or not self._house.opens(key.strip()):
            said = 'Bearer realm="citeleaf"' + (', error="invalid_token"' if scheme else "")
            raise HTTPException(401, "a valid key is needed: Authorization: Bearer KEY", {"WWW-Authenticate": said})

    def _limit(self, scope: Scope) -> int:
        return self._house.upload_limit if scope["path"] == UPLOAD else JSON_LIMIT

    async def _refuse(self, refusal: HTTPException, scope: Scope, receive: Receive, out: _Out) -> None:
        if out.started:
            return
        codes = {400: "usage", 401: "key", 403: "foreign", 413: "too_large", 415: "media", 421: "foreign"}
        body = problem(refusal.status_code, codes[refusal.status_code], refusal.detail)
        # What was not read is not going to be: the connection ends with this.
        headers = {**(refusal.headers or {}), "Connection": "close"}
        await answered(scope["path"], body, headers)(scope, receive, out)


class _Counted:
    """Receives a body up to a limit."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._size = 0

    def announced(self, headers: Headers) -> None:
        """Refuses a body whose stated length is over the limit, or no number."""
        for length in headers.getlist("content-length"):
            if not (length.isascii() and length.isdigit()):
                raise HTTPException(400, "the content length is no number")
            if len(length) > 15 or int(length) > self._limit:
                raise self._over()

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            if self._size > self._limit:
                raise self._over()
        return message

    def _over(self) -> HTTPException:
        return HTTPException(413, f"more than {self._limit // 1024} KB cannot be taken at once")


class _Out:
    """Sends a response with the headers that every one has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._page = not scope["path"].startswith((*_GUARDED, "/healthz"))
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", _PAGE_POLICY if self._page else _DATA_POLICY)
            headers.setdefault("Cache-Control", "no-cache" if self._page else "no-store")
        await self._send(message)


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
