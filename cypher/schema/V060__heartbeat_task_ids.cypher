// One node per heartbeat task.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT heartbeat_task_ids IF NOT EXISTS
FOR (n:HeartbeatTask)
REQUIRE n.id IS UNIQUE
