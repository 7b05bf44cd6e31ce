// What of some sources holds no longer for a user: which statement and words, how far, what was said later, or that
// somebody has decided so.
// mode: read
// params: user_id, user_ids, ids
// returns: source_id, statement_id, words, outdated, reason, ref, since
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.outdated IS NOT NULL
MATCH (c)<-[x:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
RETURN s.id AS source_id, c.id AS statement_id,
  CASE WHEN x.outdated = 'in part' THEN x.lost ELSE r.content END AS words,
  x.outdated AS outdated, x.reason AS reason, later.ref AS ref, x.since AS since
UNION ALL
MATCH (d:Decision {user_id: $user_id, kind: 'edit'})
WHERE d.is_out
MATCH (c:KnowledgeChunk {id: d.memory_id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
  AND s.id IN $ids
OPTIONAL MATCH (later:Memory {id: coalesce(d.by_memory_id, ''), user_id: $user_id})
RETURN s.id AS source_id, c.id AS statement_id, r.content AS words, 'wholly' AS outdated, d.action AS reason,
  later.ref AS ref, toString(d.at) AS since
