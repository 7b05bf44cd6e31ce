// The processed sources that a user may read, each with a mark that changes when its words do.
// mode: read
// params: user_ids
// returns: id, mark
MATCH (s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN s.id AS id,
  coalesce(s.processed_fingerprint, '') + '/' + coalesce(toString(s.started_at), '')
    + coalesce('/' + s.project, '') AS mark
