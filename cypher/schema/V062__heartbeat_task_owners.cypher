// A user's tasks are found by the user.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_task_owners IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.user_id)
