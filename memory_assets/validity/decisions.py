"""What people decide about statements that contradict each other, and taking it back.

A decision outlives the statements: these follow from the sources, and what is decided about them holds again when they
come back. Its statements wait for the next judgement, which goes by the decision too. Whoever writes holds the owner's
lock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.graph.decisions import CONTRADICTION, decision_row, recorded
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import source_mark
from memory_assets.graph.projects import offered
from memory_assets.graph.retirement import removal_rows
from memory_assets.model import Resolution, node_id
from memory_assets.privacy.masking import mask_text
from memory_assets.text.words import content_words
from memory_assets.validity import doubts, policy

SHORT = 8
"""So many digits of an id are shown, and suffice to name it."""
A_PERSON = "a person"
"""Who has judged what follows from a decision."""
_KNOWN = ("id", "kind", "probability", "why", "judged_by", "found_at", "one_id", "other_id")
"""What is known of a contradiction: with it, it can be opened again."""


NO_TEXT = "Say what holds of both: the text takes the place of both."
Store = Callable[[str], tuple[str, str]]
"""Stores a text as a source of the owner's; gives the source's id, and that of the statement that it makes."""


class ContradictionError(WrongUseError):
    """A contradiction cannot be resolved so."""


def open_contradictions(
    graph: Graph, user: str, owners: Sequence[str] = (), of: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The contradictions of a user that nobody has resolved: what each of two statements says, who said it, when; and
    what agents hold against statements and records (``is_doubt``). Of those in a project whose key is among ``owners``;
    only those in which some memories are (``of``, by id), where these are given.
    """
    if of is None:
        first = {row["id"] for row in graph.read("validity/list_disputed", user_id=user)}
    else:
        disputing = graph.read("validity/list_disputing", user_id=user, ids=sorted(of)) if of else []
        first = {*of, *(row["id"] for row in disputing)}
    between = graph.read("validity/list_contradictions", user_id=user, ids=sorted(first)) if first else []
    return _offered(graph, user, owners, [*doubts.list_open(graph, user, of), *between])


