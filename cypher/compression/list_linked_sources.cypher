// The sources beside which the full contexts of these are placed: before and after them, the whole and the parts.
// mode: read
// params: ids, user_id
// returns: id
UNWIND $ids AS context_id
@owned_context(context_id)
MATCH (c)-[:FOLLOWS|PART_OF]-(o:CompressedContext)
WHERE o.user_id = $user_id
RETURN DISTINCT o.source_id AS id
ORDER BY id
