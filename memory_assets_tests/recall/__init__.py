"""Recall: passages, ranking, the index, and the whole way on a real graph."""
