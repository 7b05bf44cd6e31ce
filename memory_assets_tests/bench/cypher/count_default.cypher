// How many sources and statements of a user the default search, values and files read, and how many insights there are in
// place of some.
// mode: read
// params: user_id
// returns: kind, in_default
MATCH (s:Source {user_id: $user_id})
WHERE s.removed_at IS NULL
  AND s.state <> 'archived'
RETURN 'sources' AS kind, count(s) AS in_default
UNION ALL
MATCH (c:KnowledgeChunk {user_id: $user_id})
WHERE c.state <> 'archived'
RETURN 'statements' AS kind, count(c) AS in_default
UNION ALL
MATCH (n:Note {user_id: $user_id})-[:RESTS_ON {user_id: $user_id}]->(:KnowledgeChunk)
RETURN 'insights' AS kind, count(DISTINCT n) AS in_default
