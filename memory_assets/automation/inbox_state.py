"""What the sensor on the inbox remembers from tick to tick, and what it decides from that. Pure.

The memory is the sensor's cursor, which has to stay small: one digest per group of owners whose inboxes are known
to be read, and an entry for each owner for whom a run was asked. An owner belongs to one of 128 groups for good.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from memory_assets.model import fingerprint

GROUPS = 128

PAUSES = (0.0, 60.0, 600.0)
LONG_PAUSE = 3600.0
"""Seconds after a first, second, third run in a row that left an unchanged inbox unread; then every hour."""


class Asked(NamedTuple):
    """A run was asked for an inbox with this ``digest``, for the ``tries``-th time in a row.

    ``due`` is None until that run has ended and was found to have left something; then the time of the next try,
    in seconds since 1970.
    """

    digest: str
    tries: Annotated[int, Field(ge=1)]
    due: float | None = None


@dataclass(frozen=True)
class InboxState:
    """``read``: per group, the digest of those of its owners whose inboxes hold nothing unread; ``asked``: the others.

    ``next_group`` is where a tick that ran out of time left off; ``reported`` the digest of the troubles that were
    written into the log, so that one that lasts is not written into it with every tick.
    """

    read: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, Asked] = field(default_factory=dict)
    next_group: str = ""
    reported: str = ""


_CURSOR = TypeAdapter(tuple[Literal[1], InboxState])
"""With the number of its form before it."""


def load_state(cursor: str | None) -> InboxState | None:
    """The state that a cursor holds, the first one where there is none; None for a cursor that nobody can read."""
    if not cursor:
        return InboxState()
    try:
        return _CURSOR.validate_json(cursor)[1]
    except ValueError:
        return None


def dump_state(state: InboxState) -> str:
    """The state as a cursor."""
    return json.dumps(_CURSOR.dump_python((1, state), mode="json"), sort_keys=True, separators=(",", ":"))


def group_of(owner: str) -> str:
    """The group that an owner belongs to, whatever other owners there are."""
    return f"{hashlib.sha256(owner.encode()).digest()[0] % GROUPS:02x}"


def in_turn(state: InboxState, owners: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The groups with their owners, from where the last tick left off."""
    groups: dict[str, list[str]] = {}
    for owner in sorted(owners):
        groups.setdefault(group_of(owner), []).append(owner)
    return sorted(groups.items(), key=lambda item: (item[0] < state.next_group, item[0]))


def choose_doubtful(state: InboxState, group: str, digests: Mapping[str, str], now: float) -> list[str]:
    """The owners of a group of whom ``digests`` of their inboxes do not show that nothing is unread.

    Who waits for the next try of an unchanged inbox is not among them.
    """
    others = {owner: digest for owner, digest in digests.items() if owner not in state.asked}
    doubtful = set(others) if state.read.get(group, "") != _summary(others) else set()
    for owner, digest in digests.items():
        entry = state.asked.get(owner)
        if entry is not None and (entry.digest != digest or not _pauses(entry, now)):
            doubtful.add(owner)
    return sorted(doubtful)


def decide_group(
    state: InboxState, group: str, digests: Mapping[str, str], unread: Mapping[str, bool], now: float
) -> tuple[InboxState, list[str]]:
    """The state after a look at a group, and the owners for whom a run is to be asked.

    ``digests`` are those of all its owners, ``unread`` says of each doubtful one whether its inbox holds what no
    ingestion knows.
    """
    asked = {owner: entry for owner, entry in state.asked.items() if group_of(owner) != group or owner in digests}
    wanted: list[str] = []
    for owner in sorted(unread):
        digest, before = digests[owner], asked.pop(owner, None)
        if not unread[owner]:
            continue
        if before is None or before.digest != digest:
            asked[owner] = Asked(digest, 1)
            wanted.append(owner)
        elif before.due is None and (pause := pause_after(before.tries)) > 0:
            asked[owner] = before._replace(due=now + pause)
        else:
            asked[owner] = Asked(digest, before.tries + 1)
            wanted.append(owner)
    others = {owner: digest for owner, digest in digests.items() if owner not in asked}
    read = {name: digest for name, digest in state.read.items() if name != group}
    if others:
        read[group] = _summary(others)
    return replace(state, read=read, asked=asked), wanted


def without_the_gone(state: InboxState, owners: Iterable[str]) -> InboxState:
    """The state without owners, and groups of owners, who have no inbox any more."""
    there = set(owners)
    groups = {group_of(owner) for owner in there}
    return replace(
        state,
        read={group: digest for group, digest in state.read.items() if group in groups},
        asked={owner: entry for owner, entry in state.asked.items() if owner in there},
    )


def run_key(state: InboxState, owners: Iterable[str]) -> str:
    """The key of one run for ``owners``, who are all asked for: the same when the same is asked again."""
    asked = ((owner, state.asked[owner]) for owner in sorted(owners))
    return f"inbox:{fingerprint(*(part for owner, one in asked for part in (owner, one.digest, one.tries)))}"


def pause_after(tries: int) -> float:
    """Seconds to wait after the ``tries``-th run in a row that left an unchanged inbox unread."""
    return PAUSES[tries - 1] if tries <= len(PAUSES) else LONG_PAUSE


def _pauses(entry: Asked, now: float) -> bool:
    # A machine's clock that was set back must not make a pause of days.
    return entry.due is not None and now < entry.due <= now + LONG_PAUSE


def _summary(digests: Mapping[str, str]) -> str:
    """48 bits of all inboxes of some owners; the empty text of nobody's."""
    if not digests:
        return ""
    whole = hashlib.sha256(json.dumps(sorted(digests.items())).encode()).digest()
    return base64.urlsafe_b64encode(whole[:6]).decode()
