// Due tasks are found by user and instant, as one text: a range that both engines read from the index.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_due IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.due_key)
