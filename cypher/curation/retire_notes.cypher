// Remove notes that no step takes from their source any more. They are satellites, made again from the source
// at any time: no rail protects them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source) }
WITH n, n.id AS id
DETACH DELETE n
RETURN id
