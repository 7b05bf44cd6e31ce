// All that a user's macros follow from, in short.
// mode: read
// params: user_id
// returns: id, fingerprint, confidence, first_source_at, last_source_at, ingested_at
MATCH (t:Storyline {user_id: $user_id})
RETURN t.id AS id, t.fingerprint AS fingerprint, t.confidence AS confidence,
  t.first_source_at AS first_source_at, t.last_source_at AS last_source_at, t.ingested_at AS ingested_at
ORDER BY id
