// Each full context to the one before it in its thread, channel, conversation or file (000: FOLLOWS).
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
MATCH (before:CompressedContext {id: row.previous})
WHERE before.user_id = $user_id
MERGE (c)-[:FOLLOWS]->(before)
RETURN c.id AS id
