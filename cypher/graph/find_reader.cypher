// By what sources know their reader: the names of a user's profile, and the user's teams as owners (team-<team>), in order.
// mode: read
// params: user_id, id
// returns: names, team_owners
OPTIONAL MATCH (p:Person {id: $id, user_id: $user_id})
WHERE p.is_owner = true
WITH CASE WHEN p IS NULL THEN [] ELSE [p.name] + coalesce(p.also, []) END AS names
OPTIONAL MATCH (u:User)-[:MEMBER_OF]->(t:Team)
WHERE u.user_id = $user_id
WITH names, t.user_id AS team_owner
ORDER BY team_owner
RETURN names, collect(team_owner) AS team_owners
