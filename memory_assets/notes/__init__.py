"""Notes: what is worth knowing of each name, and how names are connected (specification 004, Phase 2, Step 4).

Enters:  what a user's extractions left: names (by the id of the name itself) and statements, per source.
Leaves:  notes: Note nodes at people, concepts, entities and relationships, and Relationship nodes between these.
Belongs: lifetimes and expiry, the ids of notes and relationships, which step is due for which source, where notes
         go when a name is resolved otherwise.
Not here: extracting names and statements (entities/), describing whose notes have changed, and retiring notes whose
         time is over (descriptions/).
"""
