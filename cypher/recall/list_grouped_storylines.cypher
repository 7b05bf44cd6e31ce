// The storylines that macros of a user group, the oldest first; archived ones too where with_archived.
// mode: read
// params: user_id, ids, with_archived
// returns: above_id, id, ref, title, first_at, last_at, source_count, is_archived
UNWIND $ids AS wanted
MATCH (m:Macro {id: wanted, user_id: $user_id})
MATCH (m)-[:GROUPS {user_id: $user_id}]->(t:Storyline)
WHERE (@in_use(t) OR $with_archived)
RETURN m.id AS above_id,
  t.id AS id,
  t.ref AS ref,
  t.title AS title,
  toString(t.first_source_at) AS first_at,
  toString(t.last_source_at) AS last_at,
  t.source_count AS source_count,
  NOT (@in_use(t)) AS is_archived
ORDER BY above_id, first_at, id
