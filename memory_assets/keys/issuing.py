"""Keys in the graph: issued, found for a request, listed and revoked."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import TOKEN_PREFIX, Caller, Scope, caller_of, check_agent, digest_of
from memory_assets.model import check_user, node_id
from memory_assets.privacy.projects import checked_project

TOKEN_BYTES = 32


def add_key(
    graph: Graph,
    user: str,
    agent: str,
    scopes: Collection[Scope],
    now: datetime,
    expires_at: datetime | None = None,
    project: str | None = None,
) -> tuple[str, str]:
    """A new key of an agent for one user's memory, or one project of it: its id and its token, which nothing can show
    again.
    """
    check_user(user)
    project = checked_project(project)
    check_agent(agent)
    token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    digest = digest_of(token)
    key_id = node_id("key", user, agent, digest)
    whose: dict[str, Any] = {"user_id": user, "agent_id": node_id("agent", user, agent), "agent": agent}
    whose |= {"scopes": [scope.value for scope in Scope if scope in scopes], "project": project}
    graph.write("keys/create_key", id=key_id, digest=digest, now=now, expires_at=expires_at, **whose)
    return key_id, token


def find_caller(graph: Graph, token: str, now: datetime) -> Caller:
    """Whom a token lets in, or :class:`KeyRefusedError`. The lookup is by digest: no comparison takes longer for a
    token that is nearly right.
    """
    found = graph.read("keys/find_key", digest=digest_of(token))
    return caller_of(found[0] if found else None, now)


def list_keys(graph: Graph, user: str) -> list[dict[str, Any]]:
    """A user's keys, the latest first, revoked ones too; instants as ISO text, no digest."""
    rows = graph.read("keys/list_keys", user_id=user)
    times = ("created_at", "expires_at", "revoked_at")
    return [row | {name: to_iso(row[name]) for name in times} for row in rows]


def revoke_keys(graph: Graph, user: str, named: str, now: datetime) -> list[str]:
    """Revoke the key with this id, or every key of the agent with this name; the ids of those revoked by now.

    Raises :class:`UnknownReferenceError` where the user has none.
    """
    rows = graph.write("keys/set_keys_revoked", user_id=user, named=named, now=now)
    if not rows:
        raise UnknownReferenceError(
            f"{user} has no key {named!r}, and no agent of this name: `memory-assets tokens list`."
        )
    return [row["id"] for row in rows]
