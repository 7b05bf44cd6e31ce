// Which memories were merged into which, among some of a user's: by either of the two. One that lives again is its own.
// mode: read
// params: user_id, ids
// returns: id, kept_id
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (p:DuplicatePair {merged_id: wanted})
  RETURN p
  UNION
  MATCH (p:DuplicatePair {kept_id: wanted})
  RETURN p
}
WITH DISTINCT p
WHERE p.user_id = $user_id
  AND p.status = 'merged'
OPTIONAL MATCH (gone:Memory {id: coalesce(p.merged_id, '')})
WITH p, gone
WHERE gone IS NULL OR gone.tombstone = true
RETURN p.merged_id AS id, coalesce(gone.merged_into, p.kept_id) AS kept_id
ORDER BY id, p.decided_at
