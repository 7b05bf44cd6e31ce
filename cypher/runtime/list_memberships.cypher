// Who of these users belongs to which team, by the team's key as an owner (team-<team>).
// mode: read
// params: user_ids
// returns: user_id, team_owner
MATCH (u:User)-[:MEMBER_OF]->(t:Team)
WHERE u.user_id IN $user_ids
RETURN u.user_id AS user_id, t.user_id AS team_owner
ORDER BY user_id, team_owner
