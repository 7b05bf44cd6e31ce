"""Sessions: the working memory of a conversation that goes on, within a budget of tokens (specification 002).

Enters:  turns of an owner's conversation, by whatever agent; passages that were recalled for it.
Leaves:  what belongs into the agent's context now; every turn that left it, byte for byte; the whole, once it has
         ended, as a conversation that becomes a source.
Belongs: the rules (``policy.py``: what leaves, how episodes are cut, which words summarise them, which passages stay),
         the append-only file of a session (``log.py``), and what is asked of it (``working_memory.py``).
Not here: recall, ingestion and erasure, which meet the room in ``commands`` and ``erasure``.
"""
