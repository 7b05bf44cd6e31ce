// That a later statement supersedes an earlier one, or closes it (reason: changed, done): wholly, in part (which words
// are lost), or perhaps.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (later:KnowledgeChunk {id: row.later_id, user_id: $user_id})
MATCH (earlier:KnowledgeChunk {id: row.earlier_id, user_id: $user_id})
MERGE (later)-[r:SUPERSEDES {user_id: $user_id}]->(earlier)
SET r.id = row.id,
  r.found_at = datetime(row.found_at),
  r.reason = row.reason,
  r.outdated = row.outdated,
  r.kind = row.kind,
  r.lost = row.lost,
  r.probability = row.probability,
  r.why = row.why,
  r.since = row.since,
  r.judged_by = row.judged_by
RETURN earlier.id AS id
