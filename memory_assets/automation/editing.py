"""The kinds of published files that people edit, put together with the engine that takes edits in (``edits/``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.edits import reports, store
from memory_assets.entities.policy import statement_id
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat import edited as heartbeat
from memory_assets.memory_file import edited as memory_file
from memory_assets.memory_file.drafts import changed_files
from memory_assets.memory_file.edit_decisions import Words
from memory_assets.model import SourceType
from memory_assets.runtime.edited_files import HEARTBEAT, MEMORY, EditedFile
from memory_assets.runtime.resources import EditedFiles, Entries, InstallationResource
from memory_assets.settings import Settings
from memory_assets.sources.formats.memory_lines import OWNER, Line
from memory_assets.sources.store import store_lines


def _store_words(
    graph: Graph, settings: Settings, edited: EditedFile, words: Sequence[Words], now: datetime
) -> tuple[str, list[tuple[str, str]]]:
    """New words of an edited MEMORY.md as a source; of each the masked text and the id of its memory."""
    user, path = edited.file.user, edited.file.path
    lines = [Line(one.line, one.text, one.heading) for one in words]
    how: dict[str, Any] = {"path": str(path), "now": now, "project": edited.file.project}
    how |= {"keep_originals": settings.keep_originals}
    stored = store_lines(graph, user, SourceType.FILE_EDIT, path.name, edited.at, lines, **how)
    return stored.source_id, [(line.text, statement_id(user, OWNER, line.text)) for line in stored.lines]


KINDS = {MEMORY: memory_file.file_kind(_store_words), HEARTBEAT: heartbeat.KIND}


class EditedFilesResource(EditedFiles):
    """The edits of MEMORY.md, of the other bounded files, and of HEARTBEAT.md."""

    def find(self, graph: Graph, owners: list[str]) -> list[str]:
        """Those of ``owners`` who have a MEMORY.md that somebody has changed."""
        return list(changed_files(graph, owners))

    def take_in(self, graph: Graph, installation: InstallationResource, owner: str, kind: str) -> list[str]:
        """Raw sources hold no lock: what is taken in with them waits for one. HEARTBEAT.md's own step takes its in."""
        lock = [installation.owner_lock] if kind == MEMORY else []
        return store.take_in(graph, installation.settings, owner, KINDS[kind], *lock)

    def taken_in(self, graph: Graph, installation: InstallationResource, owner: str, kind: str) -> set[str]:
        """The digests of these files' texts, of those all of whose words are in the graph."""
        return store.taken_in(graph, installation.settings, owner, KINDS[kind])

    def check(self, graph: Graph, installation: InstallationResource, owner: str, path: Path, entries: Entries) -> None:
        """Raise where a draft of ``entries`` does not answer all that was written into a MEMORY.md."""
        store.check_taken_in(graph, installation.settings, owner, KINDS[MEMORY], path, entries)

    def conflicts(self, graph: Graph, owner: str, kind: str) -> list[dict[str, str]]:
        """What edits and the graph don't agree on, with both texts."""
        return reports.list_conflicts(graph, owner, kind, KINDS[kind].doubts)
