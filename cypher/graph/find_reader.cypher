// By what sources know their reader: the names of a user's profile, and the user's teams as owners (team-<team>), in order;
// and what these stages of the user and the teams were last made from.
// mode: read
// params: user_id, id, stages
// returns: names, team_owners, made
OPTIONAL MATCH (p:Person {id: $id, user_id: $user_id})
WHERE p.is_owner = true
WITH CASE WHEN p IS NULL THEN [] ELSE [p.name] + coalesce(p.also, []) END AS names
OPTIONAL MATCH (u:User)-[:MEMBER_OF]->(t:Team)
WHERE u.user_id = $user_id
WITH names, t.user_id AS team_owner
ORDER BY team_owner
WITH names, collect(team_owner) AS team_owners
CALL (team_owners) {
  UNWIND [$user_id] + team_owners AS owner
  UNWIND $stages AS stage
  MATCH (x:StageState {user_id: owner, stage: stage})
  RETURN collect({user_id: owner, stage: stage, fingerprint: x.fingerprint}) AS made
}
RETURN names, team_owners, made
