"""Small pure questions about words that several rooms ask. Knows nothing of the rooms.

Belongs: who said something, the order of a document, how rare a word is, what a text covers of another.
Not here: what a sentence means (llm/local/), personal data and secrets (privacy/).
"""
