// What an anchor is that a rail keeps although no source means it any more.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(:Source) }
SET n.source_count = 0,
  n.distinct_source_days = 0,
  n.first_mentioned_at = null,
  n.last_mentioned_at = null,
  n.aliases = null,
  n.untold = $user_id,
  n.untold_from_at = null,
  n.updated_at = datetime($now)
RETURN n.id AS id
