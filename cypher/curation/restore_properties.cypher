// A memory is what its audit says that it was, with the instant at which it is back; not one that somebody has written since it
// was read, nor a merged one where the other end of the merge did not become what it was. How often a statement was retrieved
// is counted anew, together with what it was merged into (with_ids): what was retrieved meanwhile counted for that, or for
// nothing.
// mode: write
// params: user_id, now, id, version, properties, instants, new_version, audit_id, with_ids
// returns: id
@owned_memory($id)
@holds(m)
WITH m
WHERE coalesce(m.version, 0) = $version
  AND ($audit_id IS NULL OR EXISTS {
    MATCH (a:CurationAudit {id: $audit_id})
    WHERE a.kept_restored_at = datetime($now)
  })
SET m = $properties
FOREACH (key IN keys($instants) | SET m[key] = datetime($instants[key]))
SET m.version = $new_version,
  m.restored_at = datetime($now),
  m.unscored = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unscored END,
  m.unjudged = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unjudged END,
  m.unaged = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unaged END,
  m.uncounted = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.uncounted END,
  m.uncounted_with = CASE
    WHEN m:KnowledgeChunk THEN
      coalesce(m.uncounted_with, []) + [one IN $with_ids WHERE NOT one IN coalesce(m.uncounted_with, [])]
    ELSE m.uncounted_with
  END,
  @becomes_untold(m, m:KnowledgeChunk, null),
  @is_due_now(m)
RETURN m.id AS id
