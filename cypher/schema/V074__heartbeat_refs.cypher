// Tasks are found by the reference that reports give of them.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_refs IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.ref)
