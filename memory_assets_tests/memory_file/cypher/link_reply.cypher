// A mail that answers another one.
// mode: write
// params: user_id, id, parent
// returns: id
MATCH (reply:Source {id: $id, user_id: $user_id})
MATCH (s:Source {id: $parent, user_id: $user_id})
MERGE (reply)-[:REPLIES_TO]->(s)
SET s.unscored = $user_id
RETURN reply.id AS id
