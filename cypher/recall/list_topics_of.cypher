// The storylines and macros of a user's person, concept or entity, archived ones too.
// mode: read
// params: user_id, id
// returns: level, id, ref, title, first_at, last_at, source_count, is_archived
MATCH (t:Storyline {user_id: $user_id, anchor_id: $id})
RETURN 'storylines' AS level, t.id AS id, t.ref AS ref, t.title AS title, toString(t.first_source_at) AS first_at,
  toString(t.last_source_at) AS last_at, t.source_count AS source_count, NOT (@in_use(t)) AS is_archived
UNION ALL
MATCH (m:Macro {user_id: $user_id, anchor_id: $id})
RETURN 'themes' AS level, m.id AS id, m.ref AS ref, m.title AS title, toString(m.first_event_at) AS first_at,
  toString(m.last_event_at) AS last_at, m.total_source_count AS source_count, NOT (@in_use(m)) AS is_archived
