"""Recall: what was said, found again for a question, within a budget of tokens; or its storylines, or their themes.

What was said is searched by the cleaned words themselves, not summaries; storylines and themes by their own words and
vectors. Reads the graph, keeps indexes of its own beside it (made anew from the graph whenever they are missing), opens
one memory with what is below and above it, and returns which memories it retrieved: the caller appends that to the
log of accesses.
"""
