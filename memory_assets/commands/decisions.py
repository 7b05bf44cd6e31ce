"""What somebody has decided about a user's memories, whatever it was about, and the one way back.

An edit of a file, a merged or split name, a removed source, a resolved contradiction, a consolidation: each is a
decision with a day, what it is about, why, and an id by which it is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memory_assets.automation.editing import KINDS
from memory_assets.commands.correcting import taken_back
from memory_assets.commands.runs import COMMAND_LINE
from memory_assets.commands.sources import restore_source
from memory_assets.consolidation import carrying_out
from memory_assets.edits.store import undo_edit
from memory_assets.entities.people import Names
from memory_assets.entities.policy import statement_id
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph import decisions as stored
from memory_assets.graph.graph import Graph
from memory_assets.model import SourceType
from memory_assets.settings import Settings
from memory_assets.sources.formats.memory_lines import OWNER, Line
from memory_assets.sources.store import store_lines
from memory_assets.validity import decisions as contradictions
from memory_assets.validity.decisions import names_of
from memory_assets.validity.policy import Resolution


@dataclass(frozen=True)
class Decision:
    """Somebody's decision: ``kind`` is what it is about, ``what`` was decided, ``about`` the words or names that it is
    about, ``at`` an instant (ISO 8601), ``why`` in words.
    """

    id: str
    kind: str
    what: str
    about: str
    at: str
    why: str

    @property
    def names(self) -> set[str]:
        """What it is named by."""
        return names_of(self.id)

    @property
    def short(self) -> str:
        """The shortest of these, as lists show it."""
        return min(self.names, key=len)

    def as_json(self) -> dict[str, str]:
        """As the command line prints it."""
        return asdict(self)


def list_decisions(graph: Graph, user: str) -> list[Decision]:
    """What was decided about a user's memories and can be taken back, the latest first."""
    return [Decision(**row) for row in stored.list_decisions(graph, user)]


def resolve(
    graph: Graph, settings: Settings, user: str, identifier: str, resolution: Resolution, note: str
) -> dict[str, Any]:
    """Decide a contradiction; a note that merges both becomes a source of the owner's, as an edited line does."""
    now = settings.clock.now()

    def store(text: str) -> tuple[str, str]:
        line = Line(1, text)
        path = f"memory-assets contradictions resolve {identifier}"
        stored = store_lines(graph, user, SourceType.FILE_EDIT, "a contradiction", now, [line], path=path, now=now)
        return stored.source_id, statement_id(user, OWNER, stored.lines[0].text)

    return contradictions.resolve(graph, user, identifier, resolution, note, now, store)


def undo(graph: Graph, settings: Settings, user: str, identifier: str) -> Decision:
    """Take a decision back, named by its id or the first digits of that; the decision as it was.

    Raises :class:`UnknownReferenceError` where no decision, or more than one, is named so.
    """
    found = [one for one in list_decisions(graph, user) if identifier.strip("[]") in one.names]
    if len(found) != 1:
        raise UnknownReferenceError(
            f"{'Several decisions' if found else 'No decision'} of {user} {'have' if found else 'has'} the id "
            f"{identifier!r}: `memory-assets decisions --user {user}` lists them in full with --json."
        )
    (one,) = found
    _UNDO[one.kind](graph, settings, user, one.id)
    return one


def _undo_edit(graph: Graph, settings: Settings, user: str, identifier: str) -> object:
    return undo_edit(graph, user, identifier, settings.clock.now(), KINDS)


_UNDO: Mapping[str, Callable[[Graph, Settings, str, str], object]] = {
    stored.EDIT: _undo_edit,
    stored.TASK: _undo_edit,
    stored.NAME: lambda graph, settings, user, one: Names(graph, settings.clock, user).take_back(one),
    stored.SOURCE: lambda graph, settings, user, one: restore_source(graph, settings.clock, user, one),
    stored.CONSOLIDATION: lambda graph, settings, user, one: carrying_out.undo(graph, user, one, settings.clock.now()),
    stored.CORRECTION: lambda graph, settings, user, one: taken_back(graph, settings, user, one, COMMAND_LINE),
    stored.CONTRADICTION: lambda graph, settings, user, one: contradictions.undo(
        graph, user, one, settings.clock.now()
    ),
}
"""What a kind of decision moves when it is taken back; what is written of the decision is the same for all."""


def as_rows(decisions: list[Decision]) -> list[tuple[Any, ...]]:
    """Lines of a table: id, day, kind, what, about, why."""
    return [(one.short, one.at[:10], one.kind, one.what, one.about, one.why) for one in decisions]
