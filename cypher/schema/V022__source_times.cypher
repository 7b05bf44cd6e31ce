// The sources of an owner in a window of time.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_times IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.started_at)
