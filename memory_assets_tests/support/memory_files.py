"""The default file of a user by itself: what most tests of files are about."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.drafts import default_of, make_drafts
from memory_assets.memory_file.reports import show_files
from memory_assets.settings import Settings


def make_draft(graph: Graph, user: str, now: datetime, *, force: bool = False) -> bool:
    """Store the draft of the default file; False when the stored one follows already."""
    return make_drafts(graph, user, [default_of(user)], now, force=force)[0]


def show_file(graph: Graph, settings: Settings, user: str) -> dict[str, Any] | None:
    """A user's default file with everything it was chosen from; None when it is not published."""
    return next((file for file in show_files(graph, settings, user) if file["is_default"]), None)
