// The sources that a storyline includes.
// mode: read
// params: user_id, user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt
MATCH (t:Storyline {id: $memory_id, user_id: $user_id})-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
RETURN DISTINCT @shown_source(s)
ORDER BY occurred_at, id
