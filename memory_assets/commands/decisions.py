"""What somebody has decided about a user's memories, whatever it was about, and the one way back.

An edit of a file, a merged or split name, a removed source, a resolved contradiction, a consolidation: each is a
decision with a day, what it is about, why, and an id by which it is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_assets.commands.correcting import check_corrections, correct, take_back
from memory_assets.commands.sources import restore_source
from memory_assets.consolidation import carrying_out
from memory_assets.edits.store import undo_edit
from memory_assets.entities.people import Names
from memory_assets.entities.policy import statement_id
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph import decisions as stored
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import project_of
from memory_assets.keys.policy import COMMAND_LINE, PAGE
from memory_assets.model import Resolution, SourceType, reference
from memory_assets.privacy.masking import mask_text
from memory_assets.settings import Settings
from memory_assets.sources.formats.memory_lines import OWNER, Line
from memory_assets.sources.store import store_lines
from memory_assets.validity import decisions as contradictions
from memory_assets.validity import doubts
from memory_assets.validity.decisions import names_of


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


def list_decisions(graph: Graph, user: str) -> list[Decision]:
    """What was decided about a user's memories and can be taken back, the latest first."""
    return [Decision(**row) for row in stored.list_decisions(graph, user)]


def resolve(
    graph: Graph,
    settings: Settings,
    user: str,
    identifier: str,
    resolution: Resolution,
    note: str,
    agent: str = COMMAND_LINE,
    *,
    text: str = "",
) -> dict[str, Any]:
    """Decide a contradiction; ``note`` says why. A ``text`` that merges both, without one the note, becomes a source of
    the owner's, as an edited line does. What loses to what ``agent`` holds against it is corrected by that. The owner's
    lock is held.

    Returns it with the references of what is ``superseded`` and of what holds instead (``ref``), and the ``audit_id``.
    """
    now, text = settings.clock.now(), text.strip() or note
    found = contradictions.find_open(graph, user, identifier)
    if found.get("is_doubt"):
        return _settle(graph, settings, user, found, resolution, note, agent, text)
    if resolution is Resolution.MERGED and agent not in (COMMAND_LINE, PAGE):
        raise contradictions.ContradictionError(
            "What merges both would be its owner's own word, and no agent's. Settle it with a_wins, b_wins or "
            "both_valid, or correct one of the two."
        )

    def store(text: str) -> tuple[str, str]:
        line = Line(1, text)
        both = [found["one_id"], found["other_id"]]
        project = project_of(graph, user, readable_owners(graph, user), both)
        path = f"memory-assets contradictions resolve {identifier}"
        stored = store_lines(
            graph, user, SourceType.FILE_EDIT, "a contradiction", now, [line], path=path, now=now, project=project
        )
        return stored.source_id, statement_id(user, OWNER, stored.lines[0].text)

    done = contradictions.resolve(graph, user, identifier, resolution, note, now, store, text)
    return done | _outcome(found, resolution, reference(done["merged_id"]) if done["merged_id"] else None)


def _outcome(found: Mapping[str, Any], resolution: Resolution, merged: str | None) -> dict[str, Any]:
    """Which references lose, and which one holds."""
    one, other = found["one_ref"], found["other_ref"]
    losing, holds = {
        Resolution.A_WINS: ([other], one),
        Resolution.B_WINS: ([one], other),
        Resolution.MERGED: ([one, other], merged),
    }.get(resolution, ([], None))
    return {"superseded": [ref for ref in losing if ref], "ref": holds}


