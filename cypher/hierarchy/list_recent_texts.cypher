// The storylines or macros of a user that were made last, since an instant, with what each sentence rests on; without macros of
// which a storyline was made later, or has gone: these are to be made anew. The instant is read once, not for each.
// mode: read
// params: user_id, since, macros, most
// returns: id, anchor_id, title, text, sentences
WITH datetime($since) AS since
MATCH (m:Storyline|Macro {user_id: $user_id})
WHERE m:Macro = $macros AND m.generated_at >= since
WITH m
ORDER BY m.generated_at DESC, m.fingerprint, m.id
LIMIT $most
OPTIONAL MATCH (m)-[:GROUPS]->(t:Storyline)
WITH m, count(t) AS grouped, max(t.generated_at) AS grouped_at
WHERE grouped = coalesce(m.storyline_count, 0)
  AND (grouped_at IS NULL OR grouped_at <= m.generated_at)
RETURN m.id AS id, m.anchor_id AS anchor_id, m.title AS title, coalesce(m.overview, m.summary) AS text,
  m.sentences AS sentences
ORDER BY id
