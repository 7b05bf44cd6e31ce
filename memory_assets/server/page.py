"""The page at the server's root: what a key opens, for a person with a browser. It has no memory in it; its script asks
for that with the key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response

FILES = Path(__file__).parent / "static"
PAGE = {"/": "index.html", "/page.css": "page.css", "/page.js": "page.js"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""Nothing from elsewhere is loaded or run, and no other page shows this one."""


def add_page(app: FastAPI) -> None:
    """The routes of the page's files."""
    for path, name in PAGE.items():
        app.get(path, include_in_schema=False)(_answering(FILES / name))


def _answering(file: Path) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return FileResponse(file, headers=HEADERS)

    return answer
