// That two statements cannot both be true, and no word of change says which one holds.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (one:KnowledgeChunk {id: row.one_id, user_id: $user_id})
MATCH (other:KnowledgeChunk {id: row.other_id, user_id: $user_id})
MERGE (one)-[r:CONTRADICTS {user_id: $user_id}]->(other)
SET r.id = row.id,
  r.kind = row.kind,
  r.probability = row.probability,
  r.why = row.why,
  r.found_at = datetime(row.found_at),
  r.judged_by = row.judged_by
RETURN one.id AS id
