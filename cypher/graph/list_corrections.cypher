// What agents have corrected in a user's memories and holds, the latest last: statements of sources, whose decision is that of
// an edit, and records.
// mode: read
// params: user_id
// returns: id, kind, memory_id, ref, by_memory_id, by_ref, action, path, agent, at, was_at, audit_id, published_text, edited_text
UNWIND ['edit', 'correction'] AS kind
MATCH (d:Decision {user_id: $user_id, kind: kind})
WHERE d.is_in_force
  AND d.agent IS NOT NULL
RETURN d.id AS id, d.kind AS kind, d.memory_id AS memory_id, d.ref AS ref, d.by_memory_id AS by_memory_id,
  d.by_ref AS by_ref, d.action AS action, d.path AS path, d.agent AS agent, toString(d.at) AS at, d.was_at AS was_at, d.audit_id AS audit_id,
  d.published_text AS published_text, d.edited_text AS edited_text
ORDER BY at, was_at, id
