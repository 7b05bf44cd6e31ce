// The ids of everything that a user owns, with the sources of the teams in $user_ids that the user may read, and these
// teams: what an export holds.
// mode: read
// params: user_id, user_ids
// returns: id
CALL () {
  MATCH (n:Memory)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:ValueClassification)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Note)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Extraction)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:SourceFile)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:StageState)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:MemoryDraft)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:BoundedMemoryManifest)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:MemoryFile)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:HeartbeatTask)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:HeartbeatTaskRegistry)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:CurationCycleSummary)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:DuplicatePair)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Decision)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:FileVersion)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:MetricsSnapshot)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:CurationAudit)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:AnchorName)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Consolidation)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:FileMigration)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:User)
  WHERE n.user_id = $user_id
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Source)
  WHERE @may_read(n)
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Team)
  WHERE n.user_id IN $user_ids
  RETURN n.id AS id
}
RETURN DISTINCT id
