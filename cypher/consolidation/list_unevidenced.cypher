// Insights of a user that no longer say from which source they are, or on which statement of one they rest: of so many
// consolidations, those that wait to be looked at and then those that were looked at last. They are found by what was
// consolidated: by whose they are, every note of the owner would be looked at.
// mode: read
// params: user_id, most
// returns: id, consolidation_id
MATCH (k:Consolidation {user_id: $user_id, status: 'done'})
WITH k
ORDER BY k.unchecked IS NULL, k.checked_at DESC, k.id
LIMIT $most
WITH k.id AS consolidation_id, k.note_ids AS note_ids
UNWIND note_ids AS note_id
MATCH (n:Note {id: note_id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source {user_id: $user_id}) }
  OR NOT EXISTS {
    MATCH (n)-[:RESTS_ON {user_id: $user_id}]->(:KnowledgeChunk)<-[:STATES {user_id: $user_id}]-(:Source)
      <-[:TAKEN_FROM {user_id: $user_id}]-(n)
  }
RETURN DISTINCT n.id AS id, consolidation_id
ORDER BY id
LIMIT 100
