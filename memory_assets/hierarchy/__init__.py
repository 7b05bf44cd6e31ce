"""Hierarchy: sources of one anchor become storylines, storylines of one anchor a macro (specification 004).

Enters:  people, concepts and entities with the processed sources that mention them.
Leaves:  storylines (what has been going on with an anchor for a while) and macros (its larger theme).
Belongs: the promotion counters, how statements split into matters, whose storyline it is, names and summaries.
Not here: finding anchors (entities/), ranking a storyline (values/), removing one (``cypher/curation/``).
"""
