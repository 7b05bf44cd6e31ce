// Records to those that they refer to, by these' own ids. What is linked already stays as it is.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
MATCH (o:Memory {id: row.other_id})
WHERE o.user_id = $user_id
  AND NOT EXISTS { MATCH (m)-[:REFERS_TO {user_id: $user_id}]->(o) }
CREATE (m)-[:REFERS_TO {user_id: $user_id, name: row.name}]->(o)
SET @becomes_due(o)
SET @becomes_due(m)
RETURN m.id AS id
