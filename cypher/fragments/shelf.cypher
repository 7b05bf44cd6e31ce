// The first memories of a user's by one of the keys of their values: a range of one index, so that making a file does not grow
// with what is stored.
// The owner is asked for behind the range: beside it, the embedded engine reads an index by owner, and with it everything
// that the owner has. The memories themselves are read by their ids (list_pool_memories): with a second pattern behind the
// range, the engine counts the index first.
// Times come as text: the driver takes longer to make instants of them than the engine to find them.
// takes: key
MATCH (vc:ValueClassification)
WHERE key >= $first AND key <= $last
WITH vc
WHERE vc.user_id = $user_id
WITH vc
ORDER BY key
LIMIT $limit
RETURN vc.memory_id AS memory_id,
  vc.section AS section,
  vc.entity_type AS entity_type,
  coalesce(vc.is_standing, false) AS is_standing,
  toString(vc.occurred_at) AS occurred_at,
  vc.value_score AS value_score,
  vc.retention_tier AS tier,
  coalesce(vc.retention_score, 0.0) AS retention
