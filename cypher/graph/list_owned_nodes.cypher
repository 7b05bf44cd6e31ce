// The nodes with the given ids, as far as the owners in $user_ids own them: one page of an export.
// mode: read
// params: ids, user_ids
// returns: id, labels, properties
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (n:Memory {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:ValueClassification {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:Note {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:Extraction {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:SourceFile {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:StageState {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:MemoryDraft {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:BoundedMemoryManifest {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:MemoryFile {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:HeartbeatTask {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:HeartbeatTaskRegistry {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:CurationCycleSummary {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:DuplicatePair {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:Decision {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:FileVersion {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:MetricsSnapshot {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:CurationAudit {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:AnchorName {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:Consolidation {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:FileMigration {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:User {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
  UNION ALL
  MATCH (n:Team {id: wanted})
  RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, n.user_id AS owner
}
WITH id, labels, properties, owner
WHERE owner IN $user_ids
  AND (properties.team_id IS NULL OR @is_open_to(properties.readers, $user_ids))
RETURN id, labels, properties
