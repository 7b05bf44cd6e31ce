// A registry as it was before tasks were added up in it.
// mode: write
// params: user_id
// returns: id
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
SET r.definition_tokens = null,
  r.loaded = null,
  r.executions = null
RETURN r.id AS id
