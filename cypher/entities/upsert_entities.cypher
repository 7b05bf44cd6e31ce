// The entities of a batch that are not there yet (004, Step 2). Only what the id implies is set here:
// the rest follows from all mentioning sources, in set_anchor_totals.
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (e:Memory:Entity {
  id: row.id,
  user_id: $user_id,
  canonical_name: row.canonical_name,
  entity_type: row.entity_type,
  ref: row.ref,
  salience: 0.5,
  state: 'candidate',
  ttl_policy: 'decay',
  access_count: 0,
  recall_frequency: 0,
  last_recall_interval: 0,
  decay_gradient: 1.0,
  has_meso: false,
  has_macro: false,
  created_at: datetime($now),
  updated_at: datetime($now)
})
RETURN e.id AS id
