// A source by itself.
// mode: read
// params: user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt
MATCH (s:Source {id: $memory_id})
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
  AND coalesce(s.state, 'candidate') <> 'archived'
RETURN s.id AS id,
  s.source_type AS kind,
  s.title AS title,
  s.path AS path,
  s.started_at AS occurred_at,
  s.summary AS excerpt
