// The tasks that a file can show are found by user, shelf and key, as one text.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_shelves IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.shelf_key)
