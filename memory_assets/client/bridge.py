"""The tools for agents that speak the Model Context Protocol over their standard streams, a message a line:
``python -P -m memory_assets.client.bridge``, a pipe between these and the server, which ends with its input.

It starts in a tenth of a second: an agent asks its model before slower tools are there, and then without them.
Each message goes on in the version that the agent speaks, which HTTP has in a header, too. A server that has stopped
is started for the message that finds it so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from memory_assets.client.local import server_of
from memory_assets.client.transport import ClientError, ServerStoppedError, Transport, reason_of, working_folder

PATH = "/mcp"
SECONDS = 300
"""The longest that an answer may take."""
AT_ONCE = 16
ACCEPTED = {"Accept": "application/json, text/event-stream"}
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
INTERNAL_ERROR = -32603
UNAUTHORIZED = 401
_PLAIN = re.compile(r"(?!=\?base64\?.*\?=\Z)(?:[!-~](?:[ -~]*[!-~])?)?")

Message = Mapping[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    """The pipe of one agent, until its input ends; 1 where its key opens nothing, or no server can be started."""
    parser = argparse.ArgumentParser(description="The tools over standard input and output.")
    parser.add_argument("--home", type=Path, default=Path(os.environ.get("MEMORY_ASSETS_HOME", ".memory-assets")))
    parser.add_argument("--project", help="a name or a folder: where the agent works; this folder when left out")
    given = parser.parse_args(words)
    project = given.project
    if project and project.startswith("${"):  # a variable that the agent did not put a folder in
        project = None
    elif project and project.startswith((".", "~")):
        project = os.path.abspath(os.path.expanduser(project))
    try:
        pipe(given.home, os.environ.get("MEMORY_ASSETS_TOKEN", ""), project)
    except ClientError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except (BrokenPipeError, KeyboardInterrupt):  # the agent has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def pipe(home: Path, token: str, project: str | None = None, path: str = PATH) -> None:
    """Hand every message on, both ways, until the standard input ends and what it asked for is answered. The agent
    works in ``project``, or else in the folder that this process is in. Raises :class:`ClientError`.
    """
    bridge = _Bridge(home, token, project, path, sys.stdout.buffer)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        messages = _messages(sys.stdin.buffer)
        for first in messages:  # it agrees on a version for those that follow, and shows whether the key opens anything
            bridge.answer(first)
            break
        for message in messages:
            pool.submit(bridge.answer, message)


def headers_of(message: Message, agreed: str | None) -> dict[str, str]:
    """What a request of this message says in its headers: the version of the message itself, with what it asks for, or
    the one that was ``agreed`` upon by the older handshake.
    """
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        return {VERSION_HEADER: agreed} if agreed else {}
    name = params.get(NAMED_BY.get(message["method"], ""))
    named = {NAME_HEADER: name} if isinstance(name, str) else {}
    said = {VERSION_HEADER: version, METHOD_HEADER: message["method"], **named}
    return {header: _as_header(value) for header, value in said.items()}


class _Bridge:
    """Hands messages on to the server of an installation; answers are lines, in the order in which they come."""

    def __init__(self, home: Path, token: str, project: str | None, path: str, answered: BinaryIO) -> None:
        self._home, self._token, self._project, self._path = home, token, project, path
        self._answered = answered
        self._agreed: str | None = None
        self._writing, self._finding = Lock(), Lock()
        self._server = self._find()

    def answer(self, message: Message) -> None:
        """Ask, and write what is answered, which an error is, too. Raises :class:`ClientError` where the key opens
        nothing.
        """
        try:
            self._hand_on(message)
        except Exception as error:
            if "id" in message:
                reason = str(error) if isinstance(error, ClientError) else type(error).__name__
                refused = {"code": INTERNAL_ERROR, "message": reason}
                self._write({"jsonrpc": "2.0", "id": message["id"], "error": refused})
            if isinstance(error, ClientError) and error.status == UNAUTHORIZED:
                raise

    def _hand_on(self, message: Message) -> None:
        body = json.dumps(message).encode()
        headers = ACCEPTED | headers_of(message, self._agreed)
        server = self._server
        try:
            status, content = server.send("POST", self._path, body, headers)
        except ServerStoppedError:  # nothing has arrived there, so that it can be said again
            with self._finding:
                self._server = self._find() if self._server is server else self._server
            status, content = self._server.send("POST", self._path, body, headers)
        said = list(_answers(content))
        for notice in (one for one in said if "jsonrpc" in one and "method" in one):
            self._write(notice)
        answer = next((one for one in said if "jsonrpc" in one and ("result" in one or "error" in one)), None)
        if "id" not in message:
            return
        if answer is None:
            reasons = filter(None, map(reason_of, said))
            raise ClientError(next(reasons, f"The server gave no answer (HTTP {status})."), status)
        if message["method"] == "initialize" and "result" in answer:
            self._agreed = answer["result"].get("protocolVersion")
        self._write({**answer, "id": message["id"]})  # the server knows no id of what it cannot read

    def _find(self) -> Transport:
        folder = "" if self._project else os.environ.get("CLAUDE_PROJECT_DIR") or working_folder()
        return Transport(server_of(self._home), self._token, self._project, SECONDS, folder)

    def _write(self, answer: Message) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with self._writing:
            self._answered.write(line)
            self._answered.flush()


def _messages(said: BinaryIO) -> Iterator[Message]:
    """The messages among the lines of the input."""
    for line in said:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and isinstance(message.get("method"), str):
            yield message


def _answers(content: bytes) -> Iterator[Message]:
    """What a response says: one object, or one in each event of a stream."""
    pieces = [content]
    if not content.lstrip().startswith(b"{"):
        pieces = [line.removeprefix(b"data:") for line in content.splitlines() if line.startswith(b"data:")]
    for piece in pieces:
        try:
            answer = json.loads(piece)
        except ValueError:
            continue
        if isinstance(answer, dict):
            yield answer


def _as_header(value: str) -> str:
    """A value as the protocol writes it in a header: in Base64 where no header could hold it."""
    return value if _PLAIN.fullmatch(value) else f"=?base64?{b64encode(value.encode()).decode()}?="


if __name__ == "__main__":
    sys.exit(main())
