"""The door to every model: language models, embedders, tokens, the ledger.

Enters:  a task's name with a typed payload (``tasks.py``), or texts to embed.
Leaves:  a typed answer with its usage, or a reason why there is none; vectors; token counts.
Belongs: the OpenAI-compatible and the local implementation, the response cache, the ledger and
         budget, prompt files, token counting. The only importer of openai, spacy, wordllama.
Not here: what to do with an answer (the rooms), the graph (graph/).
"""
