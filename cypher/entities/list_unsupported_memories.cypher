// Memories of an extraction that no source supports, although no rail keeps them.
// mode: read
// params: user_id
// returns: id, name
MATCH (m:Person|Concept|Entity|KnowledgeChunk {user_id: $user_id})
WHERE NOT EXISTS { MATCH (m)<-[:MENTIONS|STATES {user_id: $user_id}]-(:Source) }
  AND @is_living(m)
  AND @may_retire(m)
RETURN m.id AS id, coalesce(m.name, m.content) AS name
ORDER BY id
LIMIT 100
