"""Who may read a source, by its sensitivity (specification 004, Sensitivity Field: access control only, default
normal).

A user's own source is read by that user alone. A team's is read by its members; one of high sensitivity only by
those who took part in it, by their user id or a name of their profile in full. What was masked doesn't raise it; a
source that was removed is read by nobody. ``cypher/fragments/may_read.cypher`` is the rule; here are the keys by
which it knows people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_assets.model import Sensitivity, is_team

LOW, NORMAL, HIGH = (kind.value for kind in Sensitivity)
SENSITIVITIES = (LOW, NORMAL, HIGH)

_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(r"^sensitivity:[ \t]*[\"']?(low|normal|high)[\"']?[ \t]*$", re.M | re.I)
_JSON_FIELD = re.compile(r'(?<!\\)"sensitivity"\s*:\s*"(low|normal|high)"', re.I)


def reader_keys(owner: str, participants: Iterable[str]) -> list[str] | None:
    """The keys of those who took part in a team's source; None for a user's own, which needs no list.

    The graph stores them as ``readers`` while the source's sensitivity is high.
    """
    return sorted(keys_of_all(participants)) if is_team(owner) else None


def keys_of_all(names: Iterable[str]) -> set[str]:
    """The keys of several names."""
    return {key for name in names for key in keys_of(name)}


def keys_of(name: str) -> set[str]:
    """The user ids that fit a name written in full, and the key of the name itself; never a team's key."""
    words = re.findall(r"\w+", name.casefold())
    if not words:
        return set()
    return {name_key(name), *(key for joint in ("", "-", "_") if not is_team(key := joint.join(words)))}


def name_key(name: str) -> str:
    """The key of a name: no user's id, because of its blank."""
    return "name: " + " ".join(re.findall(r"\w+", name.casefold()))


def strictest(values: Iterable[str | None]) -> str:
    """Of several sensitivities the strictest, ``normal`` where none is said."""
    said = [value for value in values if value in SENSITIVITIES]
    return max(said, key=SENSITIVITIES.index, default=NORMAL)


def written_sensitivity(raw_content: str) -> str | None:
    """What a source says of its own sensitivity: in a note's front matter, or in a record's field ``sensitivity``."""
    if "sensitivity" not in raw_content.lower():
        return None
    if front := _FRONT.match(raw_content):
        field = _FRONT_FIELD.search(front[1])
        return field[1].lower() if field else None
    if raw_content.lstrip()[:1] in ("{", "["):
        found = [match[1].lower() for match in _JSON_FIELD.finditer(raw_content)]
        return strictest(found) if found else None
    return None
