// The teams that a user belongs to, by the key of the team as an owner (team-<team>).
// mode: read
// params: user_id
// returns: team_id, team_owner
MATCH (u:User)-[:MEMBER_OF]->(t:Team)
WHERE u.user_id = $user_id
RETURN t.team_id AS team_id, t.user_id AS team_owner
ORDER BY team_owner
