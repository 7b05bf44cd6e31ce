// The keys of a user, the latest first, without their digests.
// mode: read
// params: user_id
// returns: id, agent, scopes, project, created_at, expires_at, revoked_at
MATCH (k:AgentKey {user_id: $user_id})
RETURN k.id AS id, k.agent AS agent, k.scopes AS scopes, k.project AS project, k.created_at AS created_at,
  k.expires_at AS expires_at, k.revoked_at AS revoked_at
ORDER BY created_at DESC, id
