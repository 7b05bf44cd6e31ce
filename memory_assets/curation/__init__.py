"""Curation: the only room that may make a memory stop living.

Enters:  what agents record, and memories that a run no longer derives, with what is known of them.
Leaves:  tiers, tombstones, merged duplicates, retirements, each with an audit that can bring the memory back.
Belongs: the never-prune rails, the tables of times to live and tiers (``policy``), the Memory Value Score (``mvs``),
         cycles, duplicates, the way back (``restoring``); every statement that removes something is in
         ``cypher/curation/``, and repeats the rails there.
Not here: what a statement is worth in a file (values/), how memories fade (lifecycle/), choosing lines for MEMORY.md
         (memory_file/), raw sources: those stay.
"""
