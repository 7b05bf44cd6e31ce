// A draft that is not what the selection has made, as if a statement of ours had a mistake.
// mode: write
// params: user_id, text
// returns: id
MATCH (d:MemoryDraft {user_id: $user_id})
SET d.text = $text
RETURN d.id AS id
