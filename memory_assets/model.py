"""The words of the house as types: kinds, tiers, ids, owners. Imports nothing of ours but errors.

Ids derive from owner, kind and content, never from time, place or run: the same inbox gives the same
graph, whichever run ingests it, in whatever order and however often.
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum

from memory_assets.errors import OwnerNameError

TEAM_PREFIX = "team-"
OWNER_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class SourceType(StrEnum):
    """What a source is (specification 004, Phase 0, ``source_type``; here by the command line's names)."""

    CONVERSATION = "conversation"
    EMAIL = "email"
    SLACK = "slack"
    TRANSCRIPT = "transcript"
    NOTE = "note"
    RECORD = "record"
    MEMORY_FILE = "memory-file"
    FILE_EDIT = "file-edit"


class ProcessingStatus(StrEnum):
    """How far a source has come (004, Status Flow)."""

    RAW = "raw"
    PROCESSED = "processed"
    EXTRACTED = "extracted"
    FAILED = "failed"


class State(StrEnum):
    """The life of a memory (004, Memory Lifecycle)."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    CORE = "core"
    ARCHIVED = "archived"


class AccessKind(StrEnum):
    """What became of a memory that somebody used (003, usage; 004, Salience Updates)."""

    RETRIEVED = "retrieved"
    INJECTED = "injected"
    CITED = "cited"
    IGNORED = "ignored"
    WRONG = "wrong"


class Granularity(StrEnum):
    """How closely a question is answered (004, Retrieval Granularity Controls: 1, 2, 3)."""

    SAID = "said"
    STORYLINES = "storylines"
    THEMES = "themes"


class Visibility(StrEnum):
    """Where a memory is offered unasked: in all projects of its user, or in its own."""

    USER = "user"
    PROJECT = "project"


class Sensitivity(StrEnum):
    """Who may read a source (004, Sensitivity Field); ``privacy.access`` decides by it."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class ContentType(StrEnum):
    """What a statement is about (000, Enhanced CompressedContext Node)."""

    PREFERENCE = "preference"
    TASK = "task"
    INSIGHT = "insight"
    CHITCHAT = "chitchat"


class MemoryType(StrEnum):
    """What an agent remembers (003, memory types)."""

    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    ERROR_FIX = "error_fix"
    WORKFLOW = "workflow"
    PATTERN = "pattern"
    EPISODE = "episode"


class Resolution(StrEnum):
    """What a person decides about two statements that contradict each other, of which ``a`` is the earlier (003)."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_VALID = "both_valid"
    MERGED = "merged"
    """Both hold together as the person's note says, which becomes a statement of the owner's."""


class Agent(StrEnum):
    """An agent whose configuration is known."""

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    CODEX = "codex"
    OPENCLAW = "openclaw"


class RetentionTier(StrEnum):
    """The verdict on a value score (000, ValueClassification Node)."""

    KEEP = "KEEP"
    SUMMARIZE = "SUMMARIZE"
    ARCHIVE = "ARCHIVE"


RECORD_KINDS = (
    *("Belief", "Reflection", "Task", "Analysis", "Recommendation", "Synthesis", "Notification"),
    *("SessionContext", "MemoryEntry"),
)
"""What agents record, by the labels of the memories that these become (001, TTL Rules and tiers)."""
OPEN_TASK = "open task"
"""What a record of something that is still to be done is recorded as; any other is recorded as its type."""
TIERED_KINDS = frozenset({"Belief", "Reflection", "Analysis", "Recommendation", "Synthesis", "MemoryEntry"})
"""Those that have a tier (001, Tier rules)."""


class Tier(StrEnum):
    """How near at hand a record is (001, Tier rules)."""

    HOT = "HOT"
    WARM = "WARM"
    COLD = "COLD"
    ARCHIVE = "ARCHIVE"


def check_user(name: str) -> str:
    """Return ``name`` if it can be a user's id, else raise :class:`OwnerNameError` that says why."""
    if not OWNER_NAME.fullmatch(name):
        raise OwnerNameError(f"{name!r} cannot be a user id: use 1 to 64 characters of a-z, 0-9, '_' and '-'.")
    if name.startswith(TEAM_PREFIX):
        raise OwnerNameError(
            f"{name!r} cannot be a user id: names that start with {TEAM_PREFIX!r} are the teams' "
            f"(use --team {name.removeprefix(TEAM_PREFIX) or 'NAME'})."
        )
    return name


def check_team(name: str) -> str:
    """Return ``name`` if it can be a team's id, else raise :class:`OwnerNameError` that says why."""
    if not OWNER_NAME.fullmatch(name):
        raise OwnerNameError(f"{name!r} cannot be a team id: use 1 to 64 characters of a-z, 0-9, '_' and '-'.")
    return name


def team_owner(team: str) -> str:
    """The owner of a team's shared sources, as stored in ``user_id``: ``team-<team>``."""
    return TEAM_PREFIX + check_team(team)


def is_team(owner: str) -> bool:
    """Whether an owner key names a team."""
    return owner.startswith(TEAM_PREFIX)


def check_owner(name: str) -> str:
    """Return ``name`` if it can be an owner's key, a user's or a team's; else raise :class:`OwnerNameError`."""
    return team_owner(name.removeprefix(TEAM_PREFIX)) if is_team(name) else check_user(name)


def can_own(name: str) -> bool:
    """Whether a folder or a partition, which anybody may add by hand under any name, can be an owner's."""
    try:
        check_owner(name)
    except OwnerNameError:
        return False
    return True


def fingerprint(*parts: object) -> str:
    """A stable 32-character digest of ``parts`` in order; ``None`` and the empty text differ."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = b"\x00" if part is None else str(part).encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + (b"n" if part is None else b"s") + encoded)
    return digest.hexdigest()[:32]


def node_id(kind: str, owner: str, *content: object) -> str:
    """The id of a node: ``<kind>:<digest>``, from owner, kind and content alone."""
    return f"{kind}:{fingerprint(kind, owner, *content)[:24]}"


def source_text_ids(owner: str, source_id: str, *kinds: str) -> dict[str, str]:
    """The ids of a source's texts of these kinds, as the fields ``<kind>_id`` of the rows that write them.

    The kinds are ``raw_content`` (as found), ``original_content`` (before it was masked), ``content`` (cleaned),
    ``turns``.
    """
    return {f"{kind}_id": node_id("text", owner, source_id, kind) for kind in kinds}


def own_person_id(user: str) -> str:
    """The id of the owner's own Person: the same whatever the profile calls it."""
    return node_id("person", user, "", "owner")


def reference(identifier: str) -> str:
    """The short reference of a memory, as a MEMORY.md prints it: nine digits (three cl100k tokens)."""
    return f"{int(hashlib.sha256(identifier.encode()).hexdigest()[:15], 16) % 10**9:09d}"