def _settle(
    graph: Graph,
    settings: Settings,
    user: str,
    found: dict[str, Any],
    resolution: Resolution,
    note: str,
    agent: str,
    text: str,
) -> dict[str, Any]:
    if resolution is Resolution.MERGED and not text.strip():
        raise contradictions.ContradictionError(contradictions.NO_TEXT)
    said = text if resolution is Resolution.MERGED else None  # what holds of both is said once
    losing = _outcome(found, resolution, None)["superseded"]
    corrections = [(ref, said if place == 0 else None) for place, ref in enumerate(losing)]
    check_corrections(graph, settings, user, corrections, agent)  # both are corrected, or neither is
    reason = note or f"{resolution.value}: {found['kind']}"
    made = [
        correct(graph, settings, user, ref, text=instead, reason=reason, agent=agent, is_locked=True)
        for ref, instead in corrections
    ]
    row, now = doubts.find(graph, user, found["id"]) or {}, settings.clock.now()
    audits = [done.audit_id for done in made]
    graph.write_together(doubts.settled(user, row, resolution.value, mask_text(reason), audits, now))
    outcome = _outcome(found, resolution, made[0].ref if made else None)
    return found | outcome | {"audit_id": doubts.audit_id_of(found["id"], resolution.value, now)}


def reopen(graph: Graph, settings: Settings, user: str, found: Mapping[str, Any], agent: str = COMMAND_LINE) -> None:
    """Open a settled contradiction (:func:`validity.decisions.find_settled`) again. The owner's lock is held."""
    if found.get("is_doubt"):
        _undo_doubt(graph, settings, user, found["decision"], agent)
    else:
        contradictions.undo(graph, user, found["decision"], settings.clock.now())


def _undo_doubt(graph: Graph, settings: Settings, user: str, identifier: str, agent: str = COMMAND_LINE) -> None:
    """Open it again; what was corrected by it is taken back first."""
    row = doubts.find(graph, user, identifier)
    if row is None:
        raise UnknownReferenceError(f"The memory that {identifier!r} is about is gone: there is nothing to settle.")
    for audit_id in row["made"]:
        if stored.find_corrections(graph, user, audit_id):
            take_back(graph, settings, user, audit_id, agent, is_locked=True)
    graph.write_together(doubts.settled(user, row, doubts.OPEN, "taken back", (), settings.clock.now()))


def undo(graph: Graph, settings: Settings, user: str, identifier: str) -> Decision:
    """Take a decision back, named by its id or the first digits of that, or by those of the contradiction that it
    settles; the decision as it was.

    Raises :class:`UnknownReferenceError` where no decision, or more than one, is named so.
    """
    key, listed = identifier.strip("[]"), list_decisions(graph, user)
    found = [one for one in listed if key in one.names]
    if not found and (settled := contradictions.find_settled(graph, user, key)):
        found = [one for one in listed if one.id == settled["decision"]]
    if len(found) != 1:
        raise UnknownReferenceError(
            f"{'Several decisions' if found else 'No decision'} of {user} {'have' if found else 'has'} the id "
            f"{identifier!r}: `memory-assets decisions --user {user}` lists them in full with --json."
        )
    (one,) = found
    _UNDO[one.kind](graph, settings, user, one.id)
    return one


def _undo_edit(graph: Graph, settings: Settings, user: str, identifier: str) -> object:
    from memory_assets.automation.editing import KINDS  # with Dagster, which a list of decisions need not wait for

    return undo_edit(graph, user, identifier, settings.clock.now(), KINDS)


_UNDO: Mapping[str, Callable[[Graph, Settings, str, str], object]] = {
    stored.EDIT: _undo_edit,
    stored.TASK: _undo_edit,
    stored.NAME: lambda graph, settings, user, one: Names(graph, settings.clock, user).take_back(one),
    stored.SOURCE: lambda graph, settings, user, one: restore_source(graph, settings.clock, user, one),
    stored.CONSOLIDATION: lambda graph, settings, user, one: carrying_out.undo(graph, user, one, settings.clock.now()),
    stored.CORRECTION: lambda graph, settings, user, one: take_back(
        graph, settings, user, one, COMMAND_LINE, is_locked=True
    ),
    stored.DOUBT: _undo_doubt,
    stored.CONTRADICTION: lambda graph, settings, user, one: contradictions.undo(
        graph, user, one, settings.clock.now()
    ),
}
"""What a kind of decision moves when it is taken back; what is written of the decision is the same for all."""
