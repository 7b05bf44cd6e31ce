"""Naming: which names mean one person (specification 004, Phase 2, Step 2; identity by canonical name is the floor).

Enters:  an owner's names with their sources, who takes part in those, the owner's profile, people's and models'
decisions. Leaves:  for each name whom it means, and why; for an ambiguous first name, whom it means in which
source. Belongs: the shapes of names, likeness of names (nicknames, sound, typing errors), the one function
``resolve``. Not here: the graph, models, the clock: all of it is pure.
"""
