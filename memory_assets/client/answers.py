"""What the operations answer: dictionaries, as they arrive."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class SaidSource(TypedDict, total=False):
    """What a passage is from."""

    ref: str
    kind: str
    title: str
    occurred_at: str | None
    superseded_by: list[str]


class Recalled(TypedDict, total=False):
    """``text`` within the budget; ``abstained``: nothing relevant was found, and the text gives the ``nearest``, whose
    references these are; ``more`` is the page that goes on, or None; ``partial``: answered with what was ready.
    """

    text: str
    tokens: int
    sources: list[SaidSource]
    storylines: list[dict[str, Any]]
    themes: list[dict[str, Any]]
    abstained: bool
    nearest: list[str]
    partial: bool
    did_you_mean: list[str]
    more: int | None
    took_ms: float


class Remembered(TypedDict, total=False):
    """``is_new`` is false where the same was remembered before; ``project``: of which it is, None for all; ``masked``
    names the secrets that were cut out.
    """

    ref: str
    is_new: bool
    durable: bool
    recallable: bool
    project: str | None
    supersedes: list[str]
    contradicts: list[dict[str, Any]]
    masked: list[str]


class Used(TypedDict, total=False):
    """How many were counted; ``unknown`` are references that no memory has."""

    cited: int
    ignored: int
    wrong: int
    unknown: list[str]


class Statement(TypedDict):
    """One side of a contradiction."""

    ref: str | None
    text: str | None
    said_at: str | None
    by: str | None


class Contradiction(TypedDict):
    """Two statements that cannot both be true; a settled one has its ``resolution``."""

    id: str
    kind: str
    detected_at: str | None
    a: Statement
    b: Statement
    resolution: NotRequired[str]


class Resolved(TypedDict):
    """What a settled contradiction has changed: ``ref`` is what holds, None where neither or both do."""

    id: str
    resolution: str
    superseded: list[str]
    ref: str | None
    audit_id: str


class Operation(TypedDict, total=False):
    """A consolidation: ``state`` is working, done, failed or canceled. Done it has its figures, of a dry run with its
    ``plan``; else ``problems``.
    """

    operation: str
    state: str
    dry_run: bool
    older_than: str
    deduped: int
    compressed: int
    forgotten: int
    contradictions_found: int
    plan: list[dict[str, Any]]
    problems: list[str]


class Status(TypedDict, total=False):
    """How far the sources have come, and what the key permits."""

    user: str
    agent: str
    scopes: list[str]
    sources: dict[str, int]
    failed: int
    contradictions: int
    missed_hooks: int
    partial_hooks: int
    cost: dict[str, float]
    versions: dict[str, str]
    graph: str


class ContextEntry(TypedDict, total=False):
    """A memory of a context, and why it is there."""

    ref: str
    tier: int
    tokens: int
    why: str
    text: str


class LeftOut(TypedDict):
    """A memory that a context does not give, and why."""

    ref: str
    reason: str


class AssembledContext(TypedDict, total=False):
    """``context`` is the text for the agent, within the budget; ``abstained``: nothing relevant, and no text."""

    context: str
    token_count: int
    budget: int
    tiers: dict[str, int]
    effective_budgets: dict[str, int]
    entries: list[ContextEntry]
    left_out: list[LeftOut]
    abstained: bool
    partial: bool
    session: str | None
    as_of: str


class Predicted(TypedDict, total=False):
    """What will be needed next; ``confidence`` is the expected share that is used, or None."""

    predicted_memories: list[dict[str, Any]]
    confidence: float | None


class Corrected(TypedDict, total=False):
    """What took the place of a memory (None: it was retired), and the audit by which it can be taken back."""

    ref: str | None
    superseded: str
    audit_id: str


class TurnsAdded(TypedDict, total=False):
    """The working memory of a conversation after its new turns."""

    tokens: int
    evicted: int
    summary_tokens: int
    ref: str


class Turn(TypedDict, total=False):
    """A turn of a conversation: ``ref`` is its number, ``at`` when it was said."""

    ref: str
    role: str
    name: str | None
    content: str
    at: str
    id: str | None
    place: str | None
    agent: str | None


class ShownTurn(Turn, total=False):
    """A turn as a working memory shows it; ``is_cut``: its head and tail."""

    is_cut: bool


class Retrieved(TypedDict):
    """A passage that was recalled in a conversation, under its source's line."""

    ref: str
    source: str
    text: str


class WorkingMemory(TypedDict, total=False):
    """What is in a conversation's context now: ``tokens`` of ``budget``, of ``turns`` in all; ``left`` are the
    references of those that are out of it, in short in ``summary``.
    """

    session: str
    agent: str | None
    ended_at: str | None
    tokens: int
    summary_tokens: int
    budget: int
    turns: int
    left: str | None
    working: list[ShownTurn]
    summary: str
    retrieved: list[Retrieved]
    injected: list[str]
