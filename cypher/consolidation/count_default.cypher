// How many sources and statements a user has, and how many of them the default search, values and files read.
// mode: read
// params: user_id
// returns: kind, memories, in_default
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
RETURN 'sources' AS kind, count(s) AS memories, sum(CASE WHEN @in_use(s) THEN 1 ELSE 0 END) AS in_default
UNION ALL
MATCH (c:KnowledgeChunk {user_id: $user_id})
RETURN 'statements' AS kind, count(c) AS memories, sum(CASE WHEN @in_use(c) THEN 1 ELSE 0 END) AS in_default
