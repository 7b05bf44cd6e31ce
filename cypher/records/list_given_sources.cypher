// Those of some sources of a user that agents' records are (list_sources).
// mode: read
// params: user_id, ids
// returns: id, content_hash, raw_size, recorded, is_in_use
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
WHERE s.source_type = 'record'
RETURN s.id AS id, s.content_hash AS content_hash, s.raw_size AS raw_size, s.recorded_fingerprint AS recorded,
  @source_in_use(s) AS is_in_use
ORDER BY id
