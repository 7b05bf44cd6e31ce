// The cleaned words of some sources that a user may read.
// mode: read
// params: ids, user_ids
// returns: id, turns, content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
  AND coalesce(s.state, 'candidate') <> 'archived'
RETURN s.id AS id, s.turns AS turns, s.content AS content
