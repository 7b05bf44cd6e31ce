"""Curation: the only room that may make a memory stop living.

Enters:  memories that a run no longer derives, with what is known of them.
Leaves:  retirements, each with an audit that can bring the memory back.
Belongs: the never-prune rails, the audits of what was retired or archived; every statement that removes something
         stands in ``cypher/curation/``, and repeats the rails where it does.
Not here: scores and tiers (values/), choosing lines for MEMORY.md (memory_file/), raw sources: those stay.
"""
