// What a faulty selection would leave: a draft with more words than it may have.
MATCH (d:MemoryDraft {user_id: $user_id})
SET d.text = d.text + $more
