// The owner's own Person, from the profile and never from text (004, Phase 2, Step 2): certain, core, `keep_forever`.
// ``beginning`` is what the owner begins with. Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, beginning, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Person {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (p:Memory:Person {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  entity_type: 'person',
  is_owner: true,
  created_by: $user_id,
  created_at: datetime($now),
  updated_at: datetime($now)
})
SET p += $beginning
RETURN p.id AS id
