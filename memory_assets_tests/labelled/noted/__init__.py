"""What lines of notes are worth: labelled notes of people who never lived, and the learning of the model from them.

Enters:  ``notes.jsonl``, whole notes with the worth of each of their lines; ``frozen.jsonl``, the same of other people,
         from which nothing is learned.
Leaves:  the weights of :mod:`memory_assets.llm.local.note_worth`, by ``make train``.
"""
