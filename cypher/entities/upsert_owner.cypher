// The owner's own Person, from the profile and never from text (004, Phase 2, Step 2): certain, core, kept forever.
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
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
  confidence: 1.0,
  salience: 1.0,
  state: 'core',
  ttl_policy: 'keep_forever',
  source_count: 0,
  distinct_source_days: 0,
  access_count: 0,
  recall_frequency: 0,
  last_recall_interval: 0,
  decay_gradient: 1.0,
  has_meso: false,
  has_macro: false,
  created_by: $user_id,
  created_at: datetime($now),
  updated_at: datetime($now)
})
RETURN p.id AS id
