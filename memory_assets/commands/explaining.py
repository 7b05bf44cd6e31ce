"""From a reference back to what was said, by whom, where and when, and why it is worth its place; and what has become
of it. Whatever the reference is of: a memory, a record, a name, a periodic task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_assets.commands.reading import open_record
from memory_assets.curation.metadata import read_value
from memory_assets.edits.reports import explain_edit
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.decisions import find_corrections
from memory_assets.graph.graph import Graph
from memory_assets.graph.projects import offered_refs
from memory_assets.heartbeat.registry import explain_task
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.lifecycle.reading import read_life
from memory_assets.memory_file.reports import explain as explain_memory
from memory_assets.notes.reading import explain_subject
from memory_assets.settings import Settings
from memory_assets.validity.reading import relations_of

Row = dict[str, Any]
RECORD, NAME, TASK, MEMORY = "record", "name", "task", "memory"
"""What a reference can be of."""


def explain(
    graph: Graph, settings: Settings, user: str, ref: str, *, agent: str = COMMAND_LINE, session: str = ""
) -> tuple[str, Row]:
    """What the reference is of, and all that is known of it. Of a record that counts the access.

    Raises :class:`UnknownReferenceError` where the user has none.
    """
    now = settings.clock.now()
    value = read_value(graph, settings, user, ref, now)
    if record := open_record(graph, settings, user, ref, agent=agent, session=session):
        return RECORD, record | {"curation": value}
    if subject := explain_subject(graph, user, ref):
        return NAME, subject | {"life": read_life(graph, settings, user, ref, now)}
    if task := explain_task(graph, user, ref):
        return TASK, task
    try:
        found = explain_memory(graph, user, ref, settings)
    except UnknownReferenceError:
        if (edited := explain_edit(graph, user, ref)) is None:
            raise
        found = edited
    known = {
        "validity": relations_of(graph, user, ref),
        "life": read_life(graph, settings, user, ref, now),
        "curation": value,
    }
    return MEMORY, found | {name: one for name, one in known.items() if one}


def history(graph: Graph, user: str, owners: Sequence[str], ref: str) -> list[Row]:
    """What has become of a memory, the earliest first: what it supersedes, is superseded by and contradicts, and what
    agents have corrected. Of other memories those alone that may be shown to these ``owners``.
    """
    rows = relations_of(graph, user, ref)
    for one in find_corrections(graph, user, ref):
        other, how = (one["by_ref"], "corrected by") if one["ref"] == ref else (one["ref"], "corrects")
        corrected = {"relation": how, "ref": other, "at": one["at"], "reason": one["action"], "by": one["agent"]}
        rows.append({name: value for name, value in corrected.items() if value is not None})
    known = offered_refs(graph, user, owners, {row["ref"] for row in rows if "ref" in row})
    shown = [row for row in rows if row.get("ref") is None or row["ref"] in known]
    return sorted(shown, key=lambda row: (row.get("at") or "", row["relation"], row.get("ref") or ""))
