"""What happens in an agent's loop, and what its memory does about it: events in, text to inject out.

Enters:  an agent's own JSON of an event: a conversation begins, a prompt, a file, an error, a compaction, an end.
Leaves:  what to ask the memory for, within which limits, and the answer in the agent's own form.
"""