def settled_contradictions(graph: Graph, user: str, owners: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Those that somebody has settled, in the same shape, each with its ``resolution`` and the ids of its ``decision``
    and its audit. What has no words any more says none.
    """
    decided = graph.read("validity/list_settled", user_id=user)
    between = [{name: json.loads(row["before"])[name] for name in _KNOWN} | row for row in decided]
    return _offered(graph, user, owners, [*doubts.list_settled(graph, user), *between])


def _offered(graph: Graph, user: str, owners: Sequence[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    allowed = offered(graph, user, owners, {name for row in rows for name in ends_of(row)})
    return [row for row in rows if allowed.issuperset(ends_of(row))]


def find_settled(graph: Graph, user: str, name: str, owners: Sequence[str] = ()) -> dict[str, Any] | None:
    """One of these, by its id, that of its decision or of its audit, or the first digits of these."""
    rows = settled_contradictions(graph, user, owners)
    found = [
        row for row in rows if name in {*names_of(row["id"]), *names_of(row["decision"]), *names_of(row["audit_id"])}
    ]
    return found[0] if len(found) == 1 else None


def is_about(row: dict[str, Any], name: str) -> bool:
    """Whether a contradiction is about a memory, by its reference, or about what has a name: one of its statements says
    the name, or is by whom it names.
    """
    if name.strip("[]") in (row["one_ref"], row["other_ref"]):
        return True
    said = " ".join(row[field] or "" for side in ("one", "other") for field in (side, f"{side}_speaker"))
    return bool(wanted := content_words(name)) and wanted <= content_words(said)


def ends_of(row: dict[str, Any]) -> list[str]:
    """The memories that a contradiction is between; one, where it is said to be wrong."""
    return [row[name] for name in ("one_id", "other_id") if row[name]]


def find_open(graph: Graph, user: str, identifier: str, owners: Sequence[str] = ()) -> dict[str, Any]:
    """One of these, by its id or the first digits of that; raises :class:`UnknownReferenceError` where none is so."""
    return _one(open_contradictions(graph, user, owners), identifier, user)


def resolve(
    graph: Graph,
    user: str,
    identifier: str,
    resolution: Resolution,
    note: str,
    now: datetime,
    store: Store | None = None,
    text: str = "",
) -> dict[str, Any]:
    """Decide a contradiction, named by its id or the first digits of that; ``note`` says why.

    ``store`` takes the ``text`` that both are merged into: it becomes a statement of the owner's by the next run, and
    both are superseded by that. Returns it with the ``audit_id``, and the ``merged_id`` of that statement. Raises
    :class:`UnknownReferenceError` where none is open under that name, :class:`ContradictionError` where a text is
    needed.
    """
    found = find_open(graph, user, identifier)
    note, text, merged_id, source_id = mask_text(note.strip()), mask_text(text.strip()), "", None
    if resolution is Resolution.MERGED:
        if not text or store is None:
            raise ContradictionError(NO_TEXT)
        source_id, merged_id = store(text)
    decision = policy.Decision(found["one_id"], found["other_id"], resolution, note, to_iso(now) or "", merged_id)
    made = policy.decided(decision, {found["one_id"]: found["one"], found["other_id"]: found["other"]})
    by = {"judged_by": A_PERSON, "found_at": to_iso(now)}
    changes = [asdict(one) | by | {"id": node_id("change", user, one.later_id, one.earlier_id)} for one in made]
    about = f"a: {found['one']} / b: {found['other']}"
    row = _decision(user, decision, {name: found[name] for name in _KNOWN}, about) | {"source_id": source_id}
    link = Statement("validity/link_changes", {"rows": changes, "user_id": user})
    graph.write_together([*recorded(user, [row], now), *_replaced(user, decision, link, now)])
    return found | {"audit_id": row["audit_id"], "merged_id": merged_id}


def read_decisions(graph: Graph, user: str) -> dict[str, tuple[policy.Decision, dict[str, Any]]]:
    """What people have decided about a user's contradictions and holds, by id, each with all that is stored of it."""

    def decided(row: dict[str, Any]) -> policy.Decision:
        what = Resolution(row["resolution"]), row["note"] or "", row["at"], row["merged_id"] or ""
        return policy.Decision(row["one_id"], row["other_id"], *what)

    return {row["id"]: (decided(row), row) for row in graph.read("validity/list_resolutions", user_id=user)}


def undo(graph: Graph, user: str, identifier: str, now: datetime) -> None:
    """Take a decision back, by its id: its contradiction is open again, and the source of the text that both were
    merged into is removed.
    """
    decision, row = read_decisions(graph, user)[identifier]
    before = json.loads(row["before"])
    link = Statement("validity/link_contradictions", {"rows": [before], "user_id": user})
    undone = _decision(user, decision, before, row["about"], undone_at=now)
    sources = [row["source_id"]] if row["source_id"] else []
    gone = removal_rows(user, sources, "the decision was taken back", now, "undo")
    removed = cuts("set_sources_removed", gone, user=user, now=now)
    graph.write_together([*recorded(user, [undone], now), *removed, *_replaced(user, decision, link, now)])


def _decision(
    user: str, decision: policy.Decision, before: dict[str, Any], about: str, undone_at: datetime | None = None
) -> dict[str, Any]:
    """A decision as it is stored, or as taken back."""
    identifier, action = node_id("decision", user, before["id"]), decision.resolution.value
    what = f"resolve-{action}" if undone_at is None else "undo-resolve"
    snapshot = json.dumps(before, ensure_ascii=False, sort_keys=True)
    row = {"id": identifier, "memory_id": decision.one_id, "other_id": decision.other_id, "action": action}
    row |= {"merged_id": decision.merged_id, "at": decision.at, "reason": decision.note}
    row |= {"audit_id": node_id("audit", identifier, what, to_iso(undone_at) or decision.at), "audit_action": what}
    row |= {"before": snapshot, "snapshot": snapshot}
    return decision_row(CONTRADICTION, row, about, in_force=undone_at is None)


def _replaced(user: str, decision: policy.Decision, link: Statement, now: datetime) -> Iterable[Statement]:
    """What was said of a decision's statements goes, something else comes; all wait for the next judgement, which is
    due.
    """
    ends = [sorted(pair) for pair in decision.pairs if len(pair) > 1]
    waiting = [{"id": name, "waits": True, "is_judged": False} for name in sorted(decision.ids)]
    return (
        *(Statement("validity/unlink_pair", {"user_id": user, "one_id": a, "other_id": b}) for a, b in sorted(ends)),
        link,
        Statement("validity/set_validity", {"rows": waiting, "user_id": user}),
        source_mark(user, now),
    )


def _one(rows: list[dict[str, Any]], identifier: str, user: str) -> dict[str, Any]:
    found = [row for row in rows if identifier in names_of(row["id"])]
    if len(found) != 1:
        raise UnknownReferenceError(
            f"No contradiction of {user} has the id {identifier!r}: `memory-assets contradictions --user {user}` lists "
            "them."
        )
    return found[0]


def names_of(identifier: str) -> set[str]:
    """What an id is named by: itself, and the first digits of it, which lists show."""
    return {identifier, (identifier.partition(":")[2] or identifier)[:SHORT]}
