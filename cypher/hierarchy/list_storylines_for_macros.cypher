// Storylines that are alive, or have faded, with their anchors (004, Weekly Macro Promotion), by the titles that were given to each alone.
// mode: read
// params: user_id
// returns: id, anchor_id, anchor, confidence, title, summary, sentences, first_at, last_at, source_count
MATCH (t:Storyline {user_id: $user_id})
WHERE coalesce(t.archived_from, t.state) IN ['active', 'core']
MATCH (n:Memory {id: t.anchor_id, user_id: $user_id})
RETURN t.id AS id, n.id AS anchor_id, n.name AS anchor, n.confidence AS confidence,
  coalesce(t.given_title, t.title) AS title, t.summary AS summary, t.sentences AS sentences,
  t.first_source_at AS first_at, t.last_source_at AS last_at, t.source_count AS source_count
ORDER BY id
