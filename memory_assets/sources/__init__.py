"""Sources: what people and agents said and wrote, from files to clean text.

Enters:  files and folders of conversations (chats' exports too), e-mail, Slack exports, transcripts, notes and agent
records. Leaves:  raw_sources (Source nodes with their raw content, stored for ever), processed_sources (the same
         nodes with clean turns, a summary, keywords, tags and an embedding).
Belongs: walking folders, decoding, the formats of each kind, cleaning, the bookkeeping of what was set aside.
Not here: who and what a source is about (entities/), what is worth keeping (values/).
"""
