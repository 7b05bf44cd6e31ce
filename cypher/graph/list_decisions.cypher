// What people have decided about a user's memories and holds, the latest first: what about, in words that are the user's to
// read; the sources that were removed, which say so themselves; and what was consolidated.
// mode: read
// params: user_id, user_ids
// returns: id, kind, what, about, at, why
UNWIND ['edit', 'task', 'name', 'contradiction', 'correction', 'doubt'] AS kind
MATCH (d:Decision {user_id: $user_id, kind: kind})
WHERE d.is_in_force
OPTIONAL MATCH (m:Memory {id: coalesce(d.memory_id, '')})
WHERE @may_read(m)
RETURN d.id AS id, CASE WHEN d.kind = 'edit' AND d.agent IS NOT NULL THEN 'correction' ELSE d.kind END AS kind, d.action AS what,
  CASE
    WHEN d.kind = 'edit' AND m IS NOT NULL AND d.published_text <> d.edited_text
      THEN d.published_text + ' -> ' + d.edited_text
    WHEN d.kind <> 'edit' OR d.edited_text IS NOT NULL OR m IS NOT NULL THEN d.about
    ELSE d.ref
  END AS about,
  toString(d.at) AS at, coalesce(d.conflict, d.reason) AS why
UNION ALL
MATCH (s:Source {user_id: $user_id})
WHERE NOT (@source_in_use(s))
  AND coalesce(s.removed_by, '') <> 'undo'
RETURN s.id AS id, 'source' AS kind, 'removed' AS what, s.title AS about,
  toString(coalesce(s.removed_at, s.updated_at)) AS at,
  CASE s.removed_by WHEN 'owner' THEN 'its owner wants it gone' ELSE 'its file is gone' END AS why
UNION ALL
MATCH (k:Consolidation {user_id: $user_id, status: 'done'})
RETURN k.id AS id, 'consolidation' AS kind, 'archived' AS what, k.about AS about,
  toString(k.carried_out_at) AS at, k.why AS why
