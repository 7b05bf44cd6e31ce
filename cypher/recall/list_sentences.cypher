// What a source that a user may read states for the user, in its order.
// mode: read
// params: user_id, user_ids, id
// returns: id, ref, speaker, text, turn, position, is_archived
MATCH (s:Source {id: $id})
WHERE @may_read(s)
  AND @source_in_use(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
RETURN c.id AS id,
  c.ref AS ref,
  r.speaker AS speaker,
  r.content AS text,
  r.turn AS turn,
  coalesce(r.position, 0) AS position,
  NOT (@in_use(c)) AS is_archived
ORDER BY turn, position, id
