"""The server's process as others see it: whether it runs, and starting it (:mod:`~memory_assets.server.host`)."""

from __future__ import annotations

from typing import NoReturn

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.resident import Resident, ResidentState
from memory_assets.settings import Settings, ensure_home

MODULE = "memory_assets.server.host"


class ServerError(MemoryAssetsError):
    """The server cannot run, or cannot be reached."""


def resident(settings: Settings) -> Resident:
    """The server of this installation."""
    return Resident(
        settings.server_home,
        MODULE,
        "the server",
        "Mend what they name and try again.",
        ServerError,
        (f"--port={settings.server_port}",),
        keeps_secrets=True,
    )


def start(settings: Settings) -> ResidentState:
    """The running server, started if there is none."""
    _make_folder(settings)
    return resident(settings).start()


def become(settings: Settings) -> NoReturn:
    """Become the server, in the foreground."""
    _make_folder(settings)
    resident(settings).become()


def _make_folder(settings: Settings) -> None:
    ensure_home(settings)
    settings.server_home.mkdir(exist_ok=True, mode=0o700)
