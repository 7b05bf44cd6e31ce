"""What every step needs to run, whichever room it is in.

Enters:  a step as its room declares it (name, what it follows from, recipe), the scope of a run, the owners it is for.
Leaves:  the room's work done for each owner for whom it is due, its mark, its events, its checks' verdicts.
Belongs: steps and marks, partitions and owners, the scope, resources, the Dagster instance, the owner lock.
Not here: any room by name; what starts, watches and cleans up runs (automation/).
"""
