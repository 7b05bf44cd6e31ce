// Which source supports which relationship, by step, and in which words: what set_relationship_totals derives from.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (r:Relationship {id: row.id, user_id: $user_id})
MERGE (s)-[p:SUPPORTS {user_id: $user_id, step: row.step}]->(r)
SET p.description = row.description,
  p.confidence = row.confidence
RETURN r.id AS id
