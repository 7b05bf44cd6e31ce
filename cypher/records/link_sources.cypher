// Records to the sources that have them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND @is_living(m)
MATCH (s:Source {id: row.source_id, user_id: $user_id})
MERGE (m)-[:RECORDED_IN {user_id: $user_id}]->(s)
RETURN m.id AS id
