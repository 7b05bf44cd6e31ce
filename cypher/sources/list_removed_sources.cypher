// The sources of these owners that were removed, the latest first.
// mode: read
// params: user_ids
// returns: id, owner, kind, title, path, started_at, removed_at, removed_by
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND s.removed_at IS NOT NULL
RETURN s.id AS id, s.user_id AS owner, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, s.removed_at AS removed_at, s.removed_by AS removed_by
ORDER BY removed_at DESC, id
