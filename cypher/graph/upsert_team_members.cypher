// Put the users in $rows (id, user_id) into a team; a user, a team and a membership are made once.
// mode: write
// params: rows, team_node_id, team_id, team_owner, now
// returns: user_id
// owner: no, each row is a user of its own, and a membership is what lies between owners
MERGE (t:Team {id: $team_node_id})
ON CREATE SET
  t.user_id = $team_owner,
  t.team_id = $team_id,
  t.created_at = datetime($now)
WITH t
UNWIND $rows AS row
MERGE (u:User {id: row.id})
ON CREATE SET
  u.user_id = row.user_id,
  u.created_at = datetime($now)
MERGE (u)-[:MEMBER_OF]->(t)
RETURN u.user_id AS user_id
