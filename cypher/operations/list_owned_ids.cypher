// The ids of everything that a user owns, with the sources of the teams in $team_owners: what an export holds.
// Of a source that only those may read who took part in it, the readers are in $team_owners by the keys of their names.
// mode: read
// params: user_id, team_owners
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
  MATCH (n:FileEdit)
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
  MATCH (n:NameDecision)
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
  WHERE n.user_id IN $team_owners
    AND (n.readers IS NULL OR any(reader IN n.readers WHERE reader = $user_id OR reader IN $team_owners))
  RETURN n.id AS id
  UNION ALL
  MATCH (n:Team)
  WHERE n.user_id IN $team_owners
  RETURN n.id AS id
}
RETURN DISTINCT id
