// Each full context to the one that it is part of: a reply to its mail, a thread to the day of its channel.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
MATCH (whole:CompressedContext {id: row.parent})
WHERE whole.user_id = $user_id
MERGE (c)-[:PART_OF]->(whole)
RETURN c.id AS id
