"""The memory file: a MEMORY.md within its token budget, chosen, checked, then published atomically (000).

Reads memories and their values, writes the draft, the manifest and the one file; changes no memory.
"""
