// Insights of a user that no longer say from which source they are.
// mode: read
// params: user_id
// returns: id, consolidation_id
MATCH (n:Note {user_id: $user_id})-[e:RESTS_ON {user_id: $user_id}]->(:KnowledgeChunk)
WHERE NOT EXISTS { MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source {user_id: $user_id}) }
RETURN DISTINCT n.id AS id, e.consolidation_id AS consolidation_id
ORDER BY id
LIMIT 100
