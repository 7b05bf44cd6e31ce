"""An agent's long-term memory as Dagster assets.

Enters:  conversations, e-mails, Slack exports, meeting transcripts and notes of people and teams.
Leaves:  a graph that keeps all of it, and one MEMORY.md per person that never exceeds its budget.

The rooms, in the order in which a memory walks through them: ``sources``, ``entities``, ``notes``,
``descriptions``, ``compression``, ``hierarchy``, ``consolidation``, ``values``, ``memory_file``, ``edits``,
``heartbeat``, ``metrics``; beside them ``validity``, ``lifecycle``, ``recall``, ``sessions``, ``curation``, ``keys``,
``context``, ``hooks``.
Rooms never import rooms: they meet in the graph and in Dagster's lineage. Above them: ``cli``, ``server``,
``commands``, ``erasure``, ``automation``, ``records`` of agents, and ``migration``, which moves a file of another
product in. Beneath them: ``runtime``;
the adapters ``graph``, ``llm`` and ``presentation``; ``privacy``, ``files`` and ``text``; and ``client``, which
needs nothing of the rest and goes where agents run.
"""

__version__ = "0.1.0"
