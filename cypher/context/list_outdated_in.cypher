// What some sources of a user state that holds no longer, wholly or in part: the words, and what has taken their place.
// mode: read
// params: user_id, source_ids
// returns: source_id, words, outdated, reason, ref, since
UNWIND $source_ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.outdated IS NOT NULL
MATCH (c)<-[x:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
RETURN s.id AS source_id,
  CASE WHEN x.outdated = 'in part' THEN x.lost ELSE r.content END AS words,
  x.outdated AS outdated, x.reason AS reason, later.ref AS ref, x.since AS since
ORDER BY source_id, words, since
