// The key with this digest: it says whose memory a request may reach, so that nothing of an owner is known before.
// mode: read
// params: digest
// returns: id, user_id, agent, scopes, project, expires_at, revoked_at
// owner: no, whose memory a request may reach is what its key says
MATCH (k:AgentKey {digest: $digest})
RETURN k.id AS id, k.user_id AS user_id, k.agent AS agent, k.scopes AS scopes, k.project AS project,
  k.expires_at AS expires_at, k.revoked_at AS revoked_at
LIMIT 1
