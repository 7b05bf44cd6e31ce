// What another memory was merged into becomes what it was, where both are as they were read: in the transaction that brings
// the merged one back, which asks by the audit whether this was done. The merged one is written, too, so that nobody else writes
// it before that.
// mode: write
// params: user_id, now, id, version, properties, instants, merged_id, merged_version, is_there, audit_id
// returns: id
@owned_memory($id)
OPTIONAL MATCH (x:Memory {id: $merged_id})
@holds(m)
@holds(x)
WITH m, x
WHERE coalesce(m.version, 0) = $version
  AND (($is_there AND x.tombstone AND coalesce(x.version, 0) = $merged_version) OR (NOT $is_there AND x IS NULL))
SET x.tombstone = true
SET m = $properties
FOREACH (key IN keys($instants) | SET m[key] = datetime($instants[key]))
SET m.version = $version + 1,
  m.unscored = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unscored END,
  m.unjudged = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unjudged END,
  m.unaged = CASE WHEN m:KnowledgeChunk AND m.tombstone IS NULL THEN $user_id ELSE m.unaged END,
  @becomes_untold(m, m:KnowledgeChunk, null),
  @is_due_now(m)
WITH m
MATCH (a:CurationAudit {id: $audit_id})
SET a.kept_restored_at = datetime($now)
RETURN m.id AS id
