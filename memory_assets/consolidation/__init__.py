"""Consolidation: what was lived becomes what is known (specification 004, Memory Consolidation, Episodic to Semantic).

Enters:  a user's own sources that are no longer fresh, with what they state and whom or what they share.
Leaves:  plans that a person can read, and, a night later, insights as notes with their evidence; the sources archived.
Belongs: the three triggers, clusters, what a cluster's insights rest on, what of it stays in the default search.
Not here: archiving itself (curation/), the curve of salience (graph/lives.py), descriptions of names and the notes of
         single sources (notes/), reading what was archived (recall/).
"""
