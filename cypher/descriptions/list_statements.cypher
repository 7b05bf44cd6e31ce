// What some sources state for a user: the words, who says them, what of them a stranger understands alone, how far they
// hold no longer, and whether somebody has decided to leave them out.
// mode: read
// params: user_id, user_ids, ids
// returns: source_id, chunk_id, words, statement, speaker, said_by_owner, outdated
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
RETURN s.id AS source_id, c.id AS chunk_id, r.content AS words, coalesce(r.statement, c.statement) AS statement,
  r.speaker AS speaker, coalesce(r.said_by_owner, false) AS said_by_owner, c.outdated AS outdated
ORDER BY source_id, chunk_id
