"""An agent's long-term memory as Dagster assets.

Enters:  conversations, e-mails, Slack exports, meeting transcripts and notes of people and teams.
Leaves:  a graph that keeps all of it, and one MEMORY.md per person that never exceeds its budget.

The rooms stand in the order in which a memory walks through them: ``sources``, ``entities``,
``hierarchy``, ``values``, ``memory_file``. Beneath them are two adapters, ``graph`` and ``llm``.
Rooms never import rooms: they meet in the graph and in Dagster's lineage.
"""

__version__ = "0.1.0"
