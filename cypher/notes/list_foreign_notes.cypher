// Notes and relationships of a user that come from a source of somebody else, or are linked to somebody else's memory.
// mode: read
// params: user_id
// returns: id, other, owner
CALL () {
  MATCH (n:Note {user_id: $user_id})
  MATCH (n)-[:TAKEN_FROM]->(s:Source)
  RETURN n.id AS id, s.id AS other, s.user_id AS owner
  UNION ALL
  MATCH (r:Relationship {user_id: $user_id})
  MATCH (r)<-[:SUPPORTS]-(s:Source)
  RETURN r.id AS id, s.id AS other, s.user_id AS owner
  UNION ALL
  MATCH (n:Note {user_id: $user_id})
  MATCH (n)<-[:HAS_NOTE]-(m:Memory)
  WHERE m.user_id <> $user_id
  RETURN n.id AS id, m.id AS other, m.user_id AS owner
}
WITH id, other, owner
WHERE owner <> $user_id
  AND NOT EXISTS { MATCH (:User {user_id: $user_id})-[:MEMBER_OF]->(t:Team) WHERE t.user_id = owner }
RETURN id, other, owner
ORDER BY id, other
LIMIT 100
