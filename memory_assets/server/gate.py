"""Who gets in: requests from this machine, of a bounded size, with a key that is valid now.

A page of another site that a person's browser shows could reach a port of this machine: the Host and the Origin of a
request say so (DNS rebinding), and the SDK's own checks refuse it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import unquote

from anyio.to_thread import run_sync
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_assets.client.transport import FOLDER_HEADER, PROJECT_HEADER
from memory_assets.commands.projects import project_of
from memory_assets.errors import GraphUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import find_caller
from memory_assets.keys.policy import Caller, KeyRefusedError, Rates
from memory_assets.privacy.projects import ProjectNameError
from memory_assets.server.page import PAGE

HERE = ("127.0.0.1", "localhost", "[::1]")
AT_ONCE = 200
"""So many requests are answered at a time, each in a thread of its own; further ones are asked to come back (503)."""
OF_ONE_USER = AT_ONCE // 4
"""So many of them for one user: where these wait for a lock, others find room."""
LARGEST_BODY = 2 * 1024 * 1024
OPEN_TO_ALL = frozenset({"/health/live", "/health/ready", "/openapi.json", *PAGE})
"""What says nothing of anybody's memory."""
BEARER = "bearer "


class Gate:
    """Lets a request through to ``app`` with its :class:`Caller` in the request's state, or says why not.

    ``a_minute``: so many of one key; ``at_once``: so many of all keys are answered at a time, of one user's at most
    :data:`OF_ONE_USER`.
    """

    def __init__(
        self, app: ASGIApp, graph: Graph, now: Callable[[], datetime], a_minute: int, at_once: int = AT_ONCE
    ) -> None:
        self._rates = Rates(a_minute)
        self._at_once, self._answering, self._of_user = at_once, 0, Counter[str]()
        self._app = RequestBodyLimitMiddleware(app, LARGEST_BODY)
        self._graph, self._now = graph, now
        self._security = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[*HERE, *(f"{host}:*" for host in HERE)],
                allowed_origins=[f"http://{host}{port}" for host in HERE for port in ("", ":*")],
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = await self._security.validate_request(request)
        if refused is not None:
            refused = JSONResponse({"error": bytes(refused.body).decode()}, refused.status_code)
        elif request.url.path not in OPEN_TO_ALL:
            await self._with_key(request, scope, receive, _in_json(send))
            return
        await (refused or self._app)(scope, receive, _in_json(send))

    async def _with_key(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        if self._answering >= self._at_once:
            await _later(f"{self._at_once} requests are being answered")(scope, receive, send)
            return
        self._answering += 1
        try:
            refused = await self._refusal(request, scope)
            if refused is not None:
                await refused(scope, receive, send)
                return
            await self._for(scope["state"]["caller"].user, scope, receive, send)
        finally:
            self._answering -= 1

    async def _for(self, user: str, scope: Scope, receive: Receive, send: Send) -> None:
        if self._of_user[user] >= OF_ONE_USER:
            await _later(f"{OF_ONE_USER} requests for {user} are being answered")(scope, receive, send)
            return
        self._of_user[user] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._of_user[user] -= 1

    async def _refusal(self, request: Request, scope: Scope) -> JSONResponse | None:
        """Why the request's key does not let it in; its caller is in the state where it does."""
        try:
            caller = await run_sync(find_caller, self._graph, _token(request), self._now())
            scope.setdefault("state", {})["caller"] = caller
            if seconds := self._rates.wait(caller.key_id, monotonic()):
                said = f"The key of {caller.agent} has asked too often: ask again in {seconds} s."
                return JSONResponse({"error": said}, 429, {"Retry-After": str(seconds)})
            if (place := request.headers.get(PROJECT_HEADER)) is not None:
                return await run_sync(_place, scope["state"], place)
            if (folder := request.headers.get(FOLDER_HEADER)) is not None:
                await run_sync(_at_work, scope["state"], folder)
        except KeyRefusedError as error:
            return JSONResponse({"error": str(error)}, 401, {"WWW-Authenticate": "Bearer"})
        except GraphUnavailableError as error:
            return JSONResponse({"error": str(error)}, 503)
        return None


def _later(why: str) -> JSONResponse:
    return JSONResponse({"error": f"{why}: ask again a little later."}, 503, {"Retry-After": "1"})


def _in_json(send: Send) -> Send:
    """The same, with the SDK's plain words about a body that is too large as every other error is."""
    too_large = JSONResponse({"error": f"The body is larger than {LARGEST_BODY:,} bytes."}, 413)

    async def sending(message: Message) -> None:
        if message.get("status") == 413:
            message = {"type": message["type"], "status": 413, "headers": too_large.raw_headers}
            sending_large.append(True)
        elif sending_large:
            message = {"type": message["type"], "body": too_large.body}
        await send(message)

    sending_large: list[bool] = []
    return sending


def _at_work(state: dict[str, Any], folder: str) -> None:
    """A caller that names no project works in that of its folder, where this machine has it and the key has none."""
    folder = _read_header(folder)
    with suppress(ProjectNameError, OSError, ValueError):  # a hint refuses nobody
        if not state["caller"].project and Path(folder).is_absolute() and Path(folder).is_dir():
            state["caller"] = state["caller"].working_in(project_of(folder))


def _read_header(value: str) -> str:
    with suppress(UnicodeError):  # a header's bytes arrive as Latin-1
        value = value.encode("latin-1").decode()
    return unquote(value)


def _place(state: dict[str, Any], place: str) -> JSONResponse | None:
    """The caller works in a project, named by itself or by a folder on this machine; else why not."""
    try:
        state["caller"] = state["caller"].working_in(project_of(_read_header(place)))
    except KeyRefusedError as error:
        return JSONResponse({"error": str(error)}, 403)
    except ProjectNameError as error:
        return JSONResponse({"error": str(error)}, 400)
    return None


def _token(request: Request) -> str:
    given = request.headers.get("authorization", "")
    if not given.lower().startswith(BEARER):
        raise KeyRefusedError(
            "This needs a key: send it as `Authorization: Bearer …`. `memory-assets tokens add` makes one."
        )
    return given[len(BEARER) :].strip()


def caller_of(request: Request) -> Caller:
    """On whose behalf a request that came through the gate is."""
    caller: Caller = request.state.caller
    return caller
