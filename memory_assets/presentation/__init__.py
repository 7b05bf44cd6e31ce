"""What people see of figures: tables, metadata with its declared meaning, plots.

Belongs: Markdown tables, sums over owners, glossaries, pictures.
Not here: which figures a room shows (each room's metadata.py).
"""
