// What another memory was merged into becomes what it was, where both are as they were read: in the transaction that brings
// the merged one back.
// mode: write
// params: user_id, id, version, properties, instants, merged_id, merged_version, is_there
// returns: id
MATCH (m:Memory {id: $id})
WHERE m.user_id = $user_id
  AND coalesce(m.version, 0) = $version
  AND COUNT { MATCH (x:Memory {id: $merged_id}) } = $is_there
  AND COUNT {
    MATCH (x:Memory {id: $merged_id})
    WHERE x.tombstone AND coalesce(x.version, 0) = $merged_version
  } = $is_there
SET m = $properties
FOREACH (key IN keys($instants) | SET m[key] = datetime($instants[key]))
SET m.version = $version + 1,
  m.unscored = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unscored END,
  m.unjudged = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unjudged END,
  @is_due_now(m)
RETURN m.id AS id
