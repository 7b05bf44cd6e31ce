// Revoke a user's key by its id, or all of an agent's by its name; one that was revoked before stays as it was.
// mode: write
// params: user_id, named, now
// returns: id
MATCH (k:AgentKey {user_id: $user_id})
WHERE k.id = $named
  OR k.agent = $named
SET k.revoked_at = coalesce(k.revoked_at, datetime($now))
RETURN k.id AS id
