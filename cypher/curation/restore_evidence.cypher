// A note rests on a statement again that is back.
// mode: write
// params: user_id, now, id, other_id, properties
// returns: id
MATCH (m:Memory {id: $id})
WHERE m.user_id = $user_id
  AND m.restored_at = datetime($now)
MATCH (n:Note {id: $other_id, user_id: $user_id})
MERGE (n)-[e:RESTS_ON {user_id: $user_id, consolidation_id: $properties.consolidation_id}]->(m)
SET e += $properties
RETURN m.id AS id
