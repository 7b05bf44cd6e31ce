// The teams a user belongs to, by the owner key of their shared sources.
// mode: read
// params: user_id
// returns: team_owner
MATCH (u:User {user_id: $user_id})-[:MEMBER_OF]->(t:Team)
RETURN DISTINCT t.user_id AS team_owner
ORDER BY team_owner
