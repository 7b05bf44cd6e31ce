"""The language model that needs no key: spaCy's small English pipeline, word rarities, and rules.

Enters:  the payloads of ``llm/tasks.py``.
Leaves:  the same answers as the large model's, in the same schemas, offline and deterministic.
Belongs: reading sentences (:mod:`.language`, :mod:`.sentences`), judging them (:mod:`.statements`,
         with :mod:`.sentence_features` and :mod:`.sentence_model`), finding who and what they speak of
         (:mod:`.entities`), choosing some of them (:mod:`.describe`, :mod:`.names`), and the word lists of
         all that (:mod:`.lexicon`).
Not here: what of an answer is stored. The rooms apply the same filters to both models.
"""
