"""Which tools an agent is offered: each profile has an address of its own."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """``memory``: what an agent needs while it works; ``all``: every operation; ``chatgpt``: the two that its
    connectors and its deep research require.
    """

    MEMORY = "memory"
    CHATGPT = "chatgpt"
    ALL = "all"

    @property
    def path(self) -> str:
        """Where the server has it."""
        return "/mcp" if self is Profile.MEMORY else f"/mcp/{self.value}"
