// When what storylines and macros are made up of arrived last: they fade from then on, however often they are made anew.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (overview:Memory {id: row.id, user_id: $user_id})-[:INCLUDES|GROUPS {user_id: $user_id}]->(below:Memory)
WITH overview, max(coalesce(below.ingested_at, below.created_at)) AS arrived_at
SET @becomes_uncounted(overview, arrived_at),
  overview.ingested_at = arrived_at,
  overview.unaged = $user_id
RETURN overview.id AS id
