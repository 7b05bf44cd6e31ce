"""Records: what agents record becomes memories of its own, one for each record, whatever sources have it.

Enters:  the raw content of the sources that agents' records are.
Leaves:  beliefs, reflections, tasks, analyses and so on (``RECORD_KINDS``), linked to their sources and to each other.
Belongs: what a record's memory says (``policy``), which of several versions holds, when curation is to look at it.
Not here: reading files (sources/, whose reader of records it asks), what becomes of a record (curation/).
"""
