// The ids of a user's living statements, storylines and macros: what is valued beside sources.
// mode: read
// params: user_id
// returns: kind, memory_id
MATCH (c:KnowledgeChunk {user_id: $user_id})
WHERE @in_use(c)
RETURN 'KnowledgeChunk' AS kind, c.id AS memory_id
UNION ALL
MATCH (t:Storyline {user_id: $user_id})
WHERE @in_use(t)
  AND t.summary IS NOT NULL
RETURN 'Storyline' AS kind, t.id AS memory_id
UNION ALL
MATCH (m:Macro {user_id: $user_id})
WHERE @in_use(m)
  AND m.overview IS NOT NULL
RETURN 'Macro' AS kind, m.id AS memory_id
