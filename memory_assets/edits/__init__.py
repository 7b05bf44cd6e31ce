"""Edits: what people and agents change in published files, for all kinds of files in one way.

Enters:  a file as somebody has left it, and what was published there.
Leaves:  decisions (``Decision``, each with an audit), and the bytes of which nothing is lost any more.
Belongs: the comparison (``policy.py`` says what an edit does), what was taken in, confirming, undoing, reports.
Not here: how a kind of file is read and what a decision writes (memory_file/edited.py, heartbeat/edited.py).
"""
