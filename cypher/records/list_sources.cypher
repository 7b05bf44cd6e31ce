// The sources of a user that agents' records are: what was last recorded of each, and whether it is in use. No text.
// mode: read
// params: user_id
// returns: id, content_hash, raw_size, recorded, is_in_use
MATCH (s:Source {user_id: $user_id, source_type: 'record'})
RETURN s.id AS id, s.content_hash AS content_hash, s.raw_size AS raw_size, s.recorded_fingerprint AS recorded,
  @source_in_use(s) AS is_in_use
ORDER BY id
