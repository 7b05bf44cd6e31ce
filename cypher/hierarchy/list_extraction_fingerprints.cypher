// All that a user's storylines follow from, in short: the extractions, and the sources' descriptions.
// Times come as text: the driver takes twice as long to make instants of them as all the rest takes.
// mode: read
// params: user_id
// returns: source_id, fingerprint, status, described, started_at, embedder
MATCH (x:Extraction {user_id: $user_id})
OPTIONAL MATCH (s:Source {id: x.source_id})
RETURN x.source_id AS source_id, x.fingerprint AS fingerprint, x.status AS status,
  s.processed_fingerprint AS described, toString(s.started_at) AS started_at, s.embedder AS embedder
ORDER BY source_id
