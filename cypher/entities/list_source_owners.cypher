// The teams whose shared sources a user may read (004, Per-User Extraction).
// mode: read
// params: user_id
// returns: owner
MATCH (:User {user_id: $user_id})-[:MEMBER_OF]->(t:Team)
RETURN t.user_id AS owner
ORDER BY owner
