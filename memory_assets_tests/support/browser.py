"""A headless Chromium that is driven through its own protocol: pages are opened, looked at and clicked in."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from memory_assets_tests.support.dagster_ui import PATIENCE, wait_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars "
    "--window-size=1600,1000 --remote-debugging-port=0"
)
# The innermost element with exactly this text, as a person would click it.
FIND = """[...document.querySelectorAll('*')].filter(
    e => e.innerText?.trim() === %s && e.getClientRects().length).pop()"""


class Browser:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._sent = connection, 0

    def open(self, address: str) -> None:
        """Go to a page; what it draws is waited for with :meth:`shows` and :meth:`wait_until`."""
        self._command("Page.navigate", url=address)
        place = json.dumps(address.partition("?")[0])
        self.wait_until(f"location.href.startsWith({place}) && !!document.body", address)

    def shows(self, *texts: str, seconds: float = PATIENCE) -> str:
        """The text of the page once all of ``texts`` stand in it."""
        for text in texts:
            self.wait_until(f"document.body.innerText.includes({json.dumps(text)})", f"{text!r}", seconds)
        return self.evaluate("document.body.innerText")

    def click(self, text: str) -> None:
        """Click the element with this text once it is there."""
        element = FIND % json.dumps(text)
        self.wait_until(f"!!{element}", f"something to click, {text!r}")
        self.evaluate(f"{element}.click()")

    def wait_until(self, expression: str, what: str, seconds: float = PATIENCE) -> None:
        """Wait until an expression of JavaScript is true on the page."""
        try:
            wait_for(lambda: self.evaluate(expression) or None, what, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error} on a page with: {self.evaluate('document.body.innerText')[:3000]}") from None

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript; None where it fails, as while a page is being left."""
        answer = self._command("Runtime.evaluate", expression=expression, returnByValue=True)
        return None if "exceptionDetails" in answer else answer["result"].get("value")

    def _command(self, method: str, **params: Any) -> dict[str, Any]:
        self._sent += 1
        self._connection.send(json.dumps({"id": self._sent, "method": method, "params": params}))
        while True:
            message = json.loads(self._connection.recv(timeout=PATIENCE))
            if message.get("id") == self._sent:
                return message.get("result") or {"exceptionDetails": message.get("error")}


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A browser with nothing but its defaults."""
    process = subprocess.Popen(
        [str(CHROMIUM), *QUIET.split(), f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        active = profile / "DevToolsActivePort"
        port = wait_for(lambda: active.read_text().split("\n")[0] or None if active.is_file() else None, "the browser")
        tab = wait_for(lambda: next(iter(_tabs(int(port))), None), "the browser's tab")
        # A busy browser answers when it can: no ping asks it before.
        with connect(
            tab["webSocketDebuggerUrl"], max_size=None, open_timeout=PATIENCE, ping_interval=None
        ) as connection:
            yield Browser(connection)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE)


def _tabs(port: int) -> list[dict[str, Any]]:
    """The pages that are open; none while it starts."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answer:
            return [target for target in json.load(answer) if target["type"] == "page"]
    except OSError:
        return []
