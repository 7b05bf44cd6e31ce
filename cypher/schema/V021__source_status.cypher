// What of an owner waits for which stage.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_status IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.processing_status)
