// Tasks whose definitions have changed since they were loaded.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_pending IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.pending_key)
