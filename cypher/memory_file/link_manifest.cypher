// Point a user's manifest at the memories it lists.
// mode: write
// params: id, user_id, rows
// returns: memory_id
UNWIND $rows AS row
MATCH (b:BoundedMemoryManifest {id: $id, user_id: $user_id})
MATCH (m:Memory {id: row.memory_id, user_id: row.owner})
MERGE (b)-[l:LISTS]->(m)
SET l.section = row.section,
    l.position = row.position
RETURN m.id AS memory_id
