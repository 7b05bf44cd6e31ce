"""The default file of a user by itself: what most tests of files are about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.candidates import FileRules, Memory, Selection
from memory_assets.memory_file.ceilings import Counter
from memory_assets.memory_file.drafts import make_drafts
from memory_assets.memory_file.reports import show_files
from memory_assets.memory_file.selection import choose
from memory_assets.memory_file.user_files import default_of
from memory_assets.settings import Settings


def make_draft(graph: Graph, user: str, now: datetime, *, force: bool = False) -> bool:
    """Store the draft of the default file; False when the stored one follows already."""
    return make_drafts(graph, user, [default_of(user)], now, force=force)[0]


def show_file(graph: Graph, settings: Settings, user: str) -> dict[str, Any] | None:
    """A user's default file with everything it was chosen from; None when it is not published."""
    return next((file for file in show_files(graph, settings, user) if file["is_default"]), None)


def select_entries(
    user: str,
    memories: Iterable[Memory],
    count_tokens: Counter,
    rules: FileRules = FileRules(),  # noqa: B008 (frozen)
    today: date | None = None,
) -> Selection:
    """The file that is chosen from these memories, whatever order they come in."""
    return choose(user, memories, count_tokens, rules, today).selection
