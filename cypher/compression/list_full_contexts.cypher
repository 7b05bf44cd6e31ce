// A user's full contexts: one per source, with what its levels were made from and its place.
// mode: read
// params: user_id, level
// returns: id, source_id, fingerprint, arrangement, has_summary
MATCH (c:CompressedContext {user_id: $user_id, compression_level: $level})
RETURN c.id AS id, c.source_id AS source_id, c.fingerprint AS fingerprint,
  c.arrangement AS arrangement, coalesce(c.has_summary, false) AS has_summary
