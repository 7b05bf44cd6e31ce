// The archived records of a user that are long, and wait to be condensed: as list_to_condense asks, before the limit, so that
// none that does not wait any more takes the place of one that does.
// mode: read
// params: user_id, limit
// returns: id
MATCH (m:Memory {bulky: $user_id})
WHERE m.record_kind IS NOT NULL
  AND @is_living(m)
  AND NOT (@in_use(m))
  AND NOT m.ttl_policy = 'keep_forever'
  AND @is_bulky(m)
RETURN m.id AS id
ORDER BY id
LIMIT $limit
