// A user's tasks are found by the user.
// With the id: an index by the owner alone would be read in place of the unique one, row by row.
// mode: schema
// params: -
// returns: -
CREATE INDEX heartbeat_task_owners IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.user_id, n.id)
