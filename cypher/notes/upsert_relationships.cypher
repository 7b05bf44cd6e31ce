// The relationships of a batch that are not there yet, as nodes, so that they can carry notes. Only what the
// id implies is set here: the rest follows from all supporting sources, in set_relationship_totals.
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Relationship {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (r:Memory:Relationship {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  type: row.type,
  from_name_id: row.from_name_id,
  to_name_id: row.to_name_id,
  unaged: $user_id,
  @new_memory('candidate', $now),
  updated_at: datetime($now)
})
RETURN r.id AS id
