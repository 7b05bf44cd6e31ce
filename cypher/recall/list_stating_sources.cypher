// The sources that state a statement of a user's, as far as the user may read them, the newest first.
// mode: read
// params: user_id, user_ids, id
// returns: id, ref, kind, title, at
MATCH (c:KnowledgeChunk {id: $id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN DISTINCT s.id AS id, s.ref AS ref, s.source_type AS kind, coalesce(s.title, '') AS title,
  toString(@said_at(r, s)) AS at
ORDER BY at IS NULL, at DESC, id
