"""Entities: what a user's sources are about, and what was said in them (specification 004, Phase 2).

Enters:  processed sources: the user's own, and those of the user's teams.
Leaves:  extracted_entities: people, concepts, entities and statements in the user's own graph, each tied
         to the sources that name it, and one Extraction per user and source.
Belongs: the extraction filter, canonical names, what an anchor or a statement is by all of its sources.
Not here: cleaning a source (sources/), promoting an anchor (hierarchy/), ranking a statement (values/).
"""
