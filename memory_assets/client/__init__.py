"""The client: an agent's program reaches the server's operations with nothing but the standard library.

Enters:  a key, and where the server is (found by itself on this machine). Leaves: each operation as a method, answers
as dictionaries, and the hooks by which a coding agent's events reach the server.
Not here: what an operation does (``server``, ``commands``); an agent's environment needs nothing of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_assets.client.memory import AsyncMemory, Memory
    from memory_assets.client.transport import ClientError, RequestRefusedError, ServerUnreachableError

__all__ = ["AsyncMemory", "ClientError", "Memory", "RequestRefusedError", "ServerUnreachableError"]


def __getattr__(name: str) -> Any:
    # Late, so that a hook, which starts at each event of an agent, loads only what it needs.
    if name not in __all__:
        raise AttributeError(name)
    from memory_assets.client import memory, transport

    return getattr(memory if hasattr(memory, name) else transport, name)
