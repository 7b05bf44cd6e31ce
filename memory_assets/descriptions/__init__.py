"""Descriptions: who somebody and what something is, in one or two sentences (specification 004, Nightly Description
Consolidation and Nightly Note Cleanup).

Enters:  the notes of people, concepts, entities and relationships whose notes have changed, and the accesses.
Leaves:  a description at each, sentence by sentence with the notes that it rests on, and its embedding; the notes
         whose time is over, retired.
Belongs: who is described next and how many in a run, what of the notes still holds, whether a sentence follows from
         what it cites, when a description is due by time alone.
Not here: taking notes and their lifetimes (notes/), what holds (validity/), the statement that retires (curation/).
"""
