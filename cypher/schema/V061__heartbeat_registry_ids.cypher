// One node per registry of tasks.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT heartbeat_registry_ids IF NOT EXISTS
FOR (n:HeartbeatTaskRegistry)
REQUIRE n.id IS UNIQUE
