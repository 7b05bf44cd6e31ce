"""Consolidation: the triggers, clusters and what stays; plans, what is carried out, and the way back."""
