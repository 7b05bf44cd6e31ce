// The records of a user that the cycle of every 15m has something to do for, the longest due first: a range of one index, so that
// it costs what is due, whatever there is.
// mode: read
// params: user_id, last, limit
// returns: id, key
MATCH (m:Memory)
WHERE m.curate_15m_key > '' AND m.curate_15m_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.id AS id,
  m.curate_15m_key AS key
ORDER BY key
LIMIT $limit
