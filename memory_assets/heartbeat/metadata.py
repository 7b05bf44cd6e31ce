"""What people look at on heartbeat_file: the file, its budget, how many tasks it names and how many it counts."""

from __future__ import annotations

from typing import Any

from memory_assets.heartbeat.heartbeat_file import PublishedHeartbeat
from memory_assets.heartbeat.render import BUDGET
from memory_assets.presentation.reports import Markdown, bar, markdown_table


def describe_heartbeat(done: PublishedHeartbeat) -> dict[str, Any]:
    """A publication: its figures, and the text itself."""
    heartbeat, registry = done.heartbeat, done.registry
    deferred = registry.active - registry.quick
    rows = [
        {"tasks": "quick, in full", "in the file": heartbeat.quick_shown, "of": registry.quick},
        {"tasks": "deferred, by id and hash", "in the file": heartbeat.deferred_shown, "of": deferred},
        {"tasks": "idle", "in the file": 0, "of": registry.tasks - registry.active},
    ]
    return {
        "path": done.path,
        "publication": done.published.status,
        "edited_copy": done.published.edited_copy or "none",
        "tokens": heartbeat.tokens,
        "budget": BUDGET,
        "budget_use": bar(heartbeat.tokens, BUDGET),
        "tasks": registry.tasks,
        "registry_hash": registry.hash,
        "shown": markdown_table(["tasks", "in the file", "of"], rows),
        "heartbeat": Markdown(heartbeat.text or "(no task is active, so there is nothing to load)"),
    }
