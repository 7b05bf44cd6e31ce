// That memories are scored as they are: but for those that were recalled since they were listed, which stay to be scored.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id, user_id: $user_id})
WHERE coalesce(m.access_count, 0) = row.accesses
SET m.unscored = null
RETURN m.id AS id
