// The ids of a user's own living memories: what is valued beside the sources of teams.
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
UNION ALL
MATCH (s:Source {user_id: $user_id})
WHERE @in_use(s)
  AND @source_in_use(s)
  AND s.summary IS NOT NULL
RETURN 'Source' AS kind, s.id AS memory_id
