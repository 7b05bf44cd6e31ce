// What of some turns of sources that the user may read holds no longer, or perhaps not: the words, and what was said
// later, or that somebody has decided so of these statements (ids).
// mode: read
// params: rows, ids, user_id, user_ids
// returns: source_id, turns, words, outdated, reason, ref, since, by
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE (r.turn IN row.turns OR any(turn IN coalesce(r.turns, []) WHERE turn IN row.turns))
  AND c.outdated IS NOT NULL
MATCH (c)<-[x:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
RETURN s.id AS source_id,
  coalesce(r.turns, [r.turn]) AS turns,
  CASE WHEN x.outdated = 'in part' THEN x.lost ELSE r.content END AS words,
  x.outdated AS outdated,
  x.reason AS reason,
  later.ref AS ref,
  x.since AS since,
  null AS by
UNION ALL
UNWIND $ids AS wanted
MATCH (d:Decision {memory_id: wanted})
WHERE d.user_id = $user_id AND d.kind = 'edit' AND d.is_out
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
OPTIONAL MATCH (later:Memory {id: coalesce(d.by_memory_id, ''), user_id: $user_id})
RETURN s.id AS source_id, coalesce(r.turns, [r.turn]) AS turns, r.content AS words, 'wholly' AS outdated, d.action AS reason,
  later.ref AS ref, toString(d.at) AS since, d.agent AS by
