// Remove the figures of cycles whose time is over. They are no memories.
// mode: write
// params: rows, user_id, before
// returns: id
UNWIND $rows AS row
MATCH (c:CurationCycleSummary {id: row.id})
WHERE c.user_id = $user_id
  AND c.at < datetime($before)
WITH c, c.id AS id
DETACH DELETE c
RETURN id
