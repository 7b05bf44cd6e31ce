// Tasks and their registry.
// mode: schema
// params: -
// returns: -

// One node per heartbeat task.
CREATE CONSTRAINT heartbeat_task_ids IF NOT EXISTS
FOR (n:HeartbeatTask)
REQUIRE n.id IS UNIQUE;

// A user's tasks are found by the user.
// With the id: an index by the owner alone would be read in place of the unique one, row by row.
CREATE INDEX heartbeat_task_owners IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.user_id, n.id);

// Due tasks are found by user and instant, as one text: a range that both engines read from the index.
CREATE INDEX heartbeat_due IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.due_key);

// The tasks that a file can show are found by user, shelf and key, as one text.
CREATE INDEX heartbeat_shelves IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.shelf_key);

// Tasks whose definitions have changed since they were loaded.
CREATE INDEX heartbeat_pending IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.pending_key);

// Tasks are found by the reference that reports give of them.
CREATE INDEX heartbeat_refs IF NOT EXISTS
FOR (n:HeartbeatTask)
ON (n.ref);

// One node per registry of tasks.
CREATE CONSTRAINT heartbeat_registry_ids IF NOT EXISTS
FOR (n:HeartbeatTaskRegistry)
REQUIRE n.id IS UNIQUE;

// A user's registry is found by the user.
CREATE INDEX heartbeat_registry_owners IF NOT EXISTS
FOR (n:HeartbeatTaskRegistry)
ON (n.user_id);
