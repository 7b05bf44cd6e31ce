// The notes of a batch: each once, and which step took it from which source, for how long and by whom. An id says
// subject, source and content, so that a rerun adds none. What a note is by all its steps follows in place_notes.
// mode: write
// params: rows, user_id, user_ids, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MERGE (n:Note {id: row.id, user_id: $user_id})
ON CREATE SET n.source_id = row.source_id,
  n.subject_kind = row.subject_kind,
  n.name_id = row.name_id,
  n.relationship_id = row.relationship_id,
  n.content = row.content,
  n.created_at = datetime($now)
MERGE (n)-[t:TAKEN_FROM {user_id: $user_id, step: row.step}]->(s)
SET t.lifetime_rank = row.lifetime_rank,
  t.counts_from = CASE WHEN row.counts_from IS NULL THEN null ELSE datetime(row.counts_from) END,
  t.position = row.position,
  t.added_by = row.added_by
RETURN n.id AS id
