// For whom a cycle of these cadences has something to do, and for how many memories: ranges of indexes, so that it costs
// what is due. Old tombstones, and what is to be compared with its likes, are the matter of the cycle of every 6h.
// mode: read
// params: cadences, last, born_before
// returns: user_id, cadence, due
// owner: no, names of owners for the whole installation; no content
CALL () {
  MATCH (m:Memory)
  WHERE m.curate_5m_key > '' AND m.curate_5m_key <= $last AND '5m' IN $cadences
  RETURN m.user_id AS user_id, '5m' AS cadence
  UNION ALL
  MATCH (m:Memory)
  WHERE m.curate_15m_key > '' AND m.curate_15m_key <= $last AND '15m' IN $cadences
  RETURN m.user_id AS user_id, '15m' AS cadence
  UNION ALL
  MATCH (m:Memory)
  WHERE m.curate_1h_key > '' AND m.curate_1h_key <= $last AND '1h' IN $cadences
  RETURN m.user_id AS user_id, '1h' AS cadence
  UNION ALL
  MATCH (m:Memory)
  WHERE m.curate_6h_key > '' AND m.curate_6h_key <= $last AND '6h' IN $cadences
  RETURN m.user_id AS user_id, '6h' AS cadence
  UNION ALL
  MATCH (m:Memory)
  WHERE m.tombstone_key > '' AND m.tombstone_key <= $last AND '6h' IN $cadences
  RETURN m.user_id AS user_id, '6h' AS cadence
  UNION ALL
  MATCH (m:Memory)
  WHERE m.uncompared > '' AND m.created_at <= datetime($born_before) AND '6h' IN $cadences
  RETURN m.user_id AS user_id, '6h' AS cadence
}
RETURN user_id, cadence, count(*) AS due
ORDER BY user_id, cadence
