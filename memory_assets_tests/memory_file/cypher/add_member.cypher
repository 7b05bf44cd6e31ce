// A user as a member of a team.
// mode: write
// params: user_id, user_node_id, team_owner
// returns: id
MERGE (u:User {id: $user_node_id, user_id: $user_id})
MERGE (t:Team {id: $team_owner, user_id: $team_owner})
MERGE (u)-[:MEMBER_OF]->(t)
RETURN u.id AS id
