// How many sources wait: unprocessed ones of $user_id itself, and processed ones that it has not extracted yet.
// mode: read
// params: user_id, user_ids
// returns: unprocessed, unextracted
CALL () {
  MATCH (s:Source {user_id: $user_id})
  WHERE s.processing_status IN ['raw', 'failed']
  RETURN count(s) AS unprocessed
}
CALL () {
  MATCH (s:Source)
  WHERE s.user_id IN $user_ids AND s.processing_status IN ['processed', 'extracted']
  RETURN count(s) AS ready
}
CALL () {
  MATCH (x:Extraction {user_id: $user_id})
  WHERE x.status = 'extracted'
  MATCH (s:Source {id: x.source_id})
  WHERE s.user_id IN $user_ids AND s.processing_status IN ['processed', 'extracted']
  RETURN count(x) AS extracted
}
RETURN unprocessed, ready - extracted AS unextracted
