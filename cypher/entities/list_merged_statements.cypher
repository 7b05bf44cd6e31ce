// Which statement each of some was merged into: a source with the words of a merged one states that one. Not those that somebody
// has restored.
// mode: read
// params: user_id, ids
// returns: id, kept_id
UNWIND $ids AS wanted
MATCH (p:DuplicatePair {merged_id: wanted})
WITH wanted, p
WHERE p.user_id = $user_id
  AND p.status = 'merged'
OPTIONAL MATCH (gone:KnowledgeChunk {id: wanted, user_id: $user_id})
WITH wanted, p, gone
WHERE gone IS NULL OR gone.tombstone = true
RETURN wanted AS id, coalesce(gone.merged_into, p.kept_id) AS kept_id
ORDER BY id, p.decided_at
