// The probes of a test.
// mode: read
// params: user_id
// returns: id, value, at
MATCH (p:StageState)
WHERE p.user_id = $user_id
RETURN p.id AS id, p.value AS value, p.at AS at
ORDER BY id
