"""Erasure: a source, a person who is spoken of, or an owner leaves everything that the installation stores.

Enters:  the word of the memory's person.  Leaves:  nothing of what was erased, one Erasure node without words.
Belongs: what goes (``choosing.py``), the words that only the erased had (``words.py``) and where they are found
(``searching.py``), one function for each place (``places.py``), the order of it all (``erasing.py``); docs/erasure.md
lists the places. Not here: removing a source so that it can be had back (commands/), expiry and retirement (the rooms).
It works with several rooms and with Dagster's storage, so it is above them.
"""
