// On which notes descriptions rest: as long as one does, the note stays.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
MATCH (n:Note {id: row.note_id, user_id: $user_id})
MERGE (m)-[:DESCRIBED_BY {user_id: $user_id}]->(n)
RETURN m.id AS id
