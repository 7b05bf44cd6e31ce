"""What a key is and whom it lets in. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Any

from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.model import Visibility
from memory_assets.privacy.projects import Within

TOKEN_PREFIX = "mem_"
"""By which people and scanners of secrets know a token of ours."""
AGENT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
PAGE = "page"
"""The page at the server's root: its user acts by it, and no agent."""
COMMAND_LINE = "command line"


class Scope(StrEnum):
    """What a key permits: to read memories; to write them; to settle, consolidate and retire. None includes another."""

    READ = "read"
    WRITE = "write"
    CURATE = "curate"


class KeyRefusedError(MemoryAssetsError):
    """A request brings no key that lets it in."""


class KeyNameError(WrongUseError):
    """A key cannot have this name."""


@dataclass(frozen=True)
class Caller:
    """On whose behalf a request comes: ``user`` owns the memory, ``agent`` asks. ``project`` is the only one that the
    key is for; None: any. ``works_in`` is the one that the request says it works in.
    """

    user: str
    agent: str
    scopes: frozenset[Scope]
    key_id: str = ""
    project: str | None = None
    works_in: str | None = None

    @property
    def bound(self) -> Within | None:
        """The project that the caller cannot leave; None for a key that is for any."""
        return Within(self.project, is_bound=True) if self.project else None

    def within(self, *, all_projects: bool = False) -> Within | None:
        """In which project the caller asks. Raises :class:`KeyRefusedError` where the key's is not all of them."""
        if self.project and all_projects:
            raise KeyRefusedError(f"The key of {self.agent} is for the project {self.project} alone.")
        return self.bound or (Within(self.works_in) if self.works_in and not all_projects else None)

    def writes_in(self, visibility: Visibility | None) -> str | None:
        """Of which project a new memory is; None for what is offered in all, and for whoever works in none. Raises
        :class:`KeyRefusedError` where the key's is not all of them.
        """
        project = self.project or self.works_in
        if visibility is Visibility.USER:
            if self.project:
                raise KeyRefusedError(f"The key of {self.agent} is for the project {self.project} alone.")
            return None
        return project

    def working_in(self, project: str | None) -> Caller:
        """The same caller, at work in a project. Raises :class:`KeyRefusedError` where the key is for another."""
        if self.project and project and project != self.project:
            raise KeyRefusedError(
                f"The key of {self.agent} is for the project {self.project} alone, and this comes from {project}."
            )
        return replace(self, works_in=project or self.works_in)

    def check(self, scope: Scope) -> None:
        """Raise :class:`KeyRefusedError` where the key does not permit it."""
        if scope not in self.scopes:
            raise KeyRefusedError(
                f"The key of {self.agent} does not permit to {scope.value}: it has {_named(self.scopes)}. "
                f"`memory-assets tokens add --user {self.user} --agent {self.agent} --scope {scope.value}` makes one "
                "that does."
            )


class Rates:
    """How often each key may ask: so many times ``a_minute``, all at once or evenly. Not for several threads."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._full_at: dict[str, float] = {}

    def wait(self, key: str, now: float) -> int:
        """Count a request at an instant (seconds); 0, or the whole seconds to wait, and then it does not count."""
        each = 60 / self._a_minute
        full_at = max(self._full_at.get(key, now), now) + each
        if full_at > now + 60 + each / 2:
            return ceil(full_at - now - 60)
        self._full_at[key] = full_at
        return 0


def check_agent(name: str) -> str:
    """``name`` if an agent can have it, else :class:`KeyNameError`."""
    if not AGENT_NAME.fullmatch(name):
        raise KeyNameError(
            f"{name!r} cannot be an agent's name: use 1 to 64 characters of a-z, 0-9, '.', '_' and '-', a letter or a "
            "digit first, for example claude-code."
        )
    return name


def digest_of(token: str) -> str:
    """What is stored of a token: its SHA-256. A token is 32 random bytes, so that no slower digest protects it more."""
    return hashlib.sha256(token.encode()).hexdigest()


def caller_of(key: Mapping[str, Any] | None, now: datetime) -> Caller:
    """Whom a key lets in; ``key`` is as the graph has it, None where it has none of this digest.

    Raises :class:`KeyRefusedError`: in the same words for an unknown key and for a revoked one.
    """
    if key is None or key["revoked_at"] is not None:
        raise KeyRefusedError("This key is unknown or was revoked: `memory-assets tokens add` makes another.")
    if key["expires_at"] is not None and key["expires_at"] <= now:
        raise KeyRefusedError(
            f"This key expired on {key['expires_at'].date()}: `memory-assets tokens add` makes another."
        )
    return Caller(key["user_id"], key["agent"], frozenset(map(Scope, key["scopes"])), key["id"], key["project"])


def _named(scopes: Collection[Scope]) -> str:
    return ", ".join(scope.value for scope in Scope if scope in scopes) or "nothing"
