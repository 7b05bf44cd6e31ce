// Each full context to the source whose text it is.
// mode: write
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
@owned_context(row.id)
MERGE (c)-[:CONTEXT_OF]->(s)
RETURN c.id AS id
