// Links into a user's memories from sources that are neither the user's nor one of the user's teams'.
// mode: read
// params: user_id
// returns: id, source_id, owner
MATCH (m:Person|Concept|Entity|KnowledgeChunk {user_id: $user_id})
MATCH (m)<-[r:MENTIONS|STATES]-(s:Source)
WHERE r.user_id <> $user_id
  OR (s.user_id <> $user_id
    AND NOT EXISTS { MATCH (:User {user_id: $user_id})-[:MEMBER_OF]->(t:Team) WHERE t.user_id = s.user_id })
RETURN m.id AS id, s.id AS source_id, s.user_id AS owner
ORDER BY id, source_id
LIMIT 100
