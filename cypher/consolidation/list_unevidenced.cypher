// Insights of a user that no longer say from which source they are. They are found by what was consolidated: by whose they
// are, every note of the owner would be looked at.
// mode: read
// params: user_id
// returns: id, consolidation_id
MATCH (k:Consolidation {user_id: $user_id, status: 'done'})
UNWIND k.note_ids AS note_id
MATCH (n:Note {id: note_id, user_id: $user_id})
MATCH (n)-[e:RESTS_ON {user_id: $user_id}]->(:KnowledgeChunk)
WHERE NOT EXISTS { MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source {user_id: $user_id}) }
RETURN DISTINCT n.id AS id, e.consolidation_id AS consolidation_id
ORDER BY id
LIMIT 100
