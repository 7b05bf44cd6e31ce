"""Heartbeat: an agent's periodic tasks, and the HEARTBEAT.md that a session starts with (specification 000).

Enters:  tasks as people write them: YAML, or a HEARTBEAT.md of old.
Leaves:  HEARTBEAT.md: quick tasks in full, the others by id and hash, within 500 tokens whatever there is.
Belongs: schedules, the registry of tasks, what is due, full definitions when they are asked for.
Not here: the project's own schedules (automation/), tasks that people speak of (memory_file/), edits as such (edits/).
"""
