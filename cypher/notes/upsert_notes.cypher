// The notes of a batch that are not there yet. An id says subject, source and content, so that a rerun adds none.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (n:Note {id: row.id, user_id: $user_id})
ON CREATE SET n.source_id = row.source_id,
  n.subject_kind = row.subject_kind,
  n.name_id = row.name_id,
  n.relationship_id = row.relationship_id,
  n.content = row.content,
  n.created_at = datetime($now)
RETURN n.id AS id
