// Each level to the next, with the share of the source that is left (000: SUMMARIZED_TO, compression_ratio).
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (longer:CompressedContext {id: row.from_id})
WHERE longer.user_id = $user_id
MATCH (shorter:CompressedContext {id: row.id})
WHERE shorter.user_id = $user_id
MERGE (longer)-[r:SUMMARIZED_TO]->(shorter)
SET r.compression_ratio = row.compression_ratio
RETURN shorter.id AS id
