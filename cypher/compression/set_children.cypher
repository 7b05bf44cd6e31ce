// What a level leads to below it, as its links say: another once a level below has been retired.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:CompressedContext {id: row.id})
WHERE c.user_id = $user_id AND c.compression_level <> 'full'
OPTIONAL MATCH (c)-[:SUMMARIZED_TO]->(b:CompressedContext)
WITH c, collect(b.id) AS below
SET c.child_context_ids = below
RETURN c.id AS id
