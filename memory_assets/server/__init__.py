"""The server: how agents reach their memory while they work, over HTTP and MCP.

Enters:  requests with a key, from this machine alone. Leaves: answers within their budget of tokens.
Belongs: who gets in, what an operation takes and gives, how it is spelled in each protocol.
Not here: what an operation does (``commands``, the rooms).
"""
