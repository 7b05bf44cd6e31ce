"""Files on the disk: publishing them whole or not at all, and what is stored beside the graph.

Belongs: publication, files as published, the bytes of what somebody has edited, caches, SQLite files.
Not here: what the files say (memory_file/, heartbeat/), reading sources (sources/).
"""
