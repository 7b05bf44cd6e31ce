// What some storylines or macros cite: a statement as one of its sources makes it, or a source by its summary, of sources that a
// user's anchors are mentioned in.
// mode: read
// params: user_id, rows
// returns: id, source_id, text, speaker, is_owners, at
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE s.id = row.source_id
RETURN c.id AS id, s.id AS source_id, coalesce(r.statement, r.content) AS text, r.speaker AS speaker,
  coalesce(r.said_by_owner, false) AS is_owners, @said_at(r, s) AS at
UNION ALL
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE row.id = row.source_id
  AND EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(:Memory) }
RETURN s.id AS id, s.id AS source_id, s.summary AS text, null AS speaker, false AS is_owners, s.started_at AS at
