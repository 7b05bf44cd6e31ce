"""Requests to the server: where it is, the key, and errors in the server's own words."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

DEFAULT_URL = "http://127.0.0.1:4747"
PROJECT_HEADER = "X-Memory-Project"
FOLDER_HEADER = "X-Memory-Folder"
"""Where a program works that names no project."""
STATE_FILE = Path("server", "server.json")
RETRYABLE = frozenset({0, 409, 429, 503})


class ClientError(Exception):
    """An operation that was not done, in a sentence; ``status`` is HTTP's, 0 where nothing answered."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_retryable(self) -> bool:
        """Whether the same request can succeed a little later."""
        return self.status in RETRYABLE


class ServerUnreachableError(ClientError):
    """No server answers, or not in time."""


class ServerStoppedError(ServerUnreachableError):
    """Nothing listens where the server was: nothing of the request has arrived."""


class RequestRefusedError(ClientError):
    """The server does not do what it was asked, and says why."""


def local_url(home: str | os.PathLike[str] | None = None) -> str | None:
    """Where the server of an installation (MEMORY_ASSETS_HOME, when left out) listens; None where none runs."""
    folder = home or os.environ.get("MEMORY_ASSETS_HOME")
    if not folder:
        return None
    try:
        state = json.loads(Path(folder, STATE_FILE).read_text(encoding="utf-8"))
        os.kill(
            int(state["pid"]), 0
        )  # it was killed, or somebody else's process has its number: who listens now is not it
        return f"http://127.0.0.1:{int(state['port'])}"
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return None


class Transport:
    """Sends requests with a key; a connection each, so that threads share it and a restarted server is no matter.

    ``renewed`` gives another key in place of one that was refused, once; left out, there is none.
    """

    renewed: Callable[[str], str] | None = None

    def __init__(
        self, url: str, token: str, project: str | None = None, timeout: float = 30.0, folder: str = ""
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClientError(f"{url!r} is no address of a server: write it as {DEFAULT_URL}.")
        self._url, self._timeout = url, timeout
        self._secure, self._address, self._base = parts.scheme == "https", parts.netloc, parts.path.rstrip("/")
        self._token = _header("The key", token)
        self._headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        self._headers |= project_header(project) if project else {}
        self._headers |= project_header(folder, FOLDER_HEADER) if folder else {}

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the bytes of the answer; ``headers`` are more than every request has. Raises
        :class:`ServerUnreachableError`.
        """
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._address, timeout=self._timeout)
        of_body = {} if body is None else {"Content-Type": "application/json"}
        try:
            connection.request(method, self._base + path, body, {**self._headers, **of_body, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except TimeoutError:
            raise ServerUnreachableError(f"The server at {self._url} did not answer in {self._timeout:g} s.") from None
        except (OSError, http.client.HTTPException) as error:
            stopped = isinstance(error, ConnectionRefusedError)
            raise (ServerStoppedError if stopped else ServerUnreachableError)(
                f"No server answers at {self._url} ({error or type(error).__name__}): `memory-assets server start` "
                "starts it; set MEMORY_ASSETS_HOME, or give its address, where it is another one."
            ) from None
        finally:
            connection.close()

    def request(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """An operation's answer. Raises :class:`ClientError`."""
        where = f"{path}?{urlencode(query, doseq=True)}" if query else path
        sent = None if body is None else json.dumps(body, ensure_ascii=False, default=_plain).encode()
        token = self._token
        status, content = self.send(method, where, sent)
        if status == 401 and (self.renewed or token != self._token):
            if self.renewed and token == self._token:  # else another thread has done it
                renewed, self.renewed = self.renewed, None
                self._token = _header("The key", renewed(token))
                self._headers = self._headers | {"Authorization": f"Bearer {self._token}"}
            status, content = self.send(method, where, sent)
        try:
            answer = json.loads(content or b"{}")
        except ValueError:
            answer = None
        if not 200 <= status < 300:
            raise RequestRefusedError(reason_of(answer) or f"The server refused it (HTTP {status}).", status)
        if not isinstance(answer, dict):
            raise ClientError(f"What answers at {self._url} is no server of memory-assets (HTTP {status}).", status)
        return answer


def working_folder() -> str:
    """The folder that the program works in; "" where there is none any more."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def project_header(place: str, name: str = PROJECT_HEADER) -> dict[str, str]:
    """The header that says in which project somebody works: a name or a folder, in ASCII, which is all that some
    clients send.
    """
    return {name: quote(place, safe="/:@", errors="surrogateescape")}


def reason_of(answer: Any) -> str:
    """Why an operation was refused, in the server's words; nothing where it gives none."""
    if not isinstance(answer, dict):
        return ""
    return str(answer.get("error") or "")


def _header(what: str, value: str) -> str:
    # What a header cannot hold would be an error that shows it, and this may be the key.
    if not value.isascii() or not value.isprintable():
        raise ClientError(f"{what} has characters that no request can carry: only printable ASCII.")
    return value.strip()


def _plain(value: Any) -> str:
    """Days and instants as ISO 8601."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON.")
