// How far the sources of a user's edits have come, those that are read still: whether they were ever processed, whether
// they will be again by themselves, and the same of their extraction.
// mode: read
// params: user_id, user_ids, ids
// returns: id, is_processed, processing_status, processing_again_at, extraction_status, extraction_again_at
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id = $user_id
  AND @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (x:Extraction {user_id: $user_id, source_id: s.id})
RETURN s.id AS id,
  s.processed_fingerprint IS NOT NULL AS is_processed,
  s.processing_status AS processing_status,
  s.next_attempt_at AS processing_again_at,
  x.status AS extraction_status,
  x.next_attempt_at AS extraction_again_at
