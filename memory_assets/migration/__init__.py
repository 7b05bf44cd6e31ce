"""Migration: an existing MEMORY.md or HEARTBEAT.md of any product moves in, and out again.

Enters:  a file that somebody else has written. Leaves:  its lines as sources and tasks, the bounded file in its
place, the old bytes beside it. Belongs: what would become of each line (``plan.py``), the old bytes
(``old_files.py``), the way in and out (``moving.py``). Not here: edits of files that we have published (edits/). It
works with several rooms, so it is above them.
"""
