// A user's registry is found by the user.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_registry_owners IF NOT EXISTS
FOR (n:HeartbeatTaskRegistry)
ON (n.user_id)
