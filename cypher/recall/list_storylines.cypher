// The storylines of a user; archived ones too where with_archived. mark changes with what is searched of each.
// mode: read
// params: user_id, with_archived
// returns: id, ref, title, first_at, last_at, source_count, is_archived, mark
MATCH (t:Storyline {user_id: $user_id})
WHERE (@in_use(t) OR $with_archived)
  AND t.summary IS NOT NULL
RETURN t.id AS id,
  t.ref AS ref,
  t.title AS title,
  toString(t.first_source_at) AS first_at,
  toString(t.last_source_at) AS last_at,
  t.source_count AS source_count,
  NOT (@in_use(t)) AS is_archived,
  coalesce(t.fingerprint, '') + '/' + coalesce(toString(t.updated_at), '') AS mark
