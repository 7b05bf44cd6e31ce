// The macros of a user, their themes; archived ones too where with_archived. mark changes with what is searched of each.
// mode: read
// params: user_id, with_archived
// returns: id, ref, title, first_at, last_at, source_count, storyline_count, is_archived, mark
MATCH (m:Macro {user_id: $user_id})
WHERE (@in_use(m) OR $with_archived)
  AND m.overview IS NOT NULL
RETURN m.id AS id,
  m.ref AS ref,
  m.title AS title,
  toString(m.first_event_at) AS first_at,
  toString(m.last_event_at) AS last_at,
  m.total_source_count AS source_count,
  m.storyline_count AS storyline_count,
  NOT (@in_use(m)) AS is_archived,
  coalesce(m.fingerprint, '') + '/' + coalesce(toString(m.updated_at), '') AS mark
