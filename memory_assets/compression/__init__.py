"""Compression: each source a user has extracted, at three levels (specification 000, Hierarchical Summarization
Policy).

Enters:  what processing and extraction left of a source: its summary and keywords, what was said, whom it names.
Leaves:  CompressedContext nodes: full (a pointer to the source), summary and keywords, with the ways between them.
Belongs: how long each level may be and what it holds, which context follows which, what is part of what, when
         keywords expire, retiring those that have, counting accesses.
Not here: reading and describing sources (sources/), choosing lines for MEMORY.md (memory_file/).
"""
