// What has been processed of the given owners' sources, oldest first; unknown times last. A source that could not be
// processed anew has what an earlier processing made.
// mode: read
// params: user_ids
// returns: id, owner, started_at, processing_status, text_fingerprint, source_type, by_role, speakers, addresses, tokens
MATCH (s:Source)
WHERE @may_read(s)
  AND s.processing_status IN ['processed', 'extracted', 'failed']
  AND s.processed_fingerprint IS NOT NULL
  AND @source_in_use(s)
RETURN s.id AS id, s.user_id AS owner, s.started_at AS started_at,
  s.processing_status AS processing_status,
  s.text_fingerprint AS text_fingerprint,
  s.source_type AS source_type, s.owner_speaker AS by_role,
  coalesce(s.speakers, s.participants, []) AS speakers, coalesce(s.addresses, []) AS addresses,
  coalesce(s.token_count, 0) AS tokens
ORDER BY started_at, id
