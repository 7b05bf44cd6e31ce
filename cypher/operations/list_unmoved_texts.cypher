// The sources that hold their texts themselves, as all did once.
// mode: read
// params: -
// returns: id, user_id, raw_size
// owner: no, a migration goes through the whole graph; no content
MATCH (s:Source)
WHERE s.raw_content IS NOT NULL OR s.content IS NOT NULL OR s.turns IS NOT NULL OR s.original_content IS NOT NULL
RETURN s.id AS id, s.user_id AS user_id, coalesce(s.raw_size, 0) AS raw_size
