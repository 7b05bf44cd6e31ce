"""What people have written into a user's files, taken in before anything is made anew: a source, and decisions.

First the source (none where words are only gone), through the door of all sources; then, in one transaction, what the edit decides and that this state
of the file is taken in. A stop in between is repaired by the next run: the same words give the same source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime

from memory_assets.entities.policy import statement_id
from memory_assets.graph.graph import Graph
from memory_assets.memory_file.drafts import changed_files
from memory_assets.memory_file.edit_decisions import Told, decide, plan_edit
from memory_assets.memory_file.edit_store import Edited, find_edited, list_edits, missing_memories, record_edit
from memory_assets.memory_file.render import HEADINGS
from memory_assets.memory_file.user_files import user_files
from memory_assets.model import SourceType, is_team
from memory_assets.runtime.resources import EditedFiles, InstallationResource
from memory_assets.settings import Settings
from memory_assets.sources.cleaning import clean_text
from memory_assets.sources.formats.memory_lines import OWNER, Line
from memory_assets.sources.told_lines import StoredLines, store_lines


class EditedFilesResource(EditedFiles):
    """The edits of MEMORY.md and of the other bounded files."""

    def find(self, graph: Graph, owners: list[str]) -> list[str]:
        """Those of ``owners`` who have a published file that somebody has changed."""
        return list(changed_files(graph, owners))

    def take_in(self, graph: Graph, installation: InstallationResource, owner: str) -> list[str]:
        """Take in every edit of the owner's files; a sentence about each file that was edited."""
        return collect_edits(graph, installation.settings, owner, installation.owner_lock)


def collect_edits(
    graph: Graph, settings: Settings, user: str, lock: Callable[[str], AbstractContextManager[None]]
) -> list[str]:
    """Take in every edit of the user's files; a sentence about each file that was edited. Teams have no files.

    ``lock`` is held while something is taken in: nobody publishes meanwhile.
    """
    if is_team(user):
        return []
    files = user_files(graph, settings, user)
    if not any(find_edited(graph, file) for file in files):
        return []
    with lock(user):
        edited = [found for file in files if (found := find_edited(graph, file))]
        return [_take_in(graph, settings, found) for found in edited]


def _take_in(graph: Graph, settings: Settings, edited: Edited) -> str:
    user, edit, now = edited.file.user, edited.edit, settings.clock.now()
    if not edit:
        record_edit(graph, edited, [], now)
        return f"{edited.file.path} was edited: no words changed."
    known = list_edits(graph, user)
    plan = plan_edit(edit, known, HEADINGS)
    told = [one for one in plan.told if clean_text(one.text)]
    at = min(edited.at, now)
    stored = _store(graph, settings, edited, told, at, now) if told else None
    # What is kept of a line is what its source keeps: without secrets.
    lines = stored.lines if stored else ()
    masked = [replace(one, text=line.text) for one, line in zip(told, lines, strict=True)]
    ids = [statement_id(user, OWNER, one.text) for one in masked]
    rows = decide(
        user,
        edit,
        replace(plan, told=tuple(masked)),
        ids,
        source_id=stored.source_id if stored else None,
        path=str(edited.file.path),
        at=at,
        known=known,
        missing=missing_memories(graph, user, edit),
        outdated=edited.outdated,
    )
    record_edit(graph, edited, rows, now)
    counts = (
        (len(edit.added), "added"),
        (len(edit.changed), "changed"),
        (len(edit.removed), "removed"),
        (len(edit.vanished), "gone at once, to be confirmed"),
    )
    happened = ", ".join(f"{number} {what}" for number, what in counts if number)
    return f"{edited.file.path} was edited: {happened}. `memory-assets edits --user {user}` tells what became of it."


def _store(
    graph: Graph, settings: Settings, edited: Edited, told: Sequence[Told], at: datetime, now: datetime
) -> StoredLines:
    return store_lines(
        graph,
        edited.file.user,
        SourceType.FILE_EDIT,
        edited.file.path.name,
        at,
        [Line(one.line, one.text, one.heading) for one in told],
        path=str(edited.file.path),
        now=now,
        keep_originals=settings.keep_originals,
    )
