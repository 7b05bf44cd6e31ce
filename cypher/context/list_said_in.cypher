// What some sources of a user state, and what of that holds no longer: the words, and what has taken their place.
// mode: read
// params: user_id, source_ids
// returns: source_id, statement_ref, said, words, outdated, reason, ref, since
UNWIND $source_ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
OPTIONAL MATCH (c)<-[x:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
RETURN s.id AS source_id,
  c.ref AS statement_ref,
  r.content AS said,
  CASE WHEN x.outdated = 'in part' THEN x.lost ELSE r.content END AS words,
  x.outdated AS outdated, x.reason AS reason, later.ref AS ref, x.since AS since
ORDER BY source_id, words, since, statement_ref
