// The sources behind a macro, through the storylines that it groups.
// mode: read
// params: user_id, user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt
MATCH (m:Macro {id: $memory_id, user_id: $user_id})-[:GROUPS]->(:Storyline)-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
RETURN DISTINCT @shown_source(s)
ORDER BY occurred_at, id
