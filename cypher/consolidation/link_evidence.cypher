// On which statements the insights of a consolidation rest.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
MATCH (c:KnowledgeChunk {id: row.statement_id, user_id: $user_id})
MERGE (n)-[e:RESTS_ON {user_id: $user_id, consolidation_id: row.consolidation_id}]->(c)
RETURN n.id AS id
