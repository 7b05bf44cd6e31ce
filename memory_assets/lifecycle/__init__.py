"""How long a memory lives: what accesses make of it, how it fades while nobody asks for it, when it is archived.

Enters:  what is stored of memories since they were last accessed, and the log of accesses.
Leaves:  counters, states and salience; the day on which a memory will have faded; who is to be archived.
Belongs: the one table of states, decay and expiry (``policy``), folding the log into the graph.
Not here: writing the log (runtime/), putting a memory out of use (curation/), what a memory is worth (values/).
"""
