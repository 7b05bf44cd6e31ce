// A user's own sources that name some people, concepts or entities, but for what is archived or removed.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS anchor_id
MATCH (n:Memory {id: anchor_id, user_id: $user_id})
MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND @in_use(s)
RETURN DISTINCT s.id AS id
