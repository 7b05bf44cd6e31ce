"""Recall: what was said, found again for a question, within a budget of tokens.

Searches the cleaned words themselves, not summaries. Reads the graph, keeps an index of its own beside it (made anew
from the graph whenever it is missing), and records what was recalled.
"""
